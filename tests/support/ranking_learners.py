"""What the tests of ranking learners share."""

import pytest

import fast
import reference

BOTH_LEARNERS = pytest.mark.parametrize("module", [reference, fast], ids=["reference", "fast"])

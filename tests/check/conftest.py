"""What the tests of the examiner share as a fixture."""

import pytest

from tests.support.check import remembering


@pytest.fixture(scope="module")
def truths():
    """The ground truth of an instance is computed once, for all answers that the tests of a file have judged."""
    with remembering():
        yield

"""One cluster within the process for the tests of a file."""

import pytest

from fast.distributed._cluster import connected


@pytest.fixture(scope="module")
def client():
    with connected(None, 2) as client:
        yield client

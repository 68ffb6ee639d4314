"""One cluster within the process, and one of worker processes, for the tests of a file."""

import pytest

from fast.distributed._cluster import connected
from tests.support.distributed import worker_processes


@pytest.fixture(scope="module")
def client():
    with connected(None, 2) as client:
        yield client


@pytest.fixture(scope="module")
def processes(request):
    with worker_processes(**getattr(request.module, "OF_SCHEDULER", {})) as client:
        yield client

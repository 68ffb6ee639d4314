"""The Dask client that a fit works with: the caller's, or that of a cluster within this process."""

import contextlib
import logging
import tempfile
import warnings

import distributed

from reference.problems import checks

NO_LIMIT = 0  # bytes, in Dask's meaning: the worker neither stops nor writes to disk, whatever this process holds


@contextlib.contextmanager
def connected(client=None, n_jobs=1):
    """Gives a `distributed.Client`: the given one, which stays open, or one of a cluster within this process.

    That cluster has one worker of `n_jobs` threads (-1: all processors). It listens on no socket, writes only to a
    temporary folder of its own, and does not become the default client of Dask. It is closed at the end. A client that
    is the default of this process, or that of the task that this runs in, is used only if it is given.

    Raises
    ------
    ValueError
        `client` is not a running, synchronous `distributed.Client`, or `n_jobs` is not a number of threads.
    """
    if client is not None:
        yield _running(client)
        return
    threads = checks.thread_count(n_jobs)
    with tempfile.TemporaryDirectory(prefix="marginalia-dask-") as folder, _embedded(threads, folder) as cluster:
        client = distributed.Client(cluster, set_as_default=False, asynchronous=False)
        try:
            yield client
        finally:
            client.close()


def is_embedded(client):
    """Whether the workers are threads of this process, to which an array goes without a copy."""
    return client.scheduler.address.startswith("inproc://")


def _running(client):
    """Returns the client if it can be used from here."""
    expected = "client must be a distributed.Client that is running and synchronous"
    if not isinstance(client, distributed.Client):
        raise ValueError(f"{expected}, got {checks.brief(client)}")
    if client.status != "running" or client.asynchronous:
        raise ValueError(f"{expected}, got one that is {'asynchronous' if client.asynchronous else client.status}")
    return client


@contextlib.contextmanager
def _embedded(threads, folder):
    """Gives a cluster within this process, and closes it."""
    inside = {"protocol": "inproc://", "dashboard": False}
    worker = {"nthreads": threads, "local_directory": folder, "memory_limit": NO_LIMIT, **inside}
    with warnings.catch_warnings():
        # Dask names its endpoints by the address of this machine, and warns if it has none. Nothing is sent there.
        warnings.filterwarnings("ignore", "Couldn't detect a suitable IP address", RuntimeWarning)
        cluster = distributed.SpecCluster(
            workers={0: {"cls": _SocketlessWorker, "options": worker}},
            scheduler={"cls": _SocketlessScheduler, "options": inside},
            asynchronous=False,
            silence_logs=logging.CRITICAL,
        )
    try:
        yield cluster
    finally:
        cluster.close()


class _SocketlessScheduler(distributed.Scheduler):
    """A scheduler without the web server that Dask starts on all addresses of the machine, dashboard or not."""

    def start_http_server(self, *arguments, **options):
        """Start none."""


class _SocketlessWorker(distributed.Worker):
    """A worker without the web server."""

    def start_http_server(self, *arguments, **options):
        """Start none."""

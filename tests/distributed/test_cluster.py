"""The client of a fit: the caller's, or that of a cluster within this process, of which nothing remains."""

import asyncio
import gc
import logging
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import distributed
import psutil
import pytest

from fast.distributed._cluster import connected, is_embedded

START = 0.5  # seconds until the cluster can work, once Dask is imported


def listening():
    """The sockets of this process that wait for connections, and those of the internet that are bound."""
    found = psutil.Process().net_connections(kind="all")
    return [at for at in found if at.status == psutil.CONN_LISTEN or (at.laddr and hasattr(at.laddr, "port"))]


before_the_test = set()


@pytest.fixture(autouse=True)
def remember_threads():
    """Remember the threads of clusters that other tests have started, and still use."""
    before_the_test.clear()
    before_the_test.update(threading.enumerate())


def threads_of_a_cluster():
    """The threads that Dask has started in this test, except the one that it keeps for all clusters of the process."""
    names = [thread.name for thread in threading.enumerate() if thread not in before_the_test]
    return [name for name in names if "Dask-Default" in name or "IO loop" in name]


def square(x):
    return x * x


def test_the_embedded_cluster_works_and_leaves_nothing():
    folders, level = [], logging.getLogger("distributed").level
    for n_jobs in (1, 2):
        with connected(None, n_jobs) as client:
            assert client.gather(client.map(square, range(5))) == [0, 1, 4, 9, 16]
            assert list(client.nthreads().values()) == [n_jobs]
            assert is_embedded(client)
            folders += client.run(lambda dask_worker: dask_worker.local_directory).values()
    assert not threads_of_a_cluster() and not any(map(os.path.exists, folders))
    assert logging.getLogger("distributed").level == level
    gc.collect()  # a socket or a loop that was left open would warn now, and warnings are errors


def test_no_socket_listens_and_no_other_fit_finds_the_client():
    before = listening()
    with connected() as client:
        with pytest.raises(ValueError, match="No clients found"):
            distributed.default_client()
        assert client.submit(square, 3).result() == 9
        assert listening() == before
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address="127.0.0.1:0"):
        assert listening() != before, "this test must see the web server of Dask's own cluster"


def test_nothing_is_written_outside_the_folder_of_the_cluster(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with connected() as client:
        assert client.submit(square, 3).result() == 9
        assert not os.listdir(tmp_path)


def test_it_starts_fast():
    times = []
    for _ in range(3):
        start = time.perf_counter()
        with connected() as client:
            assert client.submit(square, 3).result() == 9
        times.append(time.perf_counter() - start)
    assert min(times) < START


def test_it_works_within_a_running_loop():
    async def cell():
        with connected() as client:
            return client.submit(square, 3).result()

    assert asyncio.run(cell()) == 9
    assert not threads_of_a_cluster()


def test_a_client_of_the_process_is_used_only_if_given():
    cluster = distributed.LocalCluster(n_workers=1, processes=False, dashboard_address="127.0.0.1:0")
    with cluster, distributed.Client(cluster) as mine:
        with connected() as client:
            assert client is not mine and client.scheduler.address != mine.scheduler.address
            assert distributed.default_client() is mine
        with connected(mine) as client:
            assert client is mine
        assert mine.status == "running" and mine.submit(square, 3).result() == 9


def test_a_task_that_still_runs_is_waited_for():
    with pytest.raises(KeyboardInterrupt), connected() as client:
        future = client.submit(time.sleep, 0.5)
        while not any(client.processing().values()):
            time.sleep(0.01)
        raise KeyboardInterrupt
    assert not threads_of_a_cluster() and future.status == "cancelled" and client.status == "closed"


def test_it_works_within_a_task_and_within_a_thread():
    def own_cluster():
        with connected() as client:
            return client.submit(square, 3).result(), client.scheduler.address

    with connected() as client:
        answer, address = client.submit(own_cluster).result()
        assert answer == 9 and address != client.scheduler.address
    with ThreadPoolExecutor(2) as threads:
        assert [answer for answer, _ in threads.map(lambda _: own_cluster(), range(2))] == [9, 9]
    assert not threads_of_a_cluster()


def test_what_is_no_client_is_refused():
    with connected() as client:
        pass
    for wrong, got in ((client, "closed"), ("tcp://127.0.0.1:8786", "got 'tcp"), (3, "got 3")):
        with pytest.raises(ValueError, match=f"client must be a distributed.Client.*{got}"), connected(wrong):
            pass
    with pytest.raises(ValueError, match="n_jobs must be an integer >= 1"), connected(None, 0):
        pass


def test_an_asynchronous_client_is_refused():
    async def cell(address):
        async with distributed.Client(address, asynchronous=True) as client:
            with connected(client):
                pass

    with connected() as client, pytest.raises(ValueError, match="got one that is asynchronous"):
        asyncio.run(cell(client.scheduler.address))

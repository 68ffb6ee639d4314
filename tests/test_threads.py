"""Pieces of work on several threads: each is computed once, errors are raised, and settings of the caller hold."""

import threading
import time

import numpy as np
import pytest

from fast._shared.threads import _far_apart, for_each, in_turn, threads


@pytest.mark.parametrize("n_jobs", [1, 2, 3, 8])
@pytest.mark.parametrize("count", [0, 1, 2, 7, 40])
def test_each_piece_is_computed_once_and_answers_keep_their_order(n_jobs, count):
    taken = []

    def square(i):
        taken.append(i)
        return i * i

    pieces = [(i,) for i in range(count)]
    assert for_each(square, pieces, n_jobs) == in_turn(lambda i: i * i, pieces)
    assert sorted(taken) == list(range(count))


@pytest.mark.parametrize("wrong", [0, 5, 11])
def test_an_error_of_any_thread_is_raised_and_ends_the_work(wrong):
    running = []

    def fail_once(i):
        running.append(i)
        time.sleep(0.001)
        if i == wrong:
            raise ValueError(f"piece {i}")
        running.remove(i)

    with threads(3) as each:
        with pytest.raises(ValueError, match=f"piece {wrong}"):
            each(fail_once, [(i,) for i in range(12)])
        assert running == [wrong]  # no other piece is still being computed
        assert each(abs, [(-1,), (2,)]) == [1, 2]


def test_the_caller_computes_pieces_and_needs_one_thread_less():
    at_the_same_time = threading.Barrier(2, timeout=30)
    found = for_each(lambda i: (at_the_same_time.wait(), threading.get_ident())[1], [(0,), (1,)], 2)
    assert threading.get_ident() in found and len(set(found)) == 2


def test_numpy_raises_in_all_threads_as_it_does_in_the_caller():
    at_the_same_time = threading.Barrier(2, timeout=30)
    with np.errstate(over="raise", invalid="ignore"):
        settings = for_each(lambda i: (at_the_same_time.wait(), np.geterr())[1], [(0,), (1,)], 2)
    assert [(one["over"], one["invalid"]) for one in settings] == [("raise", "ignore")] * 2


@pytest.mark.parametrize("n_jobs", [2, 3, 5])
@pytest.mark.parametrize("count", [1, 6, 30, 31])
def test_pieces_that_are_taken_at_the_same_time_are_far_apart(n_jobs, count):
    order = _far_apart(count, n_jobs)
    assert sorted(order) == list(range(count))
    if count >= 2 * n_jobs:
        assert np.abs(np.diff(order)).min() >= 2

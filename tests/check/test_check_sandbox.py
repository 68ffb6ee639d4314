"""The examiner against hostile code: it is refused for the right reason, and the rest of the table is produced."""

import json
import operator
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import reference
from reference.check import Limits, check
from reference.check.sandbox import process, sandbox, worker
from tests.support.check import ROOT, solution, wait_until
from tests.support.processes import descendants, needs_proc, works

pytestmark = pytest.mark.usefixtures("truths")
HOSTILE = ROOT / "tests" / "mutants" / "sandbox"
SHORT = Limits(seconds=1.0, first_seconds=3.0)
SMALL = Limits(memory=256 << 20)
# What each program is told, apart from topk_error, which is right in all of them.
REASONS = {
    "ends": {
        "project_simplex": "exited", "project_capped_simplex": "exited", "project_bipartite_simplex": "exited",
        "fit_wsabie": "malformed answer",
    },
    "fills_memory": {"project_simplex": "out of memory", "project_knapsack": "out of memory"},
    "hangs": {"project_simplex": "hung", "squish_column": "hung"},
    "returns": {
        "project_simplex": "printed", "project_capped_simplex": "wrong shape", "project_knapsack": "not finite",
        "project_topk_cone": "wrong type", "project_topk_simplex": "wrong type", "squish_column": "wrong type",
    },
    "rewrites": dict.fromkeys(("project_simplex", "project_knapsack"), "rewrote other people's code"),
    "writes": dict.fromkeys(("project_simplex", "project_capped_simplex", "project_knapsack"), "malformed answer"),
}  # fmt: skip


def marked(program):
    return pytest.param(program, marks=needs_proc if program == "fills_memory" else ())


@pytest.mark.parametrize("program", [marked(program) for program in REASONS])
def test_hostile_code_is_wrong_and_the_rest_of_the_table_is_produced(program):
    before = np.abs, np.array_equal, reference.project_simplex
    options = {"limits": SHORT} if program == "hangs" else {"limits": SMALL, "enough": 1}
    got = check(HOSTILE / f"{program}.py", quick=True, timed=False, **options)
    reasons = {row.name: row.failure and row.failure.reason for row in got.rows}
    assert reasons == {**REASONS[program], "topk_error": None} and not got
    if program == "hangs":  # most other cases of these functions are not run
        assert got.rows[0].cases > 20 and all(row.unasked > 5 for row in got.rows if row.failure)
        hung = [row.cases - row.passed - row.unasked for row in got.rows if row.failure]
        assert max(hung) <= 3  # each waits for the limit, and on a busy machine for longer
    assert before == (np.abs, np.array_equal, reference.project_simplex)


def test_target_that_hangs_while_it_is_imported(tmp_path):
    path = solution(tmp_path, "while True:\n    pass\n")
    got = check(path, quick=True, limits=Limits(first_seconds=1.0))
    assert not got.passed
    assert "hung" in str(got)


# --- the sandbox ---------------------------------------------------------------------------------------------------


def test_arguments_arrive_in_their_layout_and_are_compared():
    functions = {"project_simplex": lambda a, radius: a.strides == (-16,) and radius == np.inf}
    with sandbox.Sandbox(functions, ["project_simplex"]) as box:
        box.start()
        a = np.arange(10.0)[::-2]
        assert a.strides == (-16,)
        got = box.call("project_simplex", {"a": a, "radius": np.inf}, positional=1)
    assert got.answer is True
    assert got.changed is None


def test_gaps_of_a_strided_input_are_inputs_too():
    def project_simplex(a):
        np.lib.stride_tricks.as_strided(a, (5,), (8,))[1] = 7.0
        return a

    with sandbox.Sandbox({"project_simplex": project_simplex}, ["project_simplex"]) as box:
        box.start()
        assert box.call("project_simplex", {"a": np.arange(10.0)[::2]}, positional=1).changed == "a"


@needs_proc
@pytest.mark.parametrize("how", ["SIGINT", "SIGKILL"])
def test_no_orphans_when_the_parent_is_ended(how, tmp_path):
    # The background jobs of a shell ignore SIGINT, and so do the processes that they start. These tests may be one.
    heed = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)"
    target = str(HOSTILE / "hangs.py")
    run = f"from reference.check.__main__ import main; sys.exit(main([{target!r}, '--quick']))"
    command = [sys.executable, "-c", f"{heed}; {run}"]
    parent = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    children = wait_until(lambda: descendants(parent.pid))
    assert children
    time.sleep(0.5)
    parent.send_signal(getattr(signal, how))
    parent.wait(20)
    assert wait_until(lambda: not any(map(works, children)))


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ({"arrays": [{"dtype": "<f8", "shape": [10**6, 10**6]}]}, "bytes of arrays"),
        ({"arrays": [{"dtype": "<f8", "shape": [-1]}]}, "impossible shape"),
        ({"arrays": [{"dtype": "|O", "shape": [1]}]}, "an array of"),
        ({"arrays": [{"shape": [1]}]}, "dtype"),
        ({"arrays": 7}, "iterable"),
        ({"answer": {"array": 3}}, "no answer"),
        ({"answer": {"scalar": 1, "dtype": "O8,O8"}}, "no answer"),
        ({"raised": "oops"}, "no answer"),
        ({"id": "forged"}, "not an answer"),
    ],
)
def test_malformed_messages_are_fatal_and_nothing_more(header, expected, monkeypatch):
    send = worker.send

    def forged(file, message, arrays=()):
        text = json.dumps(message | {"arrays": []} | ({} if "public" in message else header)).encode()
        file.write(worker.LENGTH.pack(len(text)) + text)
        file.flush()

    monkeypatch.setattr(worker, "send", forged)
    with sandbox.Sandbox({"project_simplex": abs}, ["project_simplex"]) as box:
        box.start()
        assert box.public == ["project_simplex"]
        with pytest.raises(sandbox.Fatal, match="malformed answer") as got:
            box.call("project_simplex", {"a": np.ones(3)}, positional=1)
        assert expected in str(got.value)
        monkeypatch.setattr(worker, "send", send)
        assert np.array_equal(box.call("project_simplex", {"a": -np.ones(3)}, positional=1).answer, np.ones(3))


def test_platforms_without_limits_are_told(monkeypatch):
    monkeypatch.setattr(worker, "limit_memory", operator.not_)  # returns False: no limit
    got = check({"topk_error": lambda scores, y, k=1: reference.topk_error(scores, y, k)}, quick=True, timed=False)
    assert got.passed
    assert "Memory is not limited on this platform." in str(got)


def seconds_until_over(pid, seconds):
    """Returns (the time by the clock, the processor time) that a process has taken when its Clock is over."""
    start, before, clock = time.monotonic(), process.doing_of(pid)[1], process.Clock(pid, seconds)
    while not clock.is_over():
        time.sleep(0.01)
    return time.monotonic() - start, process.doing_of(pid)[1] - before


@needs_proc
def test_load_does_not_decide(monkeypatch):
    """Four processes share a processor: each gets a quarter of it, and an answer has four times as long."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(4)]
    asleep = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        for one in busy:
            os.sched_setaffinity(one.pid, {min(os.sched_getaffinity(0))})
        time.sleep(0.2)  # all have started
        with monkeypatch.context() as patch:
            patch.setattr(process, "LONGER", 1000)
            took, computed = seconds_until_over(busy[0].pid, 0.3)
        assert took > 0.6 and 0.25 < computed < 0.6
        assert 0.3 < seconds_until_over(asleep.pid, 0.3)[0] < 2.0
        monkeypatch.setattr(process, "doing_of", lambda pid: (False, 0.0))  # it never gets a processor
        assert seconds_until_over(asleep.pid, 0.02)[0] == pytest.approx(0.2, abs=0.1)
    finally:
        for one in (*busy, asleep):
            one.kill()
            one.wait()

"""Several functions examined at the same time: the report of one process, and no process is left behind."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time

import pytest

from reference.check import Limits, check, jobs
from reference.check.__main__ import main
from reference.check.jobs import LONGEST, processors
from reference.check.judging.subject import SUBJECTS
from tests.support.check import ROOT, solution, wait_until
from tests.support.processes import descendants, needs_proc, works

SHORT = Limits(seconds=1.0, first_seconds=3.0)
MIXED = """
import os, time
import reference
from reference import ap_loss, multilabel_error

def topk_error(scores, y, k=1):  # wrong
    return 0.0 * scores[:, 0]

CALLS = []

def ndcg_loss(interleaving, n_positive):  # hangs at the second call
    CALLS.append(1)
    time.sleep(60 * (len(CALLS) > 1))
    return reference.ndcg_loss(interleaving, n_positive)

def rank_loss(*arguments, **options):  # exits
    os._exit(3)

def class_confusion_loss(scores, Y):  # raises
    raise ValueError("not today")
"""
DISTURBING = """
import os
import reference
from reference import ap_loss
BROKEN = []

def multilabel_error(scores, Y):
    BROKEN.append(True)
    return reference.multilabel_error(scores, Y)

def topk_error(scores, y, k=1):
    if BROKEN:
        os._exit(1)
    return reference.topk_error(scores, y, k)
"""
RIGHT = "from reference import ap_loss, ndcg_loss\n"


def comparable(report):
    """The report without what is measured by a clock."""
    got = report.to_dict()
    return {**got, "seconds": 0, "rows": [{**row, "speedup": row["speedup"] is not None} for row in got["rows"]]}


# --- the same report -------------------------------------------------------------------------------------------------


def test_the_report_does_not_depend_on_the_number_of_jobs(tmp_path):
    path, rows, progress = solution(tmp_path, MIXED), [], []
    one = check(path, quick=True, limits=SHORT)
    watched = {"report_row": rows.append, "report_progress": lambda *said: progress.append(said)}
    several = check(path, quick=True, limits=SHORT, jobs=2, **watched)
    assert comparable(several) == comparable(one)
    assert str(several.counterexample("topk_error")) == str(one.counterexample("topk_error"))
    assert sorted(row.name for row in rows) == sorted(row.name for row in one.rows)
    wrong = {row.name: row.failure.reason for row in one.rows if row.failure}
    expected = {"topk_error", "ndcg_loss", "rank_loss", "class_confusion_loss"}
    assert set(wrong) == expected and (wrong["ndcg_loss"], wrong["rank_loss"]) == ("hung", "exited")
    assert "multilabel_error, CSR" in {row.name for row in one.rows} and "warp_loss" in one.missing
    assert ("ap_loss", 0) in progress and ("ap_loss", 1) in progress


@pytest.mark.parametrize("count", [1, 2])
def test_a_function_that_breaks_its_process_for_others_is_found_by_jobs_too(tmp_path, count):
    report = check(solution(tmp_path, DISTURBING), quick=True, timed=False, jobs=count)
    reasons = {row.name: row.failure and row.failure.reason for row in report.rows}
    assert reasons.pop("multilabel_error, CSR") is None
    assert reasons == {"multilabel_error": "left its process broken", "topk_error": None, "ap_loss": None}


def test_a_target_that_does_not_load(tmp_path):
    path = solution(tmp_path, "import os\nos._exit(0)\n")
    several = check(path, quick=True, jobs=2)
    assert several.error and comparable(several) == comparable(check(path, quick=True))


def test_a_target_that_loads_only_once_at_a_time_is_said_so(tmp_path):
    report = check(solution(tmp_path, f"open({str(tmp_path / 'lock')!r}, 'x')\n" + RIGHT), quick=True, jobs=2)
    assert not report.passed and "2 times at once" in report.error and "FileExistsError" in report.error


def test_the_command_takes_jobs(tmp_path, capsys, monkeypatch):
    solution(tmp_path, RIGHT)
    monkeypatch.chdir(tmp_path)  # a relative path is looked up where the command is given
    assert main(["solution.py", "--quick", "--jobs", "2"]) == 0
    said = capsys.readouterr()
    assert "ap_loss: 41 cases" in said.err and "ndcg_loss" in said.out
    assert "not in" in said.out and "project_simplex" in said.out  # the missing functions


@pytest.mark.parametrize("text", ["0", "-3", "two", "1.5"])
def test_a_wrong_number_of_jobs_is_refused_by_the_command(text, capsys):
    with pytest.raises(SystemExit) as end:
        main(["fast", f"--jobs={text}"])
    assert end.value.code == 2
    assert f"must be a whole number >= 1, got {text}" in capsys.readouterr().err


@pytest.mark.parametrize(("target", "count"), [("fast", 0), ("fast", -3), ("fast", 2.0), ({"topk_error": abs}, 2)])
def test_a_wrong_number_of_jobs_is_refused(target, count):
    with pytest.raises(ValueError, match=f"jobs must be .*got {count}"):
        check(target, quick=True, jobs=count)


def test_the_longest_functions_are_begun_first_and_jobs_share_the_processors(tmp_path, monkeypatch):
    assert set(LONGEST) < set(SUBJECTS)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
    said = (
        f"import os; print(*map(os.environ.get, {jobs.BLAS_THREADS[:2]}), file=open({str(tmp_path / 'said')!r}, 'w'))"
    )
    functions = "from reference import ap_loss, ndcg_loss, topk_error"
    monkeypatch.setattr(jobs, "LONGEST", ("ndcg_loss", "topk_error"))
    path, seen = solution(tmp_path, f"{said}\n{functions}\n"), []
    report = check(path, quick=True, timed=False, jobs=2, report_progress=lambda name, done: seen.append(name))
    assert set(seen[:2]) <= {"ndcg_loss", "topk_error"}  # the one that is last in the report
    assert [row.name for row in report.rows] == ["topk_error", "ap_loss", "ndcg_loss"] and report.passed
    assert (tmp_path / "said").read_text().split() == [str(max(1, processors() // 2)), "3"]  # BLAS threads
    assert "OMP_NUM_THREADS" not in os.environ


# --- no process is left behind ---------------------------------------------------------------------------------------


@needs_proc
def test_an_interrupt_ends_all_processes(tmp_path):
    path, found = solution(tmp_path, MIXED), []

    def interrupt(name, done):
        found.extend(descendants(os.getpid()))
        raise KeyboardInterrupt

    before = set(descendants(os.getpid()))
    with pytest.raises(KeyboardInterrupt):
        check(path, quick=True, jobs=2, report_progress=interrupt)
    started = set(found) - before
    assert len(started) >= 4  # two jobs and their targets
    assert wait_until(lambda: not any(map(works, started)))
    assert multiprocessing.active_children() == []


@needs_proc
def test_a_keyboard_interrupt_of_the_command_ends_all_processes(tmp_path):
    path = solution(tmp_path, "import time\ndef ap_loss(*a, **k): time.sleep(600)\nndcg_loss = rank_loss = ap_loss\n")
    command = [sys.executable, "-X", "faulthandler", "-m", "reference.check", str(path), "--jobs", "2"]
    options = {"stderr": subprocess.PIPE, "start_new_session": True, "text": True}

    def interruptible():  # what a shell starts in the background ignores interrupts, and so does all that it starts
        signal.signal(signal.SIGINT, signal.default_int_handler)

    with subprocess.Popen(command, cwd=ROOT, preexec_fn=interruptible, **options) as parent:
        assert wait_until(lambda: len(descendants(parent.pid)) >= 4)
        time.sleep(1.0)  # the jobs wait for answers
        started = descendants(parent.pid)
        os.killpg(parent.pid, signal.SIGINT)  # as a terminal does
        try:
            _, said = parent.communicate(timeout=60)
        except subprocess.TimeoutExpired:  # where does it wait?
            still = [pid for pid in [parent.pid, *started] if works(pid)]
            parent.send_signal(signal.SIGABRT)
            pytest.fail(f"{still} of {[parent.pid, *started]} do not end: {parent.communicate(timeout=30)[1]}")
    assert said.count("Traceback") == 1 and said.rstrip().endswith("KeyboardInterrupt"), said
    assert wait_until(lambda: not any(map(works, started)))


def test_a_job_that_ends_ends_the_others(tmp_path):
    def kill(name, done):
        for child in multiprocessing.active_children()[:1]:
            child.kill()

    with pytest.raises(RuntimeError, match="a job has ended .*-9"):
        check(solution(tmp_path, RIGHT), quick=True, jobs=2, report_progress=kill)
    assert multiprocessing.active_children() == []


def test_an_error_in_a_job_is_raised_with_its_traceback(tmp_path):
    with pytest.raises(RuntimeError, match="(?s)a job has failed.*Traceback.*TypeError"):
        check(solution(tmp_path, RIGHT), quick=True, jobs=2, enough="many")
    assert multiprocessing.active_children() == []

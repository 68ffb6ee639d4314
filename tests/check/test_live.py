"""What the examiner shows while it works."""

import io
import subprocess
import sys
from pathlib import Path

from rich.console import Console

from reference.check.live import Live
from reference.check.report import Failure, Row

ROOT = Path(__file__).parents[2]


def shown(terminal):
    """Returns what an examination of two functions shows."""
    text = io.StringIO()
    console = Console(file=text, force_terminal=terminal, width=100, height=12, color_system=None)
    with Live(console) as live:
        live.say("loading")
        live.case("topk_error", 3)
        console.print(live._table())
        live.row(Row("topk_error", 7, 7))
        wrong = Row("topk_hinge", 5, 4, failure=Failure("topk_hinge", "a wrong answer", "", "", ""))
        for _ in range(20):
            live.row(wrong)
        console.print(live._table())
    return text.getvalue()


def test_elsewhere_there_is_a_line_for_each_function():
    lines = shown(terminal=False).splitlines()
    assert lines[0] == "loading"
    assert "topk_error: 7 cases, 0.0 s, right" in lines
    assert lines.count("topk_hinge: 5 cases, 0.0 s, WRONG (1 of 5)") == 20


def test_on_a_terminal_there_is_a_table_that_fits():
    text = shown(terminal=True)
    assert "topk_error: 3 cases" in text and "21 rows done" in text
    last = text[text.rindex("21 rows done") :]
    assert 1 <= last.count("topk_hinge") <= 12 and "topk_error" not in last


def test_rows_that_are_under_way_at_the_same_time_have_their_own_cases_and_seconds(monkeypatch):
    text, now = io.StringIO(), [100.0]
    monkeypatch.setattr("reference.check.live.time.monotonic", lambda: now[0])
    console = Console(file=text, force_terminal=False, width=100, height=20, color_system=None)
    live = Live(console)
    live.say("starting")
    for name, done, seconds in (("ap_loss", 0, 1), ("rank_loss", 0, 2), ("ap_loss", 5, 4), ("rank_loss", 6, 0)):
        live.case(name, done)
        now[0] += seconds
    console.print(live._table())
    live.row(Row("rank_loss", 6, 6))
    live.row(Row("ap_loss", 5, 5))
    lines = text.getvalue().splitlines()
    assert lines[-2:] == ["rank_loss: 6 cases, 6.0 s, right", "ap_loss: 5 cases, 7.0 s, right"]
    assert any("ap_loss: 5 cases" in line and "7 s" in line for line in lines)
    assert any("rank_loss: 6 cases" in line and "6 s" in line for line in lines)
    assert not any("starting" in line for line in lines[1:])


def test_the_program_says_what_it_does():
    command = [sys.executable, "-m", "reference.check", "reference", "--only", "topk_error", "--quick"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    lines = done.stderr.splitlines()
    assert done.returncode == 0 and lines[0].startswith("loading") and lines[1] == "starting reference", done.stderr
    assert lines[2].startswith("topk_error: ") and lines[2].endswith("right")
    assert "topk_error" in done.stdout and "loading" not in done.stdout

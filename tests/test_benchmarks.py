"""The runner of the benchmarks, on cases that take no time."""

import json

import pytest

from tests.benchmarks import __main__ as runner
from tests.benchmarks.measure import measure

CASES = [
    {"work": "Copy a vector", "ours": lambda: None, "theirs": lambda: None, "at_least": 1e9, "aim": 1e9, "repeats": 3},
    {"work": "sort a vector", "ours": lambda: None, "theirs": lambda: None, "at_least": 0.0, "aim": 0.0, "repeats": 3},
]


@pytest.fixture
def fake_cases(monkeypatch):
    monkeypatch.setattr(runner, "cases", lambda quick: iter(CASES))


def test_both_sides_run_in_turn_after_a_run_that_does_not_count():
    calls = []
    ours, theirs = measure(lambda: calls.append("ours"), lambda: calls.append("theirs"), repeats=3)
    assert calls == ["ours", "theirs"] * 4
    assert len(ours) == len(theirs) == 3 and min(ours + theirs) >= 0


def test_ratio_is_that_of_the_medians():
    case = {"work": "w", "at_least": 1.0, "aim": 0.5}
    got = runner.row(case, ours=[1.0, 3.0, 100.0], theirs=[4.0, 4.0, 0.0])
    assert (got["ours"], got["theirs"], got["ratio"], got["verdict"]) == (3.0, 4.0, 0.75, "ok")
    assert runner.row(case, [1.0], [2.0])["verdict"] == "aim"
    assert runner.row(case, [2.1], [2.0])["verdict"] == "misses"


@pytest.mark.parametrize("strict, status", [([], 0), (["--strict"], 1)])
def test_a_miss_is_an_error_only_when_asked(fake_cases, capsys, strict, status):
    with pytest.raises(SystemExit) as stopped:
        runner.main(strict)
    assert stopped.value.code == status
    assert "misses" in capsys.readouterr().out


def test_only_and_json(fake_cases, tmp_path, capsys):
    file = tmp_path / "rows.json"
    with pytest.raises(SystemExit):
        runner.main(["--only", "COPY", "--json", str(file)])
    rows = json.loads(file.read_text())
    assert [row["work"] for row in rows] == ["Copy a vector"] and rows[0]["verdict"] == "aim"
    assert "sort a vector" not in capsys.readouterr().out


def test_only_nothing_says_so(fake_cases):
    with pytest.raises(SystemExit, match="no benchmark has 'cook'"):
        runner.main(["--only", "cook"])

"""The runner of the benchmarks, on cases that take no time."""

import importlib
import io
import json
import time
from pathlib import Path
from types import SimpleNamespace as Namespace

import pytest
from rich.console import Console

from tests.benchmarks import __main__ as runner
from tests.benchmarks import scaling
from tests.benchmarks.measure import measure

CASES = [
    {"work": "Copy a vector", "ours": lambda: None, "theirs": lambda: None, "at_least": 1e9, "aim": 1e9, "repeats": 3},
    {"work": "sort a vector", "ours": lambda: None, "theirs": lambda: None, "at_least": 0.0, "aim": 0.0, "repeats": 3},
]


@pytest.fixture
def fake_cases(monkeypatch):
    monkeypatch.setattr(runner, "cases", lambda quick, module: iter(CASES))


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


def test_a_row_may_promise_nothing_or_only_have_an_aim():
    no_bounds, only_aim = {"work": "w"}, {"work": "w", "aim": 1.0}
    got = runner.row(no_bounds, [9.0], [1.0])
    assert (got["at_least"], got["aim"], got["verdict"]) == (None, None, "")
    assert [runner.row(only_aim, [ours], [1.0])["verdict"] for ours in (0.9, 1.1)] == ["aim", ""]
    console = Console(record=True, file=io.StringIO())
    console.print(runner.table([got]))
    assert "None" not in console.export_text()


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


def test_some_rows_of_a_file_are_measured_anew(fake_cases, tmp_path, capsys):
    file, kept = tmp_path / "rows.json", {"work": "kept", "ratio": 7.0}
    runner.write([{"work": "sort a vector", "ratio": -1.0}, kept], file)
    with pytest.raises(SystemExit):
        runner.main(["--update", str(file), "--cpu"])
    rows = json.loads(file.read_text())
    assert [row["work"] for row in rows] == ["sort a vector", "kept", "Copy a vector"] and rows[1] == kept
    assert rows[0]["ratio"] >= 0 and rows[0]["clock"] == rows[2]["clock"] == "cpu"


def test_cpu_time_is_refused_where_a_case_measures_itself(monkeypatch):
    monkeypatch.setattr(runner, "cases", lambda quick, module: sweep(10))
    with pytest.raises(ValueError, match="single process and thread"):
        runner.main(["--cpu"])


def test_cpu_time_does_not_run_while_a_process_sleeps():
    wall = measure(lambda: time.sleep(0.02), lambda: None, 1)
    cpu = measure(lambda: time.sleep(0.02), lambda: None, 1, time.process_time)
    assert cpu[0][0] < 0.02 <= wall[0][0]


def test_one_module_is_measured_alone(monkeypatch):
    monkeypatch.setattr(importlib, "import_module", lambda name: Namespace(cases=lambda quick: [name]))
    assert list(runner.cases(True, "bench_entropy")) == ["tests.benchmarks.bench_entropy"]
    assert {"tests.benchmarks.bench_entropy", "tests.benchmarks.bench_ranking"} < set(runner.cases(True))


def test_only_nothing_says_so(fake_cases):
    with pytest.raises(SystemExit, match="no benchmark has 'cook'"):
        runner.main(["--only", "cook"])


# --- sweeps --------------------------------------------------------------------------------------------------------


def sweep(*sizes):
    """A series of a sweep; twice as long at twice the size, and theirs takes a microsecond."""
    for d in sizes:
        case = scaling.point("copies", "copy", ("d", d), "nothing", None, None, 3, calls=(10, 2))
        yield {**case, "measure": lambda d=d: ([1e-5 * d], [2e-6])}


def test_a_point_is_a_row_that_names_its_series_and_counts_a_single_call():
    (case,) = sweep(100)
    got = runner.row(case, *case["measure"]())
    assert got["work"] == "copy, d = 100, against nothing"
    assert {name: got[name] for name in ("sweep", "series", "along", "size", "against")} == case["sweep"]
    assert (got["ours"], got["theirs"]) == pytest.approx((1e-4, 1e-6))
    assert got["verdict"] == ""


def test_sweeps_have_a_table_of_their_own_and_stand_in_the_same_json(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(runner, "cases", lambda quick, module: iter([*sweep(1000, 10, 100), *CASES]))
    file = tmp_path / "rows.json"
    with pytest.raises(SystemExit) as stopped:
        runner.main(["--strict", "--json", str(file)])
    assert stopped.value.code == 1  # for a case, not for a point: those promise nothing
    rows = json.loads(file.read_text())
    assert [row.get("size") for row in rows] == [1000, 10, 100, None, None]
    assert {row["machine"] for row in rows} == {scaling.machine()}
    printed = capsys.readouterr().out
    assert "10 – 1e+03" in printed and "d^1.0" in printed and "sort a vector" in printed
    assert "copy, d = 100" not in printed


def test_points_are_put_in_order_and_the_exponent_is_that_of_the_upper_half():
    rows = [runner.row(case, *case["measure"]()) for case in sweep(100, 1, 10)]
    ((name, points),) = scaling.series_of(rows)
    assert name == ("copies", "d", "copy") and [row["size"] for row in points] == [1, 10, 100]
    sizes = [1, 10, 100, 1000, 10_000]
    assert scaling.exponent(sizes, [7, 7, 100, 1000, 10_000]) == pytest.approx(1)
    assert scaling.exponent([10, 1000], [1, 1e4]) == pytest.approx(2)


def test_machine_tells_what_it_is_and_not_whose():
    got = scaling.machine()
    for word in ("cores", "AVX-512", "numpy", "numba", "scikit-learn"):
        assert word in got, got
    assert "/" not in got and "@" not in got.replace(" @ ", " "), got


@pytest.mark.parametrize("name", ["projections", "ranking", "topk_svm", "updates", "entropy"])
def test_the_first_point_of_each_sweep_runs(name):
    case = next(importlib.import_module(f"tests.benchmarks.bench_scaling_{name}").cases(quick=True))
    seconds = measure(case["ours"], case["theirs"], repeats=1)
    got = runner.row(case, *seconds)
    assert got["size"] > 0 and got["ratio"] > 0 and got["against"] in got["work"]


def test_the_stored_measurement_is_of_one_machine_and_has_every_sweep():
    text = (Path(__file__).parents[1] / "notebooks/results/benchmarks.json").read_text(encoding="utf-8")
    rows = json.loads(text, parse_constant=pytest.fail)  # Infinity and NaN are not JSON
    for are_first in (True, False):  # of both kinds there are some, which one machine has measured
        assert len({row["machine"] for row in rows if ("first call" in row["work"]) == are_first}) == 1
    expected = {"d", "N", "P", "n", "m", "draws", "e", "entries"}
    assert {row["along"] for row in rows if "sweep" in row} == expected

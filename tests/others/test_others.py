"""Other implementations: the page is that of the stored results, and the examiner judges foreign code in both ways."""

import json
import re
import sys
import warnings
from queue import Queue
from types import SimpleNamespace

import pytest

from reference.check.judging.subject import SUBJECTS
from reference.check.vectors import Program
from tests.others import environment, examination, page, run, source, timing
from tests.others.__main__ import main
from tests.others.entries import ENTRIES, Entry
from tests.others.examination import HERE, examined
from tests.others.there.program import answer, defined, loaded
from tests.others.timing import Timed, timed

# What runs with the packages of .venv.
INSTALLED = [entry for entry in ENTRIES if entry.package in ("scikit-learn", "scipy")]
[SOLVER] = [entry for entry in ENTRIES if entry.package == "libsdca solver"]
QUICK = Entry("scikit-learn", "metrics.ndcg_score", "ndcg_loss", "sklearn_metrics", sizes=((3, 5),))


class Here(Program):
    """An adapter in this process. What it is given and answers is JSON, as it is from a process of its own."""

    def start(self):
        functions, asked = defined(loaded(self.command[-1])), Queue()
        self.public = [name for name in self.names if name in functions]
        self._process = SimpleNamespace(stdin=SimpleNamespace(write=asked.put, flush=asked.empty))
        self._answered = lambda: json.dumps(answer(functions, json.loads(asked.get()))).encode()

    def _line(self, seconds, most):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self._answered()

    def stop(self):
        pass


@pytest.fixture
def here(monkeypatch):
    """Adapters are examined in this process, which has imported scikit-learn already."""
    monkeypatch.setattr(examination, "Program", Here)
    monkeypatch.setattr(sys, "path", [*sys.path])


def test_the_page_is_that_of_the_stored_results():
    assert page.PAGE.read_text(encoding="utf-8") == page.written(page.stored())


def test_every_entry_has_a_result_an_adapter_and_a_pinned_package():
    pins = environment.REQUIREMENTS.read_text(encoding="utf-8").splitlines()
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]+==[A-Za-z0-9.]+", pin) for pin in pins)  # names and versions only
    versions = run.versions()
    assert all(commit in page.START for commit in source.COMMITS.values())
    results = page.stored()["results"]
    assert set(results) | {SOLVER.key} == {entry.key for entry in ENTRIES}
    assert (SOLVER.key in results) != ("No stored run had one" in page.NOT_EXAMINED)
    for entry in ENTRIES:
        assert entry.function in SUBJECTS and (HERE / "adapters" / f"{entry.adapter}.py").is_file(), entry.key
        if entry == SOLVER and entry.key not in results:
            continue
        assert results[entry.key]["version"] == versions[entry.package.lower()]
        assert bool(results[entry.key]["counterexample"]) == bool(entry.verified), f"{entry.key}: verify it by hand"


def test_no_adapter_is_left_over():
    used = {entry.adapter for entry in ENTRIES} | {"rankings"}
    assert {path.stem for path in (HERE / "adapters").glob("*.py")} == used


@pytest.mark.parametrize("entry", INSTALLED, ids=lambda entry: entry.key)
def test_an_adapter_of_an_installed_package_is_right(entry, here):
    row = examined(entry._replace(seeds=1), quick=True)
    assert row.failure is None and row.cases > 0, str(row.failure)


def test_a_subtly_wrong_adapter_is_caught(tmp_path):
    changed(tmp_path, "ignore_ties=True)", "ignore_ties=True, k=3)")
    row = examined(QUICK._replace(accuracy=1e-7), quick=True, folder=tmp_path)
    assert row.failure.reason == "differs from the ground truth" and row.failure.arguments["n_positive"] <= 4


def changed(folder, old, new):
    """Write an adapter of scikit-learn with one change into a folder."""
    for name in ("rankings.py", "sklearn_metrics.py"):
        text = (HERE / "adapters" / name).read_text(encoding="utf-8")
        assert old in text or name == "rankings.py"
        (folder / name).write_text(text.replace(old, new), encoding="utf-8")


def test_only_what_an_entry_promises_is_asked_even_for_a_smaller_counter_example(tmp_path, here):
    (tmp_path / "wrong.py").write_text("def ap_loss(interleaving, n_positive):\n    return 2.0\n")
    entry = QUICK._replace(function="ap_loss", adapter="wrong", asks=lambda given: given["n_positive"] >= 3)
    row = examined(entry, quick=True, folder=tmp_path)
    assert 0 < row.cases and row.passed == 0
    assert row.failure.arguments["n_positive"] == 3


def test_an_error_within_the_documented_tolerance_is_none(tmp_path, here):
    changed(tmp_path, "1 - ndcg_score", "1.000001 - ndcg_score")
    assert examined(QUICK._replace(accuracy=1e-5), quick=True, folder=tmp_path).failure is None


def test_an_adapter_that_does_not_load_is_named(tmp_path):
    (tmp_path / "none.py").write_text("import a_package_that_nobody_has\n")
    with pytest.raises(RuntimeError, match="a_package_that_nobody_has"):
        examined(QUICK._replace(adapter="none"), folder=tmp_path)
    broken = Timed(sys.executable, tmp_path / "none.py", "ndcg_loss")
    with broken, pytest.raises(RuntimeError, match="cannot be timed"):
        broken.seconds((3, 5))


def test_a_function_that_hangs_is_not_timed_for_ever(tmp_path, monkeypatch):
    (tmp_path / "slow.py").write_text("import time\ndef ndcg_loss(ranks, n_positive):\n    time.sleep(600)\n")
    monkeypatch.setattr(timing, "LIMIT", 1.0)
    hangs = Timed(sys.executable, tmp_path / "slow.py", "ndcg_loss")
    with hangs, pytest.raises(RuntimeError, match="cannot be timed: it ended, or took more than 1.0 seconds"):
        hangs.seconds((3, 5))


def test_both_sides_are_timed():
    [(size, ours, theirs)] = timed(QUICK, sys.executable)
    assert size == (3, 5) and 0 < ours < 1 and 0 < theirs < 1


def test_without_a_network_the_target_says_what_it_needs(tmp_path, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")  # pip finds no registry
    with pytest.raises(SystemExit, match="package registry, so check the network") as end:
        environment.interpreter(tmp_path / "venv")
    assert "could not be installed" in str(end.value)
    assert not (tmp_path / "venv" / "stamp").exists()


def test_the_environment_is_made_once(tmp_path, monkeypatch):
    commands = []

    def pretended(command, trouble):
        commands.append(command)
        (tmp_path / "venv").mkdir(exist_ok=True)

    monkeypatch.setattr(environment, "run", pretended)
    pins = tmp_path / "requirements.txt"
    for text, count in (("a==1\n", 2), ("a==1\n", 2), ("a==2\n", 4)):
        pins.write_text(text)
        environment.interpreter(tmp_path / "venv", pins)
        assert len(commands) == count
    assert all(str(tmp_path / "venv") in " ".join(command) for command in commands)  # never into .venv


def test_the_page_says_where_others_are_faster_and_which_are_wrong():
    result = {"version": "1", "cases": 5, "passed": 5, "error": 1e-16, "counterexample": None}
    found = {"machine": "M", "python": "P", "numpy": "N", "results": {}}
    right, wrong = ENTRIES[:2]
    found["results"][right.key] = {**result, "times": [[1000, 2.0, 1.0]]}
    found["results"][wrong.key] = {**result, "passed": 3, "counterexample": "the case", "times": [[1000, 1.0, 2.0]]}
    text = page.written(found)
    assert "Others take less time" in text and "at 1000, 0.50 of our `project_simplex`" in text
    assert "| right | 1e-16 | 1000: 2.0 |" in text and "| wrong in 2 | – | 1000: 0.50 |" in text
    assert "```text\nthe case\n```" in text


RESULT = {"version": "1", "cases": 5, "passed": 5, "error": 1e-16, "counterexample": None, "times": []}


@pytest.fixture
def examinations(tmp_path, monkeypatch):
    """Returns the list of the keys that are examined. What is in `trouble` by a key is raised instead, once."""
    keys, trouble = [], {}

    def found(entry, python):
        if entry.key in trouble:
            raise trouble.pop(entry.key)
        keys.append(entry.key)
        return {**RESULT, "version": run.versions()[entry.package.lower()]}

    monkeypatch.setattr(page, "STORED", tmp_path / "others.json")
    monkeypatch.setattr(page, "PAGE", tmp_path / "RESULTS.md")
    monkeypatch.setattr(run, "machine", lambda: "M")
    monkeypatch.setattr(run, "interpreter", lambda entry: sys.executable)
    monkeypatch.setattr(run, "found", found)
    monkeypatch.delenv(source.VARIABLE, raising=False)
    results = {entry.key: RESULT for entry in ENTRIES}
    page.STORED.write_text(json.dumps({"machine": "another", "python": "P", "numpy": "N", "results": results}))
    return keys, trouble


EVERY = [entry.key for entry in ENTRIES if entry.package not in source.COMMITS]


def test_an_interrupted_run_goes_on_and_a_complete_one_begins_again(examinations, monkeypatch):
    keys, trouble = examinations
    trouble[EVERY[3]] = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        main([])
    assert keys == EVERY[:3] and f"earlier run, perhaps on another machine: {len(ENTRIES) - 3} rows" in page_text()
    main([])
    assert keys == EVERY  # each once, in two calls
    main(["--only", "POT"])
    assert keys[len(EVERY) :] == EVERY[:2]  # of a new run, since the other one was complete
    main([])
    assert keys[len(EVERY) :] == EVERY
    main(["--again", "--only", EVERY[3]])
    monkeypatch.setattr(run, "machine", lambda: "another")  # so that the results do not come from one run
    main(["--only", EVERY[4]])
    assert keys[2 * len(EVERY) :] == EVERY[3:5] and EVERY[3] in page.stored()["missing"]
    main([])
    assert set(page.stored()["missing"]) == {entry.key for entry in ENTRIES} - set(EVERY)


def page_text():
    text = page.PAGE.read_text(encoding="utf-8")
    assert text == page.written(page.stored())
    return text


def test_another_version_is_examined_again(examinations, monkeypatch):
    keys, trouble = examinations
    trouble[EVERY[-1]] = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        main([])
    versions = {**run.versions(), "copt": "1000"}
    monkeypatch.setattr(run, "versions", lambda: versions)
    main([])
    changed = [entry.key for entry in ENTRIES if entry.package == "copt"]
    assert keys[len(EVERY) - 1 :] == [*changed, EVERY[-1]]


def test_an_entry_that_fails_stops_no_other_and_is_tried_again(examinations, capsys):
    keys, trouble = examinations
    trouble[EVERY[0]] = RuntimeError("does not load")
    with pytest.raises(SystemExit, match="not examined: POT, ot.utils.proj_simplex") as end:
        main([])
    assert end.value.code.endswith("Run it again to try these.") and "does not load" in capsys.readouterr().err
    assert keys == EVERY[1:]
    main([])
    assert keys == [*EVERY[1:], EVERY[0]]


def test_without_its_source_the_stored_rows_of_libsdca_stay(examinations, capsys, monkeypatch):
    kept = {entry.key: {**RESULT, "version": "2b1f4d3"} for entry in ENTRIES if entry.package == "libsdca"}
    page.STORED.write_text(json.dumps({**run.conditions(), "missing": [], "results": kept}))
    main(["--again"])
    said = capsys.readouterr().err
    assert all(f"{one} is not examined, its stored rows are kept: LIBSDCA_SOURCE is" in said for one in source.COMMITS)
    assert {key: page.stored()["results"][key] for key in kept} == kept
    assert f"perhaps on another machine: {len(kept)} rows, of libsdca." in page_text()  # the solver has no row yet


@pytest.mark.parametrize("package", source.COMMITS)
def test_a_source_that_does_not_fit_is_refused(tmp_path, package):
    given, header = {source.VARIABLE: str(tmp_path)}, tmp_path / source.NEEDED[package]
    assert f"{header.name} is missing" in source.lacking(package, given)
    header.parent.mkdir(parents=True)
    header.write_text("")
    if source.lacking(package, given):
        pytest.skip(source.lacking(package, given))
    with pytest.raises(SystemExit, match="does not compile .*error: .* Is it at commit"):
        source.build(package, given, tmp_path)
    if package == SOLVER.package:
        assert "SciPy has no OpenBLAS in" in source.lacking(package, given, wheel=tmp_path)
    (tmp_path / ".git").mkdir()
    assert f"must be at commit {source.COMMITS[package]}" in source.lacking(package, given)


LACKS = {package: source.lacking(package) for package in source.COMMITS}


@pytest.mark.skipif(bool(LACKS["libsdca"]), reason=f"libsdca is not examined: {LACKS['libsdca']}")
def test_libsdca_is_right_except_where_its_search_defaults_to_zero():
    source.build("libsdca")
    entries = [entry for entry in ENTRIES if entry.package == "libsdca"]
    rows = {entry.function: examined(entry, quick=True) for entry in entries}
    for name in ("project_topk_cone", "project_topk_simplex"):
        row = rows.pop(name)
        assert row.cases - row.passed == 1 and row.failure.label == "a search must not default to zero"
        assert not any(row.failure.got)
    assert all(row.failure is None and row.cases > 0 for row in rows.values())


@pytest.mark.skipif(bool(LACKS[SOLVER.package]), reason=f"its solver is not examined: {LACKS[SOLVER.package]}")
def test_the_solver_of_libsdca_is_right_except_for_examples_of_zeros_which_it_skips():
    source.build(SOLVER.package)

    def asked(has_zeros):
        def asks(given):  # without the largest instances, whose projections may not end
            return SOLVER.asks(given) and len(given["y"]) < 70 and given["X"].any(axis=1).all() != has_zeros

        return examined(SOLVER._replace(asks=asks), quick=True)

    row = asked(has_zeros=True)
    assert row.cases > row.passed and row.failure.reason == "certificate", str(row.failure)
    row = asked(has_zeros=False)
    assert row.failure is None and row.cases > 0, str(row.failure)


def test_the_command_refuses_a_word_that_no_entry_has(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["--only", "nothing like it"])
    assert "no entry has" in capsys.readouterr().err

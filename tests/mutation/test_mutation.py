"""The mutants are programs, of all kinds; a right copy passes the examiner, and a changed one does not."""

import ast
from collections import Counter

import numpy as np
import pytest

from tests.support.check import DIFFERS, remembering

from . import study
from .operators import mutations
from .reach import ROOT, instances
from .trial import COPY, copied, sample, trial, tried

TEXT = '''
def f(a, k=2):
    """1 + 1 and min(a)."""
    if k < 1:
        raise ValueError("1 + 1")
    total = 0.5 * min(a[:k]) + a[0] / 3
    for i in range(1, k):
        total -= a[i]
    return total if total > 0 and k != 2 else 0.0
'''
KINDS = {"comparison", "dropped term", "sign", "dropped factor", "division", "off by one", "constant", "extremum",
         "limit", "condition", "dropped statement"}  # fmt: skip


def test_all_kinds_of_mutants_are_made_and_errors_and_docstrings_stay():
    found = mutations(TEXT)
    assert {one.kind for one in found} == KINDS
    assert any(one.applied(TEXT).count("range(1, min(k, 1 + 16))") for one in found)
    for one in found:
        changed = one.applied(TEXT)
        assert changed != TEXT and ast.parse(changed)
        assert '"""1 + 1 and min(a)."""' in changed and 'raise ValueError("1 + 1")' in changed and "k=2" in changed


def test_a_sample_is_the_same_for_the_same_seed_and_every_mutant_is_a_program():
    work = sample(3, 0)
    some = [one for one in work if f"{one[0]}/{one[1]}".startswith("fast/_svm")]
    assert some and some == sample(3, 0, "fast/_svm") != sample(3, 1, "fast/_svm")
    assert {package for package, *_ in work} == {"reference", "fast"} and len(work) > 300
    for package, module, mutation in work:
        ast.parse(mutation.applied((ROOT / package / module).read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def truths():
    with remembering():
        yield


@pytest.mark.usefixtures("truths")
@pytest.mark.parametrize("package", ["reference", "fast"])
def test_a_right_copy_passes_and_one_that_takes_no_tie_for_an_error_does_not(tmp_path, package):
    target = copied(package, tmp_path)
    starts = [number for number, case in enumerate(instances("fit_wsabie")) if "start" in case.arguments]
    numbers = {"topk_error": range(len(instances("topk_error"))), "fit_wsabie": starts[:3]}
    assert not tried(target, numbers).reason
    path = tmp_path / COPY / "losses.py"
    text = path.read_text(encoding="utf-8")
    strict = next(one for one in mutations(text) if one.kind == "comparison" and " > " in one.new)
    path.write_text(strict.applied(text), encoding="utf-8")
    assert tried(target, numbers).reason == DIFFERS


def test_the_page_says_what_is_stored_and_every_mutant_is_found_or_explained():
    rows = study.stored()
    assert f"{study.START}{study.summary(rows)}{study.END}" in study.PAGE.read_text(encoding="utf-8")
    for row in rows:
        assert bool(row["reason"]) != bool(row.get("why")) and study.kind_of(row) in study.KINDS
    assert len(rows) >= 400 and max(Counter(row["module"] for row in rows).values()) == 14


def test_stored_verdicts_are_those_of_today():
    """A few found mutants fail on the instance that found them, and a survivor on none of its function."""
    rows = [row for row in study.stored() if row["module"] in ("reference/losses.py", "reference/projections.py")]
    found = [row for row in rows if row["reason"] not in ("", "hung")]
    tried_again = [found[i] for i in np.random.default_rng(0).permutation(len(found))[:5]]
    survivor = next(row for row in rows if row["old"] == "a - a.max()")
    for row in (*tried_again, survivor):
        package, module = row["module"].split("/", 1)
        every = mutations((ROOT / package / module).read_text(encoding="utf-8"))
        same = [one for one in every if (one.old, one.new) == (row["old"], row["new"])]
        mutation = min(same, key=lambda one: abs(one.line - row["line"]))  # other lines may come and go
        name = row["function"] or "project_simplex"
        numbers = [i for i, case in enumerate(instances(name)) if row["label"] in ("", case.label)]
        again = trial((package, module, mutation, {name: numbers}))
        assert again.items() >= {key: row[key] for key in ("function", "label", "reason")}.items()

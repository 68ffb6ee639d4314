"""The mutants are programs, of all kinds; a right copy passes the examiner, and a changed one does not."""

import ast

import pytest

from tests.support.check import DIFFERS

from .operators import mutations
from .reach import ROOT, instances
from .trial import COPY, copied, sample, tried

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
STARTS = [number for number, case in enumerate(instances("fit_wsabie")) if "start" in case.arguments]
ALL = {"topk_error": range(len(instances("topk_error"))), "fit_wsabie": STARTS[:3]}
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


@pytest.mark.parametrize("package", ["reference", "fast"])
def test_a_right_copy_passes_and_one_that_takes_no_tie_for_an_error_does_not(tmp_path, package):
    target = copied(package, tmp_path)
    assert not tried(target, ALL).reason
    path = tmp_path / COPY / "losses.py"
    text = path.read_text(encoding="utf-8")
    strict = next(one for one in mutations(text) if one.kind == "comparison" and " > " in one.new)
    path.write_text(strict.applied(text), encoding="utf-8")
    assert tried(target, ALL).reason == DIFFERS

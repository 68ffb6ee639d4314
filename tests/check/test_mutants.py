"""Every mutant is refused: a function of tests/mutants declares its verdict, and gets it.

The mutants run in a fork of this process, each on one case after another until it fails as declared. For one mutant of
each function, one for each reason, and those that declare its size, the counter-example is simplified, and must be
readable. test_naming.py and test_runs.py examine wrong functions in fresh interpreters, with rows of the table. The
mutants for CSR and the hostile programs have tests of their own, in test_check_csr.py and test_check_sandbox.py.
"""

import copy
import warnings

import numpy as np
import pytest

import reference
from reference.check import certify
from reference.check.entropy import truth as entropy
from reference.check.judging import shrink, specs
from reference.check.judging.case import Case
from reference.check.multilabel import truth as multilabel
from reference.check.topk_svm import truth as topk_svm
from tests.mutants import FAMILIES, mutants
from tests.support.check import Several, call_of, failure_in, first_failure

pytestmark = pytest.mark.usefixtures("truths")  # the mutants of a function are judged on the same instances
EXAMINED = [family.__name__.rpartition(".")[2] for family in specs.FAMILIES]
ALL = mutants(*EXAMINED)
# The first one of each function, and of each reason.
FIRST = {mutant.function: mutant for mutant in reversed(ALL)}.values()
FIRST = {*FIRST, *{mutant.reason: mutant for mutant in reversed(ALL)}.values()}


@pytest.fixture(autouse=True)
def no_clock_and_no_cvxpy_for_svms(monkeypatch):
    monkeypatch.setattr(shrink, "MOST_SECONDS", np.inf)
    for family in (topk_svm, entropy, multilabel):  # the certificate must refuse them alone
        monkeypatch.setattr(family, "minimum_of", lambda programme, data, options: None)


@pytest.fixture(scope="module")
def box(truths):
    """All mutants in one process."""
    with Several({str(mutant): mutant.call for mutant in ALL}) as box:
        yield box


@pytest.mark.parametrize("mutant", ALL, ids=str)
def test_mutant_is_refused(mutant, box):
    simplified = mutant in FIRST or mutant.is_special
    # `certify` does not prove that the windows of a latent problem are the best ones, so the instance must be simple.
    simplified |= mutant.function == "fit_latent_ranking_svm"
    asked = mutant.function, mutant.reason, mutant.enough, simplified
    is_last = mutant.reason == "did not raise"  # what is to be refused comes last
    failure, reasons = failure_in(box.choose(str(mutant)), *asked, backwards=is_last)
    assert failure is not None, f"no case fails with {mutant.reason!r}; the reasons are {set(reasons) or 'none'}"
    assert failure.reason == mutant.reason
    assert mutant.phrase in str(failure)
    assert failure.place == specs.SPECS[mutant.function].place
    assert failure.got is not None
    assert failure.expected is not None or mutant.reason == "changed its input"
    if simplified:
        assert_readable(mutant, failure)
    if mutant.reason != "did not raise":
        assert certified(mutant, failure.arguments) == mutant.certified


def assert_readable(mutant, failure):
    call = str(failure).splitlines()[1]
    assert call.startswith(f"    {mutant.function}(") and ("<array" not in call or mutant.largest > 60)
    arrays = [value for value in failure.arguments.values() if isinstance(value, np.ndarray)]
    if mutant.family.startswith("wsabie"):
        assert all(array.size <= 12 for array in arrays) and failure.arguments.get("n_updates", 1) <= 4
    else:
        assert max(max(array.shape) for array in arrays) <= mutant.largest


def certified(mutant, given):
    """Returns whether `certify` accepts what a mutant returns."""
    copies, others = copy.deepcopy(call_of(mutant.function, Case("", given)))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        answer = mutant.call(*copies, **others)
        arguments, options = call_of(mutant.function, Case("", given))
        return certify(mutant.function, answer, *arguments, **options).ok


def test_there_are_mutants_of_every_reason_and_family():
    assert set(FAMILIES) == {*EXAMINED, "csr"} and {mutant.family for mutant in ALL} == set(EXAMINED)
    assert len(ALL) >= 123 and len({mutant.reason for mutant in ALL}) >= 12


def test_a_right_function_has_no_failure():
    """So a mutant that is not refused fails its test: its failure is None."""
    right = {"topk_error": reference.topk_error}
    assert first_failure(right, "topk_error") == (None, [])

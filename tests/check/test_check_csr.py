"""The examiner and sparse input: how it reaches TARGET, the catalogue, and mutants that are wrong for CSR only."""

import warnings

import numpy as np
import pytest
from scipy import sparse

import reference
from reference.check import check, csr, report
from reference.check.examiner import Examination
from reference.check.judging.subject import SUBJECTS
from reference.check.sandbox.sandbox import Sandbox
from tests.mutants import mutants
from tests.support.check import cases_of, solution
from tests.support.twins import assert_equal

pytestmark = pytest.mark.usefixtures("truths")
TAKE_CSR = [name for name in SUBJECTS if SUBJECTS[name].csr]
X = np.array([[0.0, 1.5, 0.0], [0.0, 0.0, 0.0], [2.0, 0.0, -3.0]])
ECHO = """
import numpy as np

def echo(X):
    flags = type(X).__name__ == "csr_array", X.indices.dtype == np.int64, X.data.dtype == np.float32
    return X.data.copy(), X.indices.copy(), X.indptr.copy(), np.array(X.shape), np.array(flags), X.toarray()

def data(X): X.data *= 2
def indices(X): X.indices[0] = 0
def indptr(X): X.indptr[1] = 0
def sort(X): X.sort_indices()
def merge(X): X.sum_duplicates()
def zeros(X): X.eliminate_zeros()
def replace(X): X.data = 2 * X.data
def nothing(X): X.copy().sum_duplicates()
"""


@pytest.fixture(scope="module")
def box(tmp_path_factory):
    path = solution(tmp_path_factory.mktemp("target"), ECHO)
    names = ("echo", "data", "indices", "indptr", "sort", "merge", "zeros", "replace", "nothing")
    with Sandbox(str(path), names) as box:
        box.start()
        yield box


# --- how it reaches TARGET -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", csr.FORMS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("dense", [X, np.zeros((2, 3)), X[1:2], X[:, :1]], ids=["some", "none", "empty row", "column"])
def test_what_is_sent_arrives(box, form, dtype, dense):
    sent = csr.as_csr(dense.astype(dtype), form)
    assert (sent.toarray() == dense).all()
    data, indices, indptr, shape, flags, got = box.call("echo", {"X": sent}, 1).answer
    for part, expected in ((data, sent.data), (indices, sent.indices), (indptr, sent.indptr)):
        assert part.dtype == expected.dtype and (part == expected).all()
    assert tuple(shape) == dense.shape and (got == dense).all()
    assert flags.tolist() == [form == "csr_array", form == "int64 indices", dtype == np.float32]


def test_the_forms_are_what_they_say():
    forms = {form: csr.as_csr(X, form) for form in csr.FORMS}
    assert forms["explicit zeros"].nnz == 6 and not forms["explicit zeros"].data.all()
    assert forms["duplicate entries"].nnz == 6 and forms["csr_matrix"].nnz == 3
    assert forms["unsorted indices"].indices.tolist() == [1, 2, 0]
    assert forms["int64 indices"].indices.dtype == np.int64 == forms["int64 indices"].indptr.dtype
    assert isinstance(forms["csr_array"], sparse.csr_array) and isinstance(forms["csr_matrix"], sparse.csr_matrix)


@pytest.mark.parametrize(
    ("function", "form", "expected"),
    [
        ("nothing", "duplicate entries", None),
        ("data", "csr_matrix", "X"),
        ("indices", "csr_matrix", "X"),
        ("indptr", "csr_matrix", "X"),
        ("sort", "csr_matrix", None),
        ("sort", "unsorted indices", "X"),
        ("merge", "duplicate entries", "X"),
        ("zeros", "explicit zeros", "X"),
        ("replace", "csr_array", "X"),
    ],
)
def test_a_changed_argument_is_noticed(box, function, form, expected):
    assert box.call(function, {"X": csr.as_csr(X, form)}, 1).changed == expected


@pytest.mark.parametrize("form", csr.FORMS)
def test_it_is_printed_as_python_text(form):
    sent = csr.as_csr(X.astype(np.float32), form)
    got = eval(report.readable(sent), {"np": np, "sparse": sparse})
    assert type(got) is type(sent) and got.shape == sent.shape and got.dtype == sent.dtype
    for name in ("data", "indices", "indptr"):
        assert (getattr(got, name) == getattr(sent, name)).all()
    if form == "csr_matrix":
        text = "sparse.csr_matrix(np.array([[0., 1.5, 0.], [0., 0., 0.], [2., 0., -3.]], dtype=np.float32))"
        assert report.readable(sent) == text


@pytest.mark.parametrize("place", ["indices", "indptr"])
def test_a_malformed_matrix_is_printed_too(place):
    sent = csr.as_csr(X, "csr_matrix")
    getattr(sent, place)[-1] = 77
    assert "77" in report.readable(sent) and "shape=(3, 3)" in report.readable(sent)


# --- the catalogue ---------------------------------------------------------------------------------------------------


def test_every_function_whose_contract_takes_csr_is_examined_with_it():
    expected = {name for name in SUBJECTS if "scipy CSR" in getattr(reference, name).__doc__}
    assert set(TAKE_CSR) == expected


@pytest.mark.parametrize("name", TAKE_CSR)
@pytest.mark.parametrize("quick", [True, False])
def test_the_catalogue_holds_every_form(name, quick):
    cases = cases_of(f"{name}, CSR")[1] if quick else list(SUBJECTS[name].csr(np.random.default_rng(0), False))
    right = [case for case in cases if not case.refuses]
    first = next(iter(right[0].layout))[0]
    halves = {"duplicate entries"} if first == "Y" else set()  # an indicator has no halves
    assert {dict(case.layout)[first] for case in right} >= set(csr.FORMS) - halves
    assert all(hasattr(case.given[first], "indptr") for case in cases)
    assert len([case for case in cases if case.refuses]) == 4
    if first == "X":
        assert any((case.arguments["X"] == 0).all(axis=1).any() for case in right), "no row is empty"
        assert any(case.arguments["X"].dtype == np.float32 for case in right)


@pytest.mark.parametrize("name", TAKE_CSR)
def test_csc_is_the_same_as_csr(name):
    """Statements convert it, and both packages call these."""
    case = next(case for case in cases_of(f"{name}, CSR")[1] if set(dict(case.layout).values()) == {csr.PLAIN})
    columns = {key: value.tocsc() if sparse.issparse(value) else value for key, value in case.given.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of convergence, and of classes that are frozen
        expected, got = (getattr(reference, name)(**given) for given in (case.given, columns))
    assert any(sparse.issparse(value) and value.format == "csc" for value in columns.values())
    assert_equal(got, expected)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X: X.indices.__setitem__(0, 3), r"X must have row indices in 0\.\.2, got 3"),
        (lambda X: X.indices.__setitem__(0, -1), r"X must have row indices in 0\.\.2, got -1"),
        (lambda X: X.indptr.__setitem__(1, 9), "X must have an indptr that rises from 0 to 3"),
        (lambda X: setattr(X, "indptr", X.indptr[:-1]), "X must have an indptr that rises from 0 to 3"),
        (lambda X: setattr(X, "data", X.data[:-1]), "X must have an indptr that rises from 0 to 3"),
        (lambda X: X.data.__setitem__(-1, np.nan), r"X must be finite, got nan at index \(2, 2\)"),
    ],
)
def test_a_malformed_csc_matrix_is_refused_before_it_is_converted(change, message):
    wrong = sparse.csc_matrix(X)
    change(wrong)
    with pytest.raises(ValueError, match=message):
        reference.fit_topk_svm(wrong, np.arange(3), regularization=1.0)


# --- mutants ---------------------------------------------------------------------------------------------------------


def assert_refused(mutant, failure):
    assert failure.reason == mutant.reason
    assert "sparse.csr_matrix(" in str(failure), "the argument is shown as it was given"
    given = failure.arguments["Y" if mutant.function == "pairwise_loss" else "X"]
    assert given.shape[0] <= 6 and "CSR" in failure.label


@pytest.mark.parametrize("mutant", mutants("csr"), ids=str)
def test_wrong_for_csr(mutant):
    with Sandbox(mutant.functions, [mutant.function]) as box:
        box.start()
        examination = Examination(box, seed=0, quick=True, enough=3)
        assert_refused(mutant, examination.examine(mutant.function, False, SUBJECTS[mutant.function].csr).failure)


def test_right_for_arrays_and_wrong_for_csr_in_a_fresh_interpreter(tmp_path):
    (mutant,) = (mutant for mutant in mutants("csr") if mutant.reason == "raised")
    path = solution(tmp_path, f"from tests.mutants.csr import {mutant.name} as {mutant.function}\n")
    got = check(path, quick=True, only=mutant.function, timed=False)
    assert [row.name for row in got.rows] == [mutant.function, f"{mutant.function}, CSR"]
    assert got.rows[0].verdict == "right" and not got.passed
    assert_refused(mutant, got.rows[1].failure)


def test_csr_may_be_left_out_and_is_not_examined_if_arrays_are_wrong():
    (mutant,) = (one for one in mutants("csr") if one.name == "refused")
    got = check(mutant.functions, quick=True, csr=False, timed=False)
    assert [row.name for row in got.rows] == ["prototype_scores"] and got.passed
    got = check({"prototype_scores": lambda *a, **o: None}, quick=True, timed=False, enough=1)
    assert [row.name for row in got.rows] == ["prototype_scores"] and not got.passed

"""Multilabel losses and their fits: Newton's method of `fast`, iterates, digits, threads, warm starts."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits

import fast
import reference
from fast._multilabel import ascent, newton
from reference.check import certify
from tests.support.multilabel import EACH_LOSS, assert_certified, instance
from tests.support.twins import BOTH, fit

# --- Newton's method -----------------------------------------------------------------------------------------------


@EACH_LOSS
@pytest.mark.parametrize("shape", [(60, 5, 4), (40, 90, 6)], ids=str)
def test_few_epochs_close_the_gap_where_passes_need_thousands(loss, shape):
    """By Newton's method at the larger C, if there are more examples than features; else by conjugate directions."""
    n, d, m = shape
    X, Y = instance(n, n, d, m, zero_rows=2)
    for C in (d, 1e4):  # at the first, the radius is 1
        for data in (X, sparse.csr_matrix(X)):
            problem = {**loss, "regularization": d / (C * n)}
            got = fast.fit_multilabel(data, Y, **problem, tol=1e-9, max_epochs=30)
            assert_certified(got, data, Y, 1e-9, **problem)


def digits():
    """Digits with four kinds of labels: the digit, odd ones, those from 5 on, and primes."""
    X, y = load_digits(return_X_y=True)
    kinds = [y[:, None] == np.arange(10), (y % 2 == 1)[:, None], (y >= 5)[:, None], np.isin(y, [2, 3, 5, 7])[:, None]]
    return X / np.linalg.norm(X, axis=1).mean(), np.hstack(kinds)


@pytest.mark.parametrize(("loss", "C"), [({"smoothing": 0.01}, 100.0), ({"loss": "entropy"}, 1e4)])
def test_the_gap_closes_on_digits(loss, C):
    X, Y = digits()
    problem = {**loss, "regularization": 1 / (C * len(X))}
    assert_certified(fast.fit_multilabel(X, Y, **problem, tol=1e-9), X, Y, 1e-9, **problem)


def test_the_gap_closes_in_any_order(monkeypatch):
    """From some orders, Newton's method stalls at the least proximity, far from the optimum. Its systems are large."""
    X, Y = digits()
    direct = []
    monkeypatch.setattr(newton, "_direct_solution", lambda *a, own=newton._direct_solution: direct.append(1) or own(*a))
    problem = {"regularization": 1e-4 / len(X), "tol": 1e-9}
    assert fast.fit_multilabel(X, Y, **problem, seed=1, max_epochs=100).gap <= 1e-9
    assert direct, "conjugate gradients were fast enough"


@EACH_LOSS
def test_newtons_method_never_makes_the_gap_worse(loss):
    X, Y = instance(0, 150, 20, 8)
    got = fit(fast.fit_multilabel, X, Y, **loss, regularization=1e-7, tol=1e-12, max_epochs=25)
    gaps = got.history.gap[7:]  # the passes before it are another matter
    assert (np.diff(gaps) <= 0).all() and gaps[-1] < 1e-2 * gaps[0]


def test_passes_after_newtons_method_keep_its_answer(monkeypatch):
    """On raw pixels at a large C it stalls, and the passes that follow have larger gaps."""
    X, y = load_digits(return_X_y=True)
    Y, calls = y[:400, None] % np.arange(2, 8) == 0, []
    for name in ("visit_all", "ascend_by_newton"):
        own = getattr(ascent, name)
        monkeypatch.setattr(ascent, name, lambda *a, own=own, name=name: calls.append(name) or own(*a))
    with pytest.warns(UserWarning, match="gap"):
        got = fast.fit_multilabel(X[:400], Y, regularization=1e-4 / 400, tol=1e-12, max_epochs=80)
    assert calls == ["visit_all", "ascend_by_newton", "visit_all"]
    assert got.gap == got.history.gap.min() < 1e-3
    assert certify("fit_multilabel", got.duals, X[:400], Y, regularization=1e-4 / 400).ok


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_newtons_method_fits_the_entropy_of_many_examples_from_the_start(dtype):
    X, Y = instance(1, n=120, d=4, zero_rows=2)
    problem, tol = {"loss": "entropy", "regularization": 1e-4}, 1e-9 if dtype == np.float64 else 1e-3
    for data in (X.astype(dtype), sparse.csr_matrix(X.astype(dtype))):
        assert_certified(fast.fit_multilabel(data, Y, **problem, tol=tol, max_epochs=2), data, Y, tol, **problem)


def test_an_entropy_that_no_example_has_is_fitted():
    """Only an example whose classes are all positive has a weight."""
    X, Y = instance(1, n=120, d=4)
    Y[1] = True
    got = fast.fit_multilabel(X, Y, loss="entropy", regularization=1e-4, sample_weight=np.eye(120)[1])
    assert got.gap == 0 and not got.weights.any()


def test_an_entropy_whose_certificate_overflows_at_first_is_left_to_passes():
    X, Y = instance(1, n=120, d=4)
    got = fit(fast.fit_multilabel, 1e50 * X, Y, loss="entropy", regularization=1e-50, max_epochs=3)
    assert np.isfinite(got.primal) and np.isfinite(got.dual) and got.gap <= 1


# --- iterates, digits and threads ----------------------------------------------------------------------------------


@EACH_LOSS
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_twins_walk_through_the_same_iterates(loss, scale):
    rng = np.random.default_rng(4)
    X, Y = instance(4, n=12, d=3, m=6, zero_rows=2)
    X *= scale
    order = np.array([rng.permutation(12) for _ in range(4)])
    options = {**loss, "regularization": 0.1 * scale**2, "tol": 0, "max_epochs": 4, "order": order}
    expected = fit(reference.fit_multilabel, X, Y, **options)
    for data, sets in ((X, Y), (sparse.csr_matrix(X), sparse.csr_array(Y.astype(int)))):
        got = fit(fast.fit_multilabel, data, sets, **options)
        assert np.abs(got.history.gap - expected.history.gap).max() <= 1e-9
        assert np.abs(got.duals - expected.duals).max() <= 1e-9 / (12 * options["regularization"])


@BOTH
@EACH_LOSS
def test_huge_scores_and_a_huge_C_are_in_range(module, loss):
    """Scores of 1e3 on the way and C = 1e8: nothing overflows, and what is reported is true."""
    X, Y = instance(7, n=20, d=3)
    for scale, C in ((1e3, 1.0), (1e-4, 1e8)):
        problem = {**loss, "regularization": 1 / (C * 20)}
        with np.errstate(over="raise", invalid="raise"):
            got = fit(module.fit_multilabel, scale * X, Y, **problem, max_epochs=20)
        assert 0 <= got.gap <= 1 or got.dual < 0
        certificate = certify("fit_multilabel", got.duals, scale * X, Y, **problem).value
        assert -1e-6 <= certificate - got.gap <= 1e-4 * max(1, got.gap)  # rounding is in the certificate


@BOTH
def test_the_entropy_keeps_its_digits(module):
    """A loss of 1e-300 is not 0, and scores of 1e3 are in range."""
    scores = np.array([[690.0, 0.0], [1000.0, -1000.0], [-1000.0, 1000.0]])
    Y = np.array([[1, 0], [1, 0], [1, 0]])
    got, slopes = module.multilabel_entropy(scores, Y), module.multilabel_entropy_gradient(scores, Y)
    assert got[0] == pytest.approx(np.exp(-690.0), rel=1e-12) and got[1] == 0 and got[2] == 2000
    assert slopes[0, 0] == pytest.approx(-np.exp(-690.0), rel=1e-12) and (slopes.sum(axis=1) == 0).all()
    with pytest.raises(ValueError, match="^Y must"):
        module.multilabel_entropy(scores, sparse.coo_matrix(Y))


@BOTH
def test_the_entropy_keeps_its_digits_at_a_huge_C(module):
    """Separable examples: p is 1 up to 1e-9 and less, and the loss is smaller than the roundings of 1."""
    X, Y = np.eye(3), np.eye(3)
    problem = {"loss": "entropy", "regularization": 1e-8}
    got = module.fit_multilabel(X, Y, **problem, tol=1e-10, max_epochs=5000)
    assert got.primal < 1e-5 and got.gap <= 1e-10
    assert_certified(got, X, Y, 1e-10, **problem)
    for i in range(3):
        assert abs(got.duals[i].sum()) <= 1e-15 * got.duals[i, i]


@EACH_LOSS
def test_threads_do_not_change_the_answer(loss):
    X, Y = instance(10, n=700, d=50, m=60)
    for order in (None, np.arange(700)):
        options = {**loss, "regularization": 1e-3, "max_epochs": 11, "order": order, "tol": 0}
        one, two = (fit(fast.fit_multilabel, X, Y, **options, n_jobs=n_jobs) for n_jobs in (1, 2))
        assert (one.duals == two.duals).all() and (one.weights == two.weights).all() and one.gap == two.gap


# --- warm starts ---------------------------------------------------------------------------------------------------


@BOTH
@EACH_LOSS
def test_a_fit_continues_from_its_duals(module, loss):
    X, Y = instance(9, n=10, d=4)
    options = {**loss, "regularization": 0.1, "max_epochs": 5000}
    first = module.fit_multilabel(X, Y, **options, tol=1e-6)
    before = first.duals.copy()
    again = module.fit_multilabel(X, Y, **options, tol=1e-5, duals=first.duals)
    assert again.epochs == 1 and (first.duals == before).all()
    halves = sparse.csr_array(before / 2)
    other = module.fit_multilabel(X, Y, **options | {"regularization": 0.2}, tol=1e-5, duals=halves)
    assert other.gap <= 1e-5

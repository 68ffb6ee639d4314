"""Fits of multilabel losses: ground truth, reference, fast, and what every fit must obey."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

import fast
import reference
from reference.check.certificates import multilabel as certificates
from reference.ground_truth import multilabel as ground_truth
from tests.support.multilabel import BOTH, EACH_LOSS, LOSSES, assert_certified, fit, instance

# --- ground truth passes its certificate ---------------------------------------------------------------------------


@EACH_LOSS
def test_primal_of_the_ground_truth_meets_a_certified_dual(loss):
    """The programme has no duals; but a feasible dual point that meets its primal proves both."""
    X, Y = instance(1, n=14, d=8, zero_rows=2)
    problem = {**loss, "regularization": 0.05}
    _, primal = ground_truth.fit_multilabel(X, Y, **problem)
    got = reference.fit_multilabel(X, Y, **problem, tol=1e-7, max_epochs=5000)
    assert certificates.fit_multilabel(got.duals, X, Y, **problem) <= 1.1e-7
    assert abs(primal - got.dual) <= 1e-6 * primal, f"expected a dual of {primal}, got {got.dual}"


@EACH_LOSS
def test_a_certificate_rejects_wrong_duals(loss):
    X, Y = instance(d=12)
    problem = {**loss, "regularization": 0.05}
    duals = fast.fit_multilabel(X, Y, **problem, tol=1e-9).duals
    radius, i = 1 / (0.05 * len(X)), 5
    pushed, in_an_empty_row = duals.copy(), duals.copy()
    pushed[i, Y[i].argmax()] += 1e-2 * radius
    in_an_empty_row[0, :2] = 1e-2 * radius, -1e-2 * radius
    wrongs = [np.zeros_like(duals), 0.9 * duals, 1.1 * duals, -duals, duals[::-1], pushed, in_an_empty_row]
    wrongs += [duals[:-1], duals[:, :-1], duals.T, np.full_like(duals, np.nan), None, "duals"]
    assert certificates.fit_multilabel(duals, X, Y, **problem) <= 1.1e-9
    for wrong in wrongs:
        got = certificates.fit_multilabel(wrong, X, Y, **problem)
        assert got > 1e-5, f"{wrong} passed with {got}"


# --- reference = ground truth, and so is fast ----------------------------------------------------------------------


@BOTH
@EACH_LOSS
@pytest.mark.parametrize(("zero_rows", "regularization", "m"), [(0, 0.1, 5), (3, 0.01, 4), (1, 1.0, 2)])
def test_ground_truth_agrees(module, loss, zero_rows, regularization, m):
    X, Y = instance(m, n=14, d=8, m=m, zero_rows=zero_rows)
    s = np.random.default_rng(m).integers(0, 3, len(X)).astype(float)
    for weights in (None, s):
        problem = {**loss, "regularization": regularization, "sample_weight": weights}
        _, primal = ground_truth.fit_multilabel(X, Y, **problem)
        got = module.fit_multilabel(X, Y, **problem, tol=1e-7, max_epochs=20_000)
        assert abs(got.primal - primal) <= 1e-6 * primal, f"expected {primal}, got {got.primal}"
        assert got.dual <= primal * (1 + 1e-8)
        assert_certified(got, X, Y, 1e-7, **problem)


# --- fast = reference ----------------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(2, 9), st.sampled_from(LOSSES), st.sampled_from([1e-6, 1.0, 1e6]))
def test_twins_walk_through_the_same_iterates(seed, m, loss, scale):
    rng = np.random.default_rng(seed)
    X, Y = instance(seed, n=12, d=3, m=m, zero_rows=seed % 3)
    X *= scale
    order = np.array([rng.permutation(12) for _ in range(4)])
    options = {**loss, "regularization": scale**2 * 10.0 ** rng.integers(-2, 1)}
    options |= {"tol": 0, "max_epochs": 4, "order": order}
    expected = fit(reference.fit_multilabel, X, Y, **options)
    radius = 1 / (options["regularization"] * 12)
    for data, sets in ((X, Y), (sparse.csr_matrix(X), sparse.csr_array(Y.astype(int)))):
        got = fit(fast.fit_multilabel, data, sets, **options)
        epochs = min(got.epochs, expected.epochs)  # where the gap is 0 up to rounding, one of them may stop
        assert np.abs(got.history.gap[:epochs] - expected.history.gap[:epochs]).max() <= 1e-9
        if got.epochs == expected.epochs:
            assert np.abs(got.duals - expected.duals).max() <= 1e-9 * radius


@EACH_LOSS
def test_twins_agree_on_the_optimum(loss):
    X, Y = instance(3, n=40, d=20, m=7, zero_rows=5)
    options = {**loss, "regularization": 0.1, "tol": 1e-6, "max_epochs": 5000}
    expected = reference.fit_multilabel(X, Y, **options)
    for data, tol in ((X, 1e-6), (sparse.csr_matrix(X), 1e-6), (X.astype(np.float32), 1e-4)):
        got = fast.fit_multilabel(data, Y, **{**options, "tol": tol})
        assert got.weights.dtype == got.duals.dtype == data.dtype
        assert_certified(got, data, Y, tol, **loss, regularization=0.1)
        assert abs(got.primal - expected.primal) <= 2 * tol * expected.primal


# --- properties ----------------------------------------------------------------------------------------------------


def digits():
    """Digits with four kinds of labels: the digit, odd ones, those from 5 on, and primes."""
    X, y = load_digits(return_X_y=True)
    kinds = [y[:, None] == np.arange(10), (y % 2 == 1)[:, None], (y >= 5)[:, None], np.isin(y, [2, 3, 5, 7])[:, None]]
    return X / np.linalg.norm(X, axis=1).mean(), np.hstack(kinds)


@EACH_LOSS
@pytest.mark.parametrize("C", [1e-2, 1.0, 100.0, 1e4])
def test_the_gap_closes_on_digits(loss, C):
    X, Y = digits()
    problem = {**loss, "regularization": 1 / (C * len(X))}
    assert_certified(fast.fit_multilabel(X, Y, **problem, tol=1e-9), X, Y, 1e-9, **problem)


@pytest.mark.parametrize("seed", (1, 3))
def test_the_gap_closes_in_any_order(seed):
    """From some orders, Newton's method stalls at the least smoothing, far from the optimum."""
    X, Y = digits()
    problem = {"regularization": 1e-4 / len(X), "tol": 1e-9}
    assert fast.fit_multilabel(X, Y, **problem, seed=seed, max_epochs=100).gap <= 1e-9


@pytest.mark.parametrize("smoothing", [1e-3, 0.1])
def test_the_gap_closes_on_digits_for_other_smoothings(smoothing):
    X, Y = digits()
    for C in (1.0, 100.0):
        problem = {"smoothing": smoothing, "regularization": 1 / (C * len(X))}
        assert_certified(fast.fit_multilabel(X, Y, **problem, tol=1e-9), X, Y, 1e-9, **problem)


@EACH_LOSS
@pytest.mark.parametrize("shape", [(60, 5, 4), (40, 90, 6), (150, 3, 30), (8, 2, 3)])
def test_the_gap_closes_on_random_sets(loss, shape):
    n, d, m = shape
    X, Y = instance(n, n, d, m, zero_rows=2)
    for C in (1e-2, 1.0, 100.0, 1e4):
        for data in (X, sparse.csr_matrix(X)):
            problem = {**loss, "regularization": d / (C * n)}
            assert_certified(fast.fit_multilabel(data, Y, **problem, tol=1e-9), data, Y, 1e-9, **problem)


@BOTH
def test_with_one_positive_the_hinge_is_that_of_crammer_and_singer(module):
    X, Y = instance(5, n=30, d=6, m=4)
    y = np.random.default_rng(5).permutation(30) % 4
    Y = np.eye(4, dtype=bool)[y]
    tol, options = 1e-9 if module is fast else 1e-5, {"regularization": 0.05, "max_epochs": 20_000}
    expected = fast.fit_topk_svm(X, y, k=1, **options, tol=1e-9)
    got = module.fit_multilabel(X, Y, **options, tol=tol)
    assert abs(got.primal - expected.primal) <= 2 * tol * expected.primal
    # The primal is strongly convex: lambda/2 |W - W*|^2 <= P(W) - P(W*), for both weights.
    allowed = np.sqrt(2 * (tol**0.5 + 1e-9**0.5) ** 2 * expected.primal / 0.05)
    assert np.linalg.norm(got.weights - expected.weights) <= allowed


@BOTH
def test_with_one_positive_the_entropy_is_multinomial_logistic_regression(module):
    X, _ = instance(6, n=60, d=5)
    y = np.random.default_rng(6).permutation(60) % 4
    C = 3.0
    model = LogisticRegression(C=C, fit_intercept=False, tol=1e-12, max_iter=10_000).fit(X, y)
    options = {"loss": "entropy", "regularization": 1 / (C * 60), "tol": 1e-14, "max_epochs": 3000}
    got = fit(module.fit_multilabel, X, np.eye(4)[y], **options)
    assert np.abs(got.weights - model.coef_.T).max() <= 1e-6 * np.abs(model.coef_).max()


@BOTH
@EACH_LOSS
def test_degenerate_examples(module, loss):
    """No features, two classes, one positive, all but one: what the certificate says of them is enough."""
    rng = np.random.default_rng(0)
    for X, Y in (
        (np.zeros((4, 3)), np.eye(4)),
        (rng.standard_normal((6, 2)), np.eye(2)[[0, 1, 0, 1, 1, 0]]),
        (rng.standard_normal((6, 2)), np.eye(5)[[0, 1, 2, 3, 4, 0]]),
        (rng.standard_normal((6, 2)), 1 - np.eye(5)[[0, 1, 2, 3, 4, 0]]),
        (rng.standard_normal((1, 1)), np.array([[1, 0, 1]])),
    ):
        problem = {**loss, "regularization": 0.1}
        got = module.fit_multilabel(X, Y, **problem, tol=1e-8, max_epochs=20_000)
        assert_certified(got, X, Y, 1e-8, **problem)


@BOTH
@EACH_LOSS
def test_huge_scores_and_a_huge_C_are_in_range(module, loss):
    """Scores of 1e3 on the way and C = 1e8: nothing overflows, and what is reported is true."""
    X, Y = instance(7, n=20, d=3)
    for scale, C in ((1e3, 1.0), (1.0, 1e8), (1e-4, 1e8)):
        problem = {**loss, "regularization": 1 / (C * 20)}
        with np.errstate(over="raise", invalid="raise"):
            got = fit(module.fit_multilabel, scale * X, Y, **problem, max_epochs=30)
        assert 0 <= got.gap <= 1 or got.dual < 0
        certificate = certificates.fit_multilabel(got.duals, scale * X, Y, **problem)
        assert -1e-6 <= certificate - got.gap <= 1e-4 * max(1, got.gap)  # rounding is in the certificate


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


@BOTH
@EACH_LOSS
def test_weights_of_examples_are_repetitions(module, loss):
    X, Y = instance(8, n=12, d=4)
    s = np.random.default_rng(8).integers(0, 4, 12)
    options = {**loss, "tol": 1e-8, "max_epochs": 20_000}
    weighted = module.fit_multilabel(X, Y, regularization=0.1, sample_weight=s, **options)
    rows = np.repeat(np.arange(12), s)
    repeated = module.fit_multilabel(X[rows], Y[rows], regularization=0.1 * 12 / len(rows), **options)
    assert np.abs(weighted.weights - repeated.weights).max() <= 2e-3 * np.abs(repeated.weights).max()
    assert weighted.primal == pytest.approx(repeated.primal * len(rows) / 12, rel=1e-7)


@BOTH
@EACH_LOSS
def test_a_fit_continues_from_its_duals(module, loss):
    X, Y = instance(9, n=30, d=4)
    options = {**loss, "regularization": 0.05, "max_epochs": 5000}
    first = module.fit_multilabel(X, Y, **options, tol=1e-8)
    before = first.duals.copy()
    again = module.fit_multilabel(X, Y, **options, tol=1e-7, duals=first.duals)
    assert again.epochs == 1 and (first.duals == before).all()
    other = module.fit_multilabel(
        X, Y, **options | {"regularization": 0.1}, tol=1e-7, duals=sparse.csr_array(before / 2)
    )
    assert other.gap <= 1e-7


@EACH_LOSS
def test_threads_do_not_change_the_answer(loss):
    X, Y = instance(10, n=700, d=50, m=60)
    for order in (None, np.arange(700)):
        options = {**loss, "regularization": 1e-3, "max_epochs": 11, "order": order, "tol": 0}
        one, two = (fit(fast.fit_multilabel, X, Y, **options, n_jobs=n_jobs) for n_jobs in (1, 2))
        assert (one.duals == two.duals).all() and (one.weights == two.weights).all() and one.gap == two.gap


@EACH_LOSS
def test_newtons_method_never_makes_the_gap_worse(loss):
    X, Y = digits()
    got = fit(fast.fit_multilabel, X, Y, **loss, regularization=1e-7, tol=1e-12, max_epochs=25)
    gaps = got.history.gap[7:]  # the passes before it are another matter
    assert (np.diff(gaps) <= 0).all() and gaps[-1] < 1e-2 * gaps[0]


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"loss": "softmax"}, "loss"),
        ({"smoothing": -0.1}, "smoothing"),
        ({"loss": "entropy", "smoothing": 0.1}, "smoothing"),
        ({"regularization": 0.0}, "regularization"),
        ({"sample_weight": np.zeros(24)}, "sample_weight"),
        ({"duals": np.ones((24, 5))}, "duals"),
        ({"duals": np.zeros((24, 4))}, "duals"),
        ({"Y": np.ones((24, 5))}, "Y"),
        ({"Y": np.full((24, 5), 0.5)}, "Y"),
        ({"Y": np.zeros((23, 5))}, "Y"),
        ({"Y": np.arange(24)}, "Y"),
        ({"n_jobs": 0}, "n_jobs"),
    ],
)
@BOTH
def test_wrong_arguments_are_refused_by_name(module, wrong, named):
    X, Y = instance()
    arguments = {"X": X, "Y": Y, "regularization": 0.1} | wrong
    with pytest.raises(ValueError, match=f"^{named}"):
        module.fit_multilabel(arguments.pop("X"), arguments.pop("Y"), **arguments)


@BOTH
@EACH_LOSS
def test_duals_outside_the_domain_are_refused(module, loss):
    X, Y = instance(11)
    right = fast.fit_multilabel(X, Y, **loss, regularization=0.1).duals
    for i, j, change in ((0, 0, 1e-3), (5, int(Y[5].argmax()), 1.0), (5, int((~Y[5]).argmax()), 1e-3)):
        wrong = right.copy()
        wrong[i, j] += change
        with pytest.raises(ValueError, match="^duals must be in the domain"):
            module.fit_multilabel(X, Y, **loss, regularization=0.1, duals=wrong)

"""TopPush and SVMperf: ground truth, reference, fast, and what every fit must obey."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import SVC

import fast.topk_baselines
import reference.topk_baselines
from reference.check.certificates import baselines as certificates
from reference.ground_truth import topk_baselines as ground_truth
from tests.support.topk_baselines import (
    BOTH,
    EACH_LOSS,
    EACH_WAY,
    FLAT_OR_NOT,
    PERF,
    PUSH,
    SOLVED,
    TWINS,
    assert_honest,
    bounds_of,
    fits_of,
    instance,
)


def assert_optimal(got, minimum, tol):
    assert minimum - SOLVED <= got.primal <= (minimum + SOLVED) / (1 - tol), f"expected {minimum}, got {got.primal}"
    assert got.dual <= minimum + SOLVED, f"expected at most {minimum}, got {got.dual}"


# --- ground truth passes its certificate ---------------------------------------------------------------------------


@FLAT_OR_NOT
def test_minimum_of_the_ground_truth_is_met_by_a_certified_dual(classes):
    X, relevant = instance(1, n=6, classes=classes)
    for name, options in fits_of(relevant):
        weights, minimum = getattr(ground_truth, name)(X, relevant, **options)
        got = getattr(reference, name)(X, relevant, **options, tol=1e-6, max_iterations=10_000)
        residual = getattr(certificates, name)(weights.reshape(got.weights.shape), got.duals, X, relevant, **options)
        assert residual <= 2e-6, f"{name} {options}: {residual}"
        primal = bounds_of(name, got._replace(weights=weights.reshape(got.weights.shape)), X, relevant, options).primal
        assert abs(primal - minimum) <= SOLVED, f"expected {primal}, got {minimum}"


@EACH_LOSS
@pytest.mark.parametrize("k", [1, 2, 3, 4, 7])
def test_worst_selections_are_the_worst_of_all(loss, k):
    rng = np.random.default_rng(k)
    for scale in (0.0, 0.3, 3.0):
        scores, relevant = scale * np.round(rng.standard_normal(7), 1), rng.permutation(7) < 3
        options = {"k": k, "loss": loss, "regularization": 0.2}
        expected = ground_truth.perf_objective(np.eye(7), relevant, scores, **options) - 0.1 * (scores @ scores)
        got = max(0.0, certificates.worst_selection(scores, relevant, k, loss))
        assert abs(got - expected) <= 1e-14, f"expected {expected}, got {got}"


def test_both_forms_of_the_ground_truth_agree(monkeypatch):
    X, relevant = instance(2, n=8)
    programmes = [(name, options) for name, options in fits_of(relevant) if name == PERF]
    expected = [ground_truth.fit_svm_perf(X, relevant, **options)[1] for _, options in programmes]
    monkeypatch.setattr(ground_truth, "MOST_SELECTIONS", 0)
    got = [ground_truth.fit_svm_perf(X, relevant, **options)[1] for _, options in programmes]
    assert np.abs(np.subtract(got, expected)).max() <= SOLVED, f"expected {expected}, got {got}"


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_units_of_x_do_not_matter_to_the_ground_truth(scale):
    X, relevant = instance(3, n=8)
    for name, options in fits_of(relevant):
        weights, expected = getattr(ground_truth, name)(X, relevant, **options)
        units = options | {"regularization": scale**2 * options["regularization"]}
        rescaled, got = getattr(ground_truth, name)(scale * X, relevant, **units)
        assert abs(got - expected) <= SOLVED, f"{name}: expected {expected}, got {got}"
        assert np.abs(scale * rescaled - weights).max() <= 1e-3


@FLAT_OR_NOT
def test_certificates_reject_what_is_wrong(classes):
    X, relevant = instance(4, n=12, d=4, classes=classes)
    for name, options in fits_of(relevant):
        certify = getattr(certificates, name)
        fit = getattr(reference, name)(X, relevant, **options, tol=1e-6, max_iterations=10_000)
        assert certify(fit.weights, fit.duals, X, relevant, **options) <= 2e-6
        w, duals = fit.weights, fit.duals
        wrong = [(w, -duals), (w, np.zeros_like(duals))]
        wrong += [(0.9 * w, duals), (1.1 * w, duals), (-w, duals), (w, duals[:-1]), (w[:-1], duals), (None, duals)]
        wrong += [(w, np.full_like(duals, np.nan)), (w, "duals")]
        for one, other in wrong:
            got = certify(one, other, X, relevant, **options)
            assert got > 1e-5, f"{name} {options}: {one}, {other} passed with {got}"


# --- reference = ground truth, and so is fast ----------------------------------------------------------------------


@BOTH
@FLAT_OR_NOT
@pytest.mark.parametrize("regularization", [0.03, 0.2, 5.0])
def test_ground_truth_agrees(module, classes, regularization):
    X, relevant = instance(int(100 * regularization), n=7, d=4, classes=classes)
    for name, options in fits_of(relevant, regularization):
        _, minimum = getattr(ground_truth, name)(X, relevant, **options)
        got = getattr(module, name)(X, relevant, **options, tol=1e-4, max_iterations=10_000)
        assert_optimal(got, minimum, 1e-4)
        assert_honest(name, got, X, relevant, options, tol=1e-4)


@FLAT_OR_NOT
@EACH_LOSS
def test_ground_truth_agrees_with_coordinate_ascent(classes, loss, monkeypatch):
    monkeypatch.setattr(fast.topk_baselines, "MOST_WEIGHTS_FOR_PLANES", 0)
    monkeypatch.setattr(fast.topk_baselines, "select_by_planes", None)
    X, relevant = instance(5, n=10, d=5, classes=classes)
    options = {"k": int(relevant.sum()), "loss": loss, "regularization": 0.1}
    _, minimum = ground_truth.fit_svm_perf(X, relevant, **options)
    got = fast.fit_svm_perf(X, relevant, **options, tol=1e-4)
    assert_optimal(got, minimum, 1e-4)
    assert_honest(PERF, got, X, relevant, options, tol=1e-4)


@BOTH
def test_one_positive_and_one_negative_by_hand(module):
    """lambda/2 w^2 + max(0, 1 - 2w)^2 is smallest at 4 / (8 + lambda), its hinge at min(1/2, 2 / lambda)."""
    X, relevant = np.array([[1.0], [-1.0]]), np.array([True, False])
    for regularization in (0.5, 3.0, 50.0):
        got = module.fit_top_push(X, relevant, regularization=regularization, tol=1e-10)
        assert got.weights == pytest.approx(4 / (8 + regularization), rel=1e-5)
        assert got.duals == pytest.approx(regularization * got.weights[0] / 2 * np.array([1, -1]), rel=1e-4)
        got = module.fit_svm_perf(X, relevant, k=1, regularization=regularization, tol=1e-10)
        assert got.weights == pytest.approx(min(0.5, 2 / regularization), rel=1e-5)


@EACH_WAY
def test_with_k_of_all_positives_it_is_the_binary_svm_with_a_free_bias(way):
    """With t the bias, 1 - (s - t) = (1 - u)/2 for u = 2 (s - t) - 1: a quarter of lambda |2w|^2/2 + 2/P sum hinge."""
    X, relevant = instance(6, n=60, d=8, signal=0.4)
    for regularization in (0.02, 0.3):
        n_positive = relevant.sum()
        machine = SVC(kernel="linear", C=2 / (regularization * n_positive), tol=1e-8).fit(X, relevant)
        hinges = np.maximum(0, 1 - np.where(relevant, 1, -1) * machine.decision_function(X))
        expected = regularization / 8 * np.sum(machine.coef_**2) + hinges.sum() / (2 * n_positive)
        got = way.fit_svm_perf(X, relevant, k=int(n_positive), regularization=regularization, tol=1e-5)
        assert expected * (1 - 1e-6) <= got.primal <= expected * (1 + 2e-5), f"expected {expected}, got {got.primal}"
        assert np.abs(2 * got.weights - machine.coef_[0]).max() <= 0.02 * np.abs(machine.coef_).max()


# --- fast = reference ----------------------------------------------------------------------------------------------


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from([0, 2, 4]), st.booleans(), st.sampled_from([1e-6, 1.0, 1e6]))
def test_twins_agree_on_the_optimum(seed, classes, ties, scale):
    rng = np.random.default_rng(seed)
    X, relevant = instance(seed, n=int(rng.integers(4, 12)), d=4, classes=classes)
    X = scale * (np.round(X) if ties else X)
    for name, options in fits_of(relevant, scale**2 * float(rng.choice([0.2, 2.0]))):
        few = {"tol": 1e-3, "max_iterations": 20_000}
        expected, got = (getattr(module, name)(X, relevant, **options, **few) for module in TWINS)
        assert max(got.dual, expected.dual) <= min(got.primal, expected.primal) * (1 + 1e-12)
        assert_honest(name, expected, X, relevant, options, tol=1e-3)
        assert_honest(name, got, X, relevant, options, tol=1e-3)


@EACH_LOSS
def test_twins_agree_with_many_features(loss):
    """So many that fast ascends by coordinates: the shortlist, and the balance of its duals, must not lose anything."""
    X, relevant = instance(8, n=80, d=40, classes=4)
    for name, options in ((PUSH, {}), (PERF, {"k": 80, "loss": loss})):
        options["regularization"] = 0.1
        expected, got = (getattr(module, name)(X, relevant, **options, tol=1e-3) for module in TWINS)
        assert abs(got.primal - expected.primal) <= 1e-3 * expected.primal
        assert max(got.dual, expected.dual) <= min(got.primal, expected.primal) * (1 + 1e-12)
        assert_honest(name, got, X, relevant, options, tol=1e-3)


@pytest.mark.parametrize("module", [reference, fast], ids=["reference", "fast"])
@pytest.mark.parametrize("regularization", [1e-4, 1e-6])
def test_rounding_to_float32_does_not_leave_margins_just_below_one(module, regularization):
    """Separable data: all hinges are 0 at the optimum, and a rounding of weights would cost more than they do."""
    relevant = np.arange(30) % 2 == 0
    for seed in range(5):
        X = np.random.default_rng(seed).standard_normal((30, 200)).astype(np.float32)
        X[:, 0] += np.where(relevant, 2, -2)
        for k in (15, 10):
            fit = module.fit_svm_perf(X, relevant, k=k, regularization=regularization)
            assert fit.gap <= 1e-3, f"expected a gap of 1e-3, got {fit.gap} after {fit.iterations}"
        fit = module.fit_ranking_svm(X, relevant, loss="auc", regularization=regularization)
        assert fit.gap <= 1e-3, f"expected a gap of 1e-3, got {fit.gap} after {fit.iterations}"

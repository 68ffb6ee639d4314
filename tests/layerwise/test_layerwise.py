"""Layer-wise training: updates against CVXPY, histories, the twins, bounds that hold, and what is refused."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.neural_network import MLPClassifier

import fast
import reference
from reference.ground_truth import layerwise as truth
from reference.layerwise._network import apply
from reference.layerwise.fitting import TrainedLayer, steps_of
from reference.problems import layerwise as problems
from tests.support.layerwise import EACH_LOSS, EACH_NETWORK, LOSSES, NETWORKS, instance, random_weights
from tests.support.twins import BOTH, fit

ROUNDING, NEAR_ZERO = 1e-12, 1e-9
SOLVED = 1e-6  # relative error of CVXPY's minima


def gauges(fitted, start):
    """Yields (k, weights before, W after, record) of each update, from the trail."""
    weights = [np.array(part) for part in start]
    for W, record in zip(fitted.trail, fitted.history, strict=True):
        yield int(record.layer), list(weights), W, record
        weights[record.layer] = W
    assert all((a == b).all() for a, b in zip(weights, fitted.weights, strict=True))


# --- each update = ground truth ------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["multiclass", "ap"])
def test_each_update_solves_the_convex_problem(loss):
    """The examiner asks CVXPY about the first update only. The others have bounds that start from other weights."""
    X, y, layers, options = instance("pooling", loss, n=6)
    options |= {"regularization": 0.1}
    start, _ = random_weights(X, y, layers, loss)
    fitting = {"weights": start, "tol": 1e-3, "max_rounds": 1, "max_epochs": 5000}
    got = reference.fit_layerwise(X, y, layers, **options, proximity=0.3, **fitting)
    for k, weights, W, record in gauges(got, start):
        _, minimum = truth.convex_minimum(X, y, layers, weights, k, **options, proximity=0.3)
        assert record.dual <= minimum * (1 + SOLVED), f"layer {k}: expected a bound of {minimum}, got {record.dual}"
        assert minimum * (1 - SOLVED) <= record.primal <= minimum + 1.1e-3 * record.primal
        after = truth.objective(X, y, layers, [*weights[:k], W, *weights[k + 1 :]], **options)
        assert abs(after - record.objective) <= ROUNDING and after <= record.primal + ROUNDING


@BOTH
@EACH_LOSS
def test_what_is_reported_is_what_the_history_says(module, loss):
    """In float32, the objective is that of the weights as they are returned."""
    X, y, layers, options = instance("one", loss)
    start, _ = random_weights(X, y, layers, loss)
    before, X, options = [part.copy() for part in start], X.astype(np.float32), options | {"regularization": 0.01}
    got = fit(module.fit_layerwise, X, y, layers, **options, weights=start, tol=1e-2, max_epochs=10, max_rounds=2)
    assert all((a == b).all() for a, b in zip(start, before, strict=True)), "the starting point was changed"
    assert {part.dtype for part in (*got.weights, *got.trail)} == {np.dtype(np.float32)}
    history = got.history
    assert abs(got.objectives[-1] - truth.objective(X, y, layers, got.weights, **options)) <= 1e-9
    assert (got.objectives[1:] == history.objective).all() and (np.diff(got.objectives) <= 0).all()
    assert np.abs(history.gap - (history.primal - history.dual) / history.primal).max() <= ROUNDING
    assert got.gap == history.gap.max() and (history.gap >= 0).all()
    assert (history.objective <= history.primal + ROUNDING).all()
    assert ((history.gap <= 1e-2) | (history.epochs == 10)).all()


@EACH_LOSS
def test_the_gap_closes_and_the_dual_never_falls(loss):
    X, y, layers, options = instance("two", loss, n=30)
    start, _ = random_weights(X, y, layers, loss)
    duals = []
    for epochs in (1, 3, 10, 30, 100):
        got = fit(
            fast.fit_layerwise, X, y, layers, **options, weights=start, regularization=0.05, tol=0.0,
            max_epochs=epochs, max_rounds=1,
        )  # fmt: skip
        duals.append(got.history.dual[0])
    assert (np.diff(duals) >= -ROUNDING).all() and got.history.gap[0] <= 1e-2


# --- fast = reference ----------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(
    st.integers(0, 10**6), st.sampled_from(sorted(NETWORKS)), st.sampled_from(LOSSES[:2]), st.sampled_from([0.0, 0.1])
)
def test_twins_make_the_same_updates(seed, network, loss, proximity):
    """Until a unit is at 0 up to rounding, and so active for one twin and not for the other one."""
    X, y, layers, options = instance(network, loss, n=9, seed=seed)
    start, _ = random_weights(X, y, layers, loss, seed)
    options |= {"regularization": 0.05, "proximity": proximity, "tol": 1e-9, "max_epochs": 3, "max_rounds": 1}
    expected, got = (
        fit(module.fit_layerwise, X, y, layers, **options, weights=start, seed=seed) for module in (reference, fast)
    )
    for number, (_, weights, W, record) in enumerate(gauges(expected, start)):
        if smallest_activation(X, layers, weights) < NEAR_ZERO:
            break
        assert np.abs(got.trail[number] - W).max() <= 1e-8
        assert abs(got.objectives[number + 1] - record.objective) <= 1e-9
        for name in ("layer", "epochs", "inferences"):
            assert got.history[name][number] == record[name]
        if smallest_activation(X, layers, [*weights[:number], W, *weights[number + 1 :]]) < NEAR_ZERO:
            break


def smallest_activation(X, layers, weights):
    """The smallest absolute input of a ReLU."""
    checked = problems.network_scores(X, layers, weights).network
    z, found = X.reshape(len(X), -1), np.inf
    for step in steps_of(checked):
        found = min(found, np.abs(z).min()) if step.kind == "relu" else found
        z = apply(step, z, weights)
    return found


# --- properties ----------------------------------------------------------------------------------------------------


@BOTH
def test_without_a_hidden_layer_it_is_the_convex_problem(module):
    """The intercept is a column of ones: the multiclass SVM and the ranking SVM."""
    X, y, _, _ = instance("no hidden layer", n=20)
    with_one = np.column_stack([X, np.ones(20)])
    options = {"regularization": 0.1, "tol": 1e-3, "max_epochs": 20_000, "max_rounds": 1}
    found = [(fast.fit_topk_svm(with_one, y, regularization=0.1, tol=1e-7), {"y": y})]
    for loss in ("ap", "ndcg", "auc"):
        ranked = fast.fit_ranking_svm(with_one, y == 0, loss=loss, regularization=0.1, tol=1e-7)
        found.append((ranked, {"y": y == 0, "loss": loss}))
    for convex, problem in found:
        expected, got = convex.primal, module.fit_layerwise(X, layers=[], **problem, **options).objectives[-1]
        assert expected * (1 - 1e-6) <= got <= expected * (1 + 1.1e-3), f"expected {expected}, got {got}"


def test_it_starts_from_a_network_of_scikit_learn():
    X, y, _, _ = instance("no hidden layer", n=40)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mlp = MLPClassifier((5,), max_iter=50, random_state=0).fit(X, y)
    start = [np.vstack(pair) for pair in zip(mlp.coefs_, mlp.intercepts_, strict=True)]
    for module in (reference, fast):
        scores = module.network_scores(X, [("dense", 5)], start) - np.log(mlp.predict_proba(X))
        assert np.abs(scores - scores.mean(1, keepdims=True)).max() <= 1e-9
    got = fit(fast.fit_layerwise, X, y, [("dense", 5)], weights=start, regularization=1e-3)
    assert got.objectives[-1] < 0.8 * got.objectives[0]


def test_planes_count_the_inferences():
    X, y, layers, options = instance("one", "ap", groups=True)
    got = fit(fast.fit_layerwise, X, y, layers, **options, regularization=1e-3, tol=0.0, max_epochs=4, max_rounds=1)
    # Two groups: planes at the start; then in each epoch a check and a visit, and a check at the end.
    assert got.history.inferences.tolist() == [2 + 4 * 4 + 2] * 2


@pytest.mark.parametrize("wrong", [{"layers": [("dense",)]}, {"seed": -1}, {"progress": 1}], ids=str)
def test_wrong_arguments_that_the_examiner_does_not_give_are_named(wrong):
    X, y, layers, _ = instance()
    with pytest.raises(ValueError, match=f"^{next(iter(wrong))}"):
        reference.fit_layerwise(**{"X": X, "y": y, "layers": layers, "regularization": 0.1} | wrong)


def test_images_that_are_too_small_are_refused():
    X = np.zeros((4, 3, 3))
    for layers in ([("conv", 1, 4)], [("pool", 4)], [("conv", 1, 2), ("pool", 3)], [("dense", 2), ("pool", 1)]):
        with pytest.raises(ValueError, match="^layers must fit"):
            reference.fit_layerwise(X, np.arange(4) % 2, layers, regularization=0.1)


@EACH_NETWORK
def test_bounds_hold_everywhere_touch_here_and_bend_the_right_way(network):
    X, y, layers, _ = instance(network)
    rng = np.random.default_rng(3)
    weights, problem = random_weights(X, y, layers, "multiclass")
    steps = steps_of(problem.network)
    for k in range(len(weights)):
        layer = TrainedLayer(problem, steps, weights, k)

        def at(W, k=k, layer=layer):
            scores = reference.network_scores(X, layers, [*weights[:k], W, *weights[k + 1 :]])
            return (*layer.bounds(slice(None), W)[0][-1], scores)

        upper, lower, scores = at(weights[k])
        assert max(np.abs(upper - scores).max(), np.abs(lower - scores).max()) <= ROUNDING
        for scale in (0.1, 1.0, 10.0) * 5:
            V, W = (weights[k] + scale * rng.normal(size=weights[k].shape) for _ in range(2))
            (upper, lower, scores), other, middle = at(V), at(W), at((V + W) / 2)
            assert (upper >= scores - ROUNDING * scale).all() and (lower <= scores + ROUNDING * scale).all()
            assert (middle[0] <= (upper + other[0]) / 2 + ROUNDING * scale).all()
            assert (middle[1] >= (lower + other[1]) / 2 - ROUNDING * scale).all()

"""Layer-wise training: each update against CVXPY, its gap, the objective that never rises, and the twins."""

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
from tests.support.layerwise import BOTH, EACH_LOSS, EACH_NETWORK, LOSSES, NETWORKS, fit, instance, random_weights

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


@BOTH
@EACH_LOSS
@pytest.mark.parametrize("proximity", [0.0, 0.3])
@pytest.mark.parametrize("network", ["no hidden layer", "one", "pooling"])
def test_each_update_solves_the_convex_problem(module, loss, proximity, network):
    X, y, layers, options = instance(network, loss, n=6)
    options |= {"regularization": 0.1, "proximity": proximity}
    start, _ = random_weights(X, y, layers, loss)
    got = module.fit_layerwise(X, y, layers, **options, weights=start, tol=1e-3, max_rounds=1, max_epochs=5000)
    assert got.gap <= 1e-3
    for k, weights, W, record in gauges(got, start):
        _, minimum = truth.convex_minimum(X, y, layers, weights, k, **options)
        assert record.dual <= minimum * (1 + SOLVED), f"layer {k}: expected a bound of {minimum}, got {record.dual}"
        assert minimum * (1 - SOLVED) <= record.primal <= minimum + 1.1e-3 * record.primal
        after = truth.objective(X, y, layers, [*weights[:k], W, *weights[k + 1 :]], **_objective(options))
        assert abs(after - record.objective) <= ROUNDING and after <= record.primal + ROUNDING


def _objective(options):
    return {name: value for name, value in options.items() if name != "proximity"}


@BOTH
@EACH_LOSS
@EACH_NETWORK
def test_objectives_are_those_of_the_weights_and_never_rise(module, loss, network):
    X, y, layers, options = instance(network, loss, groups=True)
    options = {name: value for name, value in options.items() if value is not None} | {"regularization": 0.02}
    start, _ = random_weights(X, y, layers, loss)
    before = [part.copy() for part in start]
    got = fit(module.fit_layerwise, X, y, layers, **options, weights=start, max_epochs=7, max_rounds=2)
    assert all((a == b).all() for a, b in zip(start, before, strict=True)), "the starting point was changed"
    assert (np.diff(got.objectives) <= 0).all() and got.objectives[-1] < got.objectives[0]
    assert (got.objectives[1:] == got.history.objective).all()
    expected = [truth.objective(X, y, layers, weights, **options) for _, weights, _, _ in gauges(got, start)]
    expected.append(truth.objective(X, y, layers, got.weights, **options))
    assert np.abs(got.objectives - expected).max() <= ROUNDING


@BOTH
@EACH_LOSS
def test_reported_gaps_are_those_of_the_primal_and_the_dual(module, loss):
    X, y, layers, options = instance("one", loss)
    got = fit(module.fit_layerwise, X, y, layers, **options, regularization=0.01, tol=1e-2, max_epochs=30)
    history = got.history
    assert np.abs(history.gap - (history.primal - history.dual) / history.primal).max() <= ROUNDING
    assert got.gap == history.gap.max() and (history.gap >= 0).all()
    assert (history.objective <= history.primal + ROUNDING).all()
    assert ((history.gap <= 1e-2) | (history.epochs == 30)).all()


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


@pytest.mark.parametrize("loss", ["ap", "ndcg", "auc"])
@pytest.mark.parametrize("network", ["one", "pooling"])
def test_twins_find_the_same_minimum_for_rankings(network, loss):
    """Planes that tie are moved in either order. The minimum is unique: (lambda + mu)/2 |W - W*|^2 <= Q - Q*."""
    X, y, layers, options = instance(network, loss, n=9, groups=True)
    start, _ = random_weights(X, y, layers, loss)
    options |= {"regularization": 0.3, "tol": 1e-4, "max_epochs": 200, "max_rounds": 1, "weights": start}
    fits = [fit(module.fit_layerwise, X, y, layers, **options) for module in (reference, fast)]
    Q, P = (got.history.primal[0] for got in fits)
    missing = [got.history.primal[0] - got.history.dual[0] for got in fits]
    assert max(missing) <= 1e-2 * Q and abs(Q - P) <= max(missing) + ROUNDING
    far = np.linalg.norm(fits[0].trail[0] - fits[1].trail[0])
    assert far <= sum(np.sqrt(2 * each / 0.3) for each in missing)


def smallest_activation(X, layers, weights):
    """The smallest absolute input of a ReLU."""
    checked = problems.network_scores(X, layers, weights).network
    z, found = X.reshape(len(X), -1), np.inf
    for step in steps_of(checked):
        found = min(found, np.abs(z).min()) if step.kind == "relu" else found
        z = apply(step, z, weights)
    return found


def instance_shape(X):
    return X.shape[1:] if X.ndim != 3 else (*X.shape[1:], 1)


@BOTH
@EACH_LOSS
def test_float32_is_answered_in_float32(module, loss):
    X, y, layers, options = instance("one", loss)
    got = fit(module.fit_layerwise, X.astype(np.float32), y, layers, **options, regularization=0.05)
    assert {part.dtype for part in (*got.weights, *got.trail)} == {np.dtype(np.float32)}
    expected = truth.objective(X.astype(np.float32), y, layers, got.weights, **options, regularization=0.05)
    assert abs(got.objectives[-1] - expected) <= 1e-9, "the objective is that of the weights as returned"


# --- properties ----------------------------------------------------------------------------------------------------


@BOTH
def test_without_a_hidden_layer_it_is_the_convex_problem(module):
    """The intercept is a column of ones: the multiclass SVM and the ranking SVM."""
    X, y, _, _ = instance("no hidden layer", n=20)
    with_one = np.column_stack([X, np.ones(20)])
    options = {"regularization": 0.1, "tol": 1e-3, "max_epochs": 20_000, "max_rounds": 1}
    expected = fast.fit_topk_svm(with_one, y, regularization=0.1, tol=1e-7).primal
    got = fit(module.fit_layerwise, X, y, [], **options).objectives[-1]
    assert expected * (1 - 1e-6) <= got <= expected * (1 + 1.1e-3), f"expected {expected}, got {got}"
    for loss in ("ap", "ndcg", "auc"):
        expected = fast.fit_ranking_svm(with_one, y == 0, loss=loss, regularization=0.1, tol=1e-7).primal
        got = module.fit_layerwise(X, y == 0, [], loss=loss, **options).objectives[-1]
        assert expected * (1 - 1e-6) <= got <= expected * (1 + 1.1e-3), f"expected {expected}, got {got}"


@BOTH
@pytest.mark.parametrize("loss", ["ap", "ndcg"])
def test_greedy_and_quicksort_give_the_same_answer(module, loss):
    X, y, layers, options = instance("one", loss, n=30)
    options |= {"regularization": 0.02, "max_epochs": 10}
    one, two = (fit(module.fit_layerwise, X, y, layers, **options, method=name) for name in ("quicksort", "greedy"))
    assert np.abs(one.objectives - two.objectives).max() <= 1e-9
    assert (one.history.inferences == two.history.inferences).all()


@BOTH
def test_it_starts_from_a_network_of_scikit_learn(module):
    X, y, _, _ = instance("no hidden layer", n=40)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mlp = MLPClassifier((5,), max_iter=50, random_state=0).fit(X, y)
    start = [np.vstack(pair) for pair in zip(mlp.coefs_, mlp.intercepts_, strict=True)]
    shares = module.network_scores(X, [("dense", 5)], start)
    assert np.abs(shares - shares.mean(1, keepdims=True) - _centred_log(mlp.predict_proba(X))).max() <= 1e-9
    got = fit(module.fit_layerwise, X, y, [("dense", 5)], weights=start, regularization=1e-3)
    assert got.objectives[-1] < 0.8 * got.objectives[0]


def _centred_log(shares):
    logs = np.log(shares)
    return logs - logs.mean(axis=1, keepdims=True)


@BOTH
@EACH_LOSS
def test_one_round_of_a_settled_fit_changes_almost_nothing(module, loss):
    X, y, layers, options = instance("one", loss)
    options |= {"regularization": 0.1, "tol": 1e-3, "max_epochs": 3000}
    first = module.fit_layerwise(X, y, layers, **options, max_rounds=60)
    again = module.fit_layerwise(X, y, layers, **options, weights=list(first.weights), max_rounds=1)
    assert again.objectives[0] == pytest.approx(first.objectives[-1], rel=1e-12)
    assert again.objectives[-1] >= (1 - 3e-3) * first.objectives[-1]


def test_planes_count_the_inferences():
    X, y, layers, options = instance("one", "ap", groups=True)
    got = fit(fast.fit_layerwise, X, y, layers, **options, regularization=1e-3, tol=0.0, max_epochs=4, max_rounds=1)
    # Two groups: planes at the start; then in each epoch a check and a visit, and a check at the end.
    assert got.history.inferences.tolist() == [2 + 4 * 4 + 2] * 2


@BOTH
@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"X": np.zeros(5)}, "X"),
        ({"X": np.full((8, 3), np.nan)}, "X"),
        ({"y": np.zeros(8, int)}, "y"),
        ({"y": np.arange(7)}, "y"),
        ({"layers": "dense"}, "layers"),
        ({"layers": [("lstm", 3)]}, "layers"),
        ({"layers": [("dense",)]}, "layers"),
        ({"layers": [("dense", 0)]}, "layers"),
        ({"layers": [("conv", 2, 2)]}, "layers"),
        ({"loss": "hinge"}, "loss"),
        ({"groups": np.zeros(8, int)}, "groups"),
        ({"regularization": 0.0}, "regularization"),
        ({"proximity": -1.0}, "proximity"),
        ({"tol": -1.0}, "tol"),
        ({"max_epochs": 0}, "max_epochs"),
        ({"max_rounds": 0}, "max_rounds"),
        ({"weights": [np.zeros((4, 4))]}, "weights"),
        ({"weights": [np.zeros((4, 4)), np.full((5, 3), np.inf)]}, "weights"),
        ({"method": "sort"}, "method"),
        ({"seed": -1}, "seed"),
        ({"progress": 1}, "progress"),
    ],
)
def test_wrong_arguments_are_refused_by_name(module, wrong, named):
    X, y, layers, _ = instance()
    arguments = {"X": X, "y": y, "layers": layers, "regularization": 0.1} | wrong
    with pytest.raises(ValueError, match=f"^{named}"):
        module.fit_layerwise(arguments.pop("X"), arguments.pop("y"), arguments.pop("layers"), **arguments)


@BOTH
def test_images_that_are_too_small_are_refused(module):
    X = np.zeros((4, 3, 3))
    for layers in ([("conv", 1, 4)], [("pool", 4)], [("conv", 1, 2), ("pool", 3)], [("dense", 2), ("pool", 1)]):
        with pytest.raises(ValueError, match="^layers must fit"):
            module.fit_layerwise(X, np.arange(4) % 2, layers, regularization=0.1)


def test_the_linearisation_is_needed():
    """Without the lower bound, by the network itself, the hinge is not convex and the planes are no bound."""
    X, y, layers, _ = instance("one")
    weights, problem = random_weights(X, y, layers, "multiclass")
    layer, rng = TrainedLayer(problem, steps_of(problem.network), weights, 0), np.random.default_rng(0)
    above = 0
    for _ in range(50):
        V, W = (weights[0] + 3 * rng.normal(size=weights[0].shape) for _ in range(2))
        scores = [reference.network_scores(X, layers, [point, weights[1]]) for point in (V, W, (V + W) / 2)]
        hinges = [reference.topk_hinge(each, y).mean() for each in scores]
        above += hinges[2] > (hinges[0] + hinges[1]) / 2 + 1e-9
        bound = [problem.shares @ layer.hinges(point) for point in (V, W, (V + W) / 2)]
        assert bound[2] <= (bound[0] + bound[1]) / 2 + 1e-9
    assert above > 0

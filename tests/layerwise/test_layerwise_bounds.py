"""The two bounds of a network, against loops over units, enumerated patterns and the split into convex functions."""

import numpy as np
import pytest
from scipy.signal import correlate

import reference
from reference.ground_truth import layerwise as truth
from reference.layerwise.fitting import TrainedLayer, steps_of
from reference.problems import layerwise as problems
from tests.support.layerwise import BOTH, EACH_LOSS, EACH_NETWORK, instance, random_weights

ROUNDING = 1e-12


# --- the network ---------------------------------------------------------------------------------------------------


@BOTH
@EACH_NETWORK
def test_scores_are_those_of_the_units_one_by_one(module, network):
    X, y, layers, _ = instance(network)
    weights, _ = random_weights(X, y, layers, "multiclass")
    expected, got = truth.network_scores(X, layers, weights), module.network_scores(X, layers, weights)
    assert np.abs(got - expected).max() <= ROUNDING, f"expected {expected}, got {got}"


@BOTH
def test_a_convolution_is_that_of_scipy(module):
    """28 x 28 images and kernels of 5 x 5: the correlation with each kernel, summed over the channels."""
    rng = np.random.default_rng(0)
    X, kernel, out = rng.normal(size=(2, 28, 28, 3)), rng.normal(size=(5, 5, 3, 2)), 24 * 24 * 2
    conv = np.vstack([kernel.reshape(75, 2), [[0.5, -0.5]]])
    each = np.vstack([np.eye(out), np.zeros(out)])
    got = module.network_scores(X, [("conv", 2, 5)], [conv, each]).reshape(2, 24, 24, 2)
    for i, unit in np.ndindex(2, 2):
        expected = np.maximum(correlate(X[i], kernel[..., unit], mode="valid")[:, :, 0] + (0.5, -0.5)[unit], 0)
        assert np.abs(got[i, :, :, unit] - expected).max() <= 1e-11


@BOTH
def test_pooling_takes_maxima_and_leaves_out_the_rest(module):
    X = np.random.default_rng(1).normal(size=(3, 5, 7))
    got = module.network_scores(X, [("pool", 2)], [np.vstack([np.eye(6), np.zeros(6)])])
    expected = X[:, :4, :6].reshape(3, 2, 2, 3, 2).max(axis=(2, 4)).reshape(3, 6)
    assert (got == expected).all()


# --- the bounds ----------------------------------------------------------------------------------------------------


def trained(X, y, layers, loss, k, **options):
    weights, _ = random_weights(X, y, layers, loss)
    problem = problems.fit_layerwise(X, y, layers, loss=loss, groups=options.get("groups"), regularization=1.0)
    return TrainedLayer(problem, steps_of(problem.network), weights, k), weights, problem


def layers_of(network):
    return range(sum(layer[0] != "pool" for layer in instance(network)[2]) + 1)


@EACH_NETWORK
def test_bounds_are_those_of_the_units_one_by_one(network):
    X, y, layers, _ = instance(network)
    rng = np.random.default_rng(2)
    for k in layers_of(network):
        layer, weights, problem = trained(X, y, layers, "multiclass", k)
        for W in (weights[k], weights[k] + rng.normal(size=weights[k].shape), rng.normal(size=weights[k].shape)):
            got = layer.bounds(slice(None), W)[0][-1]
            for i, x in enumerate(problem.inputs):
                for bound, expected in zip(got, truth.bounds(x, problem.network, weights, k, W), strict=True):
                    assert np.abs(bound[i] - np.array(expected)).max() <= ROUNDING, f"layer {k}, example {i}"


@EACH_NETWORK
def test_bounds_hold_everywhere_touch_here_and_bend_the_right_way(network):
    X, y, layers, _ = instance(network)
    rng = np.random.default_rng(3)
    for k in layers_of(network):
        layer, weights, _ = trained(X, y, layers, "multiclass", k)

        def at(W, k=k, layer=layer, weights=weights):
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


@pytest.mark.parametrize("network", ["one", "two"])
def test_the_upper_bound_is_the_maximum_over_all_patterns_of_active_units(network):
    X, y, layers, _ = instance(network, n=4)
    rng = np.random.default_rng(4)
    for k in layers_of(network):
        layer, weights, problem = trained(X, y, layers, "multiclass", k)
        for _ in range(5):
            W = weights[k] + rng.normal(size=weights[k].shape)
            got = layer.bounds(slice(None), W)[0][-1][0]
            for i, x in enumerate(problem.inputs):
                expected = truth.enumerated_upper(x, problem.network, weights, k, W)
                assert np.abs(got[i] - expected).max() <= ROUNDING


@EACH_NETWORK
def test_outputs_are_a_difference_of_convex_functions_and_the_bound_is_at_least_as_tight(network):
    """The theorem, and the bound of the concave-convex procedure: u minus the tangent of v is nowhere below ours."""
    X, y, layers, _ = instance(network, n=3)
    rng, step = np.random.default_rng(5), 1e-6
    for k in layers_of(network):
        layer, weights, problem = trained(X, y, layers, "multiclass", k)
        for i, x in enumerate(problem.inputs):

            def parts(W, x=x, k=k, weights=weights, problem=problem):
                return map(np.array, truth.split(x, problem.network, weights, k, W))

            V, W = (weights[k] + rng.normal(size=weights[k].shape) for _ in range(2))
            scores = reference.network_scores(X, layers, [*weights[:k], W, *weights[k + 1 :]])[i]
            (u, v), (u_other, v_other), (u_middle, v_middle) = parts(W), parts(V), parts((V + W) / 2)
            assert np.abs(u - v - scores).max() <= 1e-10
            assert (u_middle <= (u + u_other) / 2 + 1e-10).all() and (v_middle <= (v + v_other) / 2 + 1e-10).all()
            v_here, v_near = (list(parts(point))[1] for point in (weights[k], weights[k] + step * (W - weights[k])))
            by_linearising = u - (v_here + (v_near - v_here) / step)
            upper = layer.bounds(slice(None), W)[0][-1][0][i]
            assert (by_linearising >= upper - 1e-7).all(), f"layer {k}: {by_linearising} below {upper}"


# --- the hinge -----------------------------------------------------------------------------------------------------


@EACH_LOSS
@EACH_NETWORK
def test_the_convex_hinge_bounds_the_objective_and_its_planes_the_hinge(loss, network):
    X, y, layers, options = instance(network, loss, groups=True)
    options, rng = {**options, "regularization": 0.1}, np.random.default_rng(6)
    for k in layers_of(network):
        layer, weights, problem = trained(X, y, layers, k=k, **{"loss": loss, "groups": options.get("groups")})

        def objective(W, k=k, weights=weights):
            changed = [*weights[:k], W, *weights[k + 1 :]]
            penalty = 0.05 * sum(np.sum(part**2) for part in changed)
            return truth.objective(X, y, layers, changed, **options) - penalty

        touching = problem.shares @ layer.hinges(weights[k])
        assert abs(touching - objective(weights[k])) <= ROUNDING
        points = [weights[k] + rng.normal(size=weights[k].shape) for _ in range(4)]
        hinges = [layer.hinges(point) for point in points]
        for point, values in zip(points, hinges, strict=True):
            assert problem.shares @ values >= objective(point) - ROUNDING
            for g in range(len(problem.shares)):
                offset, slope = layer.plane(g, point)
                assert abs(offset + np.sum(slope * point) - values[g]) <= 1e-10
                for other, there in zip(points, hinges, strict=True):
                    assert offset + np.sum(slope * other) <= there[g] + 1e-10

"""Multilabel losses, their gradients and the error: ground truth, twins, bounds and limits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import fast
import reference
from reference.ground_truth import multilabel as ground_truth
from tests.support.multilabel import BOTH

SMOOTHINGS = (0.0, 1e-3, 0.3, 4.0)
CALLS = [("multilabel_error", ()), ("multilabel_entropy", ()), ("multilabel_entropy_gradient", ())]
CALLS += [(name, (gamma,)) for name in ("multilabel_hinge", "multilabel_hinge_gradient") for gamma in SMOOTHINGS]
EACH_CALL = pytest.mark.parametrize(("name", "more"), CALLS, ids=lambda value: "-".join(map(str, np.atleast_1d(value))))


def instance(seed, n=6, m=5, ties=False):
    rng = np.random.default_rng(seed)
    scores, Y = rng.normal(size=(n, m)), rng.random((n, m)) < 0.4
    Y[0], Y[1] = False, True
    return (np.round(2 * scores) / 2 if ties else scores), Y


@BOTH
@EACH_CALL
@pytest.mark.parametrize("scale", [1.0, 1e-9, 1e9])
@pytest.mark.parametrize("ties", [False, True])
def test_ground_truth_agrees(module, name, more, scale, ties):
    for seed in range(4):
        scores, Y = instance(seed, ties=ties)
        scores = scale * scores
        expected, got = (getattr(twin, name)(scores, Y, *more) for twin in (ground_truth, module))
        unit = max(1.0, scale) / (more[0] or 1.0 if more and name.endswith("gradient") else 1.0)
        assert np.abs(got - expected).max() <= 1e-14 * unit, f"expected {expected}, got {got}"


@EACH_CALL
def test_forms_of_input(name, more):
    scores, Y = instance(0)
    for twin in (reference, fast):
        function = getattr(twin, name)
        expected = function(scores, Y, *more)
        for form in (Y.astype(int), Y.astype(np.float32), Y.tolist(), sparse.csr_matrix(Y), np.asfortranarray(Y)):
            assert (function(scores, form, *more) == expected).all()
        assert function(scores.astype(np.float32), Y, *more).dtype == np.float32
        assert expected.dtype == np.float64 and not expected[:2].any()  # no positive, no negative


@given(st.integers(0, 10**6), st.integers(2, 9))
def test_twins_agree(seed, m):
    scores, Y = instance(seed, m=m, ties=bool(seed % 2))
    for name, more in CALLS:
        expected, got = (getattr(twin, name)(scores, Y, *more) for twin in (reference, fast))
        assert np.abs(got - expected).max() <= 1e-14 * max(1.0, np.abs(scores).max()) / (max(more, default=0) or 1.0)


@BOTH
@pytest.mark.parametrize("seed", range(5))
def test_gradients_by_finite_differences(module, seed):
    scores, Y = instance(seed)
    h = 1e-6
    for name, more in [("multilabel_hinge", (0.3,)), ("multilabel_hinge", (4.0,)), ("multilabel_entropy", ())]:
        got = getattr(module, f"{name}_gradient")(scores, Y, *more)
        for j in range(scores.shape[1]):
            step = h * np.eye(scores.shape[1])[j]
            ends = [getattr(module, name)(scores + side * step, Y, *more) for side in (1, -1)]
            assert np.abs((ends[0] - ends[1]) / (2 * h) - got[:, j]).max() <= 1e-8


@BOTH
@pytest.mark.parametrize("seed", range(5))
def test_the_gradient_of_the_hinge_is_a_subgradient(module, seed):
    scores, Y = instance(seed, ties=True)
    others = scores + np.random.default_rng(seed).normal(size=scores.shape)
    slopes = module.multilabel_hinge_gradient(scores, Y)
    losses, there = module.multilabel_hinge(scores, Y), module.multilabel_hinge(others, Y)
    assert (there >= losses + (slopes * (others - scores)).sum(axis=1) - 1e-14).all()


@BOTH
def test_the_first_of_equal_classes_has_the_subgradient(module):
    got = module.multilabel_hinge_gradient(np.zeros((1, 4)), np.array([[0, 1, 1, 0]]))
    assert (got == [[1, -1, 0, 0]]).all()
    at_the_kink = module.multilabel_hinge_gradient(np.array([[1.0, 0.0]]), np.array([[1, 0]]))
    assert (at_the_kink == 0).all()


@BOTH
def test_smoothing_bounds_and_limit(module):
    scores, Y = instance(3, n=40)
    hinge = module.multilabel_hinge(scores, Y)
    for gamma in (1e-12, 1e-6, 1e-3, 0.3, 4.0):
        smooth = module.multilabel_hinge(scores, Y, gamma)
        assert (smooth <= hinge + 1e-14).all() and (smooth >= hinge - gamma - 1e-14).all()
    assert (module.multilabel_error(scores, Y) <= hinge).all()


@BOTH
def test_one_positive(module):
    """The hinge is the top-1 hinge, the error the top-1 error; the smooth hinge has |v|^2 + (sum v)^2."""
    rng = np.random.default_rng(4)
    scores, y = rng.normal(size=(30, 5)), rng.integers(0, 5, 30)
    Y = np.eye(5, dtype=bool)[y]
    assert np.abs(module.multilabel_hinge(scores, Y) - module.topk_hinge(scores, y)).max() <= 1e-15
    assert (module.multilabel_error(scores, Y) == module.topk_error(scores, y)).all()
    gamma = 0.7
    b = 1 + (scores - scores[np.arange(30), y][:, None])[~Y].reshape(30, 4)
    v = reference.project_capped_simplex(b, gamma, gamma, bias=1.0) / gamma
    expected = (b * v).sum(axis=1) - gamma / 2 * ((v**2).sum(axis=1) + v.sum(axis=1) ** 2)
    assert np.abs(module.multilabel_hinge(scores, Y, gamma) - expected).max() <= 1e-14


@BOTH
def test_the_entropy_keeps_its_digits(module):
    """A loss of 1e-300 is not 0, and scores of 1e3 are in range."""
    scores = np.array([[690.0, 0.0], [1000.0, -1000.0], [-1000.0, 1000.0]])
    Y = np.array([[1, 0], [1, 0], [1, 0]])
    got, slopes = module.multilabel_entropy(scores, Y), module.multilabel_entropy_gradient(scores, Y)
    assert got[0] == pytest.approx(np.exp(-690.0), rel=1e-12) and got[1] == 0 and got[2] == 2000
    assert slopes[0, 0] == pytest.approx(-np.exp(-690.0), rel=1e-12) and (slopes.sum(axis=1) == 0).all()


@BOTH
@EACH_CALL
def test_wrong_arguments_are_refused_by_name(module, name, more):
    scores, Y = instance(0)
    for bad, named in (
        ((scores[0], Y), "scores"), ((np.full((6, 5), np.nan), Y), "scores"), ((scores, Y[:5]), "Y"),
        ((scores, 2 * Y), "Y"), ((scores, Y[:, :4]), "Y"), ((scores, sparse.coo_matrix(Y)), "Y"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=f"^{named}"):
            getattr(module, name)(*bad, *more)
    if more:
        with pytest.raises(ValueError, match="^smoothing"):
            getattr(module, name)(scores, Y, -1.0)

"""Smooth top-k hinges and the gradients of all three kinds: ground truth, certificate, reference, fast, properties."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fast
import reference
from reference.check import certify
from reference.check.certificates import hinges as certificates
from reference.ground_truth import losses as ground_truth
from reference.problems.checks import KINDS

TWINS = [reference, fast]
BOTH = pytest.mark.parametrize("module", TWINS, ids=lambda module: module.__name__)
EACH_KIND = pytest.mark.parametrize("kind", KINDS)
SMOOTHINGS = (1e-3, 0.1, 1.0, 30.0)
ROUNDINGS = 32  # how many roundings a loss may be off, relative to the largest score and to the margin


def instance(seed, n, m, ties=False, dtype=np.float64):
    rng = np.random.default_rng(seed)
    scores = rng.integers(-2, 3, (n, m)) if ties else 2 * rng.standard_normal((n, m))
    return scores.astype(dtype), rng.integers(0, m, n)


def limit(scores, smoothing=1.0):
    """How far rounding may take a loss, or for a small smoothing a gradient."""
    return ROUNDINGS * np.finfo(scores.dtype).eps * (1 + np.abs(scores).max()) / min(smoothing, 1.0)


# --- ground truth passes its certificate ---------------------------------------------------------------------------


@EACH_KIND
@pytest.mark.parametrize("smoothing", (0.0, *SMOOTHINGS))
def test_the_certificate_accepts_the_ground_truth_and_nothing_else(kind, smoothing):
    for k in range(1, 5):
        scores, y = instance(k, 8, 5, ties=k % 2 == 0)
        options = {"k": k, "kind": kind, "smoothing": smoothing}
        losses = ground_truth.topk_hinge(scores, y, **options)
        gradient = ground_truth.topk_hinge_gradient(scores, y, **options)
        assert certify("topk_hinge", losses, scores, y, **options)
        assert certify("topk_hinge_gradient", gradient, scores, y, **options)
        assert not certify("topk_hinge", losses + 1e-6, scores, y, **options)
        pushed = gradient.copy()
        pushed[0, y[0]] += 1e-6
        raised = gradient * 1.001
        for wrong in (pushed, raised, -gradient, 0 * gradient):
            assert not certify("topk_hinge_gradient", wrong, scores, y, **options), f"{wrong} passed"


# --- reference = ground truth, and so is fast ----------------------------------------------------------------------


@BOTH
@EACH_KIND
@pytest.mark.parametrize("ties", [False, True])
def test_quadratic_programmes_agree(module, kind, ties):
    for m in (2, 3, 6):
        scores, y = instance(m, 8, m, ties)
        for k in range(1, m):
            for smoothing in SMOOTHINGS:
                expected = ground_truth.topk_hinge(scores, y, k, kind, smoothing)
                got = module.topk_hinge(scores, y, k, kind, smoothing)
                assert np.abs(got - expected).max() <= limit(scores), f"expected {expected}, got {got}"
                expected = ground_truth.topk_hinge_gradient(scores, y, k, kind, smoothing)
                got = module.topk_hinge_gradient(scores, y, k, kind, smoothing)
                assert np.abs(got - expected).max() <= limit(scores, smoothing), f"expected {expected}, got {got}"


@BOTH
@EACH_KIND
def test_at_a_kink_the_gradient_is_the_subgradient_that_the_page_names(module, kind):
    for m in (2, 3, 6):
        scores, y = instance(m, 40, m, ties=True)
        for k in range(1, m):
            expected, got = (x.topk_hinge_gradient(scores, y, k, kind) for x in (ground_truth, module))
            assert (got == expected).all(), f"expected {expected}, got {got}"


# --- fast = reference ----------------------------------------------------------------------------------------------


@given(
    st.integers(0, 10**6), st.integers(2, 80), st.sampled_from([np.float32, np.float64]), st.sampled_from(SMOOTHINGS)
)
def test_twins_agree(seed, m, dtype, smoothing):
    scores, y = instance(seed, 5, m, seed % 3 == 0, dtype)
    k = 1 + seed % (m - 1)
    for kind in KINDS:
        expected, got = (module.topk_hinge(scores, y, k, kind, smoothing) for module in TWINS)
        assert got.dtype == expected.dtype == dtype
        assert np.abs(got - expected).max() <= limit(scores)
        expected, got = (module.topk_hinge_gradient(scores, y, k, kind, smoothing) for module in TWINS)
        assert got.dtype == expected.dtype == dtype
        assert np.abs(got - expected).max() <= limit(scores, smoothing)


# --- properties ----------------------------------------------------------------------------------------------------


@BOTH
@EACH_KIND
def test_the_gradient_is_that_of_the_loss(module, kind):
    scores, y = instance(1, 6, 6)
    step = 1e-5
    for k in (1, 2, 5):
        got = module.topk_hinge_gradient(scores, y, k, kind, 0.5)
        for j in range(6):
            move = step * (np.arange(6) == j)
            ends = (module.topk_hinge(scores + sign * move, y, k, kind, 0.5) for sign in (1, -1))
            expected = np.subtract(*ends) / (2 * step)
            assert np.abs(got[:, j] - expected).max() <= 1e-8, f"expected {expected}, got {got[:, j]}"


@BOTH
@given(st.integers(0, 10**6), st.integers(2, 9))
def test_the_hinge_is_at_most_gamma_over_2k_above(module, seed, m):
    """And the loss falls when gamma grows."""
    scores, y = instance(seed, 4, m, ties=seed % 3 == 0)
    k, small = 1 + seed % (m - 1), limit(scores)
    for kind in KINDS:
        above = module.topk_hinge(scores, y, k, kind)
        for smoothing in SMOOTHINGS:
            loss = module.topk_hinge(scores, y, k, kind, smoothing)
            hinge = module.topk_hinge(scores, y, k, kind)
            assert (
                (loss <= above + small).all() and (hinge - smoothing / (2 * k) <= loss + small).all() and min(loss) >= 0
            )
            above = loss


@BOTH
@EACH_KIND
def test_the_gradient_changes_by_at_most_one_over_gamma(module, kind):
    scores, y = instance(2, 50, 7)
    moved = scores + 0.1 * np.random.default_rng(0).standard_normal(scores.shape)
    others = np.arange(7) != y[:, None]
    for smoothing in (0.1, 1.0):
        change = np.subtract(*(module.topk_hinge_gradient(s, y, 3, kind, smoothing) for s in (moved, scores)))
        h = np.subtract(*(s - s[np.arange(50), y][:, None] for s in (moved, scores)))
        assert ((change**2).sum(axis=1, where=others) <= (h**2).sum(axis=1) / smoothing**2 + 1e-12).all()
        assert np.abs(change).max() > 0.1


@BOTH
def test_no_digits_are_lost_where_gamma_is_small_beside_the_scores(module):
    """Expressions that are divided by gamma lose eps |h|^2 / gamma: here all digits."""
    for seed in range(20):
        scores, y = instance(seed, 10, 8, ties=seed % 2 == 0)
        for kind in KINDS:
            for k in (1, 3, 7):
                for scale, smoothing in ((1e3, 1e-3), (1e9, 1e-9), (1e9, 1.0)):
                    losses = module.topk_hinge(scale * scores, y, k, kind, smoothing)
                    got = certificates.topk_hinge(losses, scale * scores, y, k, kind, smoothing)
                    assert got <= ROUNDINGS * np.finfo(float).eps, f"{kind}, {k}, {scale}: off by {got}"


@BOTH
@pytest.mark.parametrize("smoothing", (0.0, 0.5))
def test_the_kinds_are_one_for_k_of_1(module, smoothing):
    scores, y = instance(3, 40, 6, ties=True)
    for function in (module.topk_hinge, module.topk_hinge_gradient):
        alpha, beta, inclusive = (function(scores, y, 1, kind, smoothing) for kind in KINDS)
        assert np.abs(alpha - beta).max() <= 1e-15 and np.abs(alpha - inclusive).max() <= 1e-15


@BOTH
def test_layouts_and_dtypes(module):
    scores, y = instance(4, 10, 6)
    for smoothing in (0.0, 0.5):
        expected = module.topk_hinge_gradient(scores, y, 2, smoothing=smoothing)
        assert np.abs(expected.sum(axis=1)).max() <= 1e-15
        for other in (np.asfortranarray(scores), np.repeat(scores, 2, axis=1)[:, ::2], scores.tolist()):
            assert (module.topk_hinge_gradient(other, y, 2, smoothing=smoothing) == expected).all()
        assert module.topk_hinge_gradient(scores.astype(int), y, 2, smoothing=smoothing).dtype == np.float64
        assert (module.topk_hinge(scores, y, 2, "alpha", 0) == module.topk_hinge(scores, y, 2)).all()


@BOTH
@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"smoothing": -1.0}, "smoothing .*-1.0"),
        ({"smoothing": np.nan}, "smoothing .*nan"),
        ({"smoothing": np.inf}, "smoothing .*inf"),
        ({"smoothing": 1e-320}, "smoothing .*1e-320"),
        ({"smoothing": "0.1"}, "smoothing .*0.1"),
        ({"k": 3}, "k .*3"),
        ({"kind": "gamma"}, "kind .*gamma"),
        ({"scores": np.full((2, 3), np.nan)}, "scores .*nan"),
    ],
)
def test_bad_input_is_named(module, change, names):
    arguments = {"scores": np.zeros((2, 3)), "y": np.array([0, 1]), "k": 1, "smoothing": 0.1} | change
    for function in (module.topk_hinge, module.topk_hinge_gradient):
        with pytest.raises(ValueError, match=names):
            function(**arguments)

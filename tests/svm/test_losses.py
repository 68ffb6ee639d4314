"""Top-k losses and their gradients: more classes than the examiner has, and lost digits."""

import numpy as np
import pytest

from reference.check import certify
from reference.problems.checks import KINDS
from tests.support.twins import BOTH, TWINS

ROUNDINGS = 32  # how many roundings a loss may be off, relative to the largest score and to the margin


def instance(seed, n, m, ties=False, dtype=np.float64):
    rng = np.random.default_rng(seed)
    scores = rng.integers(-2, 3, (n, m)) if ties else 2 * rng.standard_normal((n, m))
    return scores.astype(dtype), rng.integers(0, m, n)


def limit(scores, smoothing=1.0):
    """How far rounding may take a loss, or for a small smoothing a gradient."""
    return ROUNDINGS * np.finfo(scores.dtype).eps * (1 + np.abs(scores).max()) / min(smoothing or 1.0, 1.0)


def test_twins_agree_on_a_thousand_classes():
    """More classes than insertion would sort in good time, ascending, which is its worst case."""
    scores, y = np.sort(instance(0, 3, 1000)[0]), np.array([0, 500, 999])
    for k in (1, 30, 500, 999):
        for kind in KINDS:
            expected, got = (module.topk_hinge(scores, y, k, kind) for module in TWINS)
            assert np.abs(got - expected).max() <= limit(scores)


@BOTH
def test_no_digits_are_lost_where_gamma_is_small_beside_the_scores(module):
    """Expressions that are divided by gamma lose eps |h|^2 / gamma: here all digits."""
    for ties in (False, True):
        scores, y = instance(5, 100, 8, ties)
        for kind in KINDS:
            for k in (1, 3, 7):
                for scale, smoothing in ((1e3, 1e-3), (1e9, 1e-9), (1e9, 1.0)):
                    losses = module.topk_hinge(scale * scores, y, k, kind, smoothing)
                    got = certify("topk_hinge", losses, scale * scores, y, k, kind, smoothing).value
                    assert got <= ROUNDINGS * np.finfo(float).eps, f"{kind}, {k}, {scale}: off by {got}"


@BOTH
def test_tiny_and_huge_entropies_keep_their_digits(module):
    """1 - sigma would be 0 for the second example, and the loss of the first would be 0 if it was log(1 + tiny)."""
    scores, y = np.array([[60.0, 0.0, 1.0], [0.0, 60.0, 1.0], [0.0, 800.0, 799.0]]), np.zeros(3, int)
    expected = [np.exp(-60) + np.exp(-59), 60 + np.log1p(np.exp(-59)), 800 + np.log1p(np.exp(-1))]
    assert np.abs(module.topk_entropy(scores, y) / expected - 1).max() <= 1e-14
    assert module.topk_entropy(scores, y, 2)[0] / (2 * np.exp(-59.5)) == pytest.approx(1, abs=1e-13)

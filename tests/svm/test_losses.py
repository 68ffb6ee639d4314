"""Losses: ground truth, reference, fast, and what the three hinge losses must obey."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fast
import reference
from fast._svm.hinge import KIND_NUMBERS
from reference.check.certificates import hinges
from reference.ground_truth import losses as ground_truth
from reference.problems import checks
from reference.problems.checks import KINDS

TWINS = [reference, fast]
ROUNDINGS = 16  # how many roundings a loss may be off, relative to the largest score and to the margin


def instance(seed, n, m, ties=False, dtype=np.float64):
    rng = np.random.default_rng(seed)
    scores = rng.integers(-2, 3, (n, m)) if ties else 2 * rng.standard_normal((n, m))
    return scores.astype(dtype), rng.integers(0, m, n)


def assert_close(got, expected, scores):
    limit = ROUNDINGS * np.finfo(scores.dtype).eps * (1 + np.abs(scores).max())
    error = np.abs(got - expected).max()
    assert error <= limit, f"expected {expected}, got {got}: off by {error:.3g}, allowed {limit:.3g}"


# --- ground truth passes its certificate ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_the_two_definitions_agree(kind):
    """A loss has no certificate; but the certificate of the fit has its own text of the losses."""
    for k in range(1, 5):
        scores, y = instance(k, 20, 5, ties=k % 2 == 0)
        margins = 1 + scores - scores[np.arange(20), y][:, None]
        margins[np.arange(20), y] = -np.inf
        expected = ground_truth.topk_hinge(scores, y, k, kind)
        assert_close(hinges._losses(margins, k, kind), expected, scores)


# --- reference = ground truth, and so is fast ----------------------------------------------------------------------


@pytest.mark.parametrize("module", TWINS, ids=lambda module: module.__name__)
@pytest.mark.parametrize("ties", [False, True])
def test_enumeration_agrees(module, ties):
    for m in (2, 3, 6):
        scores, y = instance(m, 30, m, ties)
        for k in range(1, m + 1):
            expected, got = ground_truth.topk_error(scores, y, k), module.topk_error(scores, y, k)
            assert (got == expected).all(), f"expected {expected}, got {got}"
        for k in range(1, m):
            for kind in KINDS:
                expected = ground_truth.topk_hinge(scores, y, k, kind)
                assert_close(module.topk_hinge(scores, y, k, kind), expected, scores)


# --- fast = reference ----------------------------------------------------------------------------------------------


@given(st.integers(0, 10**6), st.integers(2, 80), st.booleans(), st.sampled_from([np.float32, np.float64]))
def test_twins_agree(seed, m, ties, dtype):
    scores, y = instance(seed, 7, m, ties, dtype)
    k = 1 + seed % (m - 1)
    assert (fast.topk_error(scores, y, k) == reference.topk_error(scores, y, k)).all()
    for kind in KINDS:
        expected, got = reference.topk_hinge(scores, y, k, kind), fast.topk_hinge(scores, y, k, kind)
        assert got.dtype == expected.dtype == dtype
        assert_close(got, expected, scores)


def test_twins_agree_on_a_thousand_classes():
    """More classes than insertion would sort in good time, ascending, which is its worst case."""
    scores, y = np.sort(instance(0, 3, 1000)[0]), np.array([0, 500, 999])
    for k in (1, 30, 500, 999):
        for kind in KINDS:
            assert_close(fast.topk_hinge(scores, y, k, kind), reference.topk_hinge(scores, y, k, kind), scores)


# --- properties ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("module", TWINS, ids=lambda module: module.__name__)
@given(st.integers(0, 10**6), st.integers(2, 9))
def test_each_loss_bounds_the_one_before(module, seed, m):
    """psi_k <= alpha <= alpha_inclusive <= beta <= the multiclass SVM's loss, and psi_k is at least 1 at an error."""
    scores, y = instance(seed, 5, m, ties=seed % 3 == 0)
    k = 1 + seed % (m - 1)
    rivals = np.sort(scores[np.arange(m) != y[:, None]].reshape(5, m - 1), axis=1)[:, ::-1]
    psi = np.maximum(0, 1 + rivals[:, k - 1] - scores[np.arange(5), y])
    chain = [module.topk_error(scores, y, k), psi]
    chain += [module.topk_hinge(scores, y, k, kind) for kind in ("alpha", "alpha_inclusive", "beta")]
    chain.append(module.topk_hinge(scores, y, 1))
    for smaller, larger in zip(chain, chain[1:], strict=False):
        assert (smaller <= larger + 1e-12 * (1 + np.abs(scores).max())).all()


@pytest.mark.parametrize("module", TWINS, ids=lambda module: module.__name__)
@pytest.mark.parametrize("kind", KINDS)
def test_losses_do_not_depend_on_what_they_should_not(module, kind):
    scores, y = instance(3, 40, 6)
    expected = module.topk_hinge(scores, y, 3, kind)
    permutation = np.random.default_rng(0).permutation(6)
    shifted = scores + 7.0
    assert_close(module.topk_hinge(scores[:, permutation], np.argsort(permutation)[y], 3, kind), expected, scores)
    assert_close(module.topk_hinge(shifted, y, 3, kind), expected, shifted)
    assert (module.topk_hinge(np.asfortranarray(scores), y, 3, kind) == expected).all()
    assert (module.topk_hinge(scores[::-1], y[::-1], 3, kind) == expected[::-1]).all()


def test_kind_numbers_do_not_rest_on_the_order_of_the_kinds(monkeypatch):
    assert KIND_NUMBERS.keys() == set(KINDS) and len(set(KIND_NUMBERS.values())) == len(KINDS)
    scores, y = instance(4, 40, 6)
    expected = {kind: fast.topk_hinge(scores, y, 3, kind) for kind in KINDS}
    monkeypatch.setattr(checks, "KINDS", KINDS[::-1])
    for kind in KINDS:
        assert (fast.topk_hinge(scores, y, 3, kind) == expected[kind]).all(), kind


@pytest.mark.parametrize("module", TWINS, ids=lambda module: module.__name__)
def test_edges(module):
    scores, y = np.zeros((3, 4)), np.array([0, 2, 3])
    assert (module.topk_error(scores, y, 3) == 1).all(), "a tie counts against"
    assert (module.topk_error(scores, y, 4) == 0).all(), "with m guesses nobody errs"
    for kind in KINDS:
        assert (module.topk_hinge(scores, y, 3, kind) == 1).all()
    read_only = scores.astype(np.float32)
    read_only.flags.writeable = False
    assert module.topk_hinge(read_only, y.astype(np.int8), 2).dtype == np.float32
    assert module.topk_hinge(scores.astype(int), y, 2).dtype == np.float64


@pytest.mark.parametrize("module", TWINS, ids=lambda module: module.__name__)
@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"scores": np.full((2, 3), np.nan)}, "scores .*nan"),
        ({"scores": np.zeros(3)}, r"scores .*\(3,\)"),
        ({"scores": np.zeros((0, 3)), "y": np.zeros(0, int)}, r"scores .*\(0, 3\)"),
        ({"y": np.array([0, 3])}, "y .*3"),
        ({"y": np.array([0, -1])}, "y .*-1"),
        ({"y": np.array([0.0, 1.0])}, "y .*float64"),
        ({"y": np.array([0])}, r"y .*\(1,\)"),
        ({"k": 0}, "k .*0"),
        ({"k": 3}, "k .*3"),
        ({"k": 1.5}, "k .*1.5"),
        ({"kind": "gamma"}, "kind .*gamma"),
    ],
)
def test_bad_input_is_named(module, change, names):
    arguments = {"scores": np.zeros((2, 3)), "y": np.array([0, 1]), "k": 1, "kind": "alpha"} | change
    with pytest.raises(ValueError, match=names):
        module.topk_hinge(**arguments)
    if "kind" not in change and change.get("k") != 3:
        del arguments["kind"]
        with pytest.raises(ValueError, match=names):
            module.topk_error(**arguments)

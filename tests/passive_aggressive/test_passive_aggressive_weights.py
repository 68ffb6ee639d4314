"""Weights of examples in a stream: each scales the price of a loss, its aggressiveness, and 0 asks for no update."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import fast
import reference
from fast._passive_aggressive.updates import update_on_each
from reference.ground_truth import enumeration
from reference.ground_truth import passive_aggressive as ground_truth
from reference.problems.checks import VARIANTS
from tests.support.passive_aggressive import BOTH, EACH_VARIANT, options, size

ROUNDINGS = 16  # of the longest row on the way, a step


def instance(seed, n=8, d=3, m=4, widest=0):
    """Examples, one of them 0, some alike; labels; weights of up to 10^widest, some of them 0 or 1."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((n, d)), rng.integers(0, m, n)
    X[rng.integers(n)] = np.round(X[0])
    X[rng.integers(n)] = 0
    s = rng.uniform(0.1, 3.0, n) * 10.0 ** rng.integers(-widest, widest + 1, n)
    s[rng.permutation(n)[:3]] = [0, 0, 1]
    return X, y, s


def quiet(function, *args, **kwargs):
    """The answer, without the warning of examples that are 0."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return function(*args, **kwargs)


def exact(X, y, s, m, order, aggressiveness, **rule):
    """The weights after each step, in fractions rounded once a step."""
    A, steps = np.zeros((m, X.shape[1])), []
    for i in order:
        if s[i] > 0:
            A = enumeration.multiclass_update(A, X[i], y[i], aggressiveness=s[i] * aggressiveness, **rule)
        steps.append(A)
    return steps


def assert_same(got, expected):
    """Bit for bit."""
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_array_equal(one, other, strict=isinstance(one, np.ndarray))


# --- against ground truth ------------------------------------------------------------------------------------------


@BOTH
@EACH_VARIANT
@pytest.mark.parametrize("k", [1, 2, 3])
def test_a_weighted_stream_of_quadratic_programmes(module, variant, k):
    X, y, s = instance(k)
    chosen = {"variant": variant, "k": k, "aggressiveness": 0.3, "n_classes": 4, "averaged": True}
    chosen |= {"order": np.array([np.arange(8), np.roll(np.arange(8), 3)]), "epochs": 2}
    expected = ground_truth.fit_passive_aggressive(X, y, sample_weight=s, **chosen)
    got = quiet(module.fit_passive_aggressive, X, y, sample_weight=s, **chosen)
    error = max(np.abs(one - other).max() for one, other in zip(got[:2], expected[:2], strict=True))
    assert error <= 1e-6 * 16, f"expected {expected}, got {got}"  # CVXPY's errors, a step
    assert (got.mistakes == expected.mistakes).all() and got.updates == expected.updates
    unweighted = quiet(module.fit_passive_aggressive, X, y, **chosen)
    assert np.abs(unweighted.weights - expected.weights).max() > 1e-2, "these weights make no difference"


@BOTH
@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(2, 5), st.sampled_from([0, 3, 9]), st.sampled_from([1e-3, 1.0, 1e3]))
def test_weighted_streams_are_exact_whatever_the_weights(module, seed, m, widest, scale):
    X, y, s = instance(seed, m=m, widest=widest)
    X, chosen = scale * X, options(seed, m)
    order = np.random.default_rng(seed).permutation(len(y))
    steps = exact(X, y, s, m, order, **chosen)
    for data in (X, sparse.csr_matrix(X)):
        got = quiet(
            module.fit_passive_aggressive, data, y, n_classes=m, order=order, sample_weight=s, averaged=True, **chosen
        )
        allowed = ROUNDINGS * len(y) * np.finfo(float).eps * size(*steps)
        assert np.abs(got.weights - steps[-1]).max() <= allowed, f"expected {steps[-1]}, got {got.weights}"
        assert np.abs(got.averaged - np.mean(steps, axis=0)).max() <= allowed


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(2, 7), st.sampled_from([np.float32, np.float64]))
def test_twins_agree_on_weighted_streams(seed, m, dtype):
    X, y, s = instance(seed, n=15, m=m, widest=3)
    X, s, chosen = X.astype(dtype), s.astype(dtype), options(seed, m)
    orders = np.array([np.random.default_rng(seed + epoch).permutation(15) for epoch in range(3)])
    chosen |= {"n_classes": m, "averaged": True, "epochs": 3, "order": orders, "sample_weight": s}
    expected = quiet(reference.fit_passive_aggressive, X, y, **chosen)
    unit = 1e-9 if dtype == np.float64 else 1e-6
    for data in (X, sparse.csr_matrix(X)):
        got = quiet(fast.fit_passive_aggressive, data, y, **chosen)
        for one, other in zip(got[:2], expected[:2], strict=True):
            assert one.dtype == other.dtype == dtype
            assert np.abs(one - other).max() <= unit * size(*expected[:2]), f"expected {other}, got {one}"
        assert (got.mistakes == expected.mistakes).all() and got.updates == expected.updates


# --- what weights mean ---------------------------------------------------------------------------------------------


@BOTH
@EACH_VARIANT
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_weights_of_one_are_no_weights_bit_for_bit(module, variant, dtype):
    X, y, _ = instance(1, n=30)
    chosen = {"variant": variant, "aggressiveness": 0.07, "k": 2, "epochs": 2, "averaged": True}
    for data in (X.astype(dtype), sparse.csr_matrix(X.astype(dtype))):
        expected = quiet(module.fit_passive_aggressive, data, y, **chosen)
        for ones in (np.ones(30), np.ones(30, np.float32), np.ones(30, int), [1] * 30):
            assert_same(quiet(module.fit_passive_aggressive, data, y, sample_weight=ones, **chosen), expected)


@BOTH
@EACH_VARIANT
def test_equal_weights_scale_the_aggressiveness(module, variant):
    X, y, _ = instance(2, n=30)
    for weight in (1e-9, 0.3, 7, 1e9):
        chosen = {"variant": variant, "k": 2}
        expected = quiet(module.fit_passive_aggressive, X, y, aggressiveness=weight * 0.1, **chosen)
        weights = np.full(30, weight)
        got = quiet(module.fit_passive_aggressive, X, y, aggressiveness=0.1, sample_weight=weights, **chosen)
        assert_same(got, expected)


@BOTH
def test_without_a_penalty_positive_weights_change_nothing(module):
    X, y, _ = instance(3, n=30)
    s = 10.0 ** np.random.default_rng(3).integers(-9, 10, 30)
    expected = quiet(module.fit_passive_aggressive, X, y, k=2, averaged=True)
    assert_same(quiet(module.fit_passive_aggressive, X, y, k=2, averaged=True, sample_weight=s), expected)


@BOTH
@EACH_VARIANT
def test_examples_of_weight_zero_are_passed_over_and_counted(module, variant):
    X, y, _ = instance(4, n=20)
    X[~X.any(axis=1)] = 1
    s = np.where(np.arange(20) % 3 == 1, 0.0, 1.0)
    chosen = {"variant": variant, "aggressiveness": 0.4, "n_classes": 4}
    kept = np.flatnonzero(s)
    expected = module.fit_passive_aggressive(X[kept], y[kept], order=np.arange(len(kept)), **chosen)
    got = module.fit_passive_aggressive(X, y, order=np.arange(20), sample_weight=s, averaged=True, **chosen)
    assert (got.weights == expected.weights).all() and got.updates == expected.updates
    total, mistakes = np.zeros((4, 3)), []
    for t in range(20):
        before = kept[kept < t]
        A = np.zeros((4, 3))
        if len(before):
            A = module.fit_passive_aggressive(X[before], y[before], order=np.arange(len(before)), **chosen).weights
        mistakes.append(int(module.topk_error((A @ X[t])[None], y[t : t + 1])[0]))
        total += A if s[t] == 0 else module.multiclass_update(
            A, X[t], y[t], variant=variant, aggressiveness=0.4
        )  # fmt: skip
    assert got.mistakes.tolist() == np.cumsum(mistakes).tolist()
    assert np.diff(got.mistakes, prepend=0)[s == 0].any(), "no example of weight 0 is a mistake here"
    assert np.abs(got.averaged - total / 20).max() <= 1e-13 * size(got.weights)


@BOTH
def test_a_weight_of_two_is_not_the_example_twice(module):
    """By hand, for two classes: scores +-a, loss 1 - 2a, a step of a <- a + (1 - 2a) / (2 + 1 / (2 s C)) in "pa2"."""
    X, y, chosen = np.ones((1, 1)), np.zeros(1, int), {"n_classes": 2, "variant": "pa2", "aggressiveness": 0.5}
    weighted = module.fit_passive_aggressive(X, y, sample_weight=[2], **chosen).weights
    assert np.abs(weighted - [[1 / 2.5], [-1 / 2.5]]).max() <= 1e-15
    repeated = module.fit_passive_aggressive(X[[0, 0]], y[[0, 0]], **chosen).weights
    assert np.abs(repeated - [[1 / 3 + 1 / 9], [-1 / 3 - 1 / 9]]).max() <= 1e-15
    X, y, _ = instance(9, n=6)
    for variant in VARIANTS:
        chosen = {"variant": variant, "aggressiveness": 0.2, "n_classes": 4}
        order = np.array([*range(6), *range(6)])
        weighted = quiet(module.fit_passive_aggressive, X, y, order=order[:6], sample_weight=[2] * 6, **chosen).weights
        repeated = quiet(module.fit_passive_aggressive, X[order], y[order], order=np.arange(12), **chosen).weights
        assert np.abs(weighted - repeated).max() > 0.01


@BOTH
def test_a_weighted_stream_in_two_parts_is_one(module):
    X, y, s = instance(5, n=30)
    chosen = {"variant": "pa2", "aggressiveness": 0.2, "averaged": True}
    both = quiet(module.fit_passive_aggressive, X, y, order=np.arange(30), sample_weight=s, **chosen)
    first, kept = quiet(
        module.fit_passive_aggressive, X[:12], y[:12], n_classes=4, order=np.arange(12), sample_weight=s[:12], **chosen
    ), s.copy()  # fmt: skip
    second = quiet(
        module.fit_passive_aggressive, X[12:], y[12:], weights=first.weights, order=np.arange(18),
        sample_weight=s[12:], **chosen,
    )  # fmt: skip
    assert (second.weights == both.weights).all() and (s == kept).all()
    assert first.updates + second.updates == both.updates
    assert np.abs((12 * first.averaged + 18 * second.averaged) / 30 - both.averaged).max() <= 1e-14


@BOTH
def test_zeros_are_warned_of_where_they_have_a_weight(module):
    X, y = np.vstack([np.eye(3), np.zeros((3, 3))]), np.array([0, 1, 2, 0, 1, 2])
    with pytest.warns(UserWarning, match="2 of the 6 examples are 0") as caught:
        module.fit_passive_aggressive(X, y, sample_weight=[1, 1, 0, 0, 2, 1])
    assert len(caught) == 1
    module.fit_passive_aggressive(X, y, sample_weight=[1, 2, 1, 0, 0, 0])  # and a warning would be an error here


# --- what is refused -----------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize(
    "wrong",
    [
        np.ones(7), np.ones((8, 1)), 1.0, -np.ones(8), np.where(np.arange(8) == 3, -1e-300, 1.0), np.zeros(8),
        np.full(8, np.nan), np.full(8, np.inf), "heavy", sparse.csr_matrix(np.ones((1, 8))),
    ],
    ids=["short", "matrix", "number", "negative", "one negative", "zero", "nan", "inf", "text", "sparse"],
)  # fmt: skip
def test_wrong_weights_are_refused(module, wrong):
    X, y, _ = instance(0)
    for variant in VARIANTS:
        for data in (X, sparse.csr_matrix(X)):
            with pytest.raises(ValueError, match="sample_weight must"):
                module.fit_passive_aggressive(data, y, variant=variant, sample_weight=wrong)


@BOTH
def test_weights_that_leave_the_range_of_floats_are_refused(module):
    X, y = np.array([[1.0, 0.0], [0.0, 1e-100], [0.0, 0.0]]), np.array([0, 1, 2])
    fit = module.fit_passive_aggressive
    for variant in VARIANTS:
        with pytest.raises(ValueError, match=r"sample_weight must leave sample_weight \* aggressiveness in range"):
            fit(X, y, variant=variant, aggressiveness=1e-30, sample_weight=[1.0, 1e-300, 1.0])
    chosen = {"variant": "pa2", "margin": 0.0}
    for weight in (1e-5, 1e-150):  # the second underflows where it meets |x|^2
        with pytest.raises(ValueError, match=r"sample_weight must leave 2 sample_weight aggressiveness \|x\|\^2"):
            fit(X, y, sample_weight=[1.0, weight, 1.0], **chosen)
    with pytest.raises(ValueError, match="aggressiveness must leave"):
        fit(X, y, aggressiveness=1e-5, **chosen)
    # What counts is the product, and only where there is something to be updated.
    fit(X, y, aggressiveness=1e-5, sample_weight=[1.0, 1e6, 1.0], **chosen)
    fit(X, y, sample_weight=[1.0, 1.0, 1e-250], **chosen)
    fit(X, y, aggressiveness=1e-5, sample_weight=[1.0, 0.0, 1.0], **chosen)
    for variant in ("pa", "pa1"):
        fit(X, y, variant=variant, margin=0.0, sample_weight=[1.0, 1e-150, 1.0])
    with pytest.raises(ValueError, match="margin must leave"):
        fit(1e-50 * X, y, margin=1e10)
    quiet(fit, 1e-50 * X, y, margin=1e10, sample_weight=[1.0, 0.0, 1.0])


def test_weights_of_any_layout_and_type_need_no_other_kernel():
    X, y, s = instance(6, n=12)
    s, before = np.round(s), len(update_on_each.signatures)
    expected = quiet(fast.fit_passive_aggressive, X, y, variant="pa1", sample_weight=s)
    read_only = s.copy()
    read_only.flags.writeable = False
    layouts = (np.repeat(s, 2)[::2], s[::-1].copy()[::-1], read_only, s.astype(np.float32), s.astype(int), s.tolist())
    for weights in layouts:
        assert_same(quiet(fast.fit_passive_aggressive, X, y, variant="pa1", sample_weight=weights), expected)
    compiled = update_on_each.signatures
    assert len(compiled) <= max(before, 1) and len(compiled) <= 2, compiled

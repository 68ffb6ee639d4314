"""Passive-aggressive updates: ground truth, reference, fast, and what every update must obey."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_digits

import fast
import reference
from reference.check.certificates import online as certificates
from reference.ground_truth import enumeration
from reference.ground_truth import passive_aggressive as ground_truth
from reference.problems.checks import VARIANTS
from tests.support.passive_aggressive import (
    BOTH,
    EACH_VARIANT,
    INSTANCES,
    ROUNDINGS,
    assert_equal,
    instance,
    options,
    size,
)

SCALES = st.sampled_from([1e-9, 1e-3, 1.0, 1e3, 1e9])


# --- ground truth passes its certificate ---------------------------------------------------------------------------


@EACH_VARIANT
@pytest.mark.parametrize("k", [1, 2, 3])
def test_quadratic_programme_exact_fractions_and_certificate_agree(variant, k):
    """The programme knows nothing of where the weights move, and the fractions nothing of solvers."""
    for seed in range(4):
        A, x, y = instance(seed, INSTANCES[seed])
        chosen = {"variant": variant, "k": k, "aggressiveness": 0.3}
        expected = ground_truth.multiclass_update(A, x, y, **chosen)
        got = enumeration.multiclass_update(A, x, y, **chosen)
        assert np.abs(got - expected).max() <= 1e-6 * size(A, expected), f"expected {expected}, got {got}"
        assert certificates.multiclass_update(got, A, x, y, **chosen) <= 1e-15
        assert certificates.multiclass_update(expected, A, x, y, **chosen) <= 1e-6


def test_squished_columns_of_the_ground_truth_agree():
    for seed in range(12):
        rng = np.random.default_rng(seed)
        z, (lower, upper) = rng.standard_normal(5), np.sort(rng.standard_normal(2))
        for bounds in ((), (0.0, 1.0), (lower, upper), (-np.inf, upper), (lower, np.inf)):
            expected, got = ground_truth.squish_column(z, *bounds), enumeration.squish_column(z, *bounds)
            assert np.abs(got - expected).max() <= 1e-9, f"expected {expected}, got {got}"
            assert certificates.squish_column(got, z, *bounds) <= 1e-15


@EACH_VARIANT
def test_a_certificate_rejects_wrong_updates(variant):
    A, x, y = instance(1, m=5)
    chosen = {"variant": variant, "aggressiveness": 0.02, "k": 2}
    B = reference.multiclass_update(A, x, y, **chosen)
    nudged = B.copy()
    nudged[y, 0] += 1e-6
    others = [reference.multiclass_update(A, x, y, **{**chosen, **other}) for other in (
        {"k": 1}, {"margin": 0.5, "aggressiveness": 0.03}, {"variant": VARIANTS[VARIANTS.index(variant) - 1]},
    )]  # fmt: skip
    wrongs = [A, nudged, 0 * B, A + 0.99 * (B - A), A + 1.01 * (B - A), B[::-1], *others, np.full_like(B, np.nan)]
    assert certificates.multiclass_update(B, A, x, y, **chosen) <= 1e-15
    for wrong in [*wrongs, B[1:], None]:
        got = certificates.multiclass_update(wrong, A, x, y, **chosen)
        assert got > 1e-8, f"{wrong} passed with {got}"


def test_a_certificate_rejects_wrong_columns():
    z = np.array([0.1, 3.0, -1.0, 2.0, 0.5])
    x = reference.squish_column(z)
    assert certificates.squish_column(x, z) <= 1e-15
    for wrong in (z, 0 * z, 1.001 * x, x + 1e-6, np.minimum(x, 1.0), x[:-1], np.full(5, np.nan), None):
        got = certificates.squish_column(wrong, z)
        assert got > 1e-7, f"{wrong} passed with {got}"


# --- reference = ground truth, and so is fast ----------------------------------------------------------------------


@BOTH
@settings(max_examples=150)
@given(st.integers(0, 10**6), st.sampled_from(INSTANCES), st.integers(2, 6), st.integers(1, 5), SCALES, SCALES)
def test_updates_are_exact_at_every_scale(module, seed, what, m, d, scale, length):
    A, x, y = instance(seed, what, m, d)
    A, x = scale * A, length * x
    chosen = options(seed, m)
    expected = enumeration.multiclass_update(A, x, y, **chosen)
    got = module.multiclass_update(A, x, y, **chosen)
    assert_equal(got, expected, A)
    assert certificates.multiclass_update(got, A, x, y, **chosen) <= 1e-14


@BOTH
@settings(max_examples=150)
@given(st.integers(0, 10**6), st.integers(1, 6), SCALES, st.booleans())
def test_squished_columns_are_exact_at_every_scale(module, seed, d, scale, ties):
    rng = np.random.default_rng(seed)
    z = scale * (rng.integers(-2, 3, d) / 2 if ties else rng.standard_normal(d))
    lower, upper = np.sort(scale * rng.standard_normal(2))
    for bounds in ((), (0.0, 1.0), (lower, upper), (-np.inf, upper), (lower, np.inf), (lower, lower)):
        expected, got = enumeration.squish_column(z, *bounds), module.squish_column(z, *bounds)
        limit = ROUNDINGS * np.finfo(float).eps * max(np.abs(z).max(), np.abs(expected).max())
        assert np.abs(got - expected).max() <= limit, f"expected {expected}, got {got}"


@BOTH
@EACH_VARIANT
def test_a_stream_of_quadratic_programmes(module, variant):
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((6, 3)), np.array([0, 1, 2, 3, 1, 0])
    for k in (1, 2):
        chosen = {"variant": variant, "k": k, "aggressiveness": 0.5, "averaged": True, "order": np.arange(6)[::-1]}
        expected, got = (m.fit_passive_aggressive(X, y, **chosen) for m in (ground_truth, module))
        assert np.abs(got.weights - expected.weights).max() <= 1e-6
        assert np.abs(got.averaged - expected.averaged).max() <= 1e-6
        assert (got.mistakes == expected.mistakes).all() and got.updates == expected.updates


# --- fast = reference ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("m", "d", "k"), [(300, 4, 1), (1000, 3, 1), (1000, 30, 7), (1000, 2, 999), (5000, 3, 2)])
def test_twins_agree_on_many_classes(m, d, k):
    for seed, variant in enumerate(VARIANTS):
        for what in INSTANCES:
            A, x, y = instance(seed, what, m, d)
            chosen = {"variant": variant, "aggressiveness": 0.7, "k": k}
            expected, got = (module.multiclass_update(A, x, y, **chosen) for module in (reference, fast))
            assert_equal(got, expected, A, ROUNDINGS * np.sqrt(m))
            assert certificates.multiclass_update(got, A, x, y, **chosen) <= 4e-15 * np.sqrt(m)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(2, 7), st.sampled_from([np.float32, np.float64]))
def test_twins_walk_through_the_same_weights(seed, m, dtype):
    rng = np.random.default_rng(seed)
    X = (rng.standard_normal((15, 4)) * (rng.random((15, 4)) < 0.6)).astype(dtype)
    y, chosen = rng.integers(0, m, 15), options(seed, m)
    orders = np.array([rng.permutation(15) for _ in range(3)])
    chosen |= {"n_classes": m, "averaged": True, "epochs": 3, "order": orders}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        expected = reference.fit_passive_aggressive(X, y, **chosen)
        for module, data in ((fast, X), (fast, sparse.csr_matrix(X)), (reference, sparse.csr_matrix(X))):
            got = module.fit_passive_aggressive(data, y, **chosen)
            unit = 1e-9 if dtype == np.float64 else 1e-6
            for name in ("weights", "averaged"):
                one, other = getattr(got, name), getattr(expected, name)
                assert one.dtype == other.dtype == dtype
                assert np.abs(one - other).max() <= unit * size(expected.weights), f"expected {other}, got {one}"
            assert (got.mistakes == expected.mistakes).all(), f"expected {expected.mistakes}, got {got.mistakes}"
            assert got.updates == expected.updates


def test_twins_agree_on_long_columns():
    rng = np.random.default_rng(0)
    ascending = np.sort(rng.random(3000))
    for z in (rng.standard_normal(20_000), ascending, ascending[::-1], 1e6 + rng.random(999)):
        for dtype in (np.float64, np.float32):
            expected, got = (module.squish_column(z.astype(dtype)) for module in (reference, fast))
            assert got.dtype == expected.dtype == dtype
            assert np.abs(got - expected).max() <= ROUNDINGS * np.finfo(dtype).eps * np.abs(z).max()
            assert certificates.squish_column(got, z.astype(dtype)) <= ROUNDINGS * np.finfo(dtype).eps


def test_fast_follows_the_reference_through_digits():
    X, y = load_digits(return_X_y=True)
    for variant, k in (("pa", 1), ("pa1", 1), ("pa2", 3)):
        chosen = {"variant": variant, "k": k, "aggressiveness": 0.01, "averaged": True, "seed": 5}
        expected, got = (module.fit_passive_aggressive(X / 16, y, **chosen) for module in (reference, fast))
        assert np.abs(got.weights - expected.weights).max() <= 1e-9 * size(expected.weights)
        assert np.abs(got.averaged - expected.averaged).max() <= 1e-9 * size(expected.weights)
        assert (got.mistakes == expected.mistakes).all() and got.updates == expected.updates

"""Passive-aggressive updates: equal bits, ties and warnings, and what is refused."""

import warnings

import numpy as np
import pytest
from scipy import sparse

import fast
import reference
from fast._passive_aggressive.updates import update_on_each, update_weights
from reference.check import certify
from reference.ground_truth import passive_aggressive as ground_truth
from reference.problems.checks import VARIANTS
from tests.support.twins import BOTH, assert_equal

EACH_VARIANT = pytest.mark.parametrize("variant", VARIANTS)


def instance(seed, m=4, d=3):
    """Weights, an example and its label."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((m, d)), rng.standard_normal(d), int(rng.integers(m))


# --- one update ----------------------------------------------------------------------------------------------------


@BOTH
@EACH_VARIANT
def test_nothing_is_touched_that_need_not_be(module, variant):
    A, x, y = instance(6, m=50, d=8)
    B = module.multiclass_update(A, x, y, variant=variant)
    still = (B == A).all(axis=1)
    assert 0 < still.sum() < 50 and not still[y]
    satisfied = A.copy()
    satisfied[y] += 100 * x
    B = module.multiclass_update(satisfied, x, y, variant=variant)
    assert (B == satisfied).all() and B is not satisfied


@BOTH
def test_a_tie_is_told_from_a_lead_at_every_scale(module):
    """The margin has no part in it, nor has a class that is far behind."""
    X = np.array([[-1e-9], [-1e-9]])
    got = module.fit_passive_aggressive(X, np.array([0, 0]), n_classes=2, variant="pa2", order=np.arange(2))
    assert got.mistakes.tolist() == [1, 1]
    start = np.array([[0.0], [-5.0], [-1e16]])
    got = module.fit_passive_aggressive(np.ones((1, 1)), np.zeros(1, int), weights=start, margin=0.0)
    assert got.mistakes.tolist() == [0] and got.updates == 0
    got = module.multiclass_update(np.array([[0.0], [0.0], [-1e15]]), np.ones(1), 0)
    assert got.tolist() == [[0.5], [-0.5], [-1e15]]


@BOTH
def test_the_largest_numbers(module):
    got = module.multiclass_update(np.array([[1e140], [1e140], [0.0]]), np.ones(1), 2)
    assert np.abs(got / (1e140 / 1.5) - 1).max() <= 1e-15, f"got {got}"
    z = np.array([-1e140, 1e140])
    assert module.squish_column(z).tolist() == [0.0, 0.0]
    assert module.squish_column(z, -1.0, 1.0).tolist() == [0.0, 0.0]


@BOTH
def test_roundings_do_not_add_up_over_thousands_of_classes(module):
    A = np.zeros((3000, 1))
    B = module.multiclass_update(A, np.array([0.2]), 0)
    assert certify("multiclass_update", B, A, np.array([0.2]), 0).value <= 1e-13
    A, options = np.arange(3000)[:, None] / 3000, {"variant": "pa2", "aggressiveness": 1e-3, "margin": 1e3, "k": 2023}
    B = module.multiclass_update(A, np.ones(1), 0, **options)
    assert certify("multiclass_update", B, A, np.ones(1), 0, **options).value <= 1e-13


# --- streams -------------------------------------------------------------------------------------------------------


def stream(seed, n=8, d=3, m=4):
    """Examples, one of them 0, some alike; labels; weights, some of them 0 or 1."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((n, d)), rng.integers(0, m, n)
    X[rng.integers(n)] = np.round(X[0])
    X[rng.integers(n)] = 0
    s = rng.uniform(0.1, 3.0, n)
    s[rng.permutation(n)[:3]] = [0, 0, 1]
    return X, y, s


def quiet(function, *args, **kwargs):
    """The answer, without the warning of examples that are 0."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return function(*args, **kwargs)


@BOTH
@EACH_VARIANT
@pytest.mark.parametrize("s", [np.ones(30), stream(8, n=30)[2]], ids=["alike", "weighted"])
def test_two_calls_are_one_and_their_means_combine(module, variant, s):
    X, y, _ = stream(8, n=30)

    def fit(part, **start):
        given = {"order": np.arange(len(y[part])), "sample_weight": s[part], "n_classes": 4, **start}
        chosen = {"variant": variant, "aggressiveness": 0.2, "averaged": True}
        return quiet(module.fit_passive_aggressive, X[part], y[part], **given, **chosen)

    both, first = fit(slice(30)), fit(slice(12))
    kept = first.weights.copy()
    second = fit(slice(12, 30), weights=first.weights)
    assert (first.weights == kept).all(), "the weights passed in have been changed"
    assert (second.weights == both.weights).all()
    assert np.abs((12 * first.averaged + 18 * second.averaged) / 30 - both.averaged).max() <= 1e-14
    assert (np.append(first.mistakes, first.mistakes[-1] + second.mistakes) == both.mistakes).all()
    assert first.updates + second.updates == both.updates


@BOTH
def test_a_seed_draws_a_permutation_of_numpy(module):
    X, y = np.eye(3), np.array([0, 1, 2])
    drawn = np.random.default_rng(4).permutation(3)
    expected = module.fit_passive_aggressive(X, y, order=drawn).weights
    assert (module.fit_passive_aggressive(X, y, seed=4).weights == expected).all()


@BOTH
def test_zero_examples_warn_once_and_leave_the_weights(module):
    A, x, y = instance(9)
    for variant in VARIANTS:
        with pytest.warns(UserWarning, match="x is 0") as caught:
            got = module.multiclass_update(A, 0 * x, y, variant=variant)
        assert len(caught) == 1 and (got == A).all()
        assert (module.multiclass_update(A, 0 * x, y, variant=variant, margin=0.0) == A).all()
    X, labels = np.zeros((4, 3)), np.array([0, 1, 2, 1])
    X[0] = 1
    with pytest.warns(UserWarning, match="3 of the 4 examples are 0") as caught:
        got = module.fit_passive_aggressive(X, labels, epochs=2)
    assert len(caught) == 1 and got.updates == 1 and got.mistakes[-1] == 7


# --- weights of examples -------------------------------------------------------------------------------------------


@EACH_VARIANT
def test_a_weighted_stream_of_quadratic_programmes(variant):
    X, y, s = stream(2)
    chosen = {"variant": variant, "k": 2, "aggressiveness": 0.3, "n_classes": 4, "averaged": True}
    chosen |= {"order": np.array([np.arange(8), np.roll(np.arange(8), 3)]), "epochs": 2}
    expected = ground_truth.fit_passive_aggressive(X, y, sample_weight=s, **chosen)
    got = quiet(reference.fit_passive_aggressive, X, y, sample_weight=s, **chosen)
    error = max(np.abs(one - other).max() for one, other in zip(got[:2], expected[:2], strict=True))
    assert error <= 1e-6 * 16, f"expected {expected}, got {got}"  # CVXPY's errors, a step
    assert (got.mistakes == expected.mistakes).all() and got.updates == expected.updates
    unweighted = quiet(reference.fit_passive_aggressive, X, y, **chosen)
    assert np.abs(unweighted.weights - expected.weights).max() > 1e-2, "these weights make no difference"


@BOTH
def test_zeros_are_warned_of_where_they_have_a_weight(module):
    X, y = np.vstack([np.eye(3), np.zeros((3, 3))]), np.array([0, 1, 2, 0, 1, 2])
    with pytest.warns(UserWarning, match="2 of the 6 examples are 0") as caught:
        module.fit_passive_aggressive(X, y, sample_weight=[1, 1, 0, 0, 2, 1])
    assert len(caught) == 1
    module.fit_passive_aggressive(X, y, sample_weight=[1, 2, 1, 0, 0, 0])  # and a warning would be an error here


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


# --- what is compiled, and what is refused -------------------------------------------------------------------------


def test_a_kernel_is_compiled_for_two_signatures_at_most():
    X, y = np.random.default_rng(0).standard_normal((12, 4)), np.arange(12) % 3
    orders, weights = np.asfortranarray(np.array([np.arange(12)] * 2)), np.asfortranarray(np.ones((3, 4)))
    for dtype in (np.float32, np.float64):
        strided = sparse.csr_matrix(X.astype(dtype))
        strided.data = np.repeat(strided.data, 2)[::2]
        for data in (X.astype(dtype), np.asfortranarray(X.astype(dtype)), strided):
            fast.fit_passive_aggressive(data, y, epochs=2, order=orders, weights=weights, averaged=True)
            fast.fit_passive_aggressive(data, y)
        fast.multiclass_update(X[:3].astype(dtype), X[4], 0)
    s, read_only = np.arange(12.0), np.arange(12.0)
    read_only.flags.writeable = False
    expected = fast.fit_passive_aggressive(X, y, variant="pa1", sample_weight=s)
    layouts = (np.repeat(s, 2)[::2], s[::-1].copy()[::-1], read_only, s.astype(np.float32), s.astype(int), s.tolist())
    for shares in layouts:
        assert_equal(fast.fit_passive_aggressive(X, y, variant="pa1", sample_weight=shares), expected)
    for kernel in (update_on_each, update_weights):
        assert len(kernel.signatures) <= 2, kernel.signatures


RIGHT = {
    "squish_column": {"z": np.arange(2.0)},
    "multiclass_update": {"A": np.arange(6.0).reshape(3, 2), "x": np.ones(2), "y": 1},
    "fit_passive_aggressive": {"X": np.arange(8.0).reshape(4, 2), "y": np.array([0, 1, 2, 1])},
}


@BOTH
@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"x": np.full(2, 1e-150), "margin": 1e10}, "margin .*range"),
        ({"A": np.outer([1, -1, 0], [1e140, 1e140]), "x": np.full(2, 1e-140)}, r"\(A x .*1e\+280"),
        ({"A": np.zeros((3, 2), np.float32), "x": np.full(2, 1e-40)}, "float32|A must leave .*range"),
        ({"x": np.full(2, 1e-120), "variant": "pa2"}, "aggressiveness .*1e-200"),
    ],
)
def test_updates_that_leave_the_range_of_floats_are_refused(module, change, names):
    """While the answer is computed, by each package."""
    with pytest.raises(ValueError, match=names):
        module.multiclass_update(**RIGHT["multiclass_update"] | change)


@pytest.mark.parametrize(
    ("name", "change", "names"),
    [
        ("squish_column", {"z": "column"}, "z .*column"),
        ("squish_column", {"z": np.array(["1", "2"], dtype=object)}, "z .*object"),
        ("squish_column", {"upper": "0.5"}, "upper .*0.5"),
        ("squish_column", {"z": np.zeros(2, np.float32), "lower": 1e300}, r"lower .*at most 3.402823e\+38 .*1e\+300"),
        ("multiclass_update", {"A": sparse.csr_matrix(np.ones((3, 2)))}, "A .*sparse"),
        ("multiclass_update", {"y": 1.0}, "y .*1.0"),
        ("multiclass_update", {"y": np.array([1])}, "y .*1"),
        ("fit_passive_aggressive", {"X": sparse.csr_matrix(np.full((4, 2), 1e200))}, r"X .*at most 1e\+140 .*1e\+200"),
        ("fit_passive_aggressive", {"X": sparse.csr_array(np.ones(4))}, r"X .*\(4,\)"),
        ("fit_passive_aggressive", {"X": np.zeros((4, 0))}, r"X .*\(4, 0\)"),
        ("fit_passive_aggressive", {"seed": -1}, "seed .*-1"),
        ("fit_passive_aggressive", {"averaged": "no"}, "averaged .*no"),
        ("fit_passive_aggressive", {"y": np.array([0, 0, 0, 0])}, "y .*two classes.*0"),
        ("fit_passive_aggressive", {"weights": np.zeros((4, 2)), "n_classes": 3}, r"weights .*\(4, 2\)"),
        ("fit_passive_aggressive", {"order": np.zeros((2, 4), int)}, "order .*2 rows"),
        ("fit_passive_aggressive", {"sample_weight": sparse.csr_matrix(np.ones((1, 4)))}, "sample_weight must"),
    ],
)
def test_wrong_arguments_are_refused(name, change, names):
    with pytest.raises(ValueError, match=names):
        getattr(fast, name)(**RIGHT[name] | change)

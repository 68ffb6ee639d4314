"""Passive-aggressive updates: what every update and every pass must obey."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import fast
from fast._passive_aggressive.updates import update_on_each, update_weights
from reference.check.certificates import online as certificates
from reference.problems.checks import VARIANTS
from tests.support.passive_aggressive import BOTH, EACH_VARIANT, INSTANCES, assert_equal, instance, size

BLOG = np.array([0.90085352, 2.25573249, 0.25974194])


@BOTH
@pytest.mark.parametrize(
    ("label", "expected"),
    [(0, (2.078293, 1.078293, 0.25974194)), (1, BLOG), (2, (0.80544265, 0.80544265, 1.80544265))],
)
def test_the_blogs_examples_to_all_printed_digits(module, label, expected):
    """What happens to the scores depends on the scores only; x and A of the blog are not known."""
    x = np.array([1.0, 2.0, 0.0, -1.0, 0.5])
    A = np.outer(BLOG, x) / (x @ x)
    got = module.multiclass_update(A, x, label) @ x
    assert np.abs(got - expected).max() <= 1e-8, f"expected {expected}, got {got}"


@BOTH
@settings(max_examples=60)
@given(st.integers(0, 10**6), st.sampled_from(INSTANCES), st.integers(2, 6))
def test_column_squishing_and_the_cone_are_two_routes_to_one_update(module, seed, what, m):
    """k = 1 without slack: squish (0, c), or project c onto the top-1 cone with bias 1."""
    A, x, y = instance(seed, what, m)
    c = np.delete(A @ x - A[y] @ x + 1, y) / (x @ x)
    z = np.append(0.0, c)
    d = module.squish_column(z) - z
    lowered = module.project_topk_cone(c, 1, bias=1.0)
    unit = np.abs(c).max()
    assert np.abs(d[1:] + lowered).max() <= 1e-14 * unit, f"expected {-lowered}, got {d[1:]}"
    assert abs(d[0] - lowered.sum()) <= 1e-14 * m * unit
    expected = A + np.outer(np.insert(d[1:], y, d[0]), x)
    assert_equal(module.multiclass_update(A, x, y), expected, A, 200)


@BOTH
@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(2, 7), st.integers(1, 6))
def test_hard_updates_leave_no_loss_and_repeating_them_changes_nothing(module, seed, m, d):
    A, x, y = instance(seed, m=m, d=d)
    k = int(np.random.default_rng(seed).integers(1, m))
    B = module.multiclass_update(A, x, y, k=k)
    loss = module.topk_hinge((B @ x)[None], np.array([y]), k)[0]
    assert loss <= 1e-14 * (1 + np.abs(A @ x).max())
    assert (module.multiclass_update(B, x, y, k=k) == B).all()
    assert np.abs(B.sum(axis=0) - A.sum(axis=0)).max() <= 1e-13 * size(A, B)


@BOTH
@EACH_VARIANT
def test_the_order_of_the_classes_does_not_matter(module, variant):
    A, x, y = instance(2, m=6)
    shuffled = np.random.default_rng(0).permutation(6)
    chosen = {"variant": variant, "k": 2, "aggressiveness": 0.2}
    expected = module.multiclass_update(A, x, y, **chosen)
    got = module.multiclass_update(A[shuffled], x, int(np.argmax(shuffled == y)), **chosen)
    assert_equal(got, expected[shuffled], A)


@BOTH
def test_slack_lies_between_no_update_and_the_hard_one(module):
    A, x, y = instance(4, m=6)
    hard = module.multiclass_update(A, x, y, k=2)
    for variant in ("pa1", "pa2"):
        chosen = {"variant": variant, "k": 2}
        assert_equal(module.multiclass_update(A, x, y, aggressiveness=1e12, **chosen), hard, A, 1e4)
        assert np.abs(module.multiclass_update(A, x, y, aggressiveness=1e-12, **chosen) - A).max() <= 1e-11
        moved = [
            np.linalg.norm(module.multiclass_update(A, x, y, aggressiveness=C, **chosen) - A)
            for C in (0.01, 0.1, 1.0, 10.0)
        ]
        assert (np.diff([*moved, np.linalg.norm(hard - A)]) >= -1e-12).all(), f"got {moved}"


@BOTH
def test_worst_violator_only_is_another_update_in_about_half_of_all_cases(module):
    different = 0
    for seed in range(200):
        A, x, y = instance(seed, m=5)
        violations = A @ x - A[y] @ x + 1
        violations[y] = -np.inf
        j = int(violations.argmax())
        one = A.copy()
        step = max(violations[j], 0) / (2 * (x @ x))
        one[y], one[j] = A[y] + step * x, A[j] - step * x
        exact = module.multiclass_update(A, x, y)
        assert np.linalg.norm(exact - A) >= np.linalg.norm(one - A) - 1e-12
        different += bool(np.abs(exact - one).max() > 1e-9)
    assert 60 <= different <= 160, f"got {different} of 200"


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
def test_layouts_and_types(module, tmp_path):
    A, x, y = instance(7, m=4, d=6)
    expected = module.multiclass_update(A, x, y)
    read_only, mapped = A.copy(), np.memmap(tmp_path / "A", np.float64, "w+", shape=A.shape)
    read_only.flags.writeable = False
    mapped[:] = A
    backwards, apart = A[::-1].copy()[::-1], np.repeat(A, 2, axis=1)[:, ::2]
    for other in (np.asfortranarray(A), read_only, mapped, apart, backwards, A.tolist()):
        got = module.multiclass_update(other, np.repeat(x, 2)[::2], np.int32(y))
        assert_equal(got, expected, A, 4)
        assert type(got) is np.ndarray
    got = module.multiclass_update(A.astype(np.float32), x, y)
    assert got.dtype == np.float32
    assert_equal(got, module.multiclass_update(A.astype(np.float32).astype(float), x, y).astype(np.float32), A, 1)
    assert module.multiclass_update(np.round(A).astype(int), x, y).dtype == np.float64
    assert (A == instance(7, m=4, d=6)[0]).all(), "the input has been changed"
    batch = np.random.default_rng(0).standard_normal((5, 4))
    rows = np.array([module.squish_column(row) for row in batch])
    for other in (batch, np.asfortranarray(batch), np.repeat(batch, 2, axis=1)[:, ::2]):
        assert (module.squish_column(other) == rows).all()


@BOTH
@EACH_VARIANT
def test_two_calls_are_one_and_their_means_combine(module, variant):
    rng = np.random.default_rng(8)
    X, y = rng.standard_normal((30, 5)), rng.integers(0, 4, 30)
    chosen = {"variant": variant, "aggressiveness": 0.2, "averaged": True}
    both = module.fit_passive_aggressive(X, y, order=np.arange(30), **chosen)
    first = module.fit_passive_aggressive(X[:12], y[:12], n_classes=4, order=np.arange(12), **chosen)
    kept = first.weights.copy()
    second = module.fit_passive_aggressive(X[12:], y[12:], weights=first.weights, order=np.arange(18), **chosen)
    assert (first.weights == kept).all(), "the weights passed in have been changed"
    assert (second.weights == both.weights).all()
    assert np.abs((12 * first.averaged + 18 * second.averaged) / 30 - both.averaged).max() <= 1e-14
    assert (np.append(first.mistakes, first.mistakes[-1] + second.mistakes) == both.mistakes).all()
    assert first.updates + second.updates == both.updates


@BOTH
def test_mistakes_are_counted_before_the_update(module):
    X, y = np.eye(3), np.array([0, 1, 2])
    got = module.fit_passive_aggressive(X, y, epochs=3, order=np.arange(3))
    assert got.mistakes.tolist() == [1, 2, 3, 3, 3, 3, 3, 3, 3], "zero scores tie, and a tie counts against"
    assert got.updates == 3 and got.averaged is None
    assert got.mistakes.dtype == np.int64 and isinstance(got.updates, int)
    drawn = np.random.default_rng(4).permutation(3)
    expected = module.fit_passive_aggressive(X, y, order=drawn).weights
    assert (module.fit_passive_aggressive(X, y, seed=4).weights == expected).all()


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
    assert certificates.multiclass_update(B, A, np.array([0.2]), 0) <= 1e-13
    A, options = np.arange(3000)[:, None] / 3000, {"variant": "pa2", "aggressiveness": 1e-3, "margin": 1e3, "k": 2023}
    B = module.multiclass_update(A, np.ones(1), 0, **options)
    assert certificates.multiclass_update(B, A, np.ones(1), 0, **options) <= 1e-13


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
    for kernel in (update_on_each, update_weights):
        assert len(kernel.signatures) <= 2, kernel.signatures


@BOTH
def test_one_class_at_a_time(module):
    """A stream may begin with one class, as long as it is known that there are more."""
    X = np.random.default_rng(0).random((4, 3))
    got = module.fit_passive_aggressive(X, np.zeros(4, int), n_classes=3)
    assert got.weights.shape == (3, 3) and (X @ got.weights.T).argmax(axis=1).tolist() == [0] * 4


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


@BOTH
def test_progress_bar(module, capsys):
    module.fit_passive_aggressive(np.eye(3), np.arange(3), progress=True)
    assert "mistakes" in capsys.readouterr().out

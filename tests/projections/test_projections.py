"""Projections: ground truth, reference, fast, and what any projection must obey."""

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fast
import reference
from fast._projections.candidates import LONG_ROW, write_clipped, write_maxima
from fast._projections.capped import capped_long_rows, capped_of_maxima, capped_point, capped_rows
from fast._projections.knapsack import knapsack_rows
from fast._projections.run import PER_THREAD
from fast._projections.topk import topk_long_rows, topk_of_maxima, topk_point, topk_rows
from fast._shared.bits import bits_of
from reference.check import certificates
from reference.ground_truth import enumeration
from reference.ground_truth import projections as ground_truth
from tests.support.projections import SHAPES, point, problems

TWINS = [reference, fast]
EPS = {np.float64: np.finfo(np.float64).eps, np.float32: np.finfo(np.float32).eps}
# How many roundings an answer may be off, relative to the larger of the point and the answer, and times sqrt(d).
ROUNDINGS = {"exact": 8, "twin": 16, "certificate": 16, "qp": 2**14}


def allowed(kind, d, dtype=np.float64):
    return ROUNDINGS[kind] * EPS[dtype] * np.sqrt(d)


def assert_close(got, expected, a, kind, dtype=np.float64):
    scale = max(np.abs(a).max(), np.abs(expected).max()) or 1.0
    error = np.abs(np.asarray(got, float) - np.asarray(expected, float)).max() / scale
    limit = allowed(kind, np.shape(a)[-1], dtype)
    assert error <= limit, f"expected {expected}, got {got}: off by {error:.3g}, allowed {limit:.3g}"


# --- ground truth passes its certificate ---------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("truth", [enumeration, ground_truth], ids=["enumeration", "qp"])
def test_ground_truth_is_certified(truth, shape):
    a = point(1, shape, 4)
    kind = "certificate" if truth is enumeration else "qp"
    for name, arguments in problems(1, 4):
        x = getattr(truth, name)(a, *arguments)
        certificate = getattr(certificates, name)(x, a, *arguments)
        assert certificate <= allowed(kind, 4), f"{name}{arguments} at {a} got {x}"


@pytest.mark.parametrize("seed", range(4))
def test_two_ground_truths_agree(seed):
    for shape in ("normal", "ties"):
        a = point(seed, shape, 5)
        for name, arguments in problems(seed, 5):
            expected = getattr(enumeration, name)(a, *arguments)
            assert_close(getattr(ground_truth, name)(a, *arguments), expected, a, "qp")


def test_a_certificate_rejects_each_kind_of_wrong_answer():
    a = np.array([0.0, 2.0, 3.0, 6.0])
    right = np.array([1.0, 3.0, 4.0, 4.0])
    assert certificates.project_topk_cone(right, a, 3) == 0
    wrongs = [np.zeros(4), a, right[::-1], right + 1e-6, 0.999 * right, np.full(4, np.nan), right[:3], -right]
    for wrong in wrongs:
        got = certificates.project_topk_cone(wrong, a, 3)
        assert got > 1e-8, f"{wrong} passed with {got}"


@given(st.integers(0, 10**6), st.integers(1, 12), st.sampled_from(sorted(SHAPES)))
def test_a_certificate_grows_with_the_distance_to_the_optimum(seed, d, shape):
    rng = np.random.default_rng(seed)
    a = point(seed, shape, d)
    for name, arguments in problems(seed, d):
        x = getattr(reference, name)(a, *arguments)
        scale = max(np.abs(a).max(), np.abs(x).max())
        wrong = x + 1e-4 * scale * rng.standard_normal(d)
        if scale > 0:
            got = getattr(certificates, name)(wrong, a, *arguments)
            expected = 0.02 / d * np.abs(wrong - x).max() / scale
            assert got >= expected, f"{name}{arguments} at {a}: {wrong} passed with {got}, expected {expected}"


# --- reference = ground truth, and so is fast ----------------------------------------------------------------------


@pytest.mark.parametrize("module", TWINS, ids=lambda module: module.__name__)
@pytest.mark.parametrize("scale", [1.0, 1e-9, 1e9])
@pytest.mark.parametrize("shape", SHAPES)
def test_enumeration_agrees_at_every_scale(module, scale, shape):
    for seed in range(3):
        for d in (1, 2, 4):
            a = point(seed, shape, d, scale)
            for name, arguments in problems(seed, d, scale):
                expected = getattr(enumeration, name)(a, *arguments)
                assert_close(getattr(module, name)(a, *arguments), expected, a, "exact")


@pytest.mark.parametrize("module", TWINS, ids=lambda module: module.__name__)
@pytest.mark.parametrize("seed", range(3))
def test_enumeration_agrees_where_the_point_is_much_larger_than_the_set(module, seed):
    """The sum keeps all its digits, too, where the point has a billion times a billion times its size."""
    a = point(seed, "normal", 5, 1e9)
    for name, arguments in [("project_simplex", (1e-9,)), ("project_knapsack", (3e-9, 0.0, 1e-9))]:
        expected = getattr(enumeration, name)(a, *arguments)
        got = getattr(module, name)(a, *arguments)
        assert_close(got, expected, expected, "exact")


@pytest.mark.parametrize("module", TWINS, ids=lambda module: module.__name__)
@pytest.mark.parametrize("scale", [1e6, 1e9, 1e12, 1e16, 1e30])
def test_the_sum_keeps_its_digits_whatever_the_size_of_the_point(module, scale):
    """Relative to the radius, not to the point: with ties, with few and with many coordinates at the cap."""
    rng = np.random.default_rng(7)
    for a in (np.ones(7), rng.uniform(-1, 1, 60), np.round(3 * rng.uniform(-1, 1, 60)), 1 + 1e-9 * rng.random(600)):
        for name, arguments in [
            ("project_simplex", (10.0,)),
            ("project_knapsack", (3.0, 0.0, 1.0)),
            ("project_capped_simplex", (0.5, 1.0, 0.0)),
            ("project_capped_simplex", (0.01, 1.0, 0.0)),
            ("project_capped_simplex", (1e9, 1.0, 1.0)),
            ("project_topk_simplex", (3, 1.0, 0.0)),
            ("project_topk_simplex", (5, 1.0, 1.0)),
        ]:
            x = getattr(module, name)(scale * a, *arguments)
            expected = arguments[0] if name in ("project_simplex", "project_knapsack") else 1.0
            if name == "project_capped_simplex":
                expected = min(expected, (a > 0).sum() * arguments[0])
            assert abs(x.sum() - expected) <= 1e-12 * expected, f"{name}{arguments}: expected {expected}, got {x.sum()}"
            assert getattr(certificates, name)(x, scale * a, *arguments) <= allowed("certificate", a.size)


def test_a_bracket_much_wider_than_the_answer_is_halved_to_the_end():
    got = fast.project_simplex(np.array([0.0, -4e139, -8e139, 4e139]), 10.0)
    assert (got == [0, 0, 0, 10]).all(), got


@pytest.mark.parametrize("module", TWINS, ids=lambda module: module.__name__)
@pytest.mark.parametrize("bias", [1e-300, 1e-20, 1e-16, 1e-12, 1e-9, 1e-6, 1e-3, 0.1])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_bias_of_any_size_is_no_bias_or_a_bias(module, bias, shape):
    """Where it takes next to nothing away, it must not be divided by."""
    for seed in range(3):
        for d in (2, 4):
            a = point(seed, shape, d, 1.0)
            for k in range(1, d + 1):
                for name, arguments in (("project_topk_cone", (k, bias)), ("project_topk_simplex", (k, 1e3, bias))):
                    x, expected = getattr(module, name)(a, *arguments), getattr(enumeration, name)(a, *arguments)
                    assert_close(x, expected, a, "exact")
                    assert x.min() >= 0 and x.max() <= x.sum() / k * (1 + 1e-14)
            x, expected = (twin.project_capped_simplex(a, 0.5, 1e3, bias) for twin in (module, enumeration))
            assert_close(x, expected, a, "exact")
    for d in (300, 2000):
        a = point(0, shape, d, 1.0)
        for k in (1, 7, d - 1):
            for name, arguments in (("project_topk_cone", (k, bias)), ("project_topk_simplex", (k, 1e3, bias))):
                x = getattr(module, name)(a, *arguments)
                assert getattr(certificates, name)(x, a, *arguments) <= allowed("certificate", d)


@pytest.mark.parametrize("module", TWINS, ids=lambda module: module.__name__)
def test_quadratic_programmes_agree(module):
    for seed, shape in enumerate(("normal", "ties", "one huge")):
        a = point(seed, shape, 20)
        for name, arguments in problems(seed, 20):
            assert_close(getattr(module, name)(a, *arguments), getattr(ground_truth, name)(a, *arguments), a, "qp")


@pytest.mark.parametrize("module", TWINS, ids=lambda module: module.__name__)
def test_search_that_defaults_to_zero_is_wrong(module):
    expected = 1000 / 3 * np.array([1.0, 3.0, 4.0, 4.0])
    got = module.project_topk_cone(1000 / 3 * np.array([0.0, 2.0, 3.0, 6.0]), 3)
    assert_close(got, expected, expected, "exact")


@pytest.mark.parametrize("module", TWINS, ids=lambda module: module.__name__)
@pytest.mark.parametrize("bias", [0.0, 1.0, 1e6])
def test_lemma_4_is_necessary_for_every_bias(module, bias):
    """The squared sum is flat at 0, so that a bias, however large, does not make 0 the answer."""
    assert module.project_topk_cone(np.array([1.0, -0.999, -3.0]), 2, bias).sum() > 0
    assert module.project_topk_cone(np.array([1.0, -1.0, -3.0]), 2, bias).sum() == 0


# --- fast = reference ----------------------------------------------------------------------------------------------


@given(st.integers(0, 10**6), st.integers(1, 400), st.sampled_from(sorted(SHAPES)), st.sampled_from([1.0, 1e-9, 1e9]))
def test_twins_agree(seed, d, shape, scale):
    a = point(seed, shape, d, scale)
    for name, arguments in problems(seed, d, scale):
        expected, got = (getattr(module, name)(a, *arguments) for module in TWINS)
        assert_close(got, expected, a, "twin")


@pytest.mark.parametrize("d", [255, 256, 257, 1000, 5000, 100_000])
@pytest.mark.parametrize("shape", ["normal", "sorted", "ties", "nearly equal", "one huge"])
def test_fast_is_certified_at_sizes_that_the_reference_does_not_reach(d, shape):
    a = point(d, shape, d)
    for k in (1, 5, d // 3 if d <= 5000 else 50):
        for radius, bias in ((1.0, 0.0), (50.0, 1.0), (1e9, 0.0), (1e9, 1.0)):
            for name, arguments in [
                ("project_topk_simplex", (k, radius, bias)),
                ("project_topk_cone", (k, bias)),
                ("project_capped_simplex", (radius / k, radius, bias)),
                ("project_simplex", (radius,)),
                ("project_knapsack", (radius, 0.0, radius)),
            ]:
                x = getattr(fast, name)(a, *arguments)
                certificate = getattr(certificates, name)(x, a, *arguments)
                assert certificate <= allowed("certificate", d), f"{name}{arguments} got {certificate}"


@pytest.mark.parametrize("shape", SHAPES)
def test_batch_is_the_rows(shape):
    rng = np.random.default_rng(3)
    rows = np.array([point(seed, shape, 30) for seed in range(40)]) * rng.choice([1.0, 1e3], (40, 1))
    for name, arguments in problems(5, 30) + [("project_topk_simplex", (5, 1.0, 0.0))]:
        for module in TWINS:
            got = getattr(module, name)(rows, *arguments)
            expected = np.array([getattr(reference, name)(row, *arguments) for row in rows])
            assert got.shape == rows.shape
            for row, one, other in zip(rows, got, expected, strict=True):
                assert_close(one, other, row, "twin")


# --- properties ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("module", TWINS, ids=lambda module: module.__name__)
@given(seed=st.integers(0, 10**6), d=st.integers(1, 40), shape=st.sampled_from(sorted(SHAPES)))
def test_projecting_twice_changes_nothing(module, seed, d, shape):
    a = point(seed, shape, d)
    for name, arguments in problems(seed, d):
        if name in ("project_simplex", "project_knapsack") or arguments[-1] == 0:  # the others are biased
            x = getattr(module, name)(a, *arguments)
            assert_close(getattr(module, name)(x, *arguments), x, a, "twin")


@pytest.mark.parametrize("module", TWINS, ids=lambda module: module.__name__)
@given(seed=st.integers(0, 10**6), d=st.integers(1, 40), shape=st.sampled_from(sorted(SHAPES)))
def test_permutation_and_scaling_commute_with_projection(module, seed, d, shape):
    a, order = point(seed, shape, d), np.random.default_rng(seed).permutation(d)
    k = 1 + seed % d
    x = module.project_topk_simplex(a, k, 1.0, 1.0)
    assert_close(module.project_topk_simplex(a[order], k, 1.0, 1.0), x[order], a, "twin")
    assert_close(module.project_topk_simplex(1024.0 * a, k, 1024.0, 1.0), 1024.0 * x, 1024.0 * a, "twin")


@pytest.mark.parametrize("module", TWINS, ids=lambda module: module.__name__)
@given(seed=st.integers(0, 10**6), d=st.integers(1, 40))
def test_moreau(module, seed, d):
    """For a cone, a = x + (a - x) with x in the cone, a - x in its polar and <x, a - x> = 0."""
    a, k = point(seed, "normal", d), 1 + seed % d
    x = module.project_topk_cone(a, k)
    assert abs(x @ (a - x)) <= allowed("twin", d) * (a @ a)
    assert np.sort(a - x)[d - k :].sum() <= allowed("twin", d) * d * np.abs(a).max()  # Lemma 4: its polar cone
    assert x.min() >= 0 and x.max() <= x.sum() / k * (1 + allowed("twin", d))


@pytest.mark.parametrize("module", TWINS, ids=lambda module: module.__name__)
@pytest.mark.parametrize("shape", SHAPES)
def test_float32_stays_float32_and_is_as_exact_as_it_can_be(module, shape):
    for d in (1, 5, 300):
        a = point(2, shape, d).astype(np.float32)
        for name, arguments in problems(2, d):
            got = getattr(module, name)(a, *arguments)
            assert got.dtype == np.float32
            expected = getattr(reference, name)(a.astype(np.float64), *arguments)
            assert_close(got, expected, a, "exact", np.float32)


@pytest.mark.parametrize("module", TWINS, ids=lambda module: module.__name__)
def test_inputs_are_not_changed_and_may_have_any_layout(module):
    a = np.asfortranarray(np.arange(12.0).reshape(3, 4) % 5)
    a.flags.writeable = False
    before = a.copy()
    for name, arguments in problems(0, 4):
        got = getattr(module, name)(a, *arguments)
        assert_close(got, getattr(reference, name)(before, *arguments), before, "twin")
        assert_close(getattr(module, name)(a[:, ::-1], *arguments)[0], got[0, ::-1], before, "twin") if len(
            arguments
        ) < 4 else None
        assert (a == before).all()
    for other in ([3, 1, 2], np.array([3, 1, 2], np.int32), np.array([3, 1, 2], np.float16), [True, False, True]):
        assert module.project_simplex(other).dtype == np.float64


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_a_kernel_is_compiled_for_two_types_only():
    frozen = np.arange(6.0)
    frozen.flags.writeable = False
    long, longest = np.arange(2.0 * LONG_ROW), np.arange(2.0 * PER_THREAD)
    several = long, long[::2], longest, longest.astype(np.float32)
    for a in (frozen, frozen.copy(), frozen.reshape(2, 3).T, frozen.astype(np.float32), np.arange(6), *several):
        d = a.shape[-1]
        for n_jobs in (1, 2):
            fast.project_topk_simplex(a, 1, n_jobs=n_jobs)
            fast.project_simplex(a, n_jobs=n_jobs)
        for bound in (1.0, np.ones(d), np.broadcast_to(1.0, d), np.ones(2 * d)[::2]):
            fast.project_knapsack(a, 1.0, -1.0 * bound, bound, np.broadcast_to(1.0, d))
    of_sets = topk_point, topk_rows, topk_long_rows, capped_point, capped_rows, capped_long_rows
    for kernel in (*of_sets, topk_of_maxima, capped_of_maxima, write_maxima, write_clipped, knapsack_rows):
        assert len(kernel.signatures) <= 2, kernel.signatures


@pytest.mark.parametrize("module", TWINS, ids=lambda module: module.__name__)
def test_total_that_only_rounding_puts_outside_is_reached(module):
    got = module.project_knapsack(np.arange(10.0), total=1.0, lower=0.0, upper=0.1)
    assert_close(got, np.full(10, 0.1), np.arange(10.0), "exact")
    got = module.project_knapsack(np.arange(10.0, dtype=np.float32), 1.0, 0.0, np.float32(0.1))
    assert_close(got, np.full(10, 0.1), np.arange(10.0), "exact", np.float32)


@pytest.mark.parametrize("d", [3, 40, 700])
def test_rows_that_come_down_and_rows_that_go_up_are_one_batch(d):
    rng = np.random.default_rng(d)
    rows = np.vstack([rng.normal(size=(4, d)), rng.normal(size=(4, d)) - 9, np.full((1, d), 2 / d)])[::-1]
    for total in (1.0, 0.4 * d, 2.0):
        got = fast.project_knapsack(rows, total)
        expected = np.array([reference.project_knapsack(row, total) for row in rows])
        assert np.abs(got - expected).max() <= 1e-13 * d
        assert np.abs(got.sum(axis=1) - total).max() <= 1e-12 * total


THREADED = [
    ("project_simplex", (1.0,)),
    ("project_knapsack", (1.0,)),
    ("project_knapsack", (0.5, -1.0, 1.0)),
    ("project_capped_simplex", (0.2, 1.0, 1.0)),
    ("project_topk_cone", (3, 1.0)),
    ("project_topk_simplex", (5, 1.0, 0.5)),
]


@pytest.mark.parametrize(("name", "arguments"), THREADED)
@pytest.mark.parametrize("shape", [(1, 2**20), (3, 50_000), (9000, 60), (100, 2500), (5,)], ids=str)
def test_threads_do_not_change_a_bit(name, arguments, shape):
    """Short rows, whose guesses depend on the row before; long rows; and blocks of a single long row."""
    rng = np.random.default_rng(1)
    for dtype in (np.float64, np.float32):
        a = rng.standard_normal(shape).astype(dtype)
        expected = getattr(fast, name)(a, *arguments)
        for n_jobs in (2, 5, -1):
            assert (getattr(fast, name)(a, *arguments, n_jobs=n_jobs) == expected).all(), n_jobs
        assert certified_rows(name, expected, a, arguments, dtype)


def certified_rows(name, x, a, arguments, dtype):
    """Whether some rows of the answer pass their certificate."""
    some = list(zip(np.atleast_2d(x), np.atleast_2d(a), strict=True))[::1500]
    return all(
        getattr(certificates, name)(one, row, *arguments) <= allowed("certificate", row.size, dtype)
        for one, row in some
    )


@pytest.mark.parametrize("name, arguments", THREADED)
def test_threads_that_write_one_long_row_do_not_change_a_bit(name, arguments):
    """All coordinates are positive, all share one value, all are zero, or all are negative."""
    normal = np.random.default_rng(2).standard_normal(2**21)
    for a in (1e-9 * normal, np.ones(2**21), np.zeros(2**21), -np.abs(normal) - 1):
        for dtype in (np.float64, np.float32):
            points = a.astype(dtype)
            expected = getattr(fast, name)(points, *arguments)
            for n_jobs in (2, 3):
                assert np.array_equal(getattr(fast, name)(points, *arguments, n_jobs=n_jobs), expected), n_jobs


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_maxima_of_blocks_are_exact_and_show_what_is_not_finite(dtype):
    rng, size = np.random.default_rng(0), 8
    for exponent in (-40, 0, 30):
        a = (rng.standard_normal((40, 83)) * 10.0**exponent).astype(dtype)
        a[::4] = -np.abs(a[::4])
        a[1::4] = rng.choice([-0.0, -1.0], (10, 83))
        maxima = np.empty((40, 11), bits_of(a).dtype)
        assert write_maxima(bits_of(a), size, 0, 11, maxima)
        expected = np.array([[row[i : i + size].max() for i in range(0, 83, size)] for row in a])
        assert np.array_equal(maxima.view(dtype), expected)
        for wrong in (np.nan, -np.nan, np.inf, -np.inf):
            b = a.copy()
            b[rng.integers(40), rng.integers(83)] = wrong
            assert not write_maxima(bits_of(b), size, 0, 11, maxima)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("shape", [(2**20,), (3, 50_000), (9000, 60), (100, 2500)], ids=str)
def test_a_number_that_is_not_finite_is_found_by_any_thread(shape, n_jobs):
    for place in (0, -1):
        a = np.zeros(shape)
        a.flat[place] = np.nan
        for name, arguments in THREADED:
            with pytest.raises(ValueError, match="a must be finite, got nan"):
                getattr(fast, name)(a, *arguments, n_jobs=n_jobs)

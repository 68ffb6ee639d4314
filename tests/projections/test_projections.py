"""Projections: rows of any length and in any number, threads, digits of the sum, and what is refused."""

from fractions import Fraction

import numba
import numpy as np
import pytest

import fast
import reference
from fast._projections import run
from fast._projections.candidates import LONG_ROW, write_clipped, write_maxima
from fast._projections.capped import capped_long_rows, capped_of_maxima, capped_point, capped_rows
from fast._projections.knapsack import knapsack_rows
from fast._projections.topk import topk_long_rows, topk_of_maxima, topk_point, topk_rows
from fast._shared.bits import bits_of
from reference.check import certify
from reference.check.projections import cases
from reference.problems import checks
from tests.support.twins import BOTH

EPS = {np.float64: np.finfo(np.float64).eps, np.float32: np.finfo(np.float32).eps}
ROUNDINGS = 16  # of a certificate, times sqrt(d)
SHAPES = {
    "normal": lambda rng, d: rng.standard_normal(d),
    "ties": lambda rng, d: rng.integers(-2, 4, d).astype(float),
    "nearly equal": lambda rng, d: 1e6 + rng.standard_normal(d),
    "one huge": lambda rng, d: rng.standard_normal(d) + 1e6 * (np.arange(d) == rng.integers(d)),
    "sorted": lambda rng, d: np.sort(rng.standard_normal(d)),
}
EACH_SHAPE = pytest.mark.parametrize("shape", SHAPES)


def assert_certified(name, x, a, arguments, dtype=np.float64):
    certificate, allowed = certify(name, x, a, *arguments).value, ROUNDINGS * EPS[dtype] * np.sqrt(a.size)
    assert certificate <= allowed, f"{name}{arguments} got {certificate}"


# --- digits --------------------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("scale", [1e6, 1e16, 1e30])
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
            assert_certified(name, x, scale * a, arguments)


def test_a_bracket_much_wider_than_the_answer_is_halved_to_the_end():
    got = fast.project_simplex(np.array([0.0, -4e139, -8e139, 4e139]), 10.0)
    assert (got == [0, 0, 0, 10]).all(), got


@BOTH
def test_a_total_that_only_rounding_puts_outside_is_reached(module):
    for dtype in (np.float64, np.float32):
        got = module.project_knapsack(np.arange(10.0, dtype=dtype), total=1.0, lower=0.0, upper=dtype(0.1))
        assert np.abs(got - 0.1).max() <= 8 * EPS[dtype]


# --- many rows, long rows and threads ------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [5000, 50_000])
@EACH_SHAPE
def test_fast_is_certified_at_sizes_that_the_reference_does_not_reach(d, shape):
    a = SHAPES[shape](np.random.default_rng(d), d)
    for k in (1, 5, d // 3 if d <= 5000 else 50):
        for radius, bias in ((1.0, 0.0), (50.0, 1.0), (1e9, 0.0), (1e9, 1e-12)):
            for name, arguments in [
                ("project_topk_simplex", (k, radius, bias)),
                ("project_topk_cone", (k, bias)),
                ("project_capped_simplex", (radius / k, radius, bias)),
                ("project_simplex", (radius,)),
                ("project_knapsack", (radius, 0.0, radius)),
            ]:
                assert_certified(name, getattr(fast, name)(a, *arguments), a, arguments)


@EACH_SHAPE
def test_each_row_of_a_batch_is_certified(shape):
    """A row begins with the threshold of the row before, which may be far off."""
    rng = np.random.default_rng(3)
    rows = np.array([SHAPES[shape](rng, 30) for _ in range(40)]) * rng.choice([1.0, 1e3], (40, 1))
    for name, arguments in [*THREADED, ("project_topk_simplex", (5, 1.0, 0.0)), ("project_knapsack", (20.0,))]:
        for x, a in zip(getattr(fast, name)(rows, *arguments), rows, strict=True):
            assert_certified(name, x, a, arguments)


@pytest.mark.parametrize("d", [3, 700])
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
EACH_THREADED = pytest.mark.parametrize(("name", "arguments"), THREADED)


@EACH_THREADED
@pytest.mark.parametrize("shape", [(3, 50_000), (9000, 60)], ids=str)
def test_threads_do_not_change_a_bit(name, arguments, shape):
    """Long rows, and short rows, whose guesses depend on the row before."""
    a = np.random.default_rng(1).standard_normal(shape)
    expected = getattr(fast, name)(a, *arguments)
    for n_jobs in (2, 5, -1):
        assert (getattr(fast, name)(a, *arguments, n_jobs=n_jobs) == expected).all(), n_jobs
    for x, row in list(zip(expected, a, strict=True))[::1500]:
        assert_certified(name, x, row, arguments)


@EACH_THREADED
def test_threads_that_share_one_long_row_do_not_change_a_bit(name, arguments, monkeypatch):
    """Few coordinates are positive, all are, all share one value, all are zero, or all are negative."""
    monkeypatch.setattr(run, "PER_THREAD", 2**16)
    normal = np.random.default_rng(2).standard_normal(2**17)
    for a in (normal, 1e-9 * normal, 0 * normal + 1, 0 * normal, (-np.abs(normal) - 1).astype(np.float32)):
        expected = getattr(fast, name)(a, *arguments)
        assert np.array_equal(getattr(fast, name)(a, *arguments, n_jobs=2), expected)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("shape", [(2 * run.PER_THREAD,), (3, 50_000), (9000, 60)], ids=str)
def test_a_number_that_is_not_finite_is_found_by_any_thread(shape, n_jobs):
    for place in (0, -1):
        a = np.zeros(shape)
        a.flat[place] = np.nan
        for name, arguments in THREADED:
            with pytest.raises(ValueError, match="a must be finite, got nan"):
                getattr(fast, name)(a, *arguments, n_jobs=n_jobs)


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_a_kernel_is_compiled_for_two_types_only():
    frozen = np.arange(6.0)
    frozen.flags.writeable = False
    long, longest = np.arange(2.0 * LONG_ROW), np.arange(2.0 * run.PER_THREAD)
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


# --- what is refused, and the examiner's instances -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("project_simplex", (np.append(np.zeros(5000), -np.inf),), "a must be finite, got -inf at index 5000"),
        ("project_simplex", (3.0,), "a must have 1 or 2 dimensions"),
        ("project_simplex", (["x"],), "a must hold real numbers"),
        ("project_simplex", ([1j],), "a must hold real numbers"),
        ("project_simplex", ([1.0], "1"), "radius must be a finite number, got the string '1'"),
        ("project_simplex", ([1.0], np.array(True)), "radius must be a finite number, got an array of bool, shape ()"),
        ("project_knapsack", ([1.0, 2.0], 3.0), "total must be within 0.0..2.0"),
        ("project_knapsack", ([1.0, 2.0], 1.0, [0.0] * 3), "lower must be a number or have shape (2,), got shape (3,)"),
        ("project_knapsack", ([1.0, 2.0], 1.0, 0j), "lower must hold real numbers"),
        ("project_knapsack", ([1.0, 2.0], 1.0, 0.0, "1"), "upper must hold real numbers"),
        ("project_knapsack", ([1.0, 2.0], np.inf), "total must be a finite number, got inf"),
        ("project_capped_simplex", ([1.0], np.inf), "cap must be a finite number, got inf"),
        ("project_topk_cone", ([1.0, 2.0], True), "k must be an integer in 1..2, got True"),
        ("project_topk_simplex", ([[1.0, 2.0], [np.nan, 1.0]], 1), "a must be finite, got nan at index (1, 0)"),
        ("project_bipartite_simplex", ([1.0], "text"), "c must hold real numbers"),
        ("project_bipartite_simplex", ([[1.0]], [1.0]), "c must"),
    ],
)
def test_bad_input_is_named(name, arguments, message):
    with pytest.raises(ValueError) as error:
        getattr(fast, name)(*arguments)
    assert str(error.value).startswith(message)


def test_points_of_other_types_become_float64():
    for other in ([3, 1, 2], np.array([3, 1, 2], np.int32), np.array([3, 1, 2], np.float16), [True, False, True]):
        assert fast.project_simplex(other).dtype == np.float64


@pytest.mark.parametrize("d", [1, 7, 1000])
@pytest.mark.parametrize("cap", [0.0, 0.1, 3, np.inf, -1.0, np.nan, "one", True, None])
def test_one_cap_is_checked_like_bounds_of_each_coordinate(d, cap):
    most = d * cap if isinstance(cap, float) else 1.0
    for total in (0.0, -1e-3, 0.3, most, most * (1 + 1e-12), most * (1 - 1e-12), most + 0.1, np.nan):
        for dtype in (np.dtype(np.float32), np.dtype(np.float64)):
            got = outcome(checks.one_cap, total, 0.0, cap, d, dtype)
            assert got == outcome(checks.knapsack, total, 0.0, cap, None, d, dtype), (total, dtype)


def outcome(check, *arguments):
    """The beginning of what it says, which holds no rounded sum, or None."""
    try:
        check(*arguments)
    except ValueError as error:
        return str(error).split("..")[0]


def test_the_examiner_asks_for_points_of_sets_that_are_not_empty():
    # In exact arithmetic: an implementation may refuse a total that is one rounding above the largest sum.
    for case in cases.project_knapsack(np.random.default_rng(0), quick=False):
        given, d = case.arguments, case.arguments["a"].shape[-1]
        if case.refuses or d > 1000:
            continue
        weights = np.ones(d) if given.get("weights") is None else given["weights"]
        for name, default, sign in (("lower", 0.0, 1), ("upper", 1.0, -1)):
            bound = np.broadcast_to(given.get(name, default), d)
            if np.isfinite(bound).all():
                reached = sum(Fraction(float(w)) * Fraction(float(b)) for w, b in zip(weights, bound, strict=True))
                assert sign * (Fraction(float(given["total"])) - reached) >= 0, (case.label, given)


# --- pairs: the bipartite simplex ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("d", "e"), [(LONG_ROW, LONG_ROW + 7), (LONG_ROW + 3, 1), (2, 5 * LONG_ROW)])
@EACH_SHAPE
def test_long_pairs_are_certified(d, e, shape):
    rng = np.random.default_rng(d)
    b, c = SHAPES[shape](rng, d), rng.standard_normal(e)
    for dtype in (np.float64, np.float32):
        b, c = b.astype(dtype), c.astype(dtype)
        for radius in (0.01, 50.0, 1e9):
            for pair in ((b, c), (c, b)):
                got = fast.project_bipartite_simplex(*pair, radius)
                allowed = 50 * EPS[dtype] * np.sqrt(d + e)
                assert certify("project_bipartite_simplex", got, *pair, radius).value <= allowed


def test_a_number_that_is_not_finite_is_found_in_long_pairs():
    long = np.zeros(LONG_ROW)
    long[5] = np.nan
    for pair, named in (((long, np.ones(2)), "b"), ((np.ones(2), long), "c")):
        with pytest.raises(ValueError, match=f"^{named} must be finite, got nan at index 5"):
            fast.project_bipartite_simplex(*pair)


def test_pairs_have_one_type():
    rng = np.random.default_rng(0)
    b, c = rng.normal(size=(5, 4)), rng.normal(size=(5, 3))
    kinds = [(np.float32, np.float32, np.float32), (np.float32, np.float64, np.float64), (int, int, np.float64)]
    for of_b, of_c, expected in kinds:
        got = fast.project_bipartite_simplex(b.astype(of_b), c.astype(of_c))
        assert got[0].dtype == got[1].dtype == expected


def test_threads_do_not_change_a_bit_of_pairs():
    rng = np.random.default_rng(0)
    b, c = rng.normal(size=(60, 5000)), rng.normal(size=(60, 300))
    one, two = (fast.project_bipartite_simplex(b, c, 3.0, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert (one[0] == two[0]).all() and (one[1] == two[1]).all()

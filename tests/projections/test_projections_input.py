"""Projections: what they refuse, and that they say why."""

from fractions import Fraction

import numpy as np
import pytest

import fast
import reference
from reference.check import problems
from reference.ground_truth import projections as ground_truth
from reference.problems import checks

BAD = [
    ("project_simplex", ([1.0, np.nan],), "a must be finite, got nan"),
    ("project_simplex", ([1.0, np.inf],), "a must be finite, got inf"),
    ("project_simplex", (np.append(np.zeros(5000), -np.inf),), "a must be finite, got -inf at index 5000"),
    ("project_simplex", ([],), "a must not be empty"),
    ("project_simplex", (np.zeros((0, 3)),), "a must not be empty"),
    ("project_simplex", (np.zeros((2, 2, 2)),), "a must have 1 or 2 dimensions"),
    ("project_simplex", (3.0,), "a must have 1 or 2 dimensions"),
    ("project_simplex", (["x"],), "a must hold real numbers"),
    ("project_simplex", ([1j],), "a must hold real numbers"),
    ("project_simplex", ([1.0], -1.0), "radius must be >= 0, got -1.0"),
    ("project_simplex", ([1.0], np.nan), "radius must be a finite number, got nan"),
    ("project_simplex", ([1.0], np.inf), "radius must be a finite number, got inf"),
    ("project_simplex", ([1.0], "1"), "radius must be a finite number, got the string '1'"),
    ("project_simplex", ([1.0], np.array(True)), "radius must be a finite number, got an array of bool, shape ()"),
    ("project_simplex", ([1.0], 10**400), "radius must be at most 1e+140 in magnitude, got 1000"),
    ("project_simplex", ([10**400],), "a must be at most 1e+140 in magnitude, got [1000"),
    ("project_knapsack", ([1.0, 2.0], 3.0), "total must be within 0.0..2.0"),
    ("project_knapsack", ([1.0, 2.0], -0.1), "total must be within 0.0..2.0"),
    ("project_knapsack", ([1.0, 2.0], 1.0, 0.5, 0.2), "lower must be <= upper, got lower 0.5 > upper 0.2"),
    ("project_knapsack", ([1.0, 2.0], 1.0, np.nan), "lower must hold numbers or -inf, got nan"),
    ("project_knapsack", ([1.0, 2.0], 1.0, 0.0, -np.inf), "upper must hold numbers or inf, got -inf"),
    ("project_knapsack", ([1.0, 2.0], 1.0, [0.0] * 3), "lower must be a number or have shape (2,), got shape (3,)"),
    ("project_knapsack", ([1.0, 2.0], 1.0, 0.0, 1.0, [1.0, 0.0]), "weights must be finite and > 0, at least 1e-140"),
    ("project_knapsack", ([1.0, 2.0], 1.0, 0j), "lower must hold real numbers"),
    ("project_knapsack", ([1.0, 2.0], 1.0, "0"), "lower must hold real numbers"),
    ("project_knapsack", ([1.0, 2.0], 1.0, 0.0, "1"), "upper must hold real numbers"),
    ("project_knapsack", ([1.0, 2.0], np.inf), "total must be a finite number, got inf"),
    ("project_capped_simplex", ([1.0], -1.0), "cap must be >= 0, got -1.0"),
    ("project_capped_simplex", ([1.0], np.inf), "cap must be a finite number, got inf"),
    ("project_capped_simplex", ([1.0], 1.0, 1.0, -1.0), "bias must be >= 0, got -1.0"),
    ("project_topk_cone", ([1.0], 0), "k must be an integer in 1..1, got 0"),
    ("project_topk_cone", ([1.0, 2.0], 3), "k must be an integer in 1..2, got 3"),
    ("project_topk_cone", ([1.0, 2.0], 1.0), "k must be an integer in 1..2, got 1.0"),
    ("project_topk_cone", ([1.0, 2.0], True), "k must be an integer in 1..2, got True"),
    ("project_topk_simplex", ([1.0, np.nan], 1), "a must be finite, got nan"),
    ("project_topk_simplex", ([1.0, 2.0], 3), "k must be an integer in 1..2, got 3"),
    ("project_topk_simplex", ([1.0], 1, -1.0), "radius must be >= 0, got -1.0"),
    ("project_topk_simplex", ([[1.0, 2.0], [np.nan, 1.0]], 1), "a must be finite, got nan at index (1, 0)"),
]


@pytest.mark.parametrize("module", [reference, fast, ground_truth], ids=lambda module: module.__name__)
@pytest.mark.parametrize(("name", "arguments", "message"), BAD)
def test_bad_input_is_named(module, name, arguments, message):
    with pytest.raises(ValueError) as error:
        getattr(module, name)(*arguments)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize("module", [reference, fast])
@pytest.mark.parametrize("n_jobs", [0, -2, 1.0, True, "2", None])
def test_a_bad_number_of_threads_is_named(module, n_jobs):
    for name, arguments in (
        ("project_simplex", ()), ("project_knapsack", (1.0,)), ("project_knapsack", (1.0, -1.0)),
        ("project_capped_simplex", (0.5,)), ("project_topk_cone", (1,)), ("project_topk_simplex", (1,)),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="n_jobs must be an integer >= 1, or -1 for all processors, got"):
            getattr(module, name)(np.array([1.0, 2.0]), *arguments, n_jobs=n_jobs)


@pytest.mark.parametrize("module", [reference, fast])
def test_a_cap_near_the_largest_number_is_a_cap(module):
    for dtype, caps in ((np.float32, (1e38, 3e38, np.float32(3e38))), (np.float64, (1e139, 1e140))):
        a = np.array([0.5, 1.0, -1.0], dtype)
        for cap in caps:
            np.testing.assert_allclose(module.project_knapsack(a, 1.0, 0.0, cap), [0.25, 0.75, 0.0], rtol=1e-6)


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


@pytest.mark.parametrize("seed", range(3))
def test_the_examiner_asks_for_points_of_sets_that_are_not_empty(seed):
    # In exact arithmetic: an implementation may refuse a total that is one rounding above the largest sum.
    cases = problems.projections.project_knapsack(np.random.default_rng(seed), quick=False)
    for case in cases:
        given, d = case.arguments, case.arguments["a"].shape[-1]
        if case.refuses or d > 1000:
            continue
        weights = np.ones(d) if given.get("weights") is None else given["weights"]
        for name, default, sign in (("lower", 0.0, 1), ("upper", 1.0, -1)):
            bound = np.broadcast_to(given.get(name, default), d)
            if np.isfinite(bound).all():
                reached = sum(Fraction(float(w)) * Fraction(float(b)) for w, b in zip(weights, bound, strict=True))
                assert sign * (Fraction(float(given["total"])) - reached) >= 0, (case.label, given)

"""The bipartite simplex: ground truth, reference, fast, and what the projection must obey."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fast
import reference
from fast._projections.candidates import LONG_ROW
from reference.check import certificates
from reference.ground_truth import enumeration
from reference.ground_truth import projections as ground_truth
from tests.support.projections import SHAPES, point

BOTH = pytest.mark.parametrize("module", [reference, fast], ids=lambda module: module.__name__)
EPS = np.finfo(np.float64).eps
RADII = (0.0, 0.01, 1.0, 50.0)


def pairs(seed, d, e, scale=1.0):
    """Pairs of points of several shapes, and a radius for each."""
    rng = np.random.default_rng(seed)
    for shape in SHAPES:
        b, c = point(seed, shape, d, scale), scale * rng.standard_normal(e)
        yield b, c, scale * float(rng.choice(RADII))
        yield c, b, scale * float(rng.choice(RADII))
    b, c = scale * rng.standard_normal(d), scale * rng.standard_normal(e)
    yield b + 1e6 * scale, c - 1e6 * scale, scale


def assert_pair(got, expected, b, c, roundings=16):
    unit = max(np.abs(b).max(), np.abs(c).max()) or 1.0
    limit = roundings * EPS * unit * np.sqrt(len(b) + len(c))
    for x, y in zip(got, expected, strict=True):
        assert np.abs(x - y).max() <= limit, f"expected {expected}, got {got} for {b}, {c}"


def test_ground_truth_is_certified():
    for b, c, radius in pairs(1, 3, 2):
        for truth, allowed in ((enumeration, 1e-14), (ground_truth, 1e-9)):
            answer = truth.project_bipartite_simplex(b, c, radius)
            assert certificates.project_bipartite_simplex(answer, b, c, radius) <= allowed


def test_a_certificate_rejects_each_kind_of_wrong_answer():
    b, c = np.array([0.5, 0.25]), np.array([0.75, -1.0])
    u, v = np.array([0.5, 0.25]), np.array([0.75, 0.0])
    assert certificates.project_bipartite_simplex((u, v), b, c) == 0
    full = reference.project_simplex(b), reference.project_simplex(c)
    wrongs = [(0 * u, 0 * v), (b, c), full, (v, u), (u, 0 * v), (u + 1e-6, v), (np.full(2, np.nan), v), (-u, -v)]
    for wrong in wrongs:
        assert certificates.project_bipartite_simplex(wrong, b, c) > 1e-8, f"{wrong} passed"


@BOTH
@pytest.mark.parametrize("scale", [1.0, 1e-9, 1e9])
def test_enumeration_agrees_at_every_scale(module, scale):
    for seed in range(3):
        for d, e in ((1, 1), (1, 3), (4, 2), (9, 8)):
            for b, c, radius in pairs(seed, d, e, scale):
                expected = enumeration.project_bipartite_simplex(b, c, radius)
                assert_pair(module.project_bipartite_simplex(b, c, radius), expected, b, c)


@given(st.integers(0, 10**6), st.integers(1, 300), st.integers(1, 300))
def test_twins_agree(seed, d, e):
    for b, c, radius in pairs(seed, d, e):
        expected = reference.project_bipartite_simplex(b, c, radius)
        assert_pair(fast.project_bipartite_simplex(b, c, radius), expected, b, c, 64)


@pytest.mark.parametrize(("d", "e"), [(LONG_ROW, LONG_ROW + 7), (LONG_ROW + 3, 1), (2, 5 * LONG_ROW), (10**5, 10**4)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_long_rows_are_certified(d, e, dtype):
    for b, c, radius in pairs(d, d, e):
        b, c = b.astype(dtype), c.astype(dtype)
        for r in (radius, 1e9):
            u, v = fast.project_bipartite_simplex(b, c, r)
            assert u.dtype == v.dtype == dtype
            allowed = 50 * np.finfo(dtype).eps * np.sqrt(d + e)
            assert certificates.project_bipartite_simplex((u, v), b, c, r) <= allowed


@BOTH
def test_forms_of_input(module):
    rng = np.random.default_rng(0)
    b, c = rng.normal(size=(5, 4)), rng.normal(size=(5, 3))
    u, v = module.project_bipartite_simplex(b, c, 0.7)
    for i in range(5):
        one = module.project_bipartite_simplex(b[i], c[i], 0.7)
        assert (one[0] == u[i]).all() and (one[1] == v[i]).all()
    for form in (np.asfortranarray(b), np.repeat(b, 2, axis=1)[:, ::2], b.tolist()):
        assert (module.project_bipartite_simplex(form, c, 0.7)[0] == u).all()
    kinds = [(np.float32, np.float32, np.float32), (np.float32, np.float64, np.float64), (int, int, np.float64)]
    for of_b, of_c, expected in kinds:
        got = module.project_bipartite_simplex(b.astype(of_b), c.astype(of_c))
        assert got[0].dtype == got[1].dtype == expected


@given(st.integers(0, 10**6), st.integers(1, 20), st.integers(1, 20))
def test_properties(seed, d, e):
    for module in (reference, fast):
        for b, c, radius in pairs(seed, d, e):
            u, v = module.project_bipartite_simplex(b, c, radius)
            unit = max(np.abs(b).max(), np.abs(c).max()) or 1.0
            slack = 1e-13 * unit
            assert u.min() >= 0 and v.min() >= 0
            assert abs(u.sum() - v.sum()) <= slack * (d + e) and u.sum() <= radius + slack * d
            assert_pair(module.project_bipartite_simplex(u, v, radius), (u, v), b, c)  # it is in the set already
            assert_pair(module.project_bipartite_simplex(c, b, radius), (v, u), b, c)
            swapped = module.project_bipartite_simplex(b[::-1], c[::-1], radius)
            assert_pair((swapped[0][::-1], swapped[1][::-1]), (u, v), b, c)


def test_threads_do_not_change_the_answer():
    rng = np.random.default_rng(0)
    b, c = rng.normal(size=(60, 5000)), rng.normal(size=(60, 300))
    one, two = (fast.project_bipartite_simplex(b, c, 3.0, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert (one[0] == two[0]).all() and (one[1] == two[1]).all()


@BOTH
def test_wrong_arguments_are_refused_by_name(module):
    b, c = np.arange(3.0), np.arange(2.0)
    nan, inf = np.array([0.0, np.nan]), np.array([np.inf, 0.0])
    long = np.zeros(LONG_ROW)
    long[5] = np.nan
    for bad, named in (
        ((nan, c), "b"), ((b, nan), "c"), ((inf, c), "b"), ((b, -inf), "c"), ((long, c), "b"), ((b, long), "c"),
        ((b[None], c), "c"), ((np.zeros((2, 3)), np.zeros((3, 3))), "c"), ((np.zeros(0), c), "b"), ((b, "text"), "c"),
        ((b, c, -1.0), "radius"), ((b, c, np.nan), "radius"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=f"^{named} must"):
            module.project_bipartite_simplex(*bad)
    with pytest.raises(ValueError, match="^n_jobs"):
        module.project_bipartite_simplex(b, c, n_jobs=0)

"""TopPush and SVMperf: what they refuse, and that they say why."""

import numpy as np
import pytest
from scipy import sparse

import fast
import reference
from tests.support.ranking_svm_input import BAD_OPTIONS
from tests.support.topk_baselines import BOTH, PERF, PUSH

X = np.arange(12.0).reshape(6, 2) % 5
RELEVANT = np.array([1, 0, 0, 1, 0, 1])
ONE_HOT = np.eye(3, dtype=int)[[0, 1, 2, 1, 0, 2]]
EACH_FIT = pytest.mark.parametrize("name", [PUSH, PERF])
FLAT_OR_NOT = pytest.mark.parametrize("relevant", [RELEVANT, ONE_HOT], ids=["flat", "multiclass"])

BAD_FEATURES = [
    ({"X": np.full((6, 2), np.inf)}, "X .*inf"),
    ({"X": np.where(X > 3, np.nan, X)}, "X .*nan"),
    ({"X": np.zeros((6, 0))}, r"X .*\(6, 0\)"),
    ({"X": np.zeros((0, 2))}, r"X .*\(0, 2\)"),
    ({"X": np.zeros(6)}, r"X .*\(6,\)"),
    ({"X": np.zeros((6, 2, 1))}, r"X .*\(6, 2, 1\)"),
    ({"X": np.full((6, 2), "a")}, "X .*<U1"),
    ({"X": 1j * X}, "X .*complex"),
    ({"X": sparse.coo_matrix(X)}, "X .*coo"),
    ({"X": sparse.csr_matrix(np.where(X > 3, np.nan, X))}, "X .*nan"),
]
BAD_FLAGS = [
    ({"relevant": RELEVANT[:5]}, r"relevant .*\(6,\)"),
    ({"relevant": ONE_HOT[:5]}, r"relevant .*\(6,\)"),
    ({"relevant": ONE_HOT[:, :0]}, r"relevant .*\(6,\)"),
    ({"relevant": RELEVANT[None]}, r"relevant .*\(6,\)"),
    ({"relevant": ONE_HOT[..., None]}, r"relevant .*\(6,\)"),
    ({"relevant": 2 * RELEVANT}, "relevant must hold booleans.*2"),
    ({"relevant": ONE_HOT - 1}, "relevant must hold booleans.*-1"),
    ({"relevant": 0.5 * RELEVANT}, "relevant must hold booleans.*0.5"),
    ({"relevant": np.where(RELEVANT, np.nan, 0)}, "relevant must hold booleans.*nan"),
    ({"relevant": np.array(["yes", "no"] * 3)}, "relevant must hold booleans.*yes"),
    ({"relevant": [[1, 0], [1], [0], [0], [0], [0]]}, "relevant .*1, 0"),
    ({"relevant": [[1, 0], [1], 0, 0, 0, 0]}, "relevant .*1, 0"),
    ({"relevant": None}, "relevant .*None"),
    ({"relevant": 1}, "relevant .*1"),
    ({"relevant": np.zeros(6, bool)}, "relevant .*both classes.*False"),
    ({"relevant": np.ones(6, bool)}, "relevant .*both classes.*True"),
    ({"relevant": np.ones((6, 3), int)}, "relevant .*both classes.*True"),
]
BAD_SEEDS = [({"seed": bad}, f"seed .*{bad}") for bad in (-1, "a", 1.5)]
BAD_SHAPES_OF_DUALS = [
    ({"duals": np.zeros(5)}, r"duals .*\(6,\).*\(5,\)"),
    ({"duals": np.zeros((6, 1))}, r"duals .*\(6, 1\)"),
    ({"duals": 0.0}, "duals "),
    ({"duals": "ab"}, "duals .*ab"),
    ({"duals": np.full(6, np.nan)}, "duals .*nan"),
    ({"duals": np.full(6, np.inf)}, "duals .*inf"),
]


def fit(module, name, **change):
    arguments = {"X": X, "relevant": RELEVANT, "regularization": 0.1} | ({"k": 2} if name == PERF else {})
    return getattr(module, name)(**arguments | change)


@BOTH
@EACH_FIT
@pytest.mark.parametrize(("change", "names"), BAD_FEATURES + BAD_FLAGS + BAD_OPTIONS + BAD_SEEDS + BAD_SHAPES_OF_DUALS)
def test_bad_input_is_named(module, name, change, names):
    with pytest.raises(ValueError, match=names):
        fit(module, name, **change)


@BOTH
@pytest.mark.parametrize(
    ("duals", "names"),
    [
        (RELEVANT - 0.4, "duals .*>= 0 where relevant"),
        (1.0 - 2 * RELEVANT, "duals .*>= 0 where relevant"),
        (2.0 * RELEVANT - 1 + 1e-6 * (np.arange(6) == 0), "duals .*sum to 0.*1"),
        (1e-9 * RELEVANT, "duals .*sum to 0"),
    ],
)
def test_duals_that_do_not_push(module, duals, names):
    with pytest.raises(ValueError, match=names):
        fit(module, PUSH, duals=duals)


@BOTH
@pytest.mark.parametrize(
    "duals",
    [
        np.array([0.9, 0.9, 0.2, 0.05, -0.05, 0.0]),
        np.array([1.0, 0.9, 0.0, 0.0, 0.0, 0.0]),  # one sample is in all selections, more often than there are any
        np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]),
        np.array([1.1, 1.1, 0.0, 0.0, 0.0, 0.0]),
    ],
)
def test_duals_that_do_not_select(module, duals):
    with pytest.raises(ValueError, match=r"duals .*k = 2, got"):
        fit(module, PERF, duals=duals)


@BOTH
@pytest.mark.parametrize(
    ("change", "names"),
    [
        *(({"k": bad}, f"k must be an integer in 1..6, got {bad}") for bad in (0, -1, 7, 1.5, 2.0, None, True)),
        ({"k": 19, "relevant": ONE_HOT}, "k must be an integer in 1..18, got 19"),
        *(({"loss": bad}, "loss must be one of 'recall', 'precision', got") for bad in ("ap", None, 1, ["recall"])),
    ],
)
def test_fit_svm_perf_names_bad_counts_and_losses(module, change, names):
    with pytest.raises(ValueError, match=names):
        fit(module, PERF, **change)


@BOTH
@EACH_FIT
@FLAT_OR_NOT
def test_numbers_of_any_kind_are_fine(module, name, relevant):
    got = fit(
        module, name, X=X.astype(int), relevant=relevant.astype(float).tolist(), regularization=1, seed=np.int64(3)
    )
    assert got.weights.dtype == np.float64 and got.gap <= 1e-3
    expected = fit(module, name, relevant=relevant, regularization=1.0, seed=3)
    assert (got.weights == expected.weights).all() and (got.duals == expected.duals).all()
    start = fit(module, name, relevant=relevant, regularization=1.0, duals=expected.duals.tolist())
    assert start.gap <= 1e-3
    if name == PERF:
        assert (fit(module, name, k=np.int32(2), relevant=relevant, regularization=1.0).weights == got.weights).all()


@pytest.mark.parametrize("module", [reference, fast], ids=lambda module: module.__name__)
@pytest.mark.parametrize("k", [None, 12, 2])
@pytest.mark.parametrize(("scale", "regularization"), [(1e139, 1e-100), (1e70, 1e-200), (1.0, 1e-310)])
def test_objectives_out_of_range_are_refused(module, k, scale, regularization):
    X, relevant = scale * np.random.default_rng(0).normal(size=(30, 120)), np.arange(30) < 12
    with pytest.raises(ValueError, match="in range|finite"):
        if k is None:
            module.fit_top_push(X, relevant, regularization=regularization, max_iterations=3)
        else:
            module.fit_svm_perf(X, relevant, k=k, regularization=regularization, max_iterations=3)

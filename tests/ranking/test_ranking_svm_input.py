"""The ranking SVM and its relatives: what they refuse, and that they say why."""

import numpy as np
import pytest
from scipy import sparse

from tests.support.ranking_learners import BOTH_LEARNERS
from tests.support.ranking_svm import BOTH
from tests.support.ranking_svm_input import BAD_OPTIONS

X = np.arange(12.0).reshape(6, 2) % 5
RELEVANT, GROUPS = np.array([1, 0, 0, 1, 0, 1]), np.array([0, 0, 0, 4, 4, 4])
BAGS = np.array([7, 7, 2, 2, 0, 0])

BAD_FLAGS = [
    ({"relevant": RELEVANT[:5]}, r"relevant .*\(6,\)"),
    ({"relevant": RELEVANT[:, None]}, r"relevant .*\(6,\)"),
    ({"relevant": 2 * RELEVANT}, "relevant must hold booleans"),
    ({"relevant": RELEVANT - 1}, "relevant must hold booleans"),
    ({"relevant": 0.5 * RELEVANT}, "relevant must hold booleans"),
    ({"relevant": np.where(RELEVANT, np.nan, 0)}, "relevant must hold booleans"),
    ({"relevant": np.array(["yes", "no"] * 3)}, "relevant must hold booleans"),
    ({"relevant": [[1, 0], [1], 0, 0, 0, 0]}, "relevant .*1, 0"),
    ({"relevant": None}, "relevant .*None"),
]
BAD_GROUPS = [
    ({"groups": GROUPS[:5]}, r"groups .*\(5,\)"),
    ({"groups": GROUPS[:, None]}, r"groups .*\(6, 1\)"),
    ({"groups": 0.5 + GROUPS}, "groups .*float64"),
    ({"groups": np.array(list("aabbcc"))}, "groups .*<U1"),
    ({"groups": [[0, 1], [2], 0, 0, 0, 0]}, "groups .*0, 1"),
    ({"groups": np.arange(6)}, "both classes"),
    ({"relevant": np.zeros(6, bool)}, "relevant .*both classes"),
    ({"relevant": np.ones(6, bool)}, "relevant .*both classes"),
]
BAD_FEATURES = [
    ({"X": np.full((6, 2), np.inf)}, "X .*inf"),
    ({"X": np.where(X > 3, np.nan, X)}, "X .*nan"),
    ({"X": np.zeros((6, 0))}, r"X .*\(6, 0\)"),
    ({"X": np.zeros((0, 2)), "relevant": np.zeros(0)}, r"X .*\(0, 2\)"),
    ({"X": np.zeros(6)}, r"X .*\(6,\)"),
    ({"X": np.zeros((6, 2, 1))}, r"X .*\(6, 2, 1\)"),
    ({"X": np.full((6, 2), "a")}, "X .*<U1"),
    ({"X": 1j * X}, "X .*complex"),
    ({"X": sparse.coo_matrix(X)}, "X .*coo"),
    ({"X": sparse.csr_matrix(np.where(X > 3, np.nan, X))}, "X .*nan"),
    ({"X": sparse.csr_matrix((0, 2)), "relevant": np.zeros(0)}, r"X .*\(0, 2\)"),
]
BAD_LOSSES = [({"loss": bad}, "loss .*'ap'") for bad in ("map", None, 1, ["ap"], lambda j, i: 1)]


BAD_STARTS = [
    ({"weights": np.zeros(3)}, r"weights .*\(3,\)"),
    ({"weights": np.zeros((2, 1))}, r"weights .*\(2, 1\)"),
    ({"weights": np.array([0.0, np.nan])}, "weights .*nan"),
    ({"weights": "ab"}, "weights .*ab"),
]


@BOTH
@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"scores": np.array([0.0, np.nan, 0, 0, 0, 0])}, "scores .*nan"),
        ({"scores": np.array([0.0, np.inf, 0, 0, 0, 0])}, "scores .*inf"),
        ({"scores": np.zeros(0), "relevant": np.zeros(0), "groups": None}, r"scores .*\(0,\)"),
        ({"scores": np.zeros((6, 1))}, r"scores .*\(6, 1\)"),
        ({"scores": 0.0}, "scores "),
        ({"loss": "zero_one"}, "loss .*zero_one"),
        *BAD_FLAGS,
        *BAD_GROUPS,
        *BAD_LOSSES,
    ],
)
def test_grouped_inference_names_bad_input(module, change, names):
    arguments = {"scores": np.arange(6.0), "relevant": RELEVANT, "groups": GROUPS} | change
    with pytest.raises(ValueError, match=names):
        module.grouped_inference(**arguments)


@BOTH
@pytest.mark.parametrize(("change", "names"), BAD_FEATURES + BAD_FLAGS + BAD_GROUPS + BAD_LOSSES + BAD_OPTIONS)
def test_fit_ranking_svm_names_bad_input(module, change, names):
    arguments = {"X": X, "relevant": RELEVANT, "groups": GROUPS, "regularization": 0.1} | change
    if len(arguments["relevant"] if "X" in change else RELEVANT) == 0:
        arguments["groups"] = None
    with pytest.raises(ValueError, match=names):
        module.fit_ranking_svm(**arguments)


@BOTH_LEARNERS
@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"loss": "zero_one"}, "loss .*zero_one"),
        ({"epsilon": 0.0}, "epsilon .*0.0"),
        ({"epsilon": np.inf}, "epsilon .*inf"),
        ({"step_size": -1.0}, "step_size .*-1.0"),
        ({"step_size": np.nan}, "step_size .*nan"),
        ({"max_iterations": 0}, "max_iterations .*0"),
        *BAD_FEATURES,
        *BAD_FLAGS,
        *BAD_GROUPS,
        *BAD_LOSSES,
        *BAD_STARTS,
    ],
)
def test_fit_direct_loss_names_bad_input(module, change, names):
    arguments = {"X": X, "relevant": RELEVANT, "groups": GROUPS} | change
    if len(arguments["relevant"] if "X" in change else RELEVANT) == 0:
        arguments["groups"] = None
    with pytest.raises(ValueError, match=names):
        module.fit_direct_loss(**arguments)


@BOTH_LEARNERS
@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"bags": BAGS[:5]}, r"bags .*\(5,\)"),
        ({"bags": BAGS + 0.5}, "bags .*float64"),
        ({"relevant": np.array([1, 1, 0, 0, 1, 0])}, "relevant .*bag 0"),
        ({"relevant": np.zeros(6)}, "relevant .*both classes"),
        ({"relevant": np.ones(6)}, "relevant .*both classes"),
        ({"max_rounds": 0}, "max_rounds .*0"),
        ({"max_rounds": 1.5}, "max_rounds .*1.5"),
        *BAD_FEATURES,
        *BAD_FLAGS,
        *BAD_LOSSES,
        *BAD_OPTIONS,
        *BAD_STARTS,
    ],
)
def test_fit_latent_ranking_svm_names_bad_input(module, change, names):
    arguments = {"X": X, "bags": BAGS, "relevant": BAGS > 1, "regularization": 0.1} | change
    if len(arguments["X"] if isinstance(arguments["X"], np.ndarray) else [1]) == 0 or arguments["X"].shape[0] == 0:
        arguments["bags"] = np.zeros(0, int)
    with pytest.raises(ValueError, match=names):
        module.fit_latent_ranking_svm(**arguments)


@BOTH
def test_numbers_of_any_kind_are_fine(module):
    got = module.fit_ranking_svm(X[:2].astype(int), [1.0, 0.0], groups=[-5, -5], regularization=1)
    assert got.weights.dtype == np.float64 and got.gap <= 1e-3
    far = np.array([-(2**62), 2**62, -(2**62), 2**62, 2**62, 2**62])
    assert module.grouped_inference(np.arange(6.0), RELEVANT, far).objective.shape == (2,)

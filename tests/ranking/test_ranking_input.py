"""Rankings: what the functions refuse, and that they say why."""

import functools

import numpy as np
import pytest
from scipy import sparse

import fast.ranking
import reference.ranking
from reference.problems.checks import QSLoss

BOTH = pytest.mark.parametrize("module", [reference.ranking, fast.ranking], ids=lambda module: module.__name__)

SCORES = [
    ({"positive_scores": np.array([0.0, np.nan])}, "positive_scores .*nan at index 1"),
    ({"positive_scores": np.array([np.inf, 0.0], np.float32)}, "positive_scores .*inf at index 0"),
    ({"positive_scores": []}, r"positive_scores .*\(0,\)"),
    ({"positive_scores": 1.0}, r"positive_scores .*\(\)"),
    ({"positive_scores": np.ones((2, 1))}, r"positive_scores .*\(2, 1\)"),
    ({"positive_scores": np.array([1j])}, "positive_scores .*complex"),
    ({"positive_scores": sparse.csr_matrix(np.ones((1, 2)))}, "positive_scores .*sparse"),
    ({"positive_scores": [[0.0], [1.0, 2.0]]}, "positive_scores .*"),
    ({"negative_scores": np.array([0.0, 1.0, -np.inf])}, "negative_scores .*-inf at index 2"),
    ({"negative_scores": np.array([0.0, 1.0, np.nan], np.float32)}, "negative_scores .*nan at index 2"),
    ({"negative_scores": np.full(1000, np.nan)}, "negative_scores .*nan at index 0"),
    ({"negative_scores": np.zeros(0)}, r"negative_scores .*\(0,\)"),
    ({"negative_scores": np.zeros((3, 1))}, r"negative_scores .*\(3, 1\)"),
    ({"negative_scores": "low"}, "negative_scores .*low"),
    ({"negative_scores": None}, "negative_scores .*"),
]
RANKS = [
    ({"interleaving": [1, 2, 4]}, "interleaving .*1..3, got 4"),
    ({"interleaving": [0, 1, 2]}, "interleaving .*1..3, got 0"),
    ({"interleaving": [1.0, 2.0, 3.0]}, "interleaving .*integers"),
    ({"interleaving": [True, True, True]}, "interleaving .*integers"),
    ({"interleaving": [[1, 2, 3]]}, r"interleaving .*\(1, 3\)"),
    ({"interleaving": np.zeros(0, int)}, r"interleaving .*\(0,\)"),
    ({"interleaving": None}, "interleaving .*None"),
]


@BOTH
@pytest.mark.parametrize("name", ["ap_loss", "ndcg_loss", "rank_loss"])
@pytest.mark.parametrize(
    ("change", "names"),
    [
        *RANKS,
        ({"n_positive": 0}, "n_positive .*0"),
        ({"n_positive": 1}, "interleaving .*1..2, got 3"),
        ({"n_positive": 2.0}, "n_positive .*2.0"),
        ({"n_positive": None}, "n_positive .*None"),
    ],
)
def test_interleavings_that_are_refused(module, name, change, names):
    with pytest.raises(ValueError, match=names):
        getattr(module, name)(**({"interleaving": [3, 1, 2], "n_positive": 2} | change))


@BOTH
@pytest.mark.parametrize(
    ("change", "names"),
    [
        *SCORES,
        ({"loss": "AP"}, "loss .*'ap', 'ndcg', 'auc', or a QSLoss, got 'AP'"),
        ({"loss": None}, "loss .*None"),
        ({"loss": reference.ranking.ap_loss}, "loss .*function"),
        ({"method": "heapsort"}, "method .*'quicksort', 'greedy', got 'heapsort'"),
        ({"method": None}, "method .*None"),
    ],
)
def test_inferences_that_are_refused(module, change, names):
    arguments = {"positive_scores": np.arange(2.0), "negative_scores": np.arange(3.0)} | change
    with pytest.raises(ValueError, match=names):
        module.loss_augmented_inference(**arguments)


@BOTH
@pytest.mark.parametrize(("change", "names"), SCORES)
def test_scores_that_are_refused(module, change, names):
    arguments = {"positive_scores": np.arange(2.0), "negative_scores": np.arange(3.0)} | change
    with pytest.raises(ValueError, match=names):
        module.interleaving_ranks(**arguments)


@BOTH
@pytest.mark.parametrize(
    ("change", "names"),
    [*SCORES, *RANKS, ({"interleaving": [1, 2]}, r"interleaving .*\(3,\), got shape \(2,\)")],
)
def test_gradients_that_are_refused(module, change, names):
    arguments = {"positive_scores": np.arange(2.0), "negative_scores": np.arange(3.0), "interleaving": [1, 2, 3]}
    with pytest.raises(ValueError, match=names):
        module.semigradient(**(arguments | change))


@pytest.mark.parametrize(
    "derivative",
    [lambda j, i: eval(str(i)), lambda j: 1.0, lambda j, i: 1j * i, functools.partial(max, 1), len, 3.0, [1]],
    ids=["evaluates text", "one argument", "complex", "partial", "builtin", "number", "list"],
)
def test_losses_that_numba_does_not_compile(derivative):
    loss = QSLoss("strange", derivative, lambda P, N: 1.0)
    with pytest.raises(ValueError, match="loss must have a derivative that Numba compiles, got 'strange': .+"):
        fast.ranking.loss_augmented_inference(np.arange(2.0), np.arange(3.0), loss)
    with pytest.raises(ValueError, match="loss .*'strange'"):
        fast.ranking.rank_loss([1, 2], 2, loss)

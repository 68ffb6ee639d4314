"""Rankings: what is refused beyond the catalogue of the examiner, and the words that say why.

The checks are the same for both packages, so one of them is asked.
"""

import functools

import numpy as np
import pytest
from scipy import sparse

import fast
import reference
from reference.problems.checks import QSLoss

X = np.arange(12.0).reshape(6, 2) % 5
RELEVANT, GROUPS = np.array([1, 0, 0, 1, 0, 1]), np.array([0, 0, 0, 4, 4, 4])


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"positive_scores": np.array([0.0, np.nan])}, "positive_scores .*nan at index 1"),
        ({"positive_scores": np.array([np.inf, 0.0], np.float32)}, "positive_scores .*inf at index 0"),
        ({"positive_scores": 1.0}, r"positive_scores .*\(\)"),
        ({"positive_scores": np.array([1j])}, "positive_scores .*complex"),
        ({"positive_scores": sparse.csr_matrix(np.ones((1, 2)))}, "positive_scores .*sparse"),
        ({"positive_scores": [[0.0], [1.0, 2.0]]}, "positive_scores .*"),
        ({"negative_scores": np.array([0.0, 1.0, -np.inf])}, "negative_scores .*-inf at index 2"),
        ({"negative_scores": np.array([0.0, 1.0, np.nan], np.float32)}, "negative_scores .*nan at index 2"),
        ({"negative_scores": np.full(1000, np.nan)}, "negative_scores .*nan at index 0"),
        ({"negative_scores": "low"}, "negative_scores .*low"),
        ({"negative_scores": None}, "negative_scores .*"),
        ({"loss": "AP"}, "loss .*'ap', 'ndcg', 'auc', or a QSLoss, got 'AP'"),
        ({"loss": reference.ap_loss}, "loss .*function"),
        ({"method": "heapsort"}, "method .*'quicksort', 'greedy', got 'heapsort'"),
    ],
)
def test_inferences_that_are_refused(change, names):
    arguments = {"positive_scores": np.arange(2.0), "negative_scores": np.arange(3.0)} | change
    with pytest.raises(ValueError, match=names):
        fast.loss_augmented_inference(**arguments)


@pytest.mark.parametrize(("ranks", "names"), [([True] * 3, "interleaving .*integers"), (None, "interleaving .*None")])
def test_interleavings_that_are_refused(ranks, names):
    with pytest.raises(ValueError, match=names):
        reference.semigradient(np.arange(2.0), np.arange(3.0), ranks)


@pytest.mark.parametrize(
    "derivative",
    [lambda j, i: eval(str(i)), lambda j: 1.0, lambda j, i: 1j * i, functools.partial(max, 1), len, 3.0, [1]],
    ids=["evaluates text", "one argument", "complex", "partial", "builtin", "number", "list"],
)
def test_losses_that_numba_does_not_compile(derivative):
    loss = QSLoss("strange", derivative, lambda P, N: 1.0)
    with pytest.raises(ValueError, match="loss must have a derivative that Numba compiles, got 'strange': .+"):
        fast.loss_augmented_inference(np.arange(2.0), np.arange(3.0), loss)
    with pytest.raises(ValueError, match="loss .*'strange'"):
        fast.rank_loss([1, 2], 2, loss)


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"relevant": RELEVANT[:, None]}, r"relevant .*\(6,\)"),
        ({"relevant": RELEVANT - 1}, "relevant must hold booleans"),
        ({"relevant": 0.5 * RELEVANT}, "relevant must hold booleans"),
        ({"relevant": np.where(RELEVANT, np.nan, 0)}, "relevant must hold booleans"),
        ({"relevant": np.array(["yes", "no"] * 3)}, "relevant must hold booleans"),
        ({"relevant": [[1, 0], [1], 0, 0, 0, 0]}, "relevant .*1, 0"),
        ({"relevant": None}, "relevant .*None"),
        ({"relevant": np.ones(6, bool)}, "relevant .*both classes"),
        ({"groups": GROUPS[:, None]}, r"groups .*\(6, 1\)"),
        ({"groups": np.array(list("aabbcc"))}, "groups .*<U1"),
        ({"groups": [[0, 1], [2], 0, 0, 0, 0]}, "groups .*0, 1"),
        ({"groups": np.arange(6)}, "both classes"),
        ({"loss": "map"}, "loss .*'ap', 'ndcg', 'auc', 'zero_one', or a QSLoss, got 'map'"),
        ({"group_weight": np.ones((6, 1))}, r"group_weight .*\(6, 1\)"),
        ({"group_weight": np.full(6, np.nan)}, "group_weight .*nan"),
        ({"group_weight": np.arange(6.0)}, "same for all samples of a group"),
        ({"group_weight": np.zeros(6)}, "group_weight must not be 0"),
        ({"group_weight": "heavy"}, "group_weight .*heavy"),
    ],
)
def test_samples_in_groups_that_are_refused(change, names):
    arguments = {"X": X, "relevant": RELEVANT, "groups": GROUPS, "regularization": 0.1} | change
    with pytest.raises(ValueError, match=names):
        reference.fit_ranking_svm(**arguments)


def test_bags_of_both_classes_are_refused_by_their_number():
    with pytest.raises(ValueError, match="relevant .*bag 7"):
        reference.fit_latent_ranking_svm(X, [2, 2, 7, 7, 0, 0], [1, 1, 0, 1, 0, 0], regularization=0.1)


def test_numbers_of_any_kind_are_fine():
    got = reference.fit_ranking_svm(X[:2].astype(int), [1.0, 0.0], groups=[-5, -5], regularization=1)
    assert got.weights.dtype == np.float64 and got.gap <= 1e-3
    far = np.array([-(2**62), 2**62, -(2**62), 2**62, 2**62, 2**62])
    assert reference.grouped_inference(np.arange(6.0), RELEVANT, far).objective.shape == (2,)

"""The Wsabie family: what its functions refuse and the catalogue of the examiner lacks. The checks are shared."""

import numpy as np
import pytest
from scipy import sparse

import fast
from reference.problems.checks import WsabieFit
from tests.support.twins import BOTH

X, Y = np.arange(8.0).reshape(4, 2), np.array([0, 1, 2, 1])
SETS = np.eye(3, dtype=int)[Y]
TWICE = sparse.csr_matrix((np.ones(5, int), np.array([0, 1, 1, 2, 1]), np.array([0, 1, 3, 4, 5])), shape=(4, 3))
START = WsabieFit(np.zeros((3, 2)), None, "euclidean")
WITH_W = WsabieFit(np.zeros((3, 2)), np.ones((2, 2)), "euclidean")
SINGLE, HUGE = X.astype(np.float32), np.full((3, 2), 1e140)
LONG = sparse.csr_matrix(np.eye(4, 2) + 1.0)
LONG.indptr = np.array([0, 7, 3, 5, 8], dtype=LONG.indptr.dtype)


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"X": np.zeros((4, 0))}, r"X .*\(4, 0\)"),
        ({"X": np.ones((4, 2), complex)}, "X .*complex"),
        ({"X": "features"}, "X .*features"),
        ({"X": sparse.coo_matrix(X)}, "X .*coo"),
        ({"X": sparse.csr_matrix(np.array([[1.0, 0], [0, 1], [np.nan, 1], [1, 1]]))}, r"X .*nan at index \(2, 0\)"),
        ({"X": LONG}, "X must have an indptr"),
        ({"Y": Y == 1}, "Y .*bool"),
        ({"Y": ["cat", "dog", "pig", "dog"]}, "Y .*cat"),
        ({"Y": [[0], [1, 2], [0], [1]]}, r"Y .*\[1, 2\]"),
        ({"Y": 0}, r"Y .*\(\)"),
        ({"Y": np.ones((4, 3, 2), int)}, "Y .*int64|Y .*3, 2"),
        ({"Y": SETS * np.nan}, "Y .*nan"),
        ({"Y": sparse.csr_matrix(3 * SETS)}, "Y .*0 and 1, got 3"),
        ({"Y": TWICE}, "Y .*0 and 1, got 2"),
        ({"Y": sparse.csr_matrix((4, 3), dtype=int)}, "Y .*lacks another, got 4"),
        ({"Y": sparse.coo_matrix(SETS)}, "Y .*coo"),
        ({"margin": True}, "margin .*True"),
        ({"step_size": None}, "step_size .*None"),
        ({"embedding_dim": True}, "embedding_dim .*True"),
        ({"progress": 1}, "progress .*1"),
        ({"callback": "print"}, "callback .*print"),
        ({"patience": 3}, "patience .*3 without"),
        ({"patience": 0, "callback": lambda fit: 0.0}, "patience .*0"),
        ({"patience": 1.0, "callback": lambda fit: 0.0}, "patience .*1.0"),
        ({"patience": 1, "callback": lambda fit: None}, "callback .*nan"),
        ({"patience": 1, "callback": lambda fit: np.nan}, "callback .*nan"),
        ({"callback": lambda fit: "good"}, "callback .*good"),
        ({"callback": lambda fit: fit}, "callback .*WsabieFit"),
        ({"callback": lambda fit: 10**400}, "callback .*1000"),
        ({"start": tuple(START)}, "start .*WsabieFit"),
        ({"start": START, "embedding_dim": 2}, "embedding_dim .*start .*got 2"),
        ({"start": START._replace(prototypes=None)}, r"start.prototypes .*\(\)"),
        ({"start": START._replace(steps="a")}, "start.steps .*'a'"),
        ({"start": START._replace(updates=-1)}, "start.updates .*-1"),
    ],
)
def test_walks_that_are_refused(change, names):
    with pytest.raises(ValueError, match=names):
        fast.fit_wsabie(**({"X": X, "Y": Y, "n_updates": 30} | change))


@BOTH
@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"X": SINGLE, "step": "constant", "step_size": 1e38, "n_updates": 3}, "prototypes .*float32"),
        # A margin of inf - inf is no number, and it must not pass for a margin that holds.
        ({"X": HUGE[[0] * 4], "embedding_dim": 2, "start": WsabieFit(HUGE, HUGE[:2])}, "difference .*(inf|nan)"),
    ],
)
def test_walks_that_overflow(module, change, names):
    with pytest.raises(ValueError, match=names):
        module.fit_wsabie(**({"X": X, "Y": Y, "n_updates": 5} | change))


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"negatives": True}, "negatives .*True"),
        ({"negatives": np.array(1.5)}, "negatives must be an integer"),
        ({"negatives": [1, 2]}, r"negatives .*\[1, 2\] without"),
        ({"negatives": [1, 0], "validation": (X, Y)}, "negatives .*0"),
        ({"validation": X}, r"validation .*\(4, 2\)"),
        ({"validation": (X[:, :1], Y)}, r"validation X .*2 columns, got shape \(4, 1\)"),
        ({"validation": (X, Y[:3])}, r"validation Y must have shape"),
    ],
)
def test_one_vs_all_that_is_refused(change, names):
    with pytest.raises(ValueError, match=names):
        fast.fit_one_vs_all(**({"X": X, "Y": Y, "n_updates": 30} | change))


def test_means_and_scores_that_are_refused():
    for given, names in (({"Y": SETS * [1, 1, 0]}, "Y .*got none of 2"), ({"n_classes": 5}, "Y .*0..4, got none of 3")):
        with pytest.raises(ValueError, match=names):
            fast.fit_nearest_means(**({"X": X, "Y": Y} | given))
    with pytest.raises(ValueError, match="sample_weight must be above 0 for an example of each class, .* all of 2"):
        fast.fit_nearest_means(X, Y, sample_weight=(Y != 2).astype(float))
    with pytest.raises(ValueError, match="scores .*float32"):
        fast.prototype_scores(SINGLE * np.float32(1e25), START)


@pytest.mark.parametrize("fits", [[START], [WITH_W, X], None, 3, WITH_W, [WsabieFit([[1.0]], [[1.0], [2.0]])]], ids=str)
def test_fits_that_do_not_belong_together(fits):
    with pytest.raises(ValueError, match="fits |fit.embedding must"):
        fast.concatenate_fits(fits)


def test_fits_side_by_side_may_come_one_by_one():
    assert fast.concatenate_fits(iter([WITH_W, WITH_W])).prototypes.shape == (3, 4)

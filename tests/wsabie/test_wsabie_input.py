"""The Wsabie family: what its functions refuse, in both twins alike, and that they say why."""

import numpy as np
import pytest
from scipy import sparse

from reference.problems.checks import WsabieFit
from tests.support.wsabie import BOTH

X, Y = np.arange(8.0).reshape(4, 2), np.array([0, 1, 2, 1])
SETS = np.eye(3, dtype=int)[Y]
OUTSIDE = sparse.csr_matrix((np.ones(4), np.array([0, 7, 0, 1]), np.arange(5)), shape=(4, 2))
TWICE = sparse.csr_matrix((np.ones(5, int), np.array([0, 1, 1, 2, 1]), np.array([0, 1, 3, 4, 5])), shape=(4, 3))
START = WsabieFit(np.zeros((3, 2)), None, "euclidean")
WITH_W = WsabieFit(np.zeros((3, 2)), np.ones((2, 2)), "euclidean")
SINGLE = X.astype(np.float32)


def of_data(more):
    """What each of the learners refuses about X, Y and n_classes."""
    return [
        ({"X": np.full((4, 2), np.nan)}, "X .*nan"),
        ({"X": np.full((4, 2), -np.inf)}, "X .*-inf"),
        ({"X": np.zeros((4, 0))}, r"X .*\(4, 0\)"),
        ({"X": np.zeros((0, 2)), "Y": np.zeros(0, int)}, r"X .*\(0, 2\)"),
        ({"X": np.zeros(4)}, r"X .*\(4,\)"),
        ({"X": np.ones((4, 2), complex)}, "X .*complex"),
        ({"X": "features"}, "X .*features"),
        ({"X": [["1", "2"]] * 4}, "X .*'1'"),
        ({"X": sparse.coo_matrix(X)}, "X .*coo"),
        ({"X": sparse.coo_array(np.ones(4))}, "X .*coo"),
        ({"X": sparse.csr_matrix(np.array([[1.0, 0], [0, 1], [np.nan, 1], [1, 1]]))}, r"X .*nan at index \(2, 0\)"),
        ({"X": OUTSIDE}, "X .*0..1, got 7"),
        ({"Y": Y[:3]}, r"Y .*\(3,\)"),
        ({"Y": np.array([0, 1, -2, 1])}, "Y .*-2"),
        ({"Y": 1.0 * Y}, "Y .*float64"),
        ({"Y": Y == 1}, "Y .*bool"),
        ({"Y": ["cat", "dog", "pig", "dog"]}, "Y .*cat"),
        ({"Y": [[0], [1, 2], [0], [1]]}, r"Y .*\[1, 2\]"),
        ({"Y": np.zeros(0, int)}, r"Y .*\(0,\)"),
        ({"Y": np.array([2**63, 0, 1, 2], dtype=np.uint64)}, "Y .*at most 9223372036854775807 .*9223372036854775808"),
        ({"Y": 0}, r"Y .*\(\)"),
        ({"Y": np.ones((4, 3, 2), int)}, "Y .*int64|Y .*3, 2"),
        ({"Y": SETS[:3]}, r"Y .*\(4, .*\(3, 3\)"),
        ({"Y": SETS[:, :1]}, r"Y .*\(4, 1\)"),
        ({"Y": 2 * SETS}, "Y .*0 and 1, got 2"),
        ({"Y": SETS - 1}, "Y .*0 and 1, got -1"),
        ({"Y": 0.5 * SETS}, "Y .*0 and 1, got 0.5"),
        ({"Y": SETS * np.nan}, "Y .*nan"),
        ({"Y": sparse.csr_matrix(3 * SETS)}, "Y .*0 and 1, got 3"),
        ({"Y": TWICE}, "Y .*0 and 1, got 2"),
        ({"Y": sparse.coo_matrix(SETS)}, "Y .*coo"),
        ({"Y": sparse.csr_matrix(SETS), "n_classes": 4}, r"Y .*\(4, 4\).*\(4, 3\)"),
        ({"Y": SETS, "n_classes": 2}, r"Y .*\(4, 2\).*\(4, 3\)"),
        ({"n_classes": 2}, "Y .*0..1, got 2"),
        ({"n_classes": 1}, "n_classes .*1"),
        ({"n_classes": 3.0}, "n_classes .*3.0"),
        ({"n_classes": True}, "n_classes .*True"),
        *more,
    ]


def of_walks(more):
    """What both walks refuse besides."""
    return of_data([
        ({"Y": np.zeros(4, int)}, "Y .*two classes.*0"),
        ({"Y": np.zeros((4, 3), int)}, "Y .*lacks another, got 4"),
        ({"Y": np.ones((4, 3), int)}, "Y .*lacks another, got 4"),
        ({"Y": sparse.csr_matrix((4, 3), dtype=int)}, "Y .*lacks another, got 4"),
        ({"step": "adam"}, "step .*adam"),
        ({"margin": -0.5}, "margin .*-0.5"),
        ({"margin": np.nan}, "margin .*nan"),
        ({"margin": np.inf}, "margin .*inf"),
        ({"margin": True}, "margin .*True"),
        ({"margin": "1"}, "margin .*'1'"),
        ({"margin": np.ones(3)}, "margin must be a finite number, got an array"),
        ({"step_size": 0.0}, "step_size .*0.0"),
        ({"step_size": -1}, "step_size .*-1"),
        ({"step_size": np.inf}, "step_size .*inf"),
        ({"step_size": None}, "step_size .*None"),
        ({"step_size": True}, "step_size .*True"),
        ({"n_updates": 0}, "n_updates .*0"),
        ({"n_updates": 2.0}, "n_updates .*2.0"),
        ({"n_updates": True}, "n_updates .*True"),
        ({"n_updates": None}, "n_updates .*None"),
        ({"seed": -1}, "seed .*-1"),
        ({"seed": 1.5}, "seed .*1.5"),
        ({"seed": "zero"}, "seed .*zero"),
        ({"max_norm": 0}, "max_norm .*0"),
        ({"max_norm": np.inf}, "max_norm .*inf"),
        ({"max_norm": False}, "max_norm .*False"),
        ({"draws": np.full(99, 1.0)}, r"draws .*1.0\.\.1.0"),
        ({"draws": np.full(99, -1e-9)}, "draws .*-1e-09"),
        ({"draws": np.full(99, np.nan)}, "draws .*nan"),
        ({"draws": np.zeros(0)}, r"draws .*\(0,\)"),
        ({"draws": np.zeros((3, 99))}, r"draws .*\(3, 99\)"),
        ({"draws": np.zeros(2)}, "draws .*2"),
        ({"draws": "random"}, "draws .*random"),
        ({"draws": 0.5}, r"draws .*\(\)"),
        ({"progress": 1}, "progress .*1"),
        ({"progress": None}, "progress .*None"),
        *more,
    ])  # fmt: skip


@BOTH
@pytest.mark.parametrize(
    ("change", "names"),
    of_walks([
        ({"embedding_dim": 0}, "embedding_dim .*0"),
        ({"embedding_dim": 2.0}, "embedding_dim .*2.0"),
        ({"embedding_dim": True}, "embedding_dim .*True"),
        ({"discriminant": "cosine"}, "discriminant .*cosine"),
        ({"discriminant": None}, "discriminant .*None"),
        ({"sampling": "WARP"}, "sampling .*WARP"),
        ({"sampling": ["warp"]}, r"sampling .*\['warp'\]"),
        ({"weighting": "rank"}, "weighting .*rank"),
        ({"last_violators": -1}, "last_violators .*-1"),
        ({"last_violators": 1.0}, "last_violators .*1.0"),
        ({"last_violators": True}, "last_violators .*True"),
        ({"last_violators": None}, "last_violators .*None"),
        ({"every": 0}, "every .*0"),
        ({"every": 2.5}, "every .*2.5"),
        ({"callback": "print"}, "callback .*print"),
        ({"patience": 3}, "patience .*3 without"),
        ({"patience": 0, "callback": lambda fit: 0.0}, "patience .*0"),
        ({"patience": 1.0, "callback": lambda fit: 0.0}, "patience .*1.0"),
        ({"patience": 1, "callback": lambda fit: None}, "callback .*nan"),
        ({"patience": 1, "callback": lambda fit: np.nan}, "callback .*nan"),
        ({"callback": lambda fit: "good"}, "callback .*good"),
        ({"callback": lambda fit: fit}, "callback .*WsabieFit"),
        ({"start": np.zeros((3, 2))}, r"start .*\(3, 2\)"),
        ({"start": tuple(START)}, "start .*WsabieFit"),
        ({"start": START, "discriminant": "linear"}, "discriminant .*start, 'euclidean', got 'linear'"),
        ({"start": START, "embedding_dim": 2}, "embedding_dim .*start .*got 2"),
        ({"start": WITH_W}, "embedding_dim .*start .*got None"),
        ({"start": WITH_W, "embedding_dim": 3}, r"start.prototypes .*\(3, 3\), got shape \(3, 2\)"),
        ({"start": WITH_W._replace(embedding=np.ones((2, 5))), "embedding_dim": 2}, r"start.embedding .*\(2, 5\)"),
        ({"start": WITH_W._replace(embedding=np.full((2, 2), np.inf)), "embedding_dim": 2}, "start.embedding .*inf"),
        ({"start": START._replace(prototypes=np.zeros((4, 2)))}, r"start.prototypes .*\(3, 2\), got shape \(4, 2\)"),
        ({"start": START._replace(prototypes=np.full((3, 2), np.nan))}, "start.prototypes .*nan"),
        ({"start": START._replace(prototypes=None)}, r"start.prototypes .*\(\)"),
        ({"start": START._replace(prototype_sums=np.zeros(2))}, r"start.prototype_sums .*\(2,\)"),
        ({"start": START._replace(prototype_sums=np.array([1.0, -2.0, 0.0]))}, "start.prototype_sums .*-2.0"),
        ({"start": WITH_W._replace(embedding_sums=-np.ones(2)), "embedding_dim": 2}, "start.embedding_sums .*-1.0"),
        ({"start": START._replace(last_violators=np.zeros(2, int))}, "start.last_violators .*3 classes"),
        ({"start": START._replace(last_violators=np.array([0, 1, 3]))}, "start.last_violators .*3 classes"),
        ({"start": START._replace(last_violators=np.array([0, 1, -2]))}, "start.last_violators .*3 classes"),
        ({"start": START._replace(last_violators=np.zeros(3))}, "start.last_violators .*float64"),
        ({"start": START._replace(skipped=np.zeros(2, int))}, "start.skipped .*3 counts"),
        ({"start": START._replace(skipped=np.array([0, -1, 0]))}, "start.skipped .*3 counts"),
        ({"start": START._replace(skipped=np.zeros(3))}, "start.skipped .*float64"),
        ({"X": X * 1e200}, r"X .*at most 1e\+140 .*e\+200"),
        ({"step": "constant", "step_size": 1e308}, r"step_size .*at most 1e\+140 .*1e\+308"),
        ({"X": SINGLE, "step": "constant", "step_size": 1e38, "n_updates": 3}, "prototypes .*float32"),
    ]),
)  # fmt: skip
def test_walks_that_are_refused(module, change, names):
    with pytest.raises(ValueError, match=names):
        module.fit_wsabie(**({"X": X, "Y": Y, "n_updates": 30} | change))


@BOTH
@pytest.mark.parametrize(
    ("change", "names"),
    of_walks([
        ({"negatives": 0}, "negatives .*0"),
        ({"negatives": 1.0}, "negatives .*1.0"),
        ({"negatives": True}, "negatives .*True"),
        ({"negatives": []}, r"negatives .*\[\]"),
        ({"negatives": [1, 2]}, r"negatives .*\[1, 2\] without"),
        ({"negatives": [1, 0], "validation": (X, Y)}, "negatives .*0"),
        ({"validation": X}, r"validation .*\(4, 2\)"),
        ({"validation": (X,)}, "validation .*pair"),
        ({"validation": (X[:, :1], Y)}, r"validation X .*2 columns, got shape \(4, 1\)"),
        ({"validation": (X * np.nan, Y)}, "validation X .*nan"),
        ({"validation": (X, Y[:3])}, r"Y .*\(3,\)"),
        ({"validation": (X, Y + 1)}, "Y .*0..2, got 3"),
        ({"step": "constant", "step_size": 1e308}, r"step_size .*at most 1e\+140 .*1e\+308"),
    ]),
)  # fmt: skip
def test_one_vs_all_that_is_refused(module, change, names):
    with pytest.raises(ValueError, match=names):
        module.fit_one_vs_all(**({"X": X, "Y": Y, "n_updates": 30} | change))


@BOTH
@pytest.mark.parametrize(
    ("change", "names"),
    of_data([
        ({"Y": np.array([0, 2, 2, 0])}, "Y .*0..2, got none of 1"),
        ({"Y": SETS * [1, 1, 0]}, "Y .*got none of 2"),
        ({"n_classes": 5}, "Y .*0..4, got none of 3"),
        ({"X": np.full((4, 2), 1.7e308)}, r"X .*at most 1e\+140 .*1.7e\+308"),
    ]),
)  # fmt: skip
def test_means_that_are_refused(module, change, names):
    with np.errstate(over="ignore"), pytest.raises(ValueError, match=names):
        module.fit_nearest_means(**({"X": X, "Y": Y} | change))


@BOTH
@pytest.mark.parametrize(
    ("X", "fit", "names"),
    [
        (X * np.nan, START, "X .*nan"),
        (X[0], START, r"X .*\(2,\)"),
        (X[:, :1], START, r"X .*2 columns.*\(4, 1\)"),
        (sparse.coo_matrix(X), START, "X .*coo"),
        (X, X, r"fit .*\(4, 2\)"),
        (X, START._replace(discriminant="cosine"), "fit.discriminant .*cosine"),
        (X, START._replace(prototypes=np.full((3, 2), np.inf)), "fit.prototypes .*inf"),
        (X, START._replace(prototypes=np.zeros(2)), r"fit.prototypes .*\(2,\)"),
        (X, WITH_W._replace(embedding=np.ones((3, 2))), r"fit.embedding .*2 rows, got shape \(3, 2\)"),
        (X, WITH_W._replace(embedding=np.full((2, 2), np.nan)), "fit.embedding .*nan"),
        (X, WITH_W._replace(embedding=np.ones((2, 3))), r"X .*3 columns.*\(4, 2\)"),
        (X * 1e200, START, r"X .*at most 1e\+140 .*e\+200"),
        (SINGLE * np.float32(1e25), START, "scores .*float32"),
    ],
)
def test_scores_that_are_refused(module, X, fit, names):
    with pytest.raises(ValueError, match=names):
        module.prototype_scores(X, fit)


@BOTH
@pytest.mark.parametrize(
    "fits",
    [[], [START], [WITH_W, START], [WITH_W, X], [WITH_W, WITH_W._replace(discriminant="linear")],
     [WITH_W, WITH_W._replace(prototypes=np.zeros((4, 2)))], [WITH_W, WITH_W._replace(embedding=np.ones((2, 3)))],
     [WITH_W, WITH_W._replace(prototypes=np.zeros((3, 2), np.float32))], None, 3, WITH_W],
    ids=str,
)  # fmt: skip
def test_fits_that_do_not_belong_together(module, fits):
    with pytest.raises(ValueError, match="fits "):
        module.concatenate_fits(fits)


@BOTH
@pytest.mark.parametrize("name", ["pairwise_loss", "warp_loss"])
@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"scores": np.full((4, 3), np.nan)}, "scores .*nan"),
        ({"scores": np.zeros((4, 1))}, r"scores .*\(4, 1\)"),
        ({"scores": np.zeros(3)}, r"scores .*\(3,\)"),
        ({"scores": sparse.csr_matrix(np.ones((4, 3)))}, "scores .*sparse"),
        ({"Y": Y[:3]}, r"Y .*\(3,\)"),
        ({"Y": Y + 1}, "Y .*0..2, got 3"),
        ({"Y": 2 * SETS}, "Y .*got 2"),
        ({"Y": SETS[:, :2]}, r"Y .*\(4, 2\)"),
        ({"Y": 0 * SETS}, "Y .*lacks another, got 4"),
        ({"margin": -1.0}, "margin .*-1.0"),
        ({"margin": np.nan}, "margin .*nan"),
        ({"scores": np.array([[-1e308, 1e308, 0.0]] * 4)}, r"scores .*at most 1e\+140 .*-1e\+308"),
    ],
)
def test_losses_that_are_refused(module, name, change, names):
    with pytest.raises(ValueError, match=names):
        getattr(module, name)(**({"scores": np.zeros((4, 3)), "Y": Y} | change))


@BOTH
def test_options_of_the_warp_loss_that_are_refused(module):
    for change, names in (({"weighting": "rank"}, "weighting .*rank"), ({"last_violators": -1}, "last_violators .*-1"),
                          ({"last_violators": 0.5}, "last_violators .*0.5")):  # fmt: skip
        with pytest.raises(ValueError, match=names):
            module.warp_loss(np.zeros((4, 3)), Y, **change)


@BOTH
@pytest.mark.parametrize(
    ("predicted", "y", "names"),
    [
        (Y, Y[:3], r"predicted .*\(4,\)"),
        (Y - 1, Y, "predicted .*-1"),
        (1.0 * Y, Y, "predicted .*float64"),
        (Y, Y - 1, "y .*-1"),
        (Y, 1.0 * Y, "y .*float64"),
        (np.zeros(0, int), np.zeros(0, int), r"y .*\(0,\)"),
        (SETS, SETS, r"y .*\(4, 3\)"),
    ],
)
def test_confusions_that_are_refused(module, predicted, y, names):
    with pytest.raises(ValueError, match=names):
        module.class_confusion_loss(predicted, y)

"""The ranking SVM on Dask: certificates, the fit in one memory; groups across blocks; lost workers."""

import dask.array
import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import fast
from fast.distributed import fit_ranking_svm
from fast.distributed._groups import number_of_blocks, planned
from fast.distributed.ranking_svm import DistributedHinge
from reference.check.ranking_svm import bounds as certificates
from tests.support.distributed import AtCall, kill, processes_of
from tests.support.ranking_svm import LATE, instance
from tests.support.ranking_weights import weights_of

EDGES = {"whole groups": [9, 5, 9], "torn groups": [4, 8, 11], "four blocks": [5, 5, 5, 8]}
# Each loss, each kind of data and each way to cut them into blocks, once.
CASES = [
    ("ap", "float64", "whole groups"),
    ("ap", "weighted", "four blocks"),
    ("ndcg", "csr", "torn groups"),
    ("auc", "float32", "torn groups"),
    ("zero_one", "csr", "four blocks"),
    (LATE, "float64", "four blocks"),
]


def problem(seed=0, kind="float64", sizes=(9, 5, 9), d=4):
    """(X, relevant, options), in the order of the groups. The options have the groups, and may have their weights."""
    X, relevant, groups = instance(seed, sizes, d, np.float32 if kind == "float32" else np.float64)
    order = np.argsort(groups, kind="stable")
    options = {"groups": groups[order], "regularization": 0.05}
    if kind == "weighted":
        options["group_weight"] = weights_of(groups[order], zeros=1)
    return sparse.csr_matrix(X[order]) if kind == "csr" else X[order], relevant[order], options


def in_blocks(X, rows):
    """A dask array of chunks of so many rows, in the format of X."""
    dense = X.toarray() if sparse.issparse(X) else X
    blocks = dask.array.from_array(dense, chunks=(tuple(rows), dense.shape[1]))
    return blocks.map_blocks(sparse.csr_matrix, dtype=X.dtype) if sparse.issparse(X) else blocks


def assert_same_bits(got, expected):
    for name in ("weights", "slope", "points", "shares"):
        one, other = getattr(got, name), getattr(expected, name)
        assert one.dtype == other.dtype and np.array_equal(one, other), f"{name}: expected {other}, got {one}"
    assert (got.primal, got.dual, got.offset) == (expected.primal, expected.dual, expected.offset)


def assert_certified(got, X, relevant, loss, options, tol):
    """The gap is at most `tol`, and the proof that the fit carries is as good as the gap."""
    assert got.gap <= tol, f"expected at most {tol}, got {got.gap}"
    proved = certificates.fit_ranking_svm(got, X, relevant, loss=loss, **options)
    assert abs(proved - got.gap) <= 2 * certificates.PROVED, f"expected {got.gap}, got {proved}"


# --- certificates, and the fit in one memory ------------------------------------------------------------------------


@pytest.mark.parametrize(("loss", "kind", "edges"), CASES)
def test_the_fit_is_that_in_one_memory(client, loss, kind, edges):
    (X, relevant, options), tol = problem(2, kind), 1e-4
    expected = fast.fit_ranking_svm(X, relevant, loss=loss, tol=tol, **options)
    one = fit_ranking_svm(in_blocks(X, [23]), relevant, loss=loss, tol=tol, client=client, **options)
    assert_same_bits(one, expected)
    got = fit_ranking_svm(in_blocks(X, EDGES[edges]), relevant, loss=loss, tol=tol, client=client, **options)
    assert got.weights.dtype == expected.weights.dtype and got.slope.dtype == np.float64
    assert abs(got.primal - expected.primal) <= tol * expected.primal
    assert_certified(got, X, relevant, loss, options, tol)


def test_vectors_may_be_dask_arrays_and_x_may_be_in_memory(client):
    X, relevant, options = problem(3, "weighted")
    options["regularization"] = 1.0
    expected = fit_ranking_svm(in_blocks(X, [12, 11]), relevant, client=client, **options)
    vectors = {name: dask.array.from_array(options[name], chunks=7) for name in ("groups", "group_weight")}
    lazy = fit_ranking_svm(
        in_blocks(X, [12, 11]), dask.array.from_array(relevant, chunks=9), client=client, **options | vectors
    )
    assert_same_bits(lazy, expected)
    for given in (X.tolist(), sparse.csr_matrix(X)):
        assert_certified(fit_ranking_svm(given, relevant, **options), X, relevant, "ap", options, 1e-3)


def test_files(client, tmp_path):
    X, relevant, options = problem(4)
    options["regularization"] = 1.0
    expected = fit_ranking_svm(in_blocks(X, [9, 14]), relevant, client=client, **options)
    paths = [tmp_path / f"{block}.npz" for block in range(2)]
    for path, rows in zip(paths, (slice(0, 9), slice(9, 23)), strict=True):
        np.savez(path, X=X[rows], relevant=relevant[rows], groups=options["groups"][rows])
    assert_same_bits(fit_ranking_svm(paths, client=client, regularization=1.0), expected)


def test_history_and_progress_tell_what_a_round_took(client, capsys):
    X, relevant, options = problem(5)
    got = fit_ranking_svm(in_blocks(X, [9, 14]), relevant, progress=True, client=client, **options | {"tol": 0.1})
    assert "gap" in capsys.readouterr().out
    names = ("primal", "dual", "gap", "seconds", "seconds_computing", "seconds_talking", "bytes")
    assert got.history.dtype.names == names and len(got.history) == got.iterations
    assert (got.history.seconds_computing > 0).all() and (got.history.seconds_talking >= 0).all()
    total = got.history.seconds_computing.sum() + got.history.seconds_talking.sum()
    assert 0.5 * got.history.seconds[-1] <= total <= got.history.seconds[-1]
    d, sums = X.shape[1], X.shape[1] + 3  # a sum holds the hinge, the offset and the seconds, too
    assert (got.history.bytes[1:] == 8 * (d + sums)).all()  # to one worker, and back
    assert got.history.bytes[0] > got.history.bytes[1]  # the groups are sent once


# --- workers -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("loss", "kind"), [("ap", "float32"), (LATE, "csr")], ids=["ap", "late"])
def test_the_fit_does_not_depend_on_the_workers(processes, loss, kind):
    """Bit by bit, although arrays that come from another process are not aligned, which NumPy multiplies otherwise."""
    X, relevant, options = problem(6, kind, sizes=(40, 50, 33), d=17)
    blocks, options = in_blocks(X, [38, 55, 30]), options | {"loss": loss, "tol": 0.1, "regularization": 1.0}
    expected = fit_ranking_svm(blocks, relevant, **options)
    assert expected.iterations > 2
    if loss == "ap":
        assert_same_bits(fit_ranking_svm(blocks, relevant, n_jobs=3, **options), expected)
    assert_same_bits(fit_ranking_svm(processes.persist(blocks), relevant, client=processes, **options), expected)
    in_memory = fit_ranking_svm(X, relevant, **options)
    assert_same_bits(fit_ranking_svm(X, relevant, client=processes, **options), in_memory)


def test_workers_that_are_killed_change_nothing(processes, monkeypatch):
    X, relevant, options = problem(7, sizes=(13,) * 8, d=6)
    blocks, options = in_blocks(X, [26] * 4), options | {"regularization": 0.1}
    expected = fit_ranking_svm(blocks, relevant, tol=0.02, **options)
    before = processes_of(processes)
    AtCall(monkeypatch, DistributedHinge, "plane", 3, lambda hinge: kill(before, 0.005))
    got = fit_ranking_svm(blocks, relevant, client=processes, tol=0.02, **options)
    assert set(before).isdisjoint(processes_of(processes)) and got.iterations > 4
    assert_same_bits(got, expected)
    assert_certified(got, X, relevant, "ap", options, 0.02)


# --- groups and blocks ---------------------------------------------------------------------------------------------


def test_groups_in_any_order_in_two_blocks(client):
    X, relevant, options = problem(8)
    order = np.random.default_rng(0).permutation(len(X))
    X, relevant, options["groups"] = X[order], relevant[order], options["groups"][order]
    got = fit_ranking_svm(in_blocks(X, [12, 11]), relevant, client=client, **options)
    assert_certified(got, X, relevant, "ap", options, 1e-3)


def test_groups_that_are_spread_are_refused_unless_each_sample_has_a_hinge(client):
    X, relevant, options = problem(8)
    order = np.argsort(np.arange(23) % 5, kind="stable")
    X, relevant, options["groups"] = X[order], relevant[order], options["groups"][order]
    blocks = in_blocks(X, [5, 6, 6, 6])
    with pytest.raises(ValueError, match=r"group 1 has rows in the blocks 0, 1, 2, 3, and block 0 would be given 1\d"):
        fit_ranking_svm(blocks, relevant, client=client, **options)
    got = fit_ranking_svm(blocks, relevant, loss="zero_one", client=client, **options)
    assert_certified(got, X, relevant, "zero_one", options, 1e-3)
    assert_certified(fit_ranking_svm(X, relevant, client=client, **options), X, relevant, "ap", options, 1e-3)


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_each_sample_is_in_one_block_and_in_its_group(seed, whole):
    rng = np.random.default_rng(seed)
    groups, edges = rng.permutation(np.repeat(np.arange(6), 5)), np.array([0, 16, 30])
    relevant = rng.random(30) < 0.5
    rows, starts, shares = np.argsort(groups, kind="stable")[5:], np.arange(0, 26, 5), np.arange(1.0, 6) / 15
    own, moves = planned(edges, relevant, groups, rows, starts, shares, whole)
    found, share_of = [], np.zeros(6)
    for block, (flags, places, begins, block_shares) in enumerate(own):
        moved = [edges[move.source] + move.rows for move in moves if move.target == block]
        samples = np.concatenate([np.arange(edges[block], edges[block + 1]), *moved])
        assert (flags == relevant[samples]).all() and begins[-1] == len(places)
        for share, first, last in zip(block_shares, begins[:-1], begins[1:], strict=True):
            members = samples[places[first:last]]
            (number,) = set(groups[members])
            assert not whole or len(members) == 5
            share_of[number] += share
            found += members.tolist()
    assert sorted(found) == sorted(rows) and (len(moves) > 0) == whole
    np.testing.assert_allclose(share_of[1:], shares, rtol=1e-15)


def test_number_of_blocks_in_memory():
    rows, equal = np.arange(64), np.arange(0, 65, 4)
    assert number_of_blocks(64, rows, equal, True) == 16
    assert number_of_blocks(64, rows, np.array([0, 64]), True) == 1
    assert number_of_blocks(64, rows, np.array([0, 64]), False) == 16
    mixed = np.argsort(np.arange(64) % 16, kind="stable")  # the first block has a row of each group
    assert number_of_blocks(64, mixed, equal, True) == 1
    assert number_of_blocks(3, np.arange(3), np.array([0, 3]), False) == 3


# --- nasty cases ---------------------------------------------------------------------------------------------------


def test_groups_of_one_class_are_left_out_as_in_one_memory(client):
    """A block may have no group that counts."""
    X, relevant, options = problem(10)
    relevant[:12], tol = True, 1e-5
    with pytest.warns(UserWarning, match="1 of the 3 groups do not have both classes and are left out"):
        expected = fast.fit_ranking_svm(X, relevant, tol=tol, **options)
    with pytest.warns(UserWarning, match="1 of the 3 groups do not have both classes and are left out") as caught:
        got = fit_ranking_svm(in_blocks(X, [6, 3, 14]), relevant, tol=tol, client=client, **options)
    assert caught[0].filename == __file__
    assert abs(got.primal - expected.primal) <= tol * expected.primal
    assert_certified(got, X, relevant, "ap", options, tol)


def test_a_fit_that_ends_early_warns(client):
    X, relevant, options = problem(13)
    with pytest.warns(ConvergenceWarning, match=r"gap .* > tol 0 after 2 iterations") as caught:
        got = fit_ranking_svm(in_blocks(X, [9, 14]), relevant, tol=0, max_iterations=2, client=client, **options)
    assert caught[0].filename == __file__
    assert_certified(got, X, relevant, "ap", options, 1)


# --- arguments -----------------------------------------------------------------------------------------------------


def with_entry(array, index, value):
    array = array.astype(float)
    array[index] = value
    return array


X0, RELEVANT, OPTIONS = problem(14)
WRONG = {
    "X is not finite": ({"X": in_blocks(with_entry(X0, (13, 2), np.nan), [9, 14])}, r"X .*at row 4 of block 1, row 13"),
    "a flag": ({"relevant": with_entry(RELEVANT, 10, 2)}, r"relevant .*, got 2\.0, at row 1 of block 1, row 10 of X"),
    "too few flags": ({"relevant": RELEVANT[:-1]}, r"relevant must have shape \(23,\)"),
    "no flags": ({"relevant": None}, "relevant must be given: only files can hold it"),
    "one class": ({"relevant": np.ones(23)}, "relevant must have both classes in at least one group"),
    "groups are not integers": ({"groups": np.linspace(0, 1, 23)}, "groups must hold integers"),
    "too many groups": ({"groups": np.arange(24)}, r"groups must have shape \(23,\)"),
    "weights differ": ({"group_weight": np.arange(1.0, 24)}, "group_weight must be the same for all samples of a"),
    "a negative weight": ({"group_weight": -np.ones(23)}, "group_weight must be >= 0"),
    "weights of zero": ({"group_weight": np.zeros(23)}, "group_weight must not be 0 for all groups"),
    "loss": ({"loss": "hinge"}, "loss must be one of"),
    "client": ({"client": 3}, "client must be a distributed.Client"),
    "n_jobs": ({"client": None, "n_jobs": 0}, "n_jobs must be an integer"),
}


@pytest.mark.parametrize("wrong, message", WRONG.values(), ids=WRONG)
def test_wrong_arguments_are_refused(client, wrong, message):
    arguments = {"X": in_blocks(X0, [9, 14]), "relevant": RELEVANT, "client": client, **OPTIONS} | wrong
    with pytest.raises(ValueError, match=f"^{message}"):
        fit_ranking_svm(arguments.pop("X"), arguments.pop("relevant"), **arguments)


def test_an_error_of_a_worker_names_the_block(client):
    X, relevant, options = problem(15)

    def derivative(j, i):
        return 1.0 if j < 3 else [][0]

    loss = fast.QSLoss("faulty", derivative, lambda P, N: P * N)
    with pytest.raises(Exception, match=r"^block \d \(rows \d+\.\.\d+ of X\): "):
        fit_ranking_svm(in_blocks(X, [9, 14]), relevant, loss=loss, client=client, **options)

"""Walks where something is easily broken: ties, empty and stale sparse matrices, fits written to, overflow."""

import numpy as np
import pytest
from scipy import sparse

import reference
from tests.support.wsabie import ARRAYS, BOTH, MAY_FREEZE


@BOTH
@pytest.mark.parametrize("discriminant", ["linear", "euclidean"])
def test_equal_prototypes_tie_whatever_their_length(module, discriminant):
    """All prototypes are 0 and no margin is asked for: a sum that is rounded in two ways would find violators."""
    rng = np.random.default_rng(0)
    for e in (*range(1, 18), 31, 32, 33, 64, 100):
        X, y = rng.standard_normal((200, e)), np.arange(200) % 4
        same = reference.problems.checks.WsabieFit(np.tile(rng.standard_normal(e), (4, 1)), None, discriminant)
        options = {"discriminant": discriminant, "margin": 0.0, "n_updates": 200, "last_violators": 0}
        for data in (X, sparse.csr_matrix(X)):
            got = [
                module.fit_wsabie(data, y, **options).updates,
                module.fit_wsabie(data, y, start=same, **options).updates,
            ]
            assert got == [0, 0], f"expected ties, got {got} violations at e = {e}"


@BOTH
def test_a_sparse_matrix_of_zeros_alone(module):
    X, y = sparse.csr_matrix((4, 300), dtype=np.float32), np.array([0, 1, 0, 1])
    assert not module.fit_nearest_means(X, y).prototypes.any()
    fit = module.fit_one_vs_all(X, y, n_updates=20)
    assert not fit.prototypes.any() and not fit.prototype_sums.any()
    for dim in (None, 3):
        expected = module.fit_wsabie(X.toarray(), y, n_updates=20, embedding_dim=dim)
        got = module.fit_wsabie(X, y, n_updates=20, embedding_dim=dim)
        assert np.array_equal(got.prototypes, expected.prototypes) and got.updates == expected.updates
        assert not module.prototype_scores(X, got).any()


@BOTH
def test_what_a_sparse_matrix_says_of_itself_is_not_believed(module):
    """Its indices were folded in place: rows hold duplicates, and the flag that there are none is stale."""
    X = sparse.random(50, 2000, density=0.3, format="csr", random_state=1)
    X.sum_duplicates()
    X.indices %= 64
    X._shape = (50, 64)
    y, kept = np.arange(50) % 5, X.indices.copy()
    same = sparse.csr_matrix((X.data, X.indices, X.indptr), shape=(50, 64))
    expected, got = (module.fit_wsabie(data, y, n_updates=100, last_violators=0) for data in (same, X))
    assert np.array_equal(got.prototypes, expected.prototypes)
    assert np.array_equal(X.indices, kept)
    assert module.fit_one_vs_all(X, y, n_updates=100).steps == 100


@BOTH
def test_a_sparse_matrix_whose_rows_overlap_is_refused(module):
    X = sparse.csr_matrix(np.eye(6, 3) + 1.0)
    X.indptr = np.array([0, 9, 3, 9, 12, 15, 18], dtype=X.indptr.dtype)
    with pytest.raises(ValueError, match="X must have an indptr"):
        module.fit_wsabie(X, np.arange(6) % 3, n_updates=5)


@BOTH
@MAY_FREEZE
@pytest.mark.parametrize("dim", [None, 2])
def test_a_fit_that_is_looked_at_may_be_written_to(module, dim):
    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((20, 3)), np.arange(20) % 4

    def spoil(fit):
        for array in (getattr(fit, name) for name in ARRAYS):
            if array is not None:
                array[:] = 1

    options = {"embedding_dim": dim, "n_updates": 90, "every": 10, "margin": 10.0}
    expected, got = (module.fit_wsabie(X, y, callback=look, **options) for look in (lambda fit: None, spoil))
    # The last look is at what is returned; the walk before it is not to be touched.
    assert got.updates == expected.updates
    kept = []
    module.fit_wsabie(X, y, callback=lambda fit: kept.append((fit, fit.prototype_sums.copy())), **options)
    assert all(np.array_equal(fit.prototype_sums, sums) for fit, sums in kept)


HUGE = np.full((3, 2), 1e140)


@BOTH
@pytest.mark.parametrize(
    "change, message",
    [
        ({"start": reference.problems.checks.WsabieFit(np.full((3, 2), 1e200))}, r"start.prototypes .*at most 1e\+140"),
        # A margin of inf - inf is no number, and it must not pass for a margin that holds.
        (
            {
                "X": HUGE[:1].repeat(4, 0),
                "embedding_dim": 2,
                "start": reference.problems.checks.WsabieFit(HUGE, HUGE[:2]),
            },
            "difference .*(inf|nan)",
        ),
        ({"start": reference.problems.checks.WsabieFit(np.zeros((3, 2)), steps="a")}, "start.steps .*'a'"),
        ({"callback": lambda fit: 10**400}, "callback .*1000"),
        ({"n_updates": 10**30, "draws": [0.5]}, "n_updates"),
        ({"Y": np.array([0, 1, 2**63 - 1, 0])}, "Y must hold integers"),
    ],
)
def test_walks_that_end_in_a_message(module, change, message):
    X = np.array([[1.0, 0.5], [0.0, 1.0], [-1.0, -1.0], [1.0, 1.0]])
    with pytest.raises(ValueError, match=message):
        module.fit_wsabie(**{"X": X, "Y": np.array([0, 1, 2, 0]), "n_updates": 5, **change})


@BOTH
def test_a_wrong_validation_set_is_named(module):
    X, y = np.eye(3), np.arange(3)
    with pytest.raises(ValueError, match="validation Y must have shape"):
        module.fit_one_vs_all(X, y, n_updates=5, negatives=(1, 2), validation=(X, y[:2]))
    with pytest.raises(ValueError, match="negatives must be an integer"):
        module.fit_one_vs_all(X, y, n_updates=5, negatives=np.array(1.5))
    with pytest.raises(ValueError, match="fits must|fit.embedding must"):
        module.concatenate_fits([reference.problems.checks.WsabieFit([[1.0]], [[1.0], [2.0]])])

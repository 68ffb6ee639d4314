"""The walk of the Wsabie family: ties, kinds of input, and the looks that are taken on the way."""

import numpy as np
import pytest
from scipy import sparse

import fast
from reference.problems.checks import WsabieFit
from tests.support.twins import BOTH
from tests.support.wsabie import ARRAYS, DISCRIMINANTS, MAY_FREEZE, assert_identical, assert_same, labelled

# --- numbers that are easily broken --------------------------------------------------------------------------------


@pytest.mark.parametrize("discriminant", DISCRIMINANTS)
def test_equal_prototypes_tie_whatever_their_length(discriminant):
    """All prototypes are equal and no margin is asked for: a sum rounded in two ways would find violators."""
    rng = np.random.default_rng(0)
    for e in (*range(1, 18), 31, 32, 33, 64, 100):
        X, y = rng.standard_normal((200, e)), np.arange(200) % 4
        same = WsabieFit(np.tile(rng.standard_normal(e), (4, 1)), None, discriminant)
        options = {"discriminant": discriminant, "margin": 0.0, "n_updates": 200, "last_violators": 0}
        for data in (X, sparse.csr_matrix(X)):
            got = [fast.fit_wsabie(data, y, start=start, **options).updates for start in (None, same)]
            assert got == [0, 0], f"expected ties, got {got} violations at e = {e}"


def test_a_sparse_matrix_of_zeros_alone():
    X, y = sparse.csr_matrix((4, 300), dtype=np.float32), np.array([0, 1, 0, 1])
    assert not fast.fit_nearest_means(X, y).prototypes.any()
    fit = fast.fit_one_vs_all(X, y, n_updates=20)
    assert not fit.prototypes.any() and not fit.prototype_sums.any()
    for dim in (None, 3):
        expected = fast.fit_wsabie(X.toarray(), y, n_updates=20, embedding_dim=dim)
        got = fast.fit_wsabie(X, y, n_updates=20, embedding_dim=dim)
        assert np.array_equal(got.prototypes, expected.prototypes) and got.updates == expected.updates
        assert not fast.prototype_scores(X, got).any()


def test_input_of_any_kind_gives_one_walk():
    """Lists, integers, an entry in two parts, labels or an indicator, with explicit zeros. The checks are shared."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(-3, 4, (9, 4)), rng.integers(0, 4, 9)
    X[0, 1], y[0] = 4, 3
    Y, chosen = np.eye(4, dtype=int)[y], {"n_updates": 40, "embedding_dim": 2}
    expected = fast.fit_wsabie(X.astype(float), y, **chosen)
    assert expected.prototypes.dtype == np.float64
    zeros, parts = sparse.csr_matrix(np.where(Y, Y, 7)), sparse.csr_matrix(X.astype(float))
    zeros.data[zeros.data == 7] = 0
    where = np.flatnonzero(parts.indices[: parts.indptr[1]] == 1)[0]
    data = np.insert(parts.data, where, 1.0)
    data[where + 1] = 3.0
    starts = parts.indptr + (np.arange(10) > 0)
    parts = sparse.csr_matrix((data, np.insert(parts.indices, where, 1), starts), shape=(9, 4))
    assert zeros.nnz == 36 and not parts.has_canonical_format
    for features in (X, X.tolist(), sparse.csc_matrix(X), parts):
        for labels in (y, y.tolist(), Y, Y.tolist(), zeros, sparse.csc_array(Y)):
            assert_same(fast.fit_wsabie(features, labels, **chosen), expected, unit=1e-13)
    assert not parts.has_canonical_format and zeros.nnz == 36


# --- looks ---------------------------------------------------------------------------------------------------------


@BOTH
def test_history_says_what_was_seen_and_when(module):
    X, y = labelled(0)
    scores = iter(range(100))
    fit = module.fit_wsabie(X, y, n_updates=50, every=20, callback=lambda fit: next(scores))
    fit = module.fit_wsabie(X, y, n_updates=45, every=20, callback=lambda fit: next(scores), start=fit)
    types = {name: fit.history.dtype[name] for name in fit.history.dtype.names}
    assert types == {"steps": np.int64, "updates": np.int64, "score": np.float64, "seconds": np.float64}
    assert fit.history.steps.tolist() == [70, 90, 95] and fit.steps == 95
    assert fit.history.score.tolist() == [3, 4, 5] and fit.history.updates[-1] == fit.updates
    assert (np.diff(fit.history.seconds) >= 0).all() and (np.diff(fit.history.updates) >= 0).all()
    one, none = {"callback": lambda fit: 1.0}, {"callback": lambda fit: None}
    for n, chosen, looks in ((50, {}, 1), (50, none, 25), (7, one, 7), (40, {"every": 15}, 3), (5, {"every": 9}, 1),
                             (60, {"progress": True}, 20)):  # fmt: skip
        got = module.fit_wsabie(X, y, n_updates=n, **chosen).history
        assert len(got) == looks and got.steps[-1] == n, f"expected {looks}, got {got}"
        assert np.isnan(got.score).all() == (n != 7)


@BOTH
@pytest.mark.parametrize(
    ("scores", "patience", "looks", "best"),
    [([1, 3, 2, 2, 5], 2, 4, 2), ([1, 3, 2, 2, 5], 3, 5, 5), ([4, 4, 4], 2, 3, 1), ([1, 2, 3], 1, 3, 3),
     ([-np.inf, 0.0], 5, 2, 2), ([-np.inf, -np.inf], 5, 2, 1)],
)  # fmt: skip
def test_patience_ends_the_walk_and_returns_its_best(module, scores, patience, looks, best):
    X, y = labelled(1)
    coming, n = iter(scores), 10 * len(scores)
    fit = module.fit_wsabie(X, y, n_updates=n, every=10, callback=lambda fit: next(coming), patience=patience)
    assert fit.steps == 10 * best, f"expected {10 * best}, got {fit.steps}"
    assert fit.history.steps.tolist() == [10 * i for i in range(1, looks + 1)]
    assert fit.history.score.tolist() == scores[:looks]
    assert_identical(fit, module.fit_wsabie(X, y, n_updates=10 * best))


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

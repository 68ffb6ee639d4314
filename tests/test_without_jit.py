"""The kernels of `fast` as plain Python, once: an error in them has a line number then, and Numba no part in it."""

import os

import pytest

from tests.support.forked import Forked

PREAMBLE = """
import numba, numpy as np
import fast, reference
assert numba.config.DISABLE_JIT
rng = np.random.default_rng(0)
# Compiled integers wrap around and compiled divisions by zero are silent, and kernels make use of both.
np.seterr(over="ignore", divide="ignore", invalid="ignore")

def agree(name, *arguments, **options):
    expected = getattr(reference, name)(*arguments, **options)
    got = getattr(fast, name)(*arguments, **options)
    assert got.dtype == expected.dtype and got.shape == expected.shape, name
    unit = max(1.0, np.abs(expected).max())
    assert np.abs(got - expected).max() <= 100 * np.finfo(expected.dtype).eps * unit, (name, arguments, options)
"""

PROJECTIONS = """
for d in (1, 2, 5, 6):
    for a in (rng.normal(size=d), np.ones(d), rng.integers(-2, 3, size=d) / 2, rng.normal(size=(3, d)),
              rng.normal(size=d).astype(np.float32)):
        for radius in (0.0, 0.7, 1e3):
            agree("project_simplex", a, radius)
            for bias in (0.0, 0.6):
                agree("project_capped_simplex", a, 0.4, radius, bias)
                for k in range(1, d + 1):
                    agree("project_topk_simplex", a, k, radius, bias)
                    agree("project_topk_cone", a, k, bias)
        agree("project_knapsack", a, 0.5 * d)
        agree("project_knapsack", a, 0.3, np.full(d, -1.0), np.full(d, 2.0), 1.0 + np.arange(d))
        agree("project_knapsack", a, 1.0, 0.0, np.inf)
"""

LOSSES = """
scores = np.round(rng.normal(size=(12, 5)), 1)
y = rng.integers(0, 5, size=12)
for values in (scores, scores.astype(np.float32), np.zeros((12, 5))):
    for k in range(1, 6):
        agree("topk_error", values, y, k)
    for k in range(1, 5):
        for kind in ("alpha", "beta", "alpha_inclusive"):
            agree("topk_hinge", values, y, k, kind)
"""

SVM = """
X = rng.normal(size=(12, 3))
X[4] = 0
y = np.arange(12) % 4
order = np.array([rng.permutation(12) for _ in range(3)])
for kind in ("alpha", "beta", "alpha_inclusive"):
    for k in (1, 2, 3):
        for name, data in (("fit_topk_svm", X), ("fit_topk_svm_kernel", X @ X.T)):
            options = dict(k=k, kind=kind, regularization=0.05, tol=0.5)
            expected = getattr(reference, name)(data, y, order=order, **options)
            got = getattr(fast, name)(data, y, order=order, **options)
            assert got.epochs == expected.epochs, name
            assert np.allclose(got.duals, expected.duals, rtol=0, atol=1e-10 * np.abs(expected.duals).max()), name
            assert abs(got.primal - expected.primal) <= 1e-10 * expected.primal, name
            skipping = getattr(fast, name)(data, y, seed=1, max_epochs=500, **options | {"tol": 1e-3})
            assert 0 <= skipping.gap <= 1e-3, name
"""

BASELINES = """
from scipy import sparse

X, y = rng.normal(size=(12, 3)), np.arange(12) % 4
X[4], flags = 0, np.eye(4, dtype=bool)[y]
for relevant in (y == 0, flags):
    k = int(relevant.sum())
    for data in (X, sparse.csr_matrix(X), X.astype(np.float32)):
        for few in (0, 100):
            fast.topk_baselines.MOST_WEIGHTS_FOR_PLANES = few
            fits = [("fit_top_push", {}), ("fit_svm_perf", dict(k=k)), ("fit_svm_perf", dict(k=2, loss="precision"))]
            for name, options in fits:
                options.update(regularization=0.3, tol=1e-3)
                expected, got = (getattr(module, name)(data, relevant, **options) for module in (reference, fast))
                assert got.gap <= 1e-3 and got.weights.dtype == expected.weights.dtype, name
                assert abs(got.primal - expected.primal) <= 1e-3 * expected.primal, name
"""

PASSIVE_AGGRESSIVE = """
for d in (1, 2, 6):
    for z in (rng.normal(size=d), np.ones(d), rng.integers(-2, 3, size=(3, d)) / 2):
        agree("squish_column", z)
        agree("squish_column", z, 0.0, 1.0)
X, y = rng.normal(size=(12, 3)), np.arange(12) % 4
for k in (1, 2, 3):
    for variant in ("pa", "pa1", "pa2"):
        options = dict(variant=variant, k=k, aggressiveness=0.3)
        agree("multiclass_update", X[:5], X[6], 2, **options)
        agree("multiclass_update", X[:5].astype(np.float32), X[6], 2, **options)
        for weights in (None, np.arange(12) % 3):
            more = dict(epochs=2, averaged=True, sample_weight=weights)
            expected = reference.fit_passive_aggressive(X, y, **more, **options)
            got = fast.fit_passive_aggressive(X, y, **more, **options)
            for one, other in zip(got, expected):
                assert np.allclose(one, other, rtol=0, atol=1e-12), (one, other)
"""

RANKING = """
for P, N in ((1, 1), (3, 40), (20, 90), (5, 300)):
    p, n = rng.normal(size=P) + 0.5, rng.normal(size=N)
    single = p.astype(np.float32), n.astype(np.float32)
    for a, b in ((p, n), (np.round(p), np.round(n)), single, (p, np.sort(n)[::-1])):
        for loss in ("ap", "ndcg", "auc", reference.ranking.LOSSES["ndcg"]):
            for method in ("quicksort", "greedy"):
                expected = reference.loss_augmented_inference(a, b, loss, method=method)
                got = fast.loss_augmented_inference(a, b, loss, method=method)
                assert (got.interleaving == expected.interleaving).all(), (loss, a, b)
                assert np.allclose(got[1:], expected[1:], rtol=0, atol=1e-12), (got, expected)
            assert abs(fast.rank_loss(got.interleaving, P, loss) - expected.loss) <= 1e-12
        assert (fast.interleaving_ranks(a, b) == reference.interleaving_ranks(a, b)).all()
        for one, other in zip(*(module.semigradient(a, b, got.interleaving) for module in (fast, reference))):
            assert np.allclose(one, other, rtol=0, atol=1e-7) and one.dtype == other.dtype
X, relevant, groups = rng.normal(size=(30, 3)), np.arange(30) % 3 == 0, np.arange(30) // 10
for loss in ("ap", "ndcg", "auc", "zero_one"):
    options = dict(groups=groups, loss=loss, regularization=0.1, tol=1e-4)
    expected, got = (module.fit_ranking_svm(X, relevant, **options) for module in (reference, fast))
    assert abs(got.primal - expected.primal) <= 1e-4 * expected.primal
expected, got = (module.fit_direct_loss(X, relevant, groups=groups, max_iterations=5) for module in (reference, fast))
assert np.allclose(got.losses, expected.losses, rtol=0, atol=1e-12)
"""

WSABIE = """
from itertools import product
from scipy import sparse

def same(got, expected):
    for name, one, other in zip(expected._fields, got, expected):
        if isinstance(other, np.ndarray) and name != "history":
            assert one.dtype == other.dtype and one.shape == other.shape, name
            unit = 1e-6 if got.prototypes.dtype == np.float32 else 1e-10
            assert np.abs(one - other).max() <= unit * np.abs(other).max(), (name, one, other)
        elif name != "history":
            assert one == other, (name, one, other)

X, Y = rng.normal(size=(12, 4)) * (rng.random((12, 4)) < 0.7), (rng.random((12, 5)) < 0.3).astype(int)
Y[0] = np.arange(5) == 2
walks = product(("linear", "euclidean"), ("auc", "warp"), ("harmonic", "uniform"), ("constant", "adagrad"), (None, 3))
for i, (discriminant, sampling, weighting, step, e) in enumerate(walks):
    options = dict(discriminant=discriminant, sampling=sampling, weighting=weighting, step=step, embedding_dim=e)
    options |= dict(margin=0.5, n_updates=40, seed=i, last_violators=i % 3, max_norm=(None, 0.7)[i % 2])
    for data in (X, sparse.csr_matrix(X), X.astype(np.float32)):
        for labels in (Y, sparse.csr_matrix(Y), np.arange(12) % 5):
            expected, got = (module.fit_wsabie(data, labels, **options) for module in (reference, fast))
            same(got, expected)
        agree("prototype_scores", data, got._replace(embedding_sums=None))
same(*(module.concatenate_fits([got, got]) for module in (fast, reference)))
for data in (X, sparse.csr_matrix(X)):
    for options in (dict(negatives=3), dict(negatives=[1, 2], validation=(data, Y), step="constant", max_norm=0.4)):
        same(*(module.fit_one_vs_all(data, Y, n_updates=30, **options) for module in (fast, reference)))
    same(*(module.fit_nearest_means(data, np.arange(12) % 5) for module in (fast, reference)))
scores = np.round(rng.normal(size=(12, 5)), 1)
for labels in (Y, np.arange(12) % 5):
    for Q in (0, 1, 4):
        one, other = (module.warp_loss(scores, labels, last_violators=Q) for module in (fast, reference))
        assert abs(one - other) <= 1e-12 * other, (Q, one, other)
    one, other = (module.pairwise_loss(scores, labels) for module in (fast, reference))
    assert abs(one - other) <= 1e-12 * other, (one, other)
one, other = (module.class_confusion_loss(scores.argmax(axis=1), np.arange(12) % 5) for module in (fast, reference))
assert abs(one - other) <= 1e-12, (one, other)
"""


MULTILABEL = """
for d in (1, 2, 5, 4000):
    b, c = rng.normal(size=d), rng.normal(size=3)
    for radius in (0.0, 0.7, 1e3):
        expected, got = (twin.project_bipartite_simplex(b, c, radius) for twin in (reference, fast))
        assert max(np.abs(x - y).max() for x, y in zip(expected, got)) <= 1e-13
X, Y = rng.normal(size=(12, 3)), rng.random((12, 4)) < 0.4
X[4], Y[0], Y[1], Y[2] = 0, False, True, [True, False, False, False]
scores = np.round(X @ rng.normal(size=(3, 4)), 1)
for values in (scores, scores.astype(np.float32), np.zeros((12, 4))):
    for name in ("error", "entropy", "entropy_gradient"):
        agree(f"multilabel_{name}", values, Y)
    for smoothing in (0.0, 0.3):
        agree("multilabel_hinge", values, Y, smoothing)
        agree("multilabel_hinge_gradient", values, Y, smoothing)
order = np.array([rng.permutation(12) for _ in range(3)])
for options in ({}, {"smoothing": 0.1}, {"loss": "entropy"}):
    options |= {"regularization": 0.05, "tol": 0.5}
    expected, got = (twin.fit_multilabel(X, Y, order=order, **options) for twin in (reference, fast))
    assert got.epochs == expected.epochs
    assert np.allclose(got.duals, expected.duals, rtol=0, atol=1e-10 * np.abs(expected.duals).max())
    assert fast.fit_multilabel(X, Y, **options | {"regularization": 1e-3, "tol": 1e-7}).gap <= 1e-7
"""


LAYERWISE = """
X, layers = rng.normal(size=(8, 5, 5)), [("conv", 2, 2), ("pool", 2), ("dense", 2)]
for loss, y in (("multiclass", np.arange(8) % 3), ("zero_one", np.arange(8) % 3 == 0), ("ap", np.arange(8) % 3 == 0)):
    options = {"loss": loss, "regularization": 0.05, "tol": 0.5, "max_epochs": 50, "max_rounds": 1, "proximity": 0.1}
    expected, got = (twin.fit_layerwise(X, y, layers, **options) for twin in (reference, fast))
    assert np.abs(got.objectives - expected.objectives).max() <= 1e-9
    agree("network_scores", X, layers, list(expected.weights))
"""


CODE = {
    "projections": PROJECTIONS, "losses": LOSSES, "svm": SVM, "baselines": BASELINES, "multilabel": MULTILABEL,
    "passive_aggressive": PASSIVE_AGGRESSIVE, "ranking": RANKING, "wsabie": WSABIE, "layerwise": LAYERWISE,
}  # fmt: skip


@pytest.fixture(scope="module")
def python():
    settings = {"options": ("-W", "error"), "environment": os.environ | {"NUMBA_DISABLE_JIT": "1"}}
    with Forked("import fast, reference, scipy.sparse", **settings) as process:
        yield process


@pytest.mark.parametrize("family", CODE)
def test_twins_agree_without_jit(family, python):
    done = python.run(PREAMBLE + CODE[family])
    assert done.returncode == 0, done.stderr[-3000:]

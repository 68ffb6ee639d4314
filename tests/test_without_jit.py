"""The kernels of `fast` as plain Python: an index out of bounds is an error then, in a line that has a number.

Compiled kernels read and write past the end of an array without a word.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROGRAM = """
import warnings, numba, numpy as np
import fast, reference
from scipy import sparse
from reference.check import certify
from reference.check.examiner import size_of
from tests.support.check import ROWS, call_of, cases_of

assert numba.config.DISABLE_JIT
# Compiled integers wrap around and compiled divisions by zero are silent, and kernels make use of both.
np.seterr(over="ignore", divide="ignore", invalid="ignore")
warnings.filterwarnings("ignore", category=UserWarning)  # of fits that end early; those of NumPy are errors
LARGEST = 30  # numbers of an instance: Python takes a hundred times as long as a kernel

def judge(name, *arguments, may_end_early=False, **options):
    seen.add(name)
    verdict = certify(name, getattr(fast, name)(*arguments, **options), *arguments, **options)
    assert verdict.ok or may_end_early, (name, arguments, options, verdict)

def kind_of(case):
    words = [value for value in case.arguments.values() if isinstance(value, str)]
    return case.label, bool(case.arguments.get("smoothing")), *words

seen = set()
for row in ROWS:
    name, cases = cases_of(row)
    small = [case for case in cases if not case.refuses and not case.timed and size_of(case.arguments) <= LARGEST]
    for case in {kind_of(case): case for case in small}.values():
        arguments, options = call_of(name, case)
        judge(name, *arguments, may_end_early=case.warns, **options)

# What no small instance of the catalogue reaches: kernels for long arrays, the caller's losses, and some ways to fit.
rng = np.random.default_rng(0)
p, n = rng.normal(size=20) + 0.5, rng.normal(size=300)
for total in (0.7, 1e3):
    for k in (1, 2, 3):
        judge("project_topk_simplex", np.round(2 * rng.normal(size=(3, 6))) / 2, k, total)
    judge("project_bipartite_simplex", np.tile(n, 13), p, total)
    judge("project_bipartite_simplex", np.tile(n, 13) - 10, p, total)
for a, b in ((p, n), (np.round(p), np.round(n)), (p.astype("f"), n.astype("f")), (p, np.sort(n)[::-1])):
    for loss in ("ap", "ndcg", "auc", reference.ranking.LOSSES["ndcg"]):
        judge("loss_augmented_inference", a, b, loss)
        judge("loss_augmented_inference", a, b, loss, method="greedy")
        judge("rank_loss", fast.interleaving_ranks(a, b), len(a), loss)
X, y, images = rng.normal(size=(12, 3)), np.arange(12) % 4, rng.normal(size=(8, 5, 5))
X[4], Y = 0, rng.random((12, 4)) < 0.4
order = np.array([rng.permutation(12) for _ in range(3)])
for more in ({"loss": "entropy"}, {}, {"regularization": 0.05, "tol": 0.5, "order": order}):
    judge("fit_multilabel", X, Y, **{"regularization": 1e-3, "tol": 1e-7} | more)
for few in (0, 100):
    fast.topk_baselines.MOST_WEIGHTS_FOR_PLANES = few
    for relevant in (y == 0, np.eye(4, dtype=bool)[y]):
        for data in (X, sparse.csr_matrix(X)):
            judge("fit_top_push", data, relevant, regularization=0.3)
            judge("fit_svm_perf", data, relevant, k=2, loss="precision", regularization=0.3)
            judge("fit_svm_perf", data, relevant, k=int(relevant.sum()), regularization=0.3)
layers, options = [("conv", 2, 2), ("pool", 2), ("dense", 2)], {"regularization": 0.05, "tol": 0.1, "max_rounds": 1}
for loss, labels in (("multiclass", y[:8] % 3), ("zero_one", y[:8] == 0), ("ap", y[:8] == 0)):
    judge("fit_layerwise", images, labels, layers, loss=loss, **options, max_epochs=50, proximity=0.1)
for data in (X, sparse.csr_matrix(X)):
    for more in ({"sampling": "auc", "max_norm": 0.7}, {"discriminant": "linear"}, {"step": "constant"}):
        judge("fit_wsabie", data, Y.astype(int), n_updates=40, embedding_dim=3, margin=0.5, **more)
        judge("fit_wsabie", data, y, n_updates=40, margin=0.5, last_violators=2, **more)
    for more in ({"negatives": 3}, {"negatives": [1, 2], "validation": (data, Y), "step": "constant", "max_norm": 0.4}):
        judge("fit_one_vs_all", data, Y.astype(int), n_updates=30, **more)
for kind in ("alpha", "beta", "alpha_inclusive"):
    options = {"k": 2, "kind": kind, "regularization": 0.05, "tol": 0.5, "order": order, "may_end_early": True}
    judge("fit_topk_svm", X, y, **options)
    judge("fit_topk_svm_kernel", X @ X.T, y, **options)
for variant in ("pa", "pa1", "pa2"):
    judge("fit_passive_aggressive", X, y, variant=variant, k=2, aggressiveness=0.3, epochs=2, averaged=True)
judge("fit_multilabel", X, Y, regularization=0.05, tol=0.5, smoothing=0.1, order=order)
samples, relevant, groups = rng.normal(size=(30, 3)), np.arange(30) % 3 == 0, np.arange(30) // 10
for loss in ("ap", "ndcg", "auc", "zero_one"):
    judge("fit_ranking_svm", samples, relevant, groups=groups, loss=loss, regularization=0.1, tol=1e-4)
for loss in ("ap", "ndcg", "auc"):
    judge("grouped_inference", samples[:, 0], relevant, groups, loss=loss)
judge("fit_direct_loss", samples, relevant, groups=groups, max_iterations=5)
assert seen == {row.split(", ")[0] for row in ROWS}
"""


def test_kernels_are_right_without_jit():
    command, environment = [sys.executable, "-W", "error", "-c", PROGRAM], os.environ | {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]

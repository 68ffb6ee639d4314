"""Compile what the public functions call, so that no later call has to wait.

The command ``python -m fast.warm [--clear] [NAME ...]`` compiles for float64 and float32, dense and CSR: all functions,
or those with these names, such as ``'fit_*'`` for the fits and so for the estimators. What was compiled is kept on disk
until the sources, Numba or the processor change. ``--clear`` removes it.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase

import numpy as np
from scipy import sparse

import fast
from reference.problems.checks import require

from ._ranking.large import LARGE
from ._shared import cache

LONG = 5000  # coordinates: a row of so many is split into blocks
N, D, M = 24, 6, 4  # examples, features and classes: compiling takes as long as for large data


def calls() -> Iterator[tuple[str, Callable[[], object]]]:
    """Yields the name of each call and the call. Together they compile the kernels of all public functions."""
    rng = np.random.default_rng(0)
    y, groups = np.arange(N) % M, np.arange(N) // 8
    for dtype in (np.float64, np.float32):
        X = rng.standard_normal((N, D)).astype(dtype)
        yield from _dense_calls(X, y, groups)
        yield from _networks(X, y)
        for data in (X, sparse.csr_matrix(X)):
            yield from _fits(data, y, groups)


def _dense_calls(X, y, groups):
    """Calls that take arrays only."""
    a, many, scores = X[0], np.linspace(-1, 1, 300, dtype=X.dtype), X[:, :M]
    for name, arguments in {
        "project_simplex": (1.0,),
        "project_knapsack": (1.0,),
        "project_capped_simplex": (0.4, 1.0, 0.5),
        "project_topk_cone": (2, 0.5),
        "project_topk_simplex": (2, 1.0, 0.5),
        "squish_column": (),
    }.items():
        for point in (a, X):
            yield name, lambda name=name, point=point, arguments=arguments: getattr(fast, name)(point, *arguments)
    for kind in ("alpha", "beta", "alpha_inclusive"):
        yield "topk_hinge", lambda kind=kind: fast.topk_hinge(scores, y, 2, kind)
    yield "topk_hinge_gradient", lambda: fast.topk_hinge_gradient(scores, y, 2)
    labels = scores > 0
    yield "project_bipartite_simplex", lambda: fast.project_bipartite_simplex(a, many)
    yield "project_bipartite_simplex", lambda: fast.project_bipartite_simplex(a, np.resize(many, LONG))
    for name in ("error", "hinge", "hinge_gradient", "entropy", "entropy_gradient"):
        yield f"multilabel_{name}", lambda name=name: getattr(fast, f"multilabel_{name}")(scores, labels)
    yield "topk_error", lambda: fast.topk_error(scores, y, 2)
    yield "multiclass_update", lambda: fast.multiclass_update(X[:M], a, 0)
    yield "fit_topk_svm_kernel", lambda: fast.fit_topk_svm_kernel(X @ X.T, y, regularization=0.1)
    yield "fit_topk_entropy_kernel", lambda: fast.fit_topk_entropy_kernel(X @ X.T, y, regularization=0.1)
    for name in ("topk_entropy", "truncated_topk_entropy"):
        for loss in (name, f"{name}_gradient"):
            yield loss, lambda loss=loss: getattr(fast, loss)(scores, y, 2)
    for loss in ("ap", "ndcg", "auc"):
        for positives in (a, many):
            yield "loss_augmented_inference", lambda p=positives, x=loss: fast.loss_augmented_inference(p, many, x)
    crowd = np.random.default_rng(0).standard_normal(2 * LARGE).astype(X.dtype)
    for positives in (a, crowd):
        yield "loss_augmented_inference", lambda p=positives: fast.loss_augmented_inference(p, crowd, n_jobs=2)
    ranks = np.arange(1, D + 1)
    for name in ("ap_loss", "ndcg_loss", "rank_loss"):
        yield name, lambda name=name: getattr(fast, name)(ranks, D)
    yield "interleaving_ranks", lambda: fast.interleaving_ranks(a, many)
    yield "semigradient", lambda: fast.semigradient(a, a, ranks)
    yield "grouped_inference", lambda: fast.grouped_inference(a, y[:D] == 0, groups=groups[:D])
    yield "pairwise_loss", lambda: fast.pairwise_loss(scores, y)
    yield "warp_loss", lambda: fast.warp_loss(scores, y, last_violators=2)
    yield "class_confusion_loss", lambda: fast.class_confusion_loss(y, y)


def _networks(X, y):
    """Calls that train a network."""
    layers, relevant = [("dense", 3)], y == 0
    yield "network_scores", lambda: fast.network_scores(X, layers, [np.ones((D + 1, 3)), np.ones((4, 1))])
    for loss, labels_of in (("multiclass", y), ("zero_one", relevant), ("ap", relevant)):
        options = {"loss": loss, "regularization": 1e-3, "max_epochs": 2, "max_rounds": 1}
        yield "fit_layerwise", lambda y=labels_of, options=options: fast.fit_layerwise(X, y, layers, **options)


def _fits(X, y, groups):
    """Calls that take arrays or CSR."""
    relevant, loose = y == 0, {"regularization": 0.1, "tol": 0.1}
    for smoothing in (0.0, 0.1):
        yield "fit_topk_svm", lambda smoothing=smoothing: fast.fit_topk_svm(X, y, smoothing=smoothing, **loose)
    yield "fit_topk_entropy", lambda: fast.fit_topk_entropy(X, y, **loose)
    yield "fit_truncated_topk_entropy", lambda: fast.fit_truncated_topk_entropy(X, y, k=2, regularization=0.1)
    for gather in (0, np.inf):
        options = loose | {"gather": gather, "max_rounds": 3}
        yield "fit_topk_svm_parts", lambda options=options: fast.fit_topk_svm_parts(X, y, 2, **options)
    labels = np.arange(M) % (2 + y[:, None] % 2) == 0
    for loss in ("hinge", "entropy"):  # a gap that is not reached: Newton's method is compiled, too
        options = {"loss": loss, "regularization": 1e-3, "tol": 0.0, "max_epochs": 12}
        yield "fit_multilabel", lambda options=options: fast.fit_multilabel(X, labels, **options)
    yield "fit_top_push", lambda: fast.fit_top_push(X, relevant, **loose)
    yield "fit_svm_perf", lambda: fast.fit_svm_perf(X, relevant, k=2, **loose)
    yield "fit_passive_aggressive", lambda: fast.fit_passive_aggressive(X, y)
    yield "fit_ranking_svm", lambda: fast.fit_ranking_svm(X, relevant, groups=groups, **loose)
    yield "fit_direct_loss", lambda: fast.fit_direct_loss(X, relevant, groups=groups, max_iterations=2)
    yield "fit_latent_ranking_svm", lambda: fast.fit_latent_ranking_svm(X, groups, groups == 1, **loose)
    yield "fit_nearest_means", lambda: fast.fit_nearest_means(X, y)
    yield "fit_one_vs_all", lambda: fast.fit_one_vs_all(X, y, n_updates=2)
    wsabie = {"n_updates": 2, "embedding_dim": 2, "last_violators": 0}
    yield "fit_wsabie", lambda: fast.fit_wsabie(X, y, **wsabie)
    yield "concatenate_fits", lambda: fast.concatenate_fits([fast.fit_wsabie(X, y, **wsabie)])
    yield "prototype_scores", lambda: fast.prototype_scores(X, fast.fit_nearest_means(X, y))


def warm(names: Sequence[str] = ("*",)) -> None:
    """Make the calls of the functions whose names match, and show a progress bar on a terminal.

    The answers are thrown away. A pattern that matches no function raises ValueError.
    """
    terminal, progress = require("fast.warm", "progress", "rich.console", "rich.progress")
    console, every = terminal.Console(stderr=True), list(calls())
    for pattern in names:
        if not any(fnmatchcase(name, pattern) for name, _ in every):
            raise ValueError(f"{pattern} matches no function of fast; names may be patterns, such as 'fit_*'")
    todo = [(name, call) for name, call in every if any(fnmatchcase(name, pattern) for pattern in names)]
    with warnings.catch_warnings(), progress.Progress(console=console, disable=not console.is_terminal) as bar:
        warnings.simplefilter("ignore")  # a few steps on noise need not converge
        task = bar.add_task("", total=len(todo))
        for name, call in todo:
            bar.update(task, description=name)
            call()
            bar.advance(task)


def main(argv: Sequence[str] | None = None) -> None:
    """Compile, or clear. Prints where the kernels are and how much they take."""
    parser = argparse.ArgumentParser(prog="python -m fast.warm", description="Compile the kernels of `fast` once.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="of functions, such as 'fit_*' (default: all of them)")
    parser.add_argument("--clear", action="store_true", help="remove all compiled kernels instead")
    given = parser.parse_args(argv)
    if given.clear:
        cache.clear()
        print(f"removed the compiled kernels in {cache.root()}")
        return
    try:
        warm(given.names or ("*",))
    except ValueError as error:
        parser.error(str(error))
    print(f"{cache.size() / 1e6:.1f} MB of compiled kernels in {cache.folder()}")


if __name__ == "__main__":
    main()

"""The ranking SVM: the time to a certified gap, against `reference`, and two threads against one."""

import warnings

import numpy as np
from scipy import sparse
from sklearn.datasets import load_digits

import fast
import reference


def cases(quick=False):
    yield from _against_reference(quick)
    yield from _threads(quick)


def _against_reference(quick):
    for name, data in (("digits", _digits()), ("MQ2008", _mq2008(quick))):
        for loss in ("ap", "ndcg") if data else ():
            X, groups = data[0], data[2]
            options = {"groups": groups, "loss": loss, "regularization": 0.1, "tol": 1e-3}
            yield {
                "work": f"fit_ranking_svm, {name} {X.shape[0]} x {X.shape[1]}, {loss}, to gap 1e-3, against reference",
                "ours": lambda d=data, o=options: fast.fit_ranking_svm(*d[:2], **o),
                "theirs": lambda d=data, o=options: reference.fit_ranking_svm(*d[:2], **o),
                "at_least": 1 / 30,
                "aim": 1 / 100,
                "repeats": 1 if quick else 3,
            }


def _threads(quick):
    """Two threads against one. It needs two idle processors."""
    rng, scale = np.random.default_rng(0), 10 if quick else 1
    repeats = 3 if quick else 11
    for name, sizes in (
        ("queries of 20 to 200", rng.integers(20, 201, 1000 // scale)),
        ("queries of 100000", np.full(20 // scale, 10**5)),
    ):
        groups = np.repeat(np.arange(len(sizes)), sizes)
        scores = rng.standard_normal(len(groups))
        data = scores, scores + rng.standard_normal(len(groups)) > 1.5, groups
        yield {
            "work": f"grouped_inference, ap, {len(sizes)} {name}, two threads against one",
            "ours": lambda data=data: _quietly(fast.grouped_inference, *data, n_jobs=2),
            "theirs": lambda data=data: _quietly(fast.grouped_inference, *data),
            "repeats": repeats,
        }
    n, nonzeros = 10**5 // scale, 50
    entries = rng.standard_normal(n * nonzeros), rng.integers(0, 10**4, n * nonzeros), np.arange(n + 1) * nonzeros
    for name, X in (
        (f"{n} x 136", rng.standard_normal((n, 136))),
        (f"{n} x 10000, CSR, 50 a row", sparse.csr_matrix(entries, (n, 10**4))),
    ):
        scores = X @ rng.standard_normal(X.shape[1])
        relevant = scores / scores.std() + rng.standard_normal(n) > 1.5
        options = {"groups": np.arange(n) // 100, "regularization": 0.01, "tol": 0.0, "max_iterations": 10}
        yield {
            "work": f"fit_ranking_svm, {name}, ten iterations, two threads against one",
            "ours": lambda X=X, r=relevant, o=options: _quietly(fast.fit_ranking_svm, X, r, n_jobs=2, **o),
            "theirs": lambda X=X, r=relevant, o=options: _quietly(fast.fit_ranking_svm, X, r, **o),
            "repeats": repeats,
        }


def _quietly(function, *arguments, **options):
    """Call a function without its warnings: of queries with one class, and that ten iterations are few."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **options)


def _digits():
    """Returns ten queries of 300 images. The relevant images of query j show the digit j."""
    X, y = load_digits(return_X_y=True)
    X, y = X[:300] / 16, y[:300]
    relevant = (y == np.arange(10)[:, None]).ravel()
    return np.tile(X, (10, 1)), relevant, np.repeat(np.arange(10), 300)


def _mq2008(quick):
    """Returns the queries with both relevant and irrelevant documents, or None if the data is not found."""
    try:
        X, relevance, query = reference.datasets.load_mq2008()
    except FileNotFoundError as missing:
        warnings.warn(f"without MQ2008: {missing}", stacklevel=2)
        return None
    relevant = relevance > 0
    both = [q for q in np.unique(query) if 0 < relevant[query == q].mean() < 1]
    kept = np.isin(query, both[:60] if quick else both)
    return X[kept], relevant[kept], query[kept]

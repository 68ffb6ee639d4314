"""The ranking SVM, compared with the cutting planes of `reference`: the time to a certified gap of 1e-3."""

import warnings

import numpy as np
from sklearn.datasets import load_digits

import fast
import reference


def cases(quick=False):
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

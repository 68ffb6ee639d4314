"""Do grades help a ranking SVM? The numbers behind a table of notebook 08.

Run from the top of the checkout, with MARGINALIA_DATA set (see `reference.datasets.load_mq2008`):

    make study STUDY=graded_relevance            or            python -m notebooks.studies.graded_relevance

Four data sets. MQ2008: the training and test queries of fold 1, graded 0 to 2. Three are made up: 200 queries of 20
documents with ten features, graded 0 to 4 by scores with noise.

    linear      one score, linear in the features, is cut into five grades
    two steps   one linear score decides whether a document is relevant, and another one, which of the grades 1 to 4
    products    one score is cut into five grades; it has products of features, which no linear function can follow

Queries whose documents have the same grade are left out.

The queries are cut into five folds. Each fold is judged once, by fits on the other four. There, threefold
cross-validation chooses the parameters for the best NDCG@10: C, the lowest relevant grade, and for trees their number
and size. All NDCG are graded, with gains 2^g - 1, by scikit-learn.

LambdaRank is that of LightGBM, which is no requirement of this project (pip install lightgbm). Where it is missing, the
rows of LambdaRank are left out. Everything is deterministic. A row is stored when it is done, and is not computed
again. Ten minutes.
"""

import importlib.util
import json
import warnings
from collections import defaultdict
from itertools import product
from pathlib import Path

import numpy as np
from sklearn.metrics import ndcg_score
from sklearn.model_selection import GroupKFold

from fast.estimators import RankingSVC
from reference import datasets

RESULTS = Path(__file__).parents[1] / "results" / "graded_relevance.json"
CUTOFFS, CHOSEN_BY = (1, 5, 10), 10
FOLDS, INNER_FOLDS = 5, 3
LOG_C = [v / 2 for v in range(-4, 7)]
TOL = 1e-8  # with 1e-3, NDCG depends on rounding, and so on the processor: by up to 0.01 for MQ2008
QUERIES, DOCUMENTS, FEATURES, NOISE = 200, 20, 10, 0.5
SHARES = (0.5, 0.25, 0.12, 0.08, 0.05)  # of the documents with the grades 0 to 4
FIRST = np.array([1.0, -0.8, 0.6, -0.4, 0.2, 0.0, 0.0, 0.0, 0.0, 0.0])
SECOND = FIRST[::-1]


# --- data ----------------------------------------------------------------------------------------------------------


def mq2008():
    """(X, grades, query) of the training and test queries of fold 1."""
    parts = [datasets.load_mq2008(1, part) for part in ("train", "test")]
    return with_different_grades(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def made_up(score, seed, quality=None):
    """(X, grades, query) graded by a score of the features; or by two, of which `quality` orders the relevant half."""
    random = np.random.default_rng(seed)
    X, query = random.normal(size=(QUERIES * DOCUMENTS, FEATURES)), np.repeat(np.arange(QUERIES), DOCUMENTS)
    first = with_noise(score(X), random)
    if quality is not None:
        first = np.where(first > np.quantile(first, SHARES[0]), 10 + with_noise(quality(X), random), 0)
    grades = np.searchsorted(np.quantile(first, np.cumsum(SHARES)[:-1]), first)
    return with_different_grades(X, grades, query)


def with_noise(scores, random):
    """The scores with standard deviation 1, and noise."""
    return scores / scores.std() + NOISE * random.normal(size=len(scores))


def with_different_grades(X, grades, query):
    """The queries that have two grades or more, in the order of their numbers."""
    kept = [rows for rows in rows_by_query(query) if np.ptp(grades[rows]) > 0]
    rows = np.concatenate(kept)
    return X[rows], grades[rows], query[rows]


def rows_by_query(query):
    rows = np.argsort(query, kind="stable")
    return np.split(rows, np.flatnonzero(np.diff(query[rows])) + 1)


DATA = {
    "mq2008": mq2008,
    "linear": lambda: made_up(lambda X: X @ FIRST, seed=1),
    "two steps": lambda: made_up(lambda X: X @ FIRST, seed=2, quality=lambda X: X @ SECOND),
    "products": lambda: made_up(lambda X: X @ FIRST / 2 + X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3], seed=3),
}


# --- methods: functions of (X, y, query, **parameters) that return a function of X, and the parameters to try ---


def ranking_svm(X, y, query, log_C, grades="binary", **options):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".* are left out")  # queries with one class, or one grade
        model = RankingSVC(loss="ndcg", C=10**log_C, tol=TOL, max_iter=10_000, grades=grades, **options)
        return model.fit(X, y, qid=query).predict


def difference_of_means(X, y, query):
    """The class means: the mean of the documents above the lowest grade less that of the others, over the queries."""
    parts = [(X[rows], y[rows] > 0) for rows in rows_by_query(query)]
    means = [Z[above].mean(axis=0) - Z[~above].mean(axis=0) for Z, above in parts if 0 < above.sum() < len(above)]
    return lambda Z: Z @ np.mean(means, axis=0)


def lambda_rank(X, y, query, **options):
    from lightgbm import LGBMRanker

    ranker = LGBMRanker(n_jobs=1, random_state=0, deterministic=True, force_row_wise=True, verbose=-1, **options)
    return ranker.fit(X, y, group=np.unique(query, return_counts=True)[1]).booster_.predict


def grid(**values):
    return [dict(zip(values, chosen, strict=True)) for chosen in product(*values.values())]


def methods(highest):
    """{name: (function, parameters to try)} for grades up to `highest`."""
    found = {
        "class means": (difference_of_means, [{}]),
        "relevant above 0": (ranking_svm, grid(log_C=LOG_C)),
        "best border": (ranking_svm, grid(relevant_from=range(1, highest + 1), log_C=LOG_C)),
        "thresholds": (ranking_svm, grid(grades=["thresholds"], log_C=LOG_C)),
    }
    if importlib.util.find_spec("lightgbm"):
        trees = grid(n_estimators=[50, 200, 500], num_leaves=[4, 15, 31], learning_rate=[0.03, 0.1])
        found["LambdaRank"] = (lambda_rank, trees)
    return found


# --- the study -----------------------------------------------------------------------------------------------------


def graded_ndcg(scores, grades, query, k):
    """The mean NDCG@k of the queries, with gains 2^g - 1. Queries of one length are judged together."""
    by_length = defaultdict(list)
    for rows in rows_by_query(query):
        by_length[len(rows)].append(rows)
    groups = [np.array(rows) for rows in by_length.values()]
    total = sum(len(rows) * ndcg_score(2.0 ** grades[rows] - 1, scores[rows], k=k) for rows in groups)
    return float(total / sum(map(len, groups)))


def choose(data, learn, tries):
    """The parameters with the best cross-validated NDCG@10."""
    X, grades, query = data
    if len(tries) == 1:
        return tries[0]
    found, folds = [], list(GroupKFold(INNER_FOLDS).split(X, groups=query))
    for parameters in tries:
        scores = np.empty(len(X))
        for rest, held_out in folds:
            scores[held_out] = learn(X[rest], grades[rest], query[rest], **parameters)(X[held_out])
        found.append(graded_ndcg(scores, grades, query, CHOSEN_BY))
    return tries[int(np.argmax(found))]


def row_of(data, learn, tries):
    """{"chosen": parameters of each fold, "ndcg": {"1": one number a fold, ...}}"""
    X, grades, query = data
    row = {"chosen": [], "ndcg": {str(k): [] for k in CUTOFFS}}
    for rest, held_out in GroupKFold(FOLDS).split(X, groups=query):
        parameters = choose((X[rest], grades[rest], query[rest]), learn, tries)
        scores = learn(X[rest], grades[rest], query[rest], **parameters)(X[held_out])
        row["chosen"].append(parameters)
        for k in CUTOFFS:
            row["ndcg"][str(k)].append(round(graded_ndcg(scores, grades[held_out], query[held_out], k), 5))
    return row


def stored():
    """{"mq2008": {"queries": 563, "rows": {"thresholds": row, ...}}, ...}"""
    return json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}


def main():
    found = stored()
    if not importlib.util.find_spec("lightgbm"):
        print("lightgbm is not installed: no row of LambdaRank is computed, and those that are stored are kept")
    for name, load in DATA.items():
        data = load()
        entry = found.setdefault(name, {"rows": {}})
        entry |= {"queries": len(np.unique(data[2])), "documents": len(data[0])}
        entry["grades"] = np.bincount(data[1]).tolist()
        for method, (learn, tries) in methods(int(data[1].max())).items():
            if method not in entry["rows"]:
                entry["rows"][method] = row_of(data, learn, tries)
                means = ", ".join(f"@{k} {np.mean(v):.4f}" for k, v in entry["rows"][method]["ndcg"].items())
                print(f"{name:10}{method:20} NDCG{means}", flush=True)
                RESULTS.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()

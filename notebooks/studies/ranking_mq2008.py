"""Which loss to train with? LETOR MQ2008, fold 1: the numbers behind a table of notebook 08.

Run from the top of the checkout, with MARGINALIA_DATA set (see `reference.datasets.load_mq2008`):

    python -m notebooks.studies.ranking_mq2008

A document is relevant if it was judged 1 or 2. Queries without both classes are left out. For each loss, lambda is
chosen on the training queries alone, by cross-validation in five folds of whole queries (GroupKFold): once for the best
mean average precision, once for the best mean NDCG. Then a fit on all training queries is judged on the test queries,
by scikit-learn. Kept are the numbers of each query: `held_out` those of the training queries in the cross-validation,
at the lambda that was chosen, and `nested` those at a lambda that the other four folds have chosen without them, in a
cross-validation of their own, where a tie counts against the positive. `tighter` has the mean on the test queries for
fits to smaller gaps. In `balanced`, the 0-1 loss, each class counts as half of its query. The features are taken as
they are, scaled to 0..1 within a query, with a constant 1 added: a ranking does not notice it, and the 0-1 loss needs a
threshold. Everything is deterministic. Four minutes.
"""

import json
import warnings
from itertools import combinations
from pathlib import Path

import numpy as np
from sklearn.metrics import average_precision_score, ndcg_score
from sklearn.model_selection import GroupKFold

import fast
from fast._shared.planes import minimise_by_planes
from reference import datasets
from reference.problems import checks

RESULTS = Path(__file__).parents[1] / "results" / "ranking_mq2008.json"
TRAINING_LOSSES = ("zero_one", "balanced", "auc", "ap", "ndcg")
MEASURES = {"ap": average_precision_score, "ndcg": lambda truth, scores: ndcg_score([truth], [scores])}
GRID = [-4.0, -3.5, -3.0, -2.5, -2.0, -1.5, -1.0, -0.5, 0.0]  # of log10 lambda
LIMITS = (-6.0, 2.0)  # to which the grid is extended while the best is at its border
FOLDS, TOL, MAX_ITERATIONS = 5, 1e-3, 3000
TIGHTER = (1e-4, 1e-5)  # tolerances of further fits at the lambda that was chosen


def load(part):
    """(X with a constant 1, relevant, query) of the queries that have both classes."""
    X, relevance, query = datasets.load_mq2008(1, part)
    relevant = relevance >= 1
    both = np.isin(query, query[relevant]) & np.isin(query, query[~relevant])
    return np.column_stack([X, np.ones(len(X))])[both], relevant[both], query[both]


def fit(X, relevant, query, loss, log_lambda, tol=TOL):
    """The weights, certified to this gap or better."""
    options = {"loss": loss, "regularization": 10**log_lambda, "tol": tol, "max_iterations": MAX_ITERATIONS}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if loss == "balanced":
            return fit_balanced(X, relevant, query, 10**log_lambda, tol)
        return fast.fit_ranking_svm(X, relevant, groups=query, **options)


def fit_balanced(X, relevant, query, regularization, tol):
    """The plain SVM in which the positives of a query count as much as its negatives, and all queries alike."""
    _, number = np.unique(query, return_inverse=True)
    part, sign = 2 * number + relevant, np.where(relevant, 1.0, -1.0)
    share = 1 / (np.bincount(part)[part] * 2 * (number.max() + 1))  # of the mean hinge

    def plane(weights):
        inside = share * (sign * (X @ weights) < 1)
        slope = -X.T @ (sign * inside)
        return inside.sum() + slope @ weights, inside.sum(), slope

    options = checks.ranking_options(regularization, tol, MAX_ITERATIONS)
    return minimise_by_planes(plane, np.zeros(X.shape[1]), X.dtype, options, False)[0]


def judge(scores, relevant, query):
    """Average precision and NDCG of each query, in the order of their numbers."""
    parts = [query == q for q in np.unique(query)]
    return {name: [float(measure(relevant[q], scores[q])) for q in parts] for name, measure in MEASURES.items()}


def mean_difference(X, relevant, query):
    """The mean of the positives less that of the negatives, averaged over the queries: it has no lambda."""
    parts = [(X[(query == q) & relevant], X[(query == q) & ~relevant]) for q in np.unique(query)]
    return np.mean([p.mean(axis=0) - n.mean(axis=0) for p, n in parts], axis=0)


def validate(data, learn):
    """The two measures of each training query, judged by the weights that were learnt without it."""
    X, relevant, query = data
    scores = np.empty(len(X))
    for rest, held_out in GroupKFold(FOLDS).split(X, groups=query):
        scores[held_out] = X[held_out] @ learn(X[rest], relevant[rest], query[rest])
    return judge(scores, relevant, query)


def folds_of(X, query):
    """The fold of each document."""
    fold = np.empty(len(X), int)
    for k, (_, held_out) in enumerate(GroupKFold(FOLDS).split(X, groups=query)):
        fold[held_out] = k
    return fold


def judge_quickly(scores, relevant, query):
    """`judge`, but a tie counts against the positive."""
    found = {name: [] for name in MEASURES}
    for q in np.unique(query):
        s, r = scores[query == q], relevant[query == q]
        ranks = fast.interleaving_ranks(s[r], s[~r])
        found["ap"].append(1 - fast.ap_loss(ranks, int(r.sum())))
        found["ndcg"].append(1 - fast.ndcg_loss(ranks, int(r.sum())))
    return found


def nested(data, loss, log_lambdas):
    """{measure: the log10 lambda that each fold gets from the other four, by fits on three and judgements on one}."""
    X, relevant, query = data
    fold = folds_of(X, query)
    means = {name: np.empty((FOLDS, len(log_lambdas))) for name in MEASURES}
    for column, log_lambda in enumerate(log_lambdas):
        scores = np.zeros((FOLDS, len(X)))  # scores[k] are of fits that have not seen fold k
        for j, k in combinations(range(FOLDS), 2):
            rest = (fold != j) & (fold != k)
            found = X @ fit(X[rest], relevant[rest], query[rest], loss, log_lambda).weights
            scores[k][fold == j], scores[j][fold == k] = found[fold == j], found[fold == k]
        for k in range(FOLDS):
            others = fold != k
            judged = judge_quickly(scores[k][others], relevant[others], query[others])
            for name, values in judged.items():
                means[name][k, column] = np.mean(values)
    return {name: [log_lambdas[best] for best in values.argmax(axis=1)] for name, values in means.items()}


def choose(data, loss):
    """(best log10 lambda for each measure, all that was tried)."""
    tried, todo = {}, list(GRID)
    while todo:
        for log_lambda in todo:
            tried[log_lambda] = validate(data, lambda *part, v=log_lambda: fit(*part, loss, v).weights)
        best = {name: max(sorted(tried), key=lambda v: np.mean(tried[v][name])) for name in MEASURES}
        ends = {min(tried): min(tried) - 0.5, max(tried): max(tried) + 0.5}
        todo = sorted({ends[v] for v in best.values() if v in ends and LIMITS[0] <= ends[v] <= LIMITS[1]})
    return best, tried


def rounded(values):
    return [round(float(v), 5) for v in values]


def of_class_means(train, test):
    """What the table holds of the mean difference, which has no lambda to be chosen."""
    held_out, judged = validate(train, mean_difference), judge(test[0] @ mean_difference(*train), *test[1:])
    judged = {name: {"held_out": rounded(held_out[name]), "test": rounded(judged[name])} for name in MEASURES}
    return {name: values | {"nested": values["held_out"]} for name, values in judged.items()}


def with_training(train, test, loss):
    """The same of a loss, and what was tried."""
    best, tried = choose(train, loss)
    inner = nested(train, loss, sorted(tried))
    fold = folds_of(train[0], train[2])[np.unique(train[2], return_index=True)[1]]  # of each query
    row = {}
    for name, log_lambda in best.items():
        fitted = fit(*train, loss, log_lambda)
        judged = {tol: judge(test[0] @ fit(*train, loss, log_lambda, tol).weights, *test[1:]) for tol in TIGHTER}
        row[name] = {
            "log_lambda": log_lambda,
            "iterations": fitted.iterations,
            "validation": {str(v): round(float(np.mean(tried[v][name])), 5) for v in sorted(tried)},
            "held_out": rounded(tried[log_lambda][name]),
            "nested_log_lambdas": inner[name],
            "nested": rounded(tried[inner[name][k]][name][q] for q, k in enumerate(fold)),
            "test": rounded(judge(test[0] @ fitted.weights, *test[1:])[name]),
            "tighter": {str(tol): round(float(np.mean(found[name])), 5) for tol, found in judged.items()},
        }
        print(f"{loss:8} chosen for {name:4}: 10^{log_lambda}, test {np.mean(row[name]['test']):.4f}", flush=True)
    return row


def main():
    train, test = load("train"), load("test")
    results = {"queries": {"train": len(np.unique(train[2])), "test": len(np.unique(test[2]))}}
    results |= {"folds": FOLDS, "tol": TOL, "rows": {"class means": of_class_means(train, test)}}
    for loss in TRAINING_LOSSES:
        results["rows"][loss] = with_training(train, test, loss)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(results) + "\n")


if __name__ == "__main__":
    main()

"""Queries of the ranking SVM: their numbers, those that can be ranked, and copies of graded ones, one a threshold."""

from typing import NamedTuple

import numpy as np
from sklearn.utils.validation import check_array, column_or_1d

from reference.problems import checks

GRADES = ("auto", "binary", "thresholds")
MOST_GRADES = 10  # of grades="auto": each query gets up to one copy less than there are grades
NO_QID = (
    "RankingSVC got no qid and takes all {n} samples for one query: pass qid, the query of each sample, or zeros if "
    "there is one query only. Grid searches pass it on after sklearn.set_config(enable_metadata_routing=True), to "
    "RankingSVC().set_fit_request(qid=True).set_score_request(qid=True)"
)


class Copies(NamedTuple):
    """Queries with two classes, made of queries with grades. Row r of the copies is the sample rows[r]."""

    rows: np.ndarray
    relevant: np.ndarray  # whether the grade of the sample is at or above the threshold of its copy
    groups: np.ndarray  # the number of the copy
    weights: np.ndarray  # the weight of the query times the share of the threshold in its loss
    share: float  # what the copies weigh together, relative to the queries; at most 1


def query_numbers(qid, n):
    """Returns the queries (n,) as numbers 0, 1, 2, ... Without a qid all samples are one query, with a warning."""
    if qid is None:
        checks.warn(NO_QID.format(n=n))
        return np.zeros(n, np.int64)
    qid = column_or_1d(qid)
    if len(qid) != n:
        raise ValueError(f"qid must have shape ({n},), one query a sample, got shape {qid.shape}")
    if (qid != qid).any() or any(query is None for query in qid.tolist()):
        raise ValueError("qid must name the query of each sample, got NaN or None")
    return np.unique(qid, return_inverse=True)[1].reshape(-1).astype(np.int64)


def query_weights(query_weight, queries):
    """Returns the weights (n,) of the samples' queries, float64, or None if none are given."""
    if query_weight is None:
        return None
    n = len(queries)
    weights = check_array(column_or_1d(query_weight), ensure_2d=False, dtype=np.float64, input_name="query_weight")
    if len(weights) != n:
        raise ValueError(f"query_weight must have shape ({n},), one weight a sample, got shape {weights.shape}")
    if weights.min() < 0:
        raise ValueError(f"query_weight must be >= 0, got {weights.min():g}")
    differs = weights != weights[np.unique(queries, return_index=True)[1]][queries]
    if differs.any():
        raise ValueError(
            f"query_weight must be the same for all samples of a query, got {weights[differs][0]:g} beside another"
        )
    return weights


def grades_to_use(grades, y, relevant_from):
    """Returns "binary" or "thresholds", whichever `grades` says, or for "auto" whichever suits the grades y.

    If "auto" cannot use all grades, it warns and says why.
    """
    if grades != "auto":
        return grades
    count = len(np.unique(y))
    if count <= 2:
        return "binary"
    if relevant_from is not None:
        why = f"relevant_from={relevant_from!r} is given"
    elif y.min() < 0:
        why = f"a grade is negative ({y.min():g}), and would have a negative gain"
    elif count > MOST_GRADES:
        why = f"there are {count} different grades, more than {MOST_GRADES}"
    else:
        return "thresholds"
    checks.warn(
        f"grades='auto' only tells the relevant samples of a query from the others, because {why}: pass "
        f"grades='binary' if you mean it. To use all, give at most {MOST_GRADES}, all >= 0, without relevant_from"
    )
    return "binary"


def check_rankable(relevant, queries):
    """Warn of the queries that do not have both relevant and irrelevant samples. ValueError if none has."""
    without = (count := len(np.unique(queries))) - len(rankable_queries(relevant, queries))
    if without:
        message = f"{without} of the {count} queries have no relevant samples, or no others, and are left out"
        checks.warn(message)


def rankable_queries(relevant, queries):
    """Returns the rows of each query that has both relevant and irrelevant samples. ValueError if there is none."""
    both = [part for part in _rows_by_query(queries) if 0 < np.count_nonzero(relevant[part]) < len(part)]
    if not both:
        raise ValueError(
            "y must have a query with both relevant and irrelevant samples, got none: lower or raise relevant_from"
        )
    return both


def graded_queries(grades, queries):
    """Returns the rows of each query that has two grades or more. ValueError if a grade is negative or none has two."""
    if grades.min() < 0:
        raise ValueError(f"y must hold grades >= 0 with grades='thresholds', got {grades.min():g}, a negative gain")
    several = [part for part in _rows_by_query(queries) if grades[part].min() < grades[part].max()]
    if not several:
        raise ValueError("y must have a query whose samples have different grades, got none: there is nothing to rank")
    return several


def relative_gains(grades):
    """Returns the gains 2^g - 1 of the grades of a query, divided by 2^(highest grade).

    High grades do not overflow, and grades near 0 do not cancel: (2^g - 1) / 2^h = 2^(g - h) (1 - 2^-g).
    """
    return np.exp2(grades - np.max(grades)) * -np.expm1(-np.log(2) * grades)


def threshold_shares(levels, counts):
    """Returns the share of each threshold in the loss 1 - NDCG of a query with gains 2^g - 1. The shares add up to 1.

    `levels` are the grades that occur in the query, ascending, and `counts` their numbers of samples. At threshold j
    the P_j samples with grade levels[j] or more are relevant. A perfect ranking has the discounted gain
    sum over j of (gain of levels[j] - gain of levels[j - 1]) * (sum of the first P_j discounts), and the summands are
    the shares, up to a factor. The gain before the lowest level is 0.
    """
    relevant = np.cumsum(counts[::-1])[::-1]
    ideal = np.cumsum(1 / np.log2(np.arange(2, relevant[0] + 2)))[relevant - 1]
    gained = np.diff(relative_gains(levels), prepend=0) * ideal
    return gained / gained.sum()


def threshold_copies(grades, queries, weights=None):
    """Returns the `Copies` of the queries: one for each grade of the query but its lowest.

    A threshold at or below the lowest grade makes all samples relevant, and one above the highest grade makes none
    relevant. Both have no loss in any ranking and get no copy. Thresholds between two grades of the query have the same
    relevant samples and share a copy. Queries with one grade are left out with a warning.
    """
    parts, count = graded_queries(grades, queries), len(np.unique(queries))
    if len(parts) < count:
        message = f"{count - len(parts)} of the {count} queries have samples of one grade only and are left out"
        checks.warn(message)
    copies = [(part, level, share) for part in parts for level, share in _lossy_thresholds(grades[part])]
    rows = np.concatenate([part for part, _, _ in copies])
    groups = np.repeat(np.arange(len(copies)), [len(part) for part, _, _ in copies])
    levels, shares = np.array([(level, share) for _, level, share in copies]).T
    of_queries = np.ones(len(grades)) if weights is None else weights
    total = sum(of_queries[part[0]] for part in parts)
    if total == 0:
        raise ValueError("query_weight must be above zero for a query with different grades, got zeros only")
    share = sum(of_queries[part[0]] * share for part, _, share in copies) / total
    return Copies(rows, grades[rows] >= levels[groups], groups, of_queries[rows] * shares[groups], share)


def _lossy_thresholds(grades):
    """Returns the pairs (threshold, share) of a query, without the threshold that makes all samples relevant."""
    levels, counts = np.unique(grades, return_counts=True)
    return list(zip(levels, threshold_shares(levels, counts), strict=True))[1:]


def _rows_by_query(queries):
    """Returns a list of the rows of each query."""
    rows = np.argsort(queries, kind="stable")
    return np.split(rows, np.flatnonzero(np.diff(queries[rows])) + 1)

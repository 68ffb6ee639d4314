"""Recall@k with at most k n samples predicted positive, beside `fit_svm_perf` on data with room for smaller sets."""

import numpy as np
import pytest

from notebooks.studies import recall_at_most as study
from reference import datasets


@pytest.fixture(scope="module")
def data():
    X, y = datasets.load_digits()[:2]
    return X[:120], y[:120, None] == np.arange(10)


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("regularization", [1.0, 0.03])
def test_it_is_the_optimum_of_the_problem_with_a_row_of_zeros(data, k, regularization):
    gap, point = study.fit(*data, k, regularization)[1:]
    problem = study.Problem(data[0].astype(np.float32), data[1].astype(np.float32), k, regularization)
    primal, dual = study.bounds(point, problem, study.smooth(point, problem, study.WIDTHS[-1])[2])
    best = study.by_planes(*data, k, regularization, planes=2000, tol=1e-4)
    assert 0 <= gap <= 0.02 and gap == (primal - dual) / primal
    slack = 1e-5 * best.primal
    assert best.dual - slack <= primal and dual <= best.primal + slack, "expected the optimum between the two bounds"
    assert primal <= best.primal * (1 + gap)


def test_the_primal_is_the_largest_violation_over_all_sets():
    X, relevant = np.array([[1.0, 0.0], [0.2, 1.0]]), np.array([[1, 0], [0, 1]])
    problem = study.Problem(X.astype(np.float32), relevant.astype(np.float32), 1, 0.3)
    weights = np.array([[0.4, -0.2], [0.9, 0.1]])
    primal, _ = study.bounds(np.append(weights, 0.0), problem, np.zeros((2, 2), np.float32))
    scores, most = X @ weights, 0.0
    for called in np.ndindex(2, 2, 2, 2):
        S = np.reshape(called, (2, 2))
        if S.sum() <= 2:
            loss = 1 - (S * relevant).sum() / 2
            most = max(most, loss + (scores * S).sum() / 2 - (scores * relevant).sum() / 2)
    assert primal == pytest.approx(0.15 * (weights**2).sum() + most, rel=1e-5)


@pytest.mark.parametrize("k", [1, 3])
def test_the_derivative_is_that_of_the_smooth_objective(data, k):
    problem = study.Problem(data[0].astype(np.float32), data[1].astype(np.float32), k, 0.1)
    random = np.random.default_rng(0)
    point = np.append(random.normal(size=640) * 0.05, 0.02)
    along = random.normal(size=641)
    ahead, behind = (study.smooth(point + step * along, problem, 0.1)[0] for step in (1e-3, -1e-3))
    assert (ahead - behind) / 2e-3 == pytest.approx(study.smooth(point, problem, 0.1)[1] @ along, rel=2e-3)


def test_where_no_limit_is_met_a_larger_k_changes_nothing(data):
    few, many = (study.fit(*data, k, 0.01)[0] for k in (5, 10))
    assert np.abs(few - many).max() < 0.05 * np.abs(few).max()

"""What the page CERTIFICATES.md promises: distances from the optimum, seconds at any size, and its own examples."""

import doctest
import re
import time

import numpy as np
import pytest
from scipy import sparse

import fast
import reference
from reference.check import certify
from reference.check.judging.subject import SUBJECTS
from reference.check.ranking import bounds as certificates_ranking
from tests.support.check import ROOT
from tests.support.twins import fit

PAGE = ROOT / "reference/check/CERTIFICATES.md"
LONGEST = 10.0  # CPU seconds for an instance of a size that no solver reaches


# --- how far an answer is from the optimum, as the page says ---------------------------------------------------------


def test_the_distance_of_a_projection_is_bounded_by_its_number():
    rng = np.random.default_rng(16)
    for trial in range(300):
        d, size = int(rng.integers(2, 30)), 10.0 ** rng.integers(-9, 1)
        a, w = rng.normal(size=d), rng.uniform(0.2, 3.0, size=d)
        box = {"total": 0.3 * w.sum(), "lower": 0.0, "upper": 1.0, "weights": w if trial % 2 else np.ones(d)}
        x = reference.project_knapsack(a, **box)
        wrong = x + size * rng.normal(size=d) * (rng.random(d) < 0.5)
        value, unit = certify("project_knapsack", wrong, a, **box).value, max(np.abs(a).max(), np.abs(wrong).max())
        bound = (1 + 2 * box["weights"].sum() / box["weights"].min()) * value * unit
        assert np.abs(wrong - x).max() <= bound + 1e-14, (trial, np.abs(wrong - x).max(), bound)


def test_the_distance_of_weights_is_bounded_by_the_gap():
    rng = np.random.default_rng(17)
    X, y = rng.normal(size=(40, 4)), np.arange(40) % 4
    relevant = y == 0
    problem = {"regularization": 0.01}
    for name, labels in (("fit_topk_svm", y), ("fit_ranking_svm", relevant), ("fit_top_push", relevant)):
        function = getattr(fast, name)
        best = fit(function, X, labels, **problem, tol=1e-9)
        for tol in (0.5, 0.1, 1e-2, 1e-4):
            rough = fit(function, X, labels, **problem, tol=tol)
            value = certify(name, rough, X, labels, **problem).value
            bound = np.sqrt(2 * value * rough.primal / 0.01)
            allowed = bound + np.sqrt(2e-8 * best.primal / 0.01)  # the best fit has a gap, too
            assert np.linalg.norm(rough.weights - best.weights) <= allowed, (name, tol)


def test_the_objective_of_a_ranking_is_bounded_by_its_number():
    rng, compared = np.random.default_rng(18), 0
    for trial in range(400):
        p, n = rng.normal(size=int(rng.integers(1, 6))), np.sort(rng.normal(size=int(rng.integers(1, 6))))[::-1]
        loss = ("ap", "ndcg", "auc")[trial % 3]
        ranks = rng.integers(1, len(p) + 2, size=len(n))  # in the order of the scores in every second trial
        ranks = np.sort(ranks) if trial % 2 else ranks
        value = certificates_ranking.loss_augmented_inference(ranks, p, n, loss)
        objective = reference.rank_loss(ranks, len(p), loss) + certificates_ranking.score(p, n, ranks)
        lost = reference.loss_augmented_inference(p, n, loss).objective - objective
        far = 1 + np.abs(p[:, None] - n).max()
        assert lost <= len(set(ranks.tolist())) * value * far + 1e-12, trial
        compared += lost > 1e-6
    assert compared > 300


# --- sizes ---------------------------------------------------------------------------------------------------------


def large_projection(rng):
    a = rng.normal(size=10**6)
    return "project_topk_simplex", (a, 10), {}


def large_fit(rng):
    n, m, d = 2000, 200, 50
    X, y = rng.normal(size=(n, d)), np.append(np.arange(m), rng.integers(0, m, size=n - m))
    return "fit_topk_svm", (X, y), {"regularization": 1 / n, "k": 5, "tol": 1e-2}


def large_sparse_fit(rng):
    X, y = sparse.random(2000, 5000, 0.01, format="csr", rng=rng), np.arange(2000) % 200
    return "fit_topk_svm", (X, y), {"regularization": 1e-2, "tol": 1e-2}


def large_inference(rng):
    return "loss_augmented_inference", (rng.normal(size=1000), rng.normal(size=99_000)), {"loss": "ndcg"}


def many_groups(rng):
    n = 50_000
    groups, relevant = np.arange(n) // 100, rng.random(n) < 0.2
    return "grouped_inference", (rng.normal(size=n), relevant, groups), {}


def large_ranking(rng):
    X, relevant = rng.normal(size=(20_000, 20)), rng.random(20_000) < 0.1
    return "fit_ranking_svm", (X + relevant[:, None], relevant), {"regularization": 1e-2, "tol": 1e-2}


def long_stream(rng):
    X, y = rng.normal(size=(400, 30)), rng.integers(0, 50, size=400)
    return "fit_passive_aggressive", (X, y), {"variant": "pa1", "n_classes": 50}


def long_walk(rng):
    X, y = rng.normal(size=(500, 40)), rng.integers(0, 30, size=500)
    return "fit_wsabie", (X, y), {"n_updates": 300, "embedding_dim": 8, "last_violators": 1, "n_classes": 30}


def large_loss(rng):
    return "warp_loss", (rng.normal(size=(800, 200)), rng.integers(0, 200, size=800)), {"last_violators": 3}


def many_scores(rng):
    return "topk_hinge", (rng.normal(size=(20_000, 200)), rng.integers(0, 200, size=20_000)), {"k": 10}


def large_pushing(rng):
    X, relevant = rng.normal(size=(50_000, 30)), rng.random(50_000) < 0.2
    return "fit_top_push", (X + relevant[:, None], relevant), {"regularization": 0.1, "tol": 1e-2}


@pytest.mark.parametrize(
    "make",
    [
        large_projection, large_fit, large_sparse_fit, large_inference, many_groups, large_ranking, long_stream,
        long_walk, large_loss, many_scores, large_pushing,
    ],
    ids=lambda make: make.__name__,
)  # fmt: skip
def test_sizes_that_no_solver_reaches_take_seconds(make):
    name, arguments, options = make(np.random.default_rng(15))
    answer = fit(getattr(fast, name), *arguments, **options)
    start = time.process_time()
    got = certify(name, answer, *arguments, **options)
    seconds = time.process_time() - start
    assert got.ok, got
    assert seconds < LONGEST, f"{name}: {seconds:.1f} s"


# --- the page ------------------------------------------------------------------------------------------------------


def test_the_examples_of_the_page_print_what_it_says():
    got = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert got.attempted > 30 and got.failed == 0


def test_the_page_has_each_function_and_an_example_of_it():
    text = PAGE.read_text(encoding="utf-8")
    shown = set(re.findall(r"certify\(\s*(?:\.\.\.\s*)?\"(\w+)\"", text))
    assert shown == set(SUBJECTS), shown ^ set(SUBJECTS)

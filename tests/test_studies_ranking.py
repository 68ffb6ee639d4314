"""The study of MQ2008 behind notebook 08: what a fold gets is chosen without it, and the stored rows."""

import json

import numpy as np
from sklearn.svm import LinearSVC

from notebooks.studies import ranking_mq2008 as study

STORED = json.loads(study.RESULTS.read_text())
LOG_LAMBDAS = [-3.0, -1.0, 1.0]


def made_up(seed=0, queries=15, documents=8):
    random = np.random.default_rng(seed)
    X, query = random.normal(size=(queries * documents, 4)), np.repeat(np.arange(queries), documents)
    scores = X[:, 0] + 2 * random.normal(size=len(X))
    relevant = np.concatenate([part >= np.sort(part)[-3] for part in scores.reshape(queries, documents)])
    return X, relevant, query


def test_a_fold_has_no_part_in_the_choice_of_its_lambda():
    X, relevant, query = made_up()
    fold, before = study.folds_of(X, query), study.nested((X, relevant, query), "ap", LOG_LAMBDAS)
    assert set(np.bincount(fold)) == {24}
    for k in range(study.FOLDS):
        after = study.nested((X, np.where(fold == k, ~relevant, relevant), query), "ap", LOG_LAMBDAS)
        assert all(before[name][k] == after[name][k] for name in study.MEASURES)


def test_the_balanced_fit_is_the_svm_with_class_weights():
    X, relevant, query = made_up()
    svm = LinearSVC(loss="hinge", C=10, fit_intercept=False, tol=1e-9, max_iter=100_000, random_state=0)
    weights = svm.fit(X, relevant, np.where(relevant, 1 / 3, 1 / 5) / 30).coef_[0]
    np.testing.assert_allclose(study.fit_balanced(X, relevant, query, 0.1, 1e-8).weights, weights, atol=1e-3)


def test_both_judges_agree_where_no_scores_tie():
    X, relevant, query = made_up()
    one, two = (judge(X[:, 0], relevant, query) for judge in (study.judge, study.judge_quickly))
    for name in study.MEASURES:
        np.testing.assert_allclose(one[name], two[name], rtol=1e-12)


def test_stored_rows_have_each_query_and_lambdas_that_were_tried():
    for loss, row in STORED["rows"].items():
        for measure, found in row.items():
            assert (
                len(found["nested"]) == STORED["queries"]["train"] and len(found["test"]) == STORED["queries"]["test"]
            )
            if loss != "class means":
                tried = {float(value) for value in found["validation"]}
                assert set(found["nested_log_lambdas"]) <= tried, (loss, measure)
                assert found["log_lambda"] in tried


def test_what_notebook_08_says_of_smaller_gaps():
    at = [{loss: np.mean(STORED["rows"][loss]["ap"]["test"]) for loss in study.TRAINING_LOSSES}]
    at += [
        {loss: STORED["rows"][loss]["ap"]["tighter"][str(tol)] for loss in study.TRAINING_LOSSES}
        for tol in study.TIGHTER
    ]
    assert [max(found, key=found.get) for found in at] == ["auc", "ap", "ap"]

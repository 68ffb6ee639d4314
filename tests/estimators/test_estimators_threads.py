"""`n_jobs` of the classifiers: threads change the time of a fit or a prediction, and nothing else."""

import threading

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from fast._shared import threads
from fast.estimators import (
    PassiveAggressiveTopKClassifier,
    SVMPerfClassifier,
    TopKSVC,
    TopPushClassifier,
    WsabieClassifier,
)

N, D, M = 300, 8, 20
MODELS = {
    "TopKSVC": TopKSVC(k=2, C=0.1, tol=0.1, random_state=0),
    "rbf": TopKSVC(kernel="rbf", C=0.1, tol=0.3, random_state=0),
    "PassiveAggressive": PassiveAggressiveTopKClassifier(k=2, max_iter=1, random_state=0),
    "averaged": PassiveAggressiveTopKClassifier(average=True, max_iter=1, random_state=0),
    "Wsabie": WsabieClassifier(epochs=1, random_state=0),
    "embedded": WsabieClassifier(embedding_dim=5, n_ensemble=2, epochs=3, patience=2, random_state=0, margin=0.1),
    "linear": WsabieClassifier(discriminant="linear", step_size=0.01, epochs=1, random_state=0),
    "TopPush": TopPushClassifier(tol=0.5, random_state=0),
    "a TopPush a class": TopPushClassifier(multi_class="ovr", tol=0.5, random_state=0),
    "SVMPerf": SVMPerfClassifier(k=2, tol=0.5, random_state=0),
}
EACH = pytest.mark.parametrize("name", MODELS)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Several blocks, so that threads have something to do, of few examples, so that the tests take little time."""
    monkeypatch.setattr(threads, "NUMBERS", 800)
    monkeypatch.setattr(threads, "LEAST_ROWS", 16)
    assert len(threads.row_blocks(N, M)) >= 5


def examples(layout):
    rng = np.random.default_rng(0)
    y = np.arange(N) % M
    X = rng.standard_normal((M, D))[y] + rng.standard_normal((N, D))
    return layout(np.where(np.abs(X) > 1, X, 0)), y


def results(model, X):
    return [model.predict(X), model.predict_topk(X, k=3), model.decision_function(X)]


@EACH
@pytest.mark.parametrize("layout", [np.float32, sparse.csr_matrix])
def test_fits_and_predictions_do_not_depend_on_the_number_of_threads(name, layout):
    X, y = examples(layout)
    model = clone(MODELS[name]).fit(X, y)
    expected = results(model, X)
    for n_jobs in (2, 3):
        same = clone(MODELS[name]).set_params(n_jobs=n_jobs).fit(X, y)
        for got, one in zip(
            [*results(same, X), *results(model.set_params(n_jobs=n_jobs), X)], 2 * expected, strict=True
        ):
            assert got.dtype == one.dtype and np.array_equal(got, one), n_jobs


@EACH
def test_blocks_give_the_scores_of_each_example_alone(name):
    X, y = examples(sparse.csr_matrix)
    model = clone(MODELS[name]).fit(X, y)
    scores, rows = model.decision_function(X), [0, N // 2, N - 1]
    for i in rows:
        np.testing.assert_allclose(scores[i], model.decision_function(X[[i]])[0], rtol=1e-9, atol=1e-12)


@EACH
def test_a_bad_number_of_threads_is_named(name):
    X, y = examples(np.ascontiguousarray)
    for n_jobs in (0, 1.5):
        with pytest.raises(ValueError, match="n_jobs must be an integer >= 1, or -1 for all processors, got"):
            clone(MODELS[name]).set_params(n_jobs=n_jobs).fit(X, y)
    model = clone(MODELS[name]).fit(X, y).set_params(n_jobs=0)
    with pytest.raises(ValueError, match="n_jobs must be"):
        model.predict(X[:1])


def test_predictions_use_the_threads():
    """Two blocks wait for each other: without two threads, the first would wait until it gives up."""
    X, y = examples(np.ascontiguousarray)
    model = TopKSVC(C=0.1, tol=0.5, n_jobs=2).fit(X, y)
    meeting = threading.Barrier(2, timeout=60)

    def function(scores):
        meeting.wait()
        return scores.shape[0]

    two = X[: 2 * 800 // M]
    assert model._by_blocks(two, function) == [800 // M, 800 // M]

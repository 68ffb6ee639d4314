"""Dask and the estimators: a Dask array is refused, and a grid search runs on Dask as it is."""

import dask.array
import joblib
import numpy as np
import pytest
import sklearn
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, GroupKFold

from fast.distributed._cluster import connected
from fast.estimators import (
    PassiveAggressiveTopKClassifier,
    RankingSVC,
    SVMPerfClassifier,
    TopKSVC,
    TopPushClassifier,
    WsabieClassifier,
)

ADVICE = {
    TopKSVC: "fast.distributed.fit_topk_svm",
    RankingSVC: "fast.distributed.fit_ranking_svm",
    WsabieClassifier: "fast.distributed.fit_wsabie_ensemble",
    PassiveAggressiveTopKClassifier: "partial_fit",
    TopPushClassifier: "a part of its rows",
    SVMPerfClassifier: "a part of its rows",
}
EACH = pytest.mark.parametrize("estimator", ADVICE, ids=lambda estimator: estimator.__name__)


class Blocks:
    """Data in memory and as Dask arrays, which count how many of their blocks are computed."""

    def __init__(self):
        rng = np.random.default_rng(0)
        self.computed = []
        self.in_memory = rng.standard_normal((12, 3)), np.arange(12) % 3
        self.lazy = tuple(self._counted(dask.array.from_array(array, chunks=4)) for array in self.in_memory)
        self.computed.clear()  # Dask tries the function on an empty block

    def _counted(self, array):
        return array.map_blocks(self._count, dtype=array.dtype)

    def _count(self, block):
        self.computed.append(block.shape)
        return block


@pytest.fixture
def blocks():
    return Blocks()


@EACH
def test_a_dask_array_is_refused_before_it_is_computed(estimator, blocks):
    model = estimator()
    with pytest.raises(ValueError, match=r"^X must be in memory, got a Dask Array of shape \(12, 3\)") as caught:
        model.fit(*blocks.lazy)
    assert ADVICE[estimator] in str(caught.value) and estimator.__name__ in str(caught.value)
    assert blocks.computed == [] and not hasattr(model, "n_features_in_")


@pytest.mark.parametrize("estimator", [PassiveAggressiveTopKClassifier, WsabieClassifier])
def test_a_dask_array_is_refused_as_a_batch(estimator, blocks):
    model = estimator().partial_fit(*blocks.in_memory, classes=np.arange(3))
    with pytest.raises(ValueError, match="^X must be in memory, got a Dask Array"):
        model.partial_fit(*blocks.lazy)
    assert blocks.computed == []


@pytest.mark.filterwarnings("ignore:RankingSVC got no qid:UserWarning")
@EACH
def test_a_dask_array_is_refused_by_predictions(estimator, blocks):
    X, y = blocks.in_memory
    model = estimator().fit(X, y == 0 if estimator in (TopPushClassifier, SVMPerfClassifier) else y)
    for method in ("predict", "decision_function", "predict_topk", "transform"):
        if hasattr(model, method):
            with pytest.raises(ValueError, match=r"^X must be in memory, .*X\.map_blocks"):
                getattr(model, method)(blocks.lazy[0])
    assert blocks.computed == []
    expected, got = model.predict(X), blocks.lazy[0].map_blocks(model.predict, drop_axis=1, dtype=y.dtype).compute()
    assert (got == expected).all(), f"expected {expected}, got {got}"


def test_labels_may_be_a_dask_array_beside_features_in_memory(blocks):
    expected = TopKSVC(random_state=0).fit(*blocks.in_memory)
    got = TopKSVC(random_state=0).fit(blocks.in_memory[0], blocks.lazy[1])
    assert (got.coef_ == expected.coef_).all()


@pytest.fixture(scope="module")
def client():
    with connected(n_jobs=2) as client:
        yield client


def searched(search, *data, **parameters):
    """(the best parameters, the scores, what the best model learned) of a grid search."""
    search.fit(*data, **parameters)
    return search.best_params_, search.cv_results_["mean_test_score"].tolist(), search.best_estimator_.coef_.tolist()


def test_grid_search_of_topk_svc_runs_on_dask(client):
    X, y = load_digits(return_X_y=True)
    search = GridSearchCV(TopKSVC(k=2, random_state=0), {"C": [1e-3, 1e-1, 10.0]}, cv=3)
    expected = searched(search, X[:300] / 16, y[:300])
    with joblib.parallel_config(backend="dask", client=client):
        assert searched(search, X[:300] / 16, y[:300]) == expected
    assert len(set(expected[1])) == 3  # the parameter matters


def test_grid_search_of_ranking_svc_runs_on_dask(client):
    rng = np.random.default_rng(0)
    qid, grades = np.repeat(np.arange(15), 10), np.tile([0, 0, 0, 0, 1, 0, 2, 1, 0, 0], 15)
    X = rng.standard_normal((150, 5)) + np.outer(grades, [1.0, 0.5, 0, 0, 0])
    search = GridSearchCV(RankingSVC(loss="ndcg"), {"C": [1e-3, 1.0, 1e3]}, cv=GroupKFold(3))
    with sklearn.config_context(enable_metadata_routing=True):
        search.estimator.set_fit_request(qid=True).set_score_request(qid=True)
        expected = searched(search, X, grades, qid=qid, groups=qid)
        with joblib.parallel_config(backend="dask", client=client):
            assert searched(search, X, grades, qid=qid, groups=qid) == expected

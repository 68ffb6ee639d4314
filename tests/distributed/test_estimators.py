"""Dask and the estimators: a Dask array is refused, and a grid search runs on Dask as it is."""

import dask.array
import joblib
import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV

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


def test_a_grid_search_runs_on_dask():
    X, y = load_digits(return_X_y=True)
    search = GridSearchCV(TopKSVC(k=2, random_state=0), {"C": [1e-3, 1e-1, 10.0]}, cv=3)
    found = []
    with connected(n_jobs=2) as client:
        for backend in ({"backend": "threading"}, {"backend": "dask", "client": client}):
            with joblib.parallel_config(**backend):
                search.fit(X[:300] / 16, y[:300])
            scores = search.cv_results_["mean_test_score"].tolist()
            found.append((search.best_params_, scores, search.best_estimator_.coef_.tolist()))
    assert found[0] == found[1]
    assert len(set(found[0][1])) == 3  # the parameter matters

"""Scikit-learn estimators whose fit, predict and score call the functions of this package.

They accept class labels of any type, weights, sparse matrices and data frames, and can be used in pipelines, grid
searches and cross-validation. Fits that solve an optimisation problem keep their certified duality gap. `topk_scorer`
makes a grid search count k guesses.

The private modules::

    _base       predictions of k classes    _indicators   several labels an example   _top_rank    TopPush and SVMperf
    _labels     class labels and weights    _options      C and random_state          _svc         parts of the SVCs
    _features   features, kernels           _queries      queries of `ranking_svc`    _ensemble    members of `wsabie`
"""

from .multilabel_svc import MultilabelSVC
from .passive_aggressive import PassiveAggressiveTopKClassifier
from .ranking_svc import RankingSVC
from .scorers import topk_scorer
from .svm_perf import SVMPerfClassifier
from .top_push import TopPushClassifier
from .topk_svc import TopKSVC
from .wsabie import WsabieClassifier

__all__ = [
    "TopKSVC",
    "MultilabelSVC",
    "PassiveAggressiveTopKClassifier",
    "RankingSVC",
    "WsabieClassifier",
    "TopPushClassifier",
    "SVMPerfClassifier",
    "topk_scorer",
]

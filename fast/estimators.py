"""Scikit-learn estimators: fit, predict and score on top of the functions of this package.

They take class labels of any type, weights, sparse matrices and data frames, and go into pipelines, grid searches and
cross-validation. A fit of a support vector machine keeps its certified gap.
"""

from ._online_classifier import PassiveAggressiveTopKClassifier
from ._ranking_svc import RankingSVC
from ._top_rank_classifiers import SVMPerfClassifier, TopPushClassifier
from ._topk_svc import TopKSVC
from ._wsabie_classifier import WsabieClassifier

__all__ = [
    "TopKSVC",
    "PassiveAggressiveTopKClassifier",
    "RankingSVC",
    "WsabieClassifier",
    "TopPushClassifier",
    "SVMPerfClassifier",
]

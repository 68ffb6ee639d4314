"""Scikit-learn estimators: fit, predict and score on top of the functions of this package.

They take class labels of any type, weights, sparse matrices and data frames, and go into pipelines, grid searches and
cross-validation. A fit of a support vector machine keeps its certified gap.
"""

from .passive_aggressive import PassiveAggressiveTopKClassifier
from .ranking_svc import RankingSVC
from .top_rank import SVMPerfClassifier, TopPushClassifier
from .topk_svc import TopKSVC
from .wsabie import WsabieClassifier

__all__ = [
    "TopKSVC",
    "PassiveAggressiveTopKClassifier",
    "RankingSVC",
    "WsabieClassifier",
    "TopPushClassifier",
    "SVMPerfClassifier",
]

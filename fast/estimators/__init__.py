"""Scikit-learn estimators whose fit, predict and score call the functions of this package.

They accept class labels of any type, weights, sparse matrices and data frames, and can be used in pipelines, grid
searches and cross-validation. Fits that solve an optimisation problem keep their certified duality gap.
"""

from .passive_aggressive import PassiveAggressiveTopKClassifier
from .ranking_svc import RankingSVC
from .svm_perf import SVMPerfClassifier
from .top_push import TopPushClassifier
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

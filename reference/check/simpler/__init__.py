"""Simpler and tiny instances, from which the smallest failing one is found. A file for each family."""

from . import (
    baselines,
    layerwise,
    multilabel,
    online,
    projections,
    ranking,
    ranking_learners,
    ranking_svm,
    svm,
    wsabie,
)

__all__ = [
    "baselines",
    "layerwise",
    "multilabel",
    "online",
    "projections",
    "ranking",
    "ranking_learners",
    "ranking_svm",
    "svm",
    "wsabie",
]

"""Simpler and tiny instances, from which the smallest failing one is found. A file for each family."""

from . import (
    baselines,
    layerwise,
    online,
    ranking,
    ranking_learners,
    ranking_svm,
)

__all__ = [
    "baselines",
    "layerwise",
    "online",
    "ranking",
    "ranking_learners",
    "ranking_svm",
]

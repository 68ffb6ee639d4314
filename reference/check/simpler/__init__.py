"""Simpler and tiny instances, from which the smallest failing one is found. A file for each family."""

from . import (
    layerwise,
    online,
    ranking_learners,
    ranking_svm,
    wsabie,
)

__all__ = [
    "layerwise",
    "online",
    "ranking_learners",
    "ranking_svm",
    "wsabie",
]

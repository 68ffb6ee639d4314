"""Simpler and tiny instances, by which a failing one is made small enough to read; a file for each family."""

from . import (
    baselines,
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
    "online",
    "projections",
    "ranking",
    "ranking_learners",
    "ranking_svm",
    "svm",
    "wsabie",
]

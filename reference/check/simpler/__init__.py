"""Simpler and tiny instances, from which the smallest failing one is found. A file for each family."""

from . import (
    ranking,
    ranking_learners,
    ranking_svm,
    wsabie,
)

__all__ = [
    "ranking",
    "ranking_learners",
    "ranking_svm",
    "wsabie",
]

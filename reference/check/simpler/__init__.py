"""Simpler and tiny instances, from which the smallest failing one is found. A file for each family."""

from . import (
    ranking_learners,
    ranking_svm,
    wsabie,
)

__all__ = [
    "ranking_learners",
    "ranking_svm",
    "wsabie",
]

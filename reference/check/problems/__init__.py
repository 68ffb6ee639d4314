"""The catalogue of instances: a file for each family. `_base` defines what an instance is."""

from . import (
    prototypes,
    ranking,
    ranking_learners,
    ranking_svm,
    wsabie,
)

__all__ = [
    "prototypes",
    "ranking",
    "ranking_learners",
    "ranking_svm",
    "wsabie",
]

"""The judges: they compare an answer with the ground truth and compute its certificate. A file for each family."""

from . import (
    prototypes,
    ranking_learners,
    ranking_svm,
    wsabie,
)

__all__ = [
    "prototypes",
    "ranking_learners",
    "ranking_svm",
    "wsabie",
]

"""The catalogue of instances: a file for each family. `_base` defines what an instance is."""

from . import (
    layerwise,
    prototypes,
    ranking,
    ranking_learners,
    ranking_svm,
    wsabie,
)

__all__ = [
    "layerwise",
    "prototypes",
    "ranking",
    "ranking_learners",
    "ranking_svm",
    "wsabie",
]

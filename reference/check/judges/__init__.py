"""The judges: they compare an answer with the ground truth and compute its certificate. A file for each family."""

from . import (
    layerwise,
    online,
    prototypes,
    ranking_learners,
    ranking_svm,
    wsabie,
)

__all__ = [
    "layerwise",
    "online",
    "prototypes",
    "ranking_learners",
    "ranking_svm",
    "wsabie",
]

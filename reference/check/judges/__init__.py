"""The judges: they compare an answer with the ground truth and compute its certificate. A file for each family."""

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

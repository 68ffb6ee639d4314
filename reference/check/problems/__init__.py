"""The catalogue of instances: a file for each family. `_base` defines what an instance is."""

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

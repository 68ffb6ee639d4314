"""The judges: they compare an answer with the ground truth and compute its certificate. A file for each family."""

from . import (
    baselines,
    layerwise,
    online,
    prototypes,
    ranking,
    ranking_svm,
    wsabie,
)

__all__ = [
    "baselines",
    "layerwise",
    "online",
    "prototypes",
    "ranking",
    "ranking_svm",
    "wsabie",
]

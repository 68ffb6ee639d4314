"""The catalogue of instances: a file for each family. `_base` defines what an instance is."""

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

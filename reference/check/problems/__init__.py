"""The catalogue of instances: a file for each family. `_base` defines what an instance is."""

from . import (
    layerwise,
    online,
    prototypes,
    ranking_learners,
    wsabie,
)

__all__ = [
    "layerwise",
    "online",
    "prototypes",
    "ranking_learners",
    "wsabie",
]

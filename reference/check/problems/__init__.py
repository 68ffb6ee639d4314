"""The catalogue of instances: a file for each family. `_base` defines what an instance is."""

from . import (
    baselines,
    csr,
    entropy,
    layerwise,
    multilabel,
    online,
    projections,
    prototypes,
    ranking,
    ranking_learners,
    ranking_svm,
    svm,
    tenths,
    wsabie,
)

__all__ = [
    "baselines",
    "csr",
    "entropy",
    "layerwise",
    "multilabel",
    "online",
    "projections",
    "prototypes",
    "ranking",
    "ranking_learners",
    "ranking_svm",
    "svm",
    "tenths",
    "wsabie",
]

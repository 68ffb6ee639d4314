"""The judges: they compare an answer with the ground truth and compute its certificate. A file for each family."""

from . import (
    baselines,
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
    wsabie,
)

__all__ = [
    "baselines",
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
    "wsabie",
]

"""What makes an answer right: for each family, its distance from the ground truth and its certificate."""

from . import (
    baselines,
    online,
    projections,
    prototypes,
    ranking,
    ranking_learners,
    ranking_svm,
    svm,
    wsabie,
    wsabie_replay,
)

__all__ = [
    "baselines",
    "online",
    "projections",
    "prototypes",
    "ranking",
    "ranking_learners",
    "ranking_svm",
    "svm",
    "wsabie",
    "wsabie_replay",
]

"""The families and their Specs: the one table of what is examined, in the order of the report."""

from .. import (
    entropy,
    layerwise,
    multilabel,
    passive_aggressive,
    projections,
    ranking,
    ranking_learners,
    ranking_svm,
    topk_baselines,
    topk_svm,
    wsabie,
    wsabie_baselines,
    wsabie_losses,
)

FAMILIES = (
    projections, multilabel, topk_svm, entropy, topk_baselines, passive_aggressive, ranking, ranking_svm,
    ranking_learners, layerwise, wsabie, wsabie_baselines, wsabie_losses,
)  # fmt: skip
SPECS = {spec.name: spec for family in FAMILIES for spec in family.SPECS}

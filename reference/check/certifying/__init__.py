import reference

from . import baselines, layerwise, online, ranking, ranking_svm

FAMILIES = (baselines, online, ranking, ranking_svm, layerwise)
CERTIFIED = {name: getattr(family, name) for name in reference.__all__ for family in FAMILIES if hasattr(family, name)}

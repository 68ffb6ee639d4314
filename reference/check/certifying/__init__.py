import reference

from . import baselines, layerwise, online, ranking_svm, wsabie

FAMILIES = (baselines, online, ranking_svm, layerwise, wsabie)
CERTIFIED = {name: getattr(family, name) for name in reference.__all__ for family in FAMILIES if hasattr(family, name)}

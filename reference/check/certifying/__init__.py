import reference

from . import layerwise, online, ranking_svm, wsabie

FAMILIES = (online, ranking_svm, layerwise, wsabie)
CERTIFIED = {name: getattr(family, name) for name in reference.__all__ for family in FAMILIES if hasattr(family, name)}

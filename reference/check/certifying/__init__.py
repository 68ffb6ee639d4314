import reference

from . import ranking_svm, wsabie

FAMILIES = (ranking_svm, wsabie)
CERTIFIED = {name: getattr(family, name) for name in reference.__all__ for family in FAMILIES if hasattr(family, name)}

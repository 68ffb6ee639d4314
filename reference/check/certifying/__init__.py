import reference

from . import wsabie

FAMILIES = (wsabie,)
CERTIFIED = {name: getattr(family, name) for name in reference.__all__ for family in FAMILIES if hasattr(family, name)}

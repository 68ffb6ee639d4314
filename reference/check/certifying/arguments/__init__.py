"""The arguments of a call that is certified: they are bound and refused as the public function does it.

Each public function has a function of its name here, in the module of its family. It makes the same checks in the same
order, and returns the arguments that are converted. All checks are those of `reference.contract`.
"""

import difflib
import inspect
import warnings

import numpy as np

import reference

from . import entropy, layerwise, multilabel, online, projections, ranking, ranking_svm, svm, wsabie

FAMILIES = (projections, svm, entropy, multilabel, online, ranking, ranking_svm, layerwise, wsabie)
CHECKS = {name: getattr(family, name) for name in reference.__all__ for family in FAMILIES if hasattr(family, name)}


def bound(name, arguments, options):
    """Returns all arguments of a public function by name, with its defaults, checked and converted.

    Raises ValueError if an argument is unknown, missing or wrong. Warnings about the arguments are not repeated.
    """
    signature = inspect.signature(getattr(reference, name))
    for option in options:
        if option not in signature.parameters:
            raise ValueError(f"{name} has no argument {option!r}{nearest(option, signature.parameters)}")
    try:
        call = signature.bind(*arguments, **options)
    except TypeError as trouble:
        raise ValueError(f"{name}{signature}: {trouble}") from None
    call.apply_defaults()
    given = dict(call.arguments)
    with warnings.catch_warnings(), np.errstate(over="ignore", invalid="ignore"):
        warnings.simplefilter("ignore")
        return given | CHECKS[name](**given)


def nearest(name, names):
    """Returns text that lists the right names, or suggests the nearest one."""
    close = difflib.get_close_matches(str(name), list(names), n=1)
    return f": did you mean {close[0]!r}?" if close else f": it must be one of {', '.join(names)}"

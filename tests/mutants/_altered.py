"""Makes mutants of modules: copies of a module of the reference with one phrase altered."""

import importlib.util
import types
from pathlib import Path

# The private modules from which a module imports functions.
PRIVATE = {
    "wsabie": ("_wsabie.gradients",),
    "entropy_fits": ("_svm.entropy_step",),
    "multilabel": ("_multilabel.dual_step",),
    "projections": ("_projections.bipartite",),
    "layerwise.scoring": ("layerwise._network",),
    "layerwise.fitting": ("layerwise._bounds", "layerwise._hinges", "layerwise._frank_wolfe"),
}


def altered(name, right, wrong):
    """Returns a copy of the module reference.NAME in which `wrong` replaces `right`. `reference` does not change.

    The phrase may also stand in a private module of PRIVATE. The copy then takes its functions from a copy of that.
    """
    path = _path(name)
    for private in PRIVATE.get(name, ()):
        if right in _path(private).read_text(encoding="utf-8"):
            module, replaced = _changed(name, "", ""), vars(_changed(private, right, wrong))
            shared = vars(module).keys() & replaced
            vars(module).update({key: replaced[key] for key in shared if callable(replaced[key])})
            return module
    if right not in path.read_text(encoding="utf-8"):
        raise LookupError(f"{path.name} no longer holds {right!r}")
    return _changed(name, right, wrong)


def _path(name):
    return Path(importlib.util.find_spec(f"reference.{name}").origin)


def _changed(name, right, wrong):
    """Returns a copy of reference.NAME with the phrase replaced."""
    module = types.ModuleType(f"reference.{name}")
    module.__package__ = f"reference.{name}".rpartition(".")[0]
    text = _path(name).read_text(encoding="utf-8").replace(right, wrong)
    exec(compile(text, str(_path(name)), "exec"), vars(module))
    return module

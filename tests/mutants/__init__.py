"""Wrong versions of the public functions, in a module for each family, and the verdict that each must get.

A wrong version is written out below `@wrong(...)`, or is the reference with one phrase altered, by `altered(...)`.
The folder `sandbox` has hostile programs, which never run in this process.
"""

import functools
import importlib
import importlib.util
import types
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import reference

DIFFERS = "differs from the ground truth"
FAMILIES = [path.stem for path in sorted(Path(__file__).parent.glob("[a-z]*.py"))]
# The private modules from which a module of the reference imports functions.
PRIVATE = {
    "wsabie": ("_wsabie.gradients",),
    "entropy_fits": ("_svm.entropy_step",),
    "multilabel": ("_multilabel.dual_step",),
    "projections": ("_projections.bipartite",),
    "layerwise.scoring": ("layerwise._network",),
    "layerwise.fitting": ("layerwise._bounds", "layerwise._hinges", "layerwise._frank_wolfe"),
}


class Mutant(NamedTuple):
    """A wrong version of a public function, and what it declares."""

    call: Callable
    function: str
    reason: str = DIFFERS  # of the verdict
    phrase: str = ""  # in the text of the counter-example, simplified or not
    largest: int = 6  # the most entries along one axis of an array of the counter-example
    enough: int = 1  # failures for this reason, from the smallest of which the counter-example is made
    certified: bool = False  # `certify` accepts its answers: they break a rule that is none of its business
    family: str = ""
    name: str = ""

    @property
    def is_special(self):
        """True if it declares an option or the size of its counter-example, or from how many failures it is made."""
        return "=" in self.phrase or (self.largest, self.enough) != (6, 1)

    @property
    def functions(self):
        return {self.function: self.call}

    def __str__(self):
        return f"{self.family}-{self.name}-{self.function}"


def mutants(*families):
    """Returns all mutants of these families, or of all families, in the order in which they are written."""
    modules = {family: importlib.import_module(f"{__name__}.{family}") for family in families or FAMILIES}
    found = ((family, *item) for family, module in modules.items() for item in vars(module).items())
    return [value.declared._replace(family=family, name=name)
            for family, name, value in found if hasattr(value, "declared")]  # fmt: skip


def wrong(function, reason=DIFFERS, **others):
    """Declares the function below it a wrong version of this public function; `others` are fields of Mutant."""

    def declare(call):
        call.declared = Mutant(call, function, reason, **others)
        return call

    return declare


def altered(function, right, instead, reason=DIFFERS, **others):
    """Returns a wrong version of a public function: the reference with one phrase altered."""
    module = getattr(reference, function).__module__.partition(".")[2]

    @wrong(function, reason, **others)
    def call(*arguments, **options):
        return getattr(changed(module, right, instead), function)(*arguments, **options)

    return call


@functools.cache
def changed(name, right, instead):
    """Returns a copy of the module reference.NAME in which a phrase is replaced. `reference` does not change.

    The phrase may also stand in a private module of PRIVATE. The copy then takes its functions from a copy of that.
    """
    for private in PRIVATE.get(name, ()):
        if right in _path(private).read_text(encoding="utf-8"):
            module, replaced = _copy(name, "", ""), vars(_copy(private, right, instead))
            shared = vars(module).keys() & replaced
            vars(module).update({key: replaced[key] for key in shared if callable(replaced[key])})
            return module
    if right not in _path(name).read_text(encoding="utf-8"):
        raise LookupError(f"reference.{name} no longer holds {right!r}")
    return _copy(name, right, instead)


def _path(name):
    return Path(importlib.util.find_spec(f"reference.{name}").origin)


def _copy(name, right, instead):
    module = types.ModuleType(f"reference.{name}")
    module.__package__ = f"reference.{name}".rpartition(".")[0]
    text = _path(name).read_text(encoding="utf-8").replace(right, instead)
    exec(compile(text, str(_path(name)), "exec"), vars(module))
    return module

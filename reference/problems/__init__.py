"""What each public function promises: its statement, written once for both twins, and the checks that it makes.

A statement has the signature and the docstring of the function. It refuses wrong arguments, and returns the others in
the one form that solvers read: a tuple in the order of the signature, or a named tuple. `statement` finds it by name.
The modules are named as those of `reference` and `fast`; `checks` has what several statements share.
"""

from collections.abc import Callable

from . import (
    entropy_fits,
    entropy_losses,
    layerwise,
    losses,
    multilabel,
    passive_aggressive,
    projections,
    ranking,
    ranking_learners,
    ranking_svm,
    topk_baselines,
    topk_svm,
    topk_svm_parts,
    wsabie,
    wsabie_baselines,
    wsabie_losses,
)

MODULES = (
    projections,
    losses,
    topk_svm,
    topk_svm_parts,
    entropy_losses,
    entropy_fits,
    topk_baselines,
    multilabel,
    passive_aggressive,
    ranking,
    ranking_svm,
    ranking_learners,
    layerwise,
    wsabie,
    wsabie_losses,
    wsabie_baselines,
)


def statement(name: str) -> Callable:
    """Returns the statement of a public function."""
    return next(getattr(module, name) for module in MODULES if name in module.__all__)

"""The functions of `reference`, compiled with Numba: the same names, arguments and answers.

A public module checks its arguments with `reference.problems` and calls the compiled kernels of its family::

    _projections   `projections`, `passive_aggressive`      _ranking   `ranking`, `ranking_svm`, `ranking_learners`
    _svm           `losses`, `topk_svm`, `topk_baselines`   _wsabie    `wsabie`, `wsabie_losses`, `wsabie_baselines`
                   `entropy_losses`, `entropy_fits`
    _multilabel    `multilabel`
    layerwise      networks, whose public functions are in a folder of their own, with its private modules
    _shared        what several families use

`fast.estimators` has scikit-learn estimators, and `fast.distributed` has fits on Dask. Both are imported by name only,
so that ``import fast`` stays light. `reference` states the rule for large numbers.
"""

from typing import TYPE_CHECKING

from fast import (
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
from fast.entropy_fits import *
from fast.entropy_losses import *
from fast.layerwise import *
from fast.losses import *
from fast.multilabel import *
from fast.passive_aggressive import *
from fast.projections import *
from fast.ranking import *
from fast.ranking_learners import *
from fast.ranking_svm import *
from fast.topk_baselines import *
from fast.topk_svm import *
from fast.topk_svm_parts import *
from fast.wsabie import *
from fast.wsabie_losses import *
from reference.problems.checks import QSLoss, results
from reference.problems.checks.results import *

__all__ = ["QSLoss"]
__all__ += projections.__all__
__all__ += losses.__all__
__all__ += topk_svm.__all__
__all__ += topk_svm_parts.__all__
__all__ += entropy_losses.__all__
__all__ += entropy_fits.__all__
__all__ += topk_baselines.__all__
__all__ += multilabel.__all__
__all__ += passive_aggressive.__all__
__all__ += ranking.__all__
__all__ += ranking_svm.__all__
__all__ += ranking_learners.__all__
__all__ += layerwise.__all__
__all__ += wsabie.__all__  # with those of wsabie_baselines
__all__ += wsabie_losses.__all__
__all__ += results.__all__
__all__ += [
    "projections",
    "losses",
    "topk_svm",
    "topk_svm_parts",
    "entropy_losses",
    "entropy_fits",
    "topk_baselines",
    "multilabel",
    "passive_aggressive",
    "ranking",
    "ranking_svm",
    "ranking_learners",
    "layerwise",
    "wsabie",
    "wsabie_losses",
    "wsabie_baselines",
]

if TYPE_CHECKING:
    __version__: str
else:  # a type checker would take any misspelt name for one that this function knows

    def __getattr__(name):
        """Look the version up when it is asked for, since that takes long."""
        if name != "__version__":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from reference.problems.checks import version

        return version()

"""The algorithms of the papers, line by line in NumPy, to be read. `fast` has the same functions, compiled.

`reference.problems` has what the two share: what each function promises, checks of arguments, types of results.
`reference.ground_truth` (slow and simple) and `reference.check` (the examiner) are imported by name only, so that
``import reference`` stays light.

Large numbers have one rule: no argument is above 1e140 in magnitude, so that products and sums have room in float64.
Where an answer is float32, numbers are also at most the largest float32. Counts are at most 2**31 - 1, and labels that
alone tell the number of classes are below 2**24. A ValueError names what is larger, and the largest that is allowed.
"""

from typing import TYPE_CHECKING

from reference import (
    datasets,
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
from reference.entropy_fits import *
from reference.entropy_losses import *
from reference.layerwise import *
from reference.losses import *
from reference.multilabel import *
from reference.passive_aggressive import *
from reference.problems.checks import QSLoss, results
from reference.problems.checks.results import *
from reference.projections import *
from reference.ranking import *
from reference.ranking_learners import *
from reference.ranking_svm import *
from reference.topk_baselines import *
from reference.topk_svm import *
from reference.topk_svm_parts import *
from reference.wsabie import *
from reference.wsabie_losses import *

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
    "datasets",
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

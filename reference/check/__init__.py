"""The examiner: compares the public functions of a TARGET with ground truth and certificates.

`python -m reference.check TARGET` prints a table; `check(target)` returns it as a Report. The TARGET runs in a process
of its own. The examiner does not use any implementation of the methods as its ground truth.

`certify(name, answer, ...)` certifies an answer that you already have, at any size, without a solver.
`certify_weights` and `certify_ranking_weights` bound how far weights without duals are from the optimum.
CERTIFICATES.md, in this folder, has the mathematics.
"""

import importlib
from typing import TYPE_CHECKING

__all__ = [
    "Certificate",
    "Limits",
    "Report",
    "WeightsCertificate",
    "certify",
    "certify_ranking_weights",
    "certify_weights",
    "check",
]

_HOMES = {
    "Certificate": ".judging.certify",
    "Limits": ".sandbox.sandbox",
    "Report": ".report",
    "WeightsCertificate": ".proofs.weights",
    "certify": ".judging.certify",
    "certify_ranking_weights": ".ranking_svm.weights",
    "certify_weights": ".topk_svm.weights",
    "check": ".run",
}


if TYPE_CHECKING:
    from .judging.certify import Certificate, certify
    from .proofs.weights import WeightsCertificate
    from .ranking_svm.weights import certify_ranking_weights
    from .report import Report
    from .run import check
    from .sandbox.sandbox import Limits
    from .topk_svm.weights import certify_weights
else:  # a type checker would take any misspelt name for one that this function knows

    def __getattr__(name):
        """Import what is asked for: the ground truth takes seconds to load, and the program says so first."""
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(importlib.import_module(_HOMES[name], __name__), name)

"""The examiner: compares the public functions of a TARGET with ground truth and certificates.

`python -m reference.check TARGET` prints a table; `check(target)` returns it as a Report. The TARGET runs in a process
of its own. The examiner does not use any implementation of the methods as its ground truth.

`certify_weights` and `certify_ranking_weights` bound how far weights without duals are from the optimum.
"""

import importlib

__all__ = ["Limits", "Report", "check", "certify_weights", "certify_ranking_weights", "WeightsCertificate"]

_HOMES = {
    "Limits": ".sandbox.sandbox",
    "Report": ".report",
    "check": ".run",
    "certify_weights": ".weights.multiclass",
    "certify_ranking_weights": ".weights.ranking",
    "WeightsCertificate": ".weights.certificate",
}


def __getattr__(name):
    """Import what is asked for: the ground truth takes seconds to load, and the program says so first."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name], __name__), name)

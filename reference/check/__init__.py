"""The examiner: compares the public functions of a TARGET with ground truth and certificates.

`python -m reference.check TARGET` prints a table; `check(target)` returns it as a Report. The TARGET runs in a process
of its own. The examiner does not use any implementation of the methods as its ground truth.
"""

from .examiner import check
from .report import Report
from .sandbox.sandbox import Limits

__all__ = ["Limits", "Report", "check"]

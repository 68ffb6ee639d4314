"""The examiner: holds the public functions of a TARGET against ground truth and certificates.

`python -m reference.check TARGET` prints a table; `check(target)` returns it. The TARGET runs in a process of its own,
and the examiner knows no implementation of the methods.
"""

from .examiner import check
from .report import Report
from .sandbox.sandbox import Limits

__all__ = ["Limits", "Report", "check"]

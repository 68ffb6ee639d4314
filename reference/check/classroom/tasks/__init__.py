"""Tasks of assignments that are no public functions of this project, as the examiner needs them.

`grade` knows the functions of `reference` by their names, and these besides: their instances, their right answers, and
where to read again.
"""

from . import passes, planes, splits

__all__ = ["TASKS"]

TASKS = {**planes.TASKS, **splits.TASKS, **passes.TASKS}

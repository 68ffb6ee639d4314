"""Assignments that grade themselves: the examiner's verdict on a student's function, in lines that one can learn from.

    grade(project_simplex)                              a visible test: the instances are public
    grade(project_simplex, seed=4711, suspects={...})   a hidden test: instances of the grader's own
    answer_of(simplex, row, shape=row.shape)            a student's function, called and its answer checked

In the order of a grading: `__main__` (all hand-ins of an assignment), `handed_in` (what they are), `judge` (one of
them, its points), `remote` and `student` (the two ends of the student's process), `isolation` and `limits` (what it may
do), `direct` (the student's functions, called), `grading`, `diagnosis`, `verdict`, and `gradebook` (nbgrader's side).
`tasks` has what the examiner must know of functions that are in assignments only.
"""

from .diagnosis import patient, sometimes
from .grading import grade
from .own import answer_of, answers_of
from .verdict import PAPERS, NotYetRight

__all__ = ["PAPERS", "NotYetRight", "answer_of", "answers_of", "grade", "patient", "sometimes"]

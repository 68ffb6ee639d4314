"""The parts in the memory of one process: threads run the tasks."""

import numpy as np

from .part import starting_state

ADDED_TOGETHER = 8  # arrays of so many parts are in memory at the same time, each as large as the weights


class LocalParts:
    """Parts and their states."""

    def __init__(self, parts, problem, each, n_jobs, duals):
        """`duals` has the starting duals of each part, in the form of `contract.dual_chunks`."""
        self.examples, self.parts, self.each, self.n_jobs = parts, len(parts), each, n_jobs
        self.is_float32 = parts[0].X.dtype == np.float32
        self.states = each(starting_state, [(part, problem, own) for part, own in zip(parts, duals, strict=True)])

    def run(self, task, problem, *arguments, own=None):
        """Returns (the sum of the arrays or None, the facts of each part), and keeps the new states."""
        total, facts = None, []
        for first in range(0, self.parts, ADDED_TOGETHER):
            these = range(first, min(first + ADDED_TOGETHER, self.parts))
            pieces = [(self.examples[p], self.states[p], problem, *arguments) for p in these]
            if own is not None:
                pieces = [(*piece, own[p]) for p, piece in zip(these, pieces, strict=True)]
            answers = self.each(task, pieces)
            self.states[first : first + ADDED_TOGETHER] = [answer.state for answer in answers]
            facts += [answer.facts for answer in answers]
            total = added([total, added([answer.total for answer in answers])])
        return total, facts


def added(arrays):
    """Returns the sum of the arrays that are not None, added one after the other, or None."""
    total = None
    for array in arrays:
        if array is not None:
            total = array if total is None else total + array
    return total

"""The parts in the memory of one process: threads run the tasks."""

import functools

import numpy as np

from .part import starting_state

ADDED_TOGETHER = 8  # arrays of so many parts are in memory at the same time, each as large as the weights; a power of 2


class LocalParts:
    """Parts and their states."""

    def __init__(self, parts, problem, each, n_jobs, duals):
        """`duals` has the starting duals of each part, in the form of `checks.dual_chunks`, or None for each."""
        self.examples, self.parts, self.each, self.n_jobs = parts, len(parts), each, n_jobs
        self.is_float32 = parts[0].X.dtype == np.float32
        self.states = each(starting_state, [(part, problem, own) for part, own in zip(parts, duals, strict=True)])

    def run(self, task, problem, *arguments, own=None):
        """Returns (the sum of the arrays or None, the facts of each part), and keeps the new states."""
        groups, facts = [], []
        for first in range(0, self.parts, ADDED_TOGETHER):
            these = range(first, min(first + ADDED_TOGETHER, self.parts))
            pieces = [(self.examples[p], self.states[p], problem, *arguments) for p in these]
            if own is not None:
                pieces = [(*piece, own[p]) for p, piece in zip(these, pieces, strict=True)]
            answers = self.each(task, pieces)
            self.states[first : first + ADDED_TOGETHER] = [answer.state for answer in answers]
            facts += [answer.facts for answer in answers]
            push(groups, added([answer.total for answer in answers], sum_of_two))
        return functools.reduce(lambda right, left: sum_of_two(left[1], right), groups[::-1], None), facts


def push(groups, total):
    """Append (1, total) to a list of (number, total), and add two totals of equally many groups, as `added` does."""
    number = 1
    while groups and groups[-1][0] == number:
        total, number = sum_of_two(groups.pop()[1], total), 2 * number
    groups.append((number, total))


def sum_of_two(a, b):
    """Returns the sum of arrays, of which each may be None."""
    return b if a is None else a if b is None else a + b


def added(summands, add):
    """Returns the sum of neighbours, of neighbouring sums, and so on: the order depends on their number only."""
    while len(summands) > 1:
        even = len(summands) // 2 * 2
        summands = [*map(add, summands[:even:2], summands[1:even:2]), *summands[even:]]
    return summands[0]

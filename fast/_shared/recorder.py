"""The record of a fit to a certified gap: the best primal and dual so far, and the history of all iterations."""

from time import perf_counter

import numpy as np

from reference.problems import checks


class Recorder:
    """What each certified fit keeps: a primal and a dual value, the answers that attain them, and a history.

    `improve` keeps the better of the old and the new value. A fit that returns its last iterate calls `replace`.
    """

    def __init__(self, tol, dual=-np.inf, proof=None):
        self.tol, self.start, self.history = tol, perf_counter(), []
        self.primal, self.answer, self.dual, self.proof, self.gap = np.inf, None, dual, proof, np.inf

    def replace(self, primal, answer, dual):
        """Take both values, whether they are better or not."""
        self.primal, self.answer, self.dual = primal, answer, dual

    def improve_primal(self, primal, answer):
        """Keep a primal value and the answer that attains it, if the value is the lowest so far."""
        if primal < self.primal:
            self.primal, self.answer = primal, answer

    def improve_dual(self, dual, proof):
        """Keep a dual value and what proves it, if the value is the highest so far. `proof()` is called only then."""
        if dual > self.dual:
            self.dual, self.proof = dual, proof()

    def close_iteration(self, report):
        """Append (primal, dual, gap, seconds) to the history, and report the gap. Returns whether it is at most tol."""
        self.gap = checks.relative_gap(self.primal, self.dual)
        self.history.append((self.primal, self.dual, self.gap, perf_counter() - self.start))
        report(self.gap)
        return self.gap <= self.tol

    def results(self):
        """Returns (primal, dual, gap, iterations, history), in the order of the fields of a result."""
        return self.primal, self.dual, self.gap, len(self.history), checks.svm_history(self.history)

"""Rounds until the certified gap is small. `reference.topk_svm_parts` derives the algorithm.

The driver holds the weights and what it knows of all parts together. It gives tasks to an engine, which has the parts
in memory (`local`) or on the workers of a cluster (`fast.distributed`).
"""

from collections import deque
from time import perf_counter

import numpy as np

from reference.problems import checks

from . import tasks
from .directions import ascend_together, best_share
from .gathered import gather, replace, solve_gathered

WINDOW = 5  # the stretch sigma' is the largest coupling of so many passes


class Driver:
    """The weights of all duals, and the rounds that change them.

    `engine.run(task, *arguments, own=None)` runs task(part, state, problem, *arguments) for each part, with one more
    argument of its own for each if `own` has them. It returns the sum of the arrays and a list of the facts.
    """

    def __init__(self, engine, problem, options, shape):
        self.engine, self.problem, self.options, self.rule = engine, problem, options, problem.rule
        self.weights, self.number, self.listed_bytes = np.zeros(shape), 0, np.inf
        self.couplings = deque([float(engine.parts)], maxlen=WINDOW)
        self.pending, self.own_pending = (None, None), None  # what `tasks.weigh` has to do first
        self.objectives, self.talks, self.last_sigma, self.gathered = (1.0, 0.0), 0, 1.0, False

    def run(self, task, *arguments, own=None):
        """Run a task for all parts, and count how often these are sent weights."""
        self.talks += task is not tasks.weigh
        return self.engine.run(task, self.problem, *arguments, own=own)

    @property
    def sigma(self):
        """The stretch sigma' of the next pass: as given, or from the measured coupling of the last passes.

        The latter is rounded up to a power of 2, so that to multiply duals by it makes no rounding errors.
        """
        parts = float(self.engine.parts)
        if self.rule.sigma is not None:
            return self.rule.sigma
        if self.rule.combine == "adding":
            return parts
        return min(float(2 ** np.ceil(np.log2(max(1.0, *self.couplings)))), parts)

    def passed(self, change, facts):
        """Take the changes of a pass of all parts. Returns (gain, change of the sum of the duals of the labels)."""
        gain, own, squares = np.sum(facts, axis=0).tolist()
        if squares > 0:
            self.couplings.append(float(np.vdot(change, change)) / squares)
        return gain, own

    def certify(self):
        """Compute the weights from the duals, and look at all examples: sets the objectives (primal, dual)."""
        (change, amount), own = self.pending, self.own_pending
        self.pending, self.own_pending = (None, None), None
        arguments = (True, change) if own else (True, change, amount)
        self.weights, _ = self.run(tasks.weigh, *arguments, own=own)
        _, facts = self.run(tasks.look_at_part, self.weights, self.rule.combine == "conjugate")
        loss, label_duals, self.listed_bytes = np.sum(facts, axis=0).tolist()
        penalty = self.options.regularization / 2 * float(np.vdot(self.weights, self.weights))
        n = len(self.options.sample_weight)
        self.objectives = penalty + loss / n, self.options.regularization * label_duals - penalty

    def round(self, wanted):
        """Ascend once; `wanted` is tol / gap."""
        self.last_sigma = self.sigma
        by_lists = self.rule.combine == "conjugate" and self.number > 0
        self.gathered = by_lists and self.listed_bytes <= self.rule.most_gathered(self.weights.size)
        if not by_lists:
            self._add()
        elif self.gathered:
            self._solve_gathered(wanted)
        else:
            self.pending = tasks.take_shares, ascend_together(self, wanted)
        self.number += 1

    def _add(self):
        """One step of all parts together, which have made passes over all their examples."""
        change, facts = self.run(tasks.pass_over_all, self.weights, self.sigma, self.number)
        _, own = self.passed(change, facts)
        theta = 1.0 if self.rule.combine == "adding" else best_share(self.weights, change, own)
        self.pending = tasks.blend, theta

    def _solve_gathered(self, wanted):
        """Solve the listed examples of all parts together."""
        _, found = self.run(gather)
        duals = solve_gathered(found, self.problem, self.weights, self.number, wanted, self.engine.n_jobs)
        self.pending, self.own_pending = (replace, None), duals

    def begin(self):
        """Certify the starting duals. The first round is then one of listed duals."""
        self.certify()
        self.number = 1

    def advance(self, wanted):
        """Ascend once, and certify what was reached."""
        if self.number and self.engine.is_float32:  # the certificate was that of rounded duals
            self.weights, _ = self.run(tasks.weigh, False)
        self.round(wanted)
        self.certify()

    def record(self):
        """Returns what a record of the history has beside the objectives and the time."""
        return self.talks, self.last_sigma, self.gathered


def solve_in_rounds(driver, report, has_duals):
    """Rounds until the gap is at most tol, or max_rounds. Returns (primal, dual, gap, rounds, records of the history).

    Starting duals are certified first, and nothing else is done if their gap is small enough.
    """
    options, begin, records, gap = driver.options, perf_counter(), [], 1.0
    if has_duals:
        driver.begin()
        gap = checks.relative_gap(*driver.objectives)
    for _ in range(options.max_epochs):
        if gap > options.tol:
            driver.advance(options.tol / gap)
            gap = checks.relative_gap(*driver.objectives)
        records.append((*driver.objectives, gap, perf_counter() - begin, *driver.record()))
        report(gap)
        if gap <= options.tol:
            break
    checks.warn_unless_converged(gap, options.tol, len(records), "rounds")
    return *driver.objectives, gap, len(records), records

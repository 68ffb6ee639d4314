"""Stochastic dual coordinate ascent for multilabel losses.

If no order is given, `rounds` visit only the duals of the hinge that may move. `newton` takes over if passes are slow.
"""

import numpy as np

from reference.problems import checks

from .._shared.examples import linear_examples, write_products
from .._shared.recorder import Recorder
from .._shared.threads import one_blas_thread, row_blocks, threads
from .lists import mark_movable
from .newton import ascend_by_newton
from .rounds import visit_all, visit_listed
from .rows import ENTROPY, HINGE, LOSS_NUMBERS, work_for
from .steps import MultilabelProblem, look_at_entropies, look_at_hinges, visit_in_order

# Newton's method begins at once for the entropy, if each feature has so many examples: its systems then mostly take few
# steps, and it takes as long as a few passes.
EXAMPLES_PER_FEATURE = 20
# Otherwise so many epochs and so much work in passes over all duals come first: their convergence is known then.
EPOCHS, PASSES = 2, 8
# Newton's method takes over if the gap would need more passes than this, plus a thousandth of this for each weight: its
# linear systems take more steps of conjugate gradients the more weights there are, and each costs as much as a pass.
# The entropy is smooth, so that a few systems suffice; the hinge needs some for each smoothing.
PATIENT_PASSES = {HINGE: 100, ENTROPY: 10}


class MultilabelModel:
    """Features, positives, duals (n, m), and weights: (m, d), or (d, m) if the features are CSR."""

    def __init__(self, X, Y, duals, options, n_jobs):
        examples, self.X = linear_examples(X, np.zeros(len(Y), np.int64))
        self.Y, self.duals, self.options, self.n_jobs = Y, duals, options, n_jobs
        self.by_features, self.dtype = hasattr(X, "tocsr"), X.dtype
        self.radii = np.where(checks.proper_rows(Y), options.radius * options.sample_weight, 0.0)
        loss = LOSS_NUMBERS[options.loss]
        self.problem = MultilabelProblem(examples, Y, loss, options.smoothing, self.radii)
        self.weights = self.weights_of(duals)

    def weights_of(self, duals):
        """Returns X' A in the layout of the weights, added up by blocks of examples."""
        if self.by_features:
            return np.ascontiguousarray((self.X.T @ duals).astype(np.float64, copy=False))
        weights = np.zeros((duals.shape[1], self.X.shape[1]))
        for first, last in row_blocks(len(duals), max(self.X.shape[1], duals.shape[1])):
            weights += duals[first:last].T @ self.X[first:last].astype(np.float64, copy=False)
        return weights

    def scores(self, first, last, weights):
        """Returns the scores of some examples."""
        if not self.by_features:
            return self.X[first:last].astype(np.float64, copy=False) @ weights.T
        scores = np.empty((last - first, self.Y.shape[1]))
        write_products(self.problem.examples.rows, first, weights, scores)
        return scores

    def certify(self, duals, marks=None):
        """Returns (primal, (weights, duals) as they are returned, dual) of duals, rounded to the dtype of X.

        With marks (n, m), marks the duals that may move.
        """
        rounded = duals.astype(self.dtype)
        exact = rounded.astype(np.float64, copy=False)
        weights = self.weights_of(exact)

        look_at_losses = look_at_hinges if self.problem.loss == HINGE else look_at_entropies

        def look(first, last):
            scores, work = self.scores(first, last, weights), work_for(self.Y.shape[1])
            if marks is not None:
                mark_movable(self.problem, duals[first:last], scores, first, marks[first:last], work)
            return look_at_losses(self.problem, exact[first:last], scores, first, work)

        blocks = row_blocks(len(duals), max(self.Y.shape[1], self.X.shape[1]))
        with threads(self.n_jobs) as each:
            loss, gain = np.sum(each(look, blocks), axis=0)
        regularization, square = self.options.regularization, np.vdot(weights, weights) / 2
        return float(regularization * (square + loss)), (weights, rounded), float(regularization * (gain - square))


def ascend(problem, is_free, progress):
    """Returns the TopKSVMFit. Unless free, every epoch visits all examples, and the iterates are the reference's."""
    X, Y, duals, options, orders, n_jobs = problem
    recorder = Recorder(options.tol)
    with checks.progress_bar(progress, options.max_epochs) as report, one_blas_thread():
        model = MultilabelModel(X, Y, duals, options, n_jobs)
        _ascend_by_passes(model, recorder, orders, is_free, report)
    checks.warn_unless_converged(recorder.gap, options.tol, len(recorder.history), X=X)
    weights, duals = recorder.answer
    weights = np.ascontiguousarray(weights if model.by_features else weights.T, model.dtype)
    return checks.TopKSVMFit(weights, duals, *recorder.results())


def _ascend_by_passes(model, recorder, orders, is_free, report):
    """Passes and, if the method is free to choose, rounds over the duals that may move, and Newton's method."""
    options, work, spent, marks = model.options, work_for(model.Y.shape[1]), [], None
    shrinks, by_newton = is_free and model.problem.loss == HINGE, is_free
    for visiting in orders:
        if by_newton and _is_slow(model, recorder, spent):
            ascend_by_newton(model, recorder, report)
            by_newton, marks = False, None
        if recorder.gap <= options.tol or len(recorder.history) >= options.max_epochs:
            break
        if marks is None:
            visit = visit_all if shrinks else visit_in_order
            visit(model.problem, model.duals, model.weights, visiting, work)
            spent.append(1)
        else:
            spent.append(visit_listed(model, marks, int(visiting[0]), options.tol / recorder.gap, work))
        marks = np.zeros(model.Y.shape, bool) if shrinks else None
        certified = model.certify(model.duals, marks)
        newton_stalled = is_free and not by_newton
        if not newton_stalled or checks.relative_gap(certified[0], certified[2]) < recorder.gap:
            recorder.replace(*certified)
        if recorder.close_iteration(report):
            break
        is_exact = model.duals.dtype == model.dtype
        model.weights = certified[1][0] if is_exact else model.weights_of(model.duals)


def _is_slow(model, recorder, spent):
    """Returns whether Newton's method should begin.

    At once for the entropy of many examples; else if passes would take longer, at the rate of the second half of them.
    """
    examples = np.count_nonzero(model.radii)
    if model.problem.loss == ENTROPY and examples >= EXAMPLES_PER_FEATURE * model.X.shape[1]:
        return True
    if len(spent) < EPOCHS or sum(spent) < PASSES:
        return False
    half = len(spent) // 2
    gaps = [gap for _, _, gap, _ in recorder.history]
    before, now = min(gaps[:half]), min(gaps[half:])
    if now >= before or recorder.tol == 0:
        return True
    left = sum(spent[half:]) * np.log(now / recorder.tol) / np.log(before / now)
    return left > PATIENT_PASSES[model.problem.loss] * (1 + model.weights.size / 1000)

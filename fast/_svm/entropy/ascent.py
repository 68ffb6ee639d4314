"""Stochastic dual coordinate ascent for the top-k entropy: passes over all examples, and certificates.

With `order` given, an epoch is one pass, and its steps are those of the reference. Otherwise an epoch makes passes
until the gap is expected to be small. The dual is known after each pass. If the gains of passes decrease like a
geometric sequence, two of them tell what remains to be gained. The gap is a multiple of it, which the last certificate
tells.

Passes over dense features are made in blocks. If the tolerance allows it, their products are in float32, which takes
half the time. Certificates are in float64, and recompute the weights from the duals.
"""

import numpy as np

from reference.problems import checks

from ..._shared.examples import read_only
from ..._shared.jit import borrowing_kernel
from ..._shared.recorder import Recorder
from ..._shared.threads import one_blas_thread, row_blocks, threads
from ..sdca_step import work_for
from .models import BLOCK
from .newton_cg import INTERRUPTED, STUCK, NewtonMethod
from .passes import EntropyLoss, visit_block, visit_dense, visit_one_by_one
from .shares import capped_softmax, score_differences
from .start import bends_little, step_along_gradient
from .step import ROUGH_STEP, SHORT_STEP

LEAST_ROUGH_TOL = 1e-5  # up to this tolerance, products in float32 and rough thresholds leave a gap that is far smaller
LARGEST_NORM = 1e20  # squared. Up to here, and down to the inverse, products and duals are far from the ends of float32
# Before a certificate tells, the gap is taken as 1 + STEEP * ratio times what remains to be gained, or LARGEST_FACTOR.
STEEP, LARGEST_FACTOR = 10.0, 5.0
LARGEST_RATIO = 0.95  # of two gains
FAST = 0.3  # a pass is fast if it gains at most this share of what the pass before has gained
MOVED = 0.2  # the share of all blocks by which a block moves at most in the order of the next pass
MOST_PASSES = 20
NEWTON_PATIENCE = 2.5  # Newton's method is interrupted after the time of so many times the passes that would be left


def ascend(model, problem, is_free, seed):
    """Returns the TopKSVMFit of a model with starting duals. `is_free` is whether no order of the examples is given."""
    options = problem.options
    recorder, shown = Recorder(options.tol), checks.progress_bar(problem.progress, options.max_epochs)
    with shown as report, threads(model.n_jobs) as model.each, one_blas_thread():
        is_zero = not model.duals.rows.any()
        if not is_zero:
            model.recompute_weights(as_returned=False)
        if is_free:
            _ascend_freely(FreePasses(model, options, np.random.default_rng(seed)), is_zero, recorder, report)
        else:
            _ascend_in_order(model, options, problem.orders, recorder, report)
    X = model.X if model.is_linear else None
    checks.warn_unless_converged(recorder.gap, options.tol, len(recorder.history), X=X)
    return checks.TopKSVMFit(model.result(), model.duals.rows.astype(model.X.dtype), *recorder.results())


def _ascend_in_order(model, options, orders, recorder, report):
    """One epoch for each of the orders, over all examples."""
    loss = EntropyLoss(options.k, options.radius * options.sample_weight, SHORT_STEP)
    for epoch, visiting in enumerate(orders):
        if epoch and model.is_float32:
            model.recompute_weights(as_returned=False)
        if model.in_blocks:
            for first in range(0, len(visiting), BLOCK):
                rows = visiting[first : first + BLOCK]
                X = model.X[rows].astype(np.float64, copy=False)
                _visit_block(model, loss, rows, X, X @ X.T, np.arange)
        else:
            _visit_singly(model, loss, visiting)
        recorder.replace(*certify(model, options))
        if recorder.close_iteration(report):
            return


def _ascend_freely(passes, is_zero, recorder, report):
    """Epochs of several passes each, or of Newton's method if many passes would be left. The duals may be all zero."""
    model, options = passes.model, passes.options
    is_near = is_zero and bends_little(model, options) and passes.begin_along_gradient()
    for epoch in range(options.max_epochs):
        if epoch and model.is_float32:
            model.recompute_weights(as_returned=False)
        if not is_near:
            passes.run()
        recorder.replace(*certify(model, options))
        if recorder.close_iteration(report):
            return
        is_near = False
        passes.learn_from(recorder)


class FreePasses:
    """Passes in an order of their own, and what they tell about the gap."""

    def __init__(self, model, options, generator):
        self.model, self.options, self.generator = model, options, generator
        is_rough = options.tol >= LEAST_ROUGH_TOL
        step = ROUGH_STEP if is_rough else SHORT_STEP
        self.loss = EntropyLoss(options.k, options.radius * options.sample_weight, step)
        in_range = 1 / LARGEST_NORM <= model.examples.squared_norms.max() <= LARGEST_NORM
        self.dtype = np.float32 if is_rough and in_range else np.float64
        # Newton's method, None if it does not help any more, and after an interruption: the number of passes before it
        # goes on, and the number of its products then.
        self.newton, self.wait, self.most = NewtonMethod(model, options, self.dtype), 0.0, None
        self.order = generator.permutation(model.number_of_visits)
        self.dual, self.gain, self.remains, self.least_factor = 0.0, np.inf, 0.0, 0.0

    def begin_along_gradient(self):
        """Make a step along the gradient. Returns whether no pass is needed."""
        self.dual, gap = step_along_gradient(self.model, self.options)
        self.gain = self.dual
        return gap <= self.options.tol

    def run(self):
        """Make passes, or Newton's steps, until the gap is expected to be small."""
        for _ in range(MOST_PASSES):
            entropy = self._pass()
            last_dual, last_gain = self.dual, self.gain
            self.dual = self.options.regularization * (entropy - self.model.squared_norm_now() / 2)
            self.gain = self.dual - last_dual
            self._reorder(self.gain <= FAST * last_gain)
            allowed = self.options.tol * self.dual
            self.remains, left = _forecast(self.gain, last_gain, allowed, self.least_factor)
            if left == 0:
                break
            if left > self.model.passes_of_newton and self._newton_ends(left):
                break

    def _newton_ends(self, left):
        """Try Newton's method, given the number of passes that would be left. Returns whether it has new duals.

        If it takes too long, passes go on for twice as long, before it gets as much time.
        """
        self.wait -= 1
        if self.newton is None or self.wait > 0:
            return False
        products_of_pass = self.model.products_of_pass()
        state, products = self.newton.descend(self.most or NEWTON_PATIENCE * left * products_of_pass)
        if state == INTERRUPTED:
            self.most = 2 * products
            self.wait = self.most / products_of_pass
        elif state == STUCK:
            self.newton = None
        return state != INTERRUPTED

    def learn_from(self, recorder):
        """Keep the certified dual, and how many times larger the gap was than what remained to be gained."""
        gap = float(recorder.gap * recorder.primal)
        self.least_factor = gap / float(self.remains) if self.remains > 0 else 0.0
        self.dual, self.gain = recorder.dual, np.inf

    def _reorder(self, is_fast):
        """Change the order for the next pass: with blocks, only a little as long as passes are fast.

        Then each block is visited about as long after its last visit as the others, and no dual is far behind. In a
        random order, some are visited twice in a row. But a direction that all examples share needs a random order.
        """
        last, generator, n = self.order, self.generator, len(self.order)
        if is_fast and self.model.in_blocks:
            self.order = last[np.argsort(np.arange(n) + generator.uniform(0, MOVED * n, n))]
        else:
            self.order = generator.permutation(n)

    def _pass(self):
        """One pass over the blocks or examples. Returns the sum of radius times entropy of all shares."""
        model, entropy = self.model, 0.0
        if not model.in_blocks:
            return _visit_singly(model, self.loss, self.order)
        weights = model.weights
        model.weights = weights.astype(self.dtype, copy=False)
        for b in self.order:
            block = model.block(b, self.dtype)
            entropy += _visit_block(model, self.loss, *block, self.generator.permutation)
        weights[:] = model.weights
        model.weights = weights
        return entropy


def _forecast(gain, last_gain, allowed, least_factor):
    """Returns (what remains to be gained, the number of passes that are left before the gap is as allowed)."""
    if gain <= 0:
        return 0.0, 0.0  # rounding prevails
    if last_gain == np.inf:
        return 0.0, 1.0
    ratio = min(gain / last_gain, LARGEST_RATIO) if last_gain > 0 else LARGEST_RATIO
    remains, factor = gain * ratio / (1 - ratio), max(min(1 + STEEP * ratio, LARGEST_FACTOR), least_factor)
    if allowed <= 0:
        return remains, np.inf
    return remains, max(np.log(factor * remains / allowed) / -np.log(ratio), 0.0)


def _visit_singly(model, loss, visiting):
    """One step for each example in this order, without blocks."""
    state = model.examples, model.duals, model.weights, loss, visiting, model.work
    if model.is_linear and not model.by_features:
        return visit_dense(read_only(model.X), *state)
    return visit_one_by_one(*state)


def _visit_block(model, loss, rows, X, products, order_of):
    """One step for each example of a block, given its features in the dtype of the weights."""
    scores, changes = (X @ model.weights.T).astype(np.float64, copy=False), np.empty((len(rows), model.m))
    order = order_of(len(rows))
    entropy = visit_block(scores, products, rows, order, model.examples, model.duals, loss, changes, model.work)
    model.weights += changes.T.astype(X.dtype, copy=False) @ X
    return entropy


def certify(model, options):
    """Certify the duals as they are returned. Returns (primal, None, dual): the model has their weights."""
    model.recompute_weights(as_returned=True)
    n, m, sums = len(model.duals.rows), model.m, np.zeros(3)
    blocks = [slice(*block) for block in row_blocks(n, max(m, model.X.shape[1] if model.is_float32 else 1))]

    def look_at(rows):
        scores, duals = model.scores(rows), model.returned_duals(rows)
        radius = options.radius * options.sample_weight[rows]
        loss, entropy = objectives(scores, model.examples.labels[rows], duals, radius, options.k, work_for(m))
        return loss, entropy, model.inner_product(rows, scores)

    for found in model.each(look_at, ((rows,) for rows in blocks)):
        sums += found
    loss, entropy, inner_products = sums.tolist()
    penalty = options.regularization / 2 * model.squared_norm(inner_products)
    return float(penalty + options.regularization * loss), None, float(options.regularization * entropy - penalty)


@borrowing_kernel
def objectives(scores, labels, duals, radius, k, work):
    """Returns the sums over the examples of radius times loss, and of radius times the entropy of the shares."""
    loss, entropy, m = 0.0, 0.0, duals.shape[1]
    for p in range(len(scores)):
        r, label = radius[p], labels[p]
        if r == 0:
            continue
        score_differences(scores[p], label, work.b)
        loss += r * capped_softmax(work.b, m - 1, k, work.candidates, work.changes)
        sigma, own = 0.0, 0.0
        for j in range(m):
            u = -duals[p, j] / r
            if j != label and u > 0:
                sigma += u
                own -= u * np.log(u)
        if sigma < 1:
            own -= (1 - sigma) * np.log1p(-sigma)
        entropy += r * own
    return loss, entropy

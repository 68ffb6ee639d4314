"""Checks of passive-aggressive updates: the update rule, the model and the stream of examples."""

from typing import NamedTuple

import numpy as np

from .arguments import (
    LARGEST_NUMBER,
    MOST_CLASSES,
    choice,
    count,
    features,
    finite_array,
    labels,
    nonnegative,
    positive,
    real_array,
    training_labels,
    visiting_orders,
)
from .reporting import warn
from .svm import example_weights

VARIANTS = ("pa", "pa1", "pa2")

LARGEST_STEP = LARGEST_NUMBER**2  # of a violation over |x|^2: sums over classes stay in the range of floats
SMALLEST_NORM = float(np.finfo(np.float64).tiny)  # of |x|^2: a smaller number has lost digits, and counts as 0
LEAST_CURVATURE = 1e-200  # of the squared slack in "pa2": k^2 times a violation over it must be in the range of floats


class UpdateRule(NamedTuple):
    """The checked options of an update."""

    margin: float
    variant: str
    aggressiveness: float
    k: int

    def of(self, weight):
        """Returns the rule for an example whose penalty is multiplied by this weight; at 0 there is no update."""
        return self._replace(aggressiveness=float(weight) * self.aggressiveness)


def update_rule(m, norm, margin, variant, aggressiveness, k):
    """Returns the rule for m classes. `norm` is ``|x|^2`` of the example, or the smallest of many that is not 0."""
    rule = _rule(m, norm, margin, variant, aggressiveness, k)
    if norm > 0 and rule.variant == "pa2" and not 2 * rule.aggressiveness * norm > LEAST_CURVATURE:
        raise ValueError(
            f"aggressiveness must leave 2 aggressiveness |x|^2 > {LEAST_CURVATURE}, got {aggressiveness!r} "
            f"with |x|^2 = {norm}"
        )
    return rule


def stream_rule(m, norms, margin, variant, aggressiveness, k, sample_weight):
    """Returns the rule for m classes and examples of these squared norms, and the weights (n,) of the examples."""
    if sample_weight is None:
        return update_rule(m, shortest(norms), margin, variant, aggressiveness, k), np.ones(len(norms))
    weights = example_weights(sample_weight, len(norms))
    some = weights > 0
    rule = _rule(m, shortest(norms[some]), margin, variant, aggressiveness, k)
    with np.errstate(over="ignore"):  # an infinite curvature is large enough
        products = rule.aggressiveness * weights[some]
        curvatures = 2 * products * norms[some]
    if not products.min() > 0:
        got = f"{weights[some].min()}..{weights.max()} with aggressiveness {aggressiveness!r}"
        raise ValueError(f"sample_weight must leave sample_weight * aggressiveness in range, got {got}")
    least = curvatures[norms[some] > 0].min(initial=np.inf)
    if rule.variant == "pa2" and not least > LEAST_CURVATURE:
        demand = f"2 sample_weight aggressiveness |x|^2 > {LEAST_CURVATURE}"
        raise ValueError(f"sample_weight must leave {demand} where it is not 0, got {least}")
    return rule, weights


def _rule(m, norm, margin, variant, aggressiveness, k):
    """Returns the rule, without the check of "pa2"."""
    rule = UpdateRule(
        nonnegative(margin, "margin"),
        choice(variant, "variant", VARIANTS),
        positive(aggressiveness, "aggressiveness"),
        count(k, "k", m - 1),
    )
    if norm > 0 and rule.margin > norm * LARGEST_STEP:
        most = f"margin / |x|^2 in range, at most {LARGEST_STEP:.7g}"
        raise ValueError(f"margin must leave {most}, got {margin!r} with |x|^2 = {norm}")
    return rule


def model_and_example(A, x, y):
    """Returns weights (m, d) of at least two classes, an example (d,), its label and ``|x|^2`` (0 if it is too small).

    The weights are not checked to be in range: a kernel does so, or `finite_array`.
    """
    A, x = real_array(A, "A", (2,)), real_array(x, "x", (1,)).astype(np.float64)
    if len(A) < 2:
        raise ValueError(f"A must have at least two rows, one a class, got shape {A.shape}")
    if len(x) != A.shape[1]:
        raise ValueError(f"x must have shape ({A.shape[1]},), one number a column of A, got shape {x.shape}")
    norm = float(np.vdot(x, x))  # unlike x @ x, it does not warn of an overflow
    if not norm <= LARGEST_NUMBER:  # the entries can be out of range only if it is
        finite_array(x, "x")
    return A, x, count(y, "y", len(A) - 1, smallest=0), norm if norm >= SMALLEST_NORM else 0.0


def stream(X, y, n_classes, weights):
    """Returns examples (n, d), their labels, and the weights (m, d) to start from: a float64 copy, or zeros."""
    X = features(X)
    y, (n, d) = labels(y, X.shape[0]), X.shape
    if n_classes is not None:
        n_classes = count(n_classes, "n_classes", MOST_CLASSES, smallest=2)
    if weights is not None:
        weights = finite_array(real_array(weights, "weights", (2,)), "weights").astype(np.float64, order="C")
        if weights.shape[1] != d or weights.shape[0] != (n_classes or max(weights.shape[0], 2)):
            expected = f"({n_classes or 'at least 2 classes'}, {d})"
            raise ValueError(f"weights must have shape {expected}, got shape {weights.shape}")
        n_classes = weights.shape[0]
    if n_classes is None:
        n_classes = training_labels(y, n)[1]
    return X, labels(y, n, n_classes), np.zeros((n_classes, d)) if weights is None else weights


def passes(order, n, epochs, seed):
    """Returns an iterator over the visiting orders of the epochs. A 2-D order must have one row an epoch."""
    epochs = count(epochs, "epochs")
    orders = visiting_orders(order, n, epochs, seed)
    if np.ndim(order) == 2 and len(order) != epochs:
        raise ValueError(f"order must have shape ({n},) or ({epochs}, {n}), got {len(order)} rows")
    return orders


def shortest(norms):
    """Returns the smallest squared norm that is not 0, or 0 if all are."""
    return float(norms[norms > 0].min(initial=np.inf)) if norms.any() else 0.0


def warn_of_zeros(zeros, examples, margin):
    """Warn once if some examples are 0. All of their scores are 0 for all weights, so they cannot reach the margin."""
    if zeros and margin > 0:
        which = "x is 0" if examples == 1 else f"{zeros} of the {examples} examples are 0"
        message = f"{which} (or |x|^2 is too small to divide by): no update can help, and the weights are left alone"
        warn(message)

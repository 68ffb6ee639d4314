"""What both sides share: argument checks and result types, and nothing that computes an answer.

Every check either returns the argument in the one form that the methods read, or raises a ValueError that names the
argument and the value it had. `reference` and `fast` call the same checks, so that they refuse the same input. Those of
single numbers and arrays are in `_checks`, those of rankings in `_ranking_checks`, of top-k SVMs in `_svm_checks`, of
the Wsabie family in `_wsabie_checks`; the result types are in `_results`.
"""

import warnings
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from ._checks import (  # noqa: F401, some of these are only passed on
    brief,
    choice,
    count,
    csr_matrix,
    features,
    features_and_labels,
    finite_array,
    finite_number,
    gram_and_labels,
    in_range,
    integers,
    labels,
    nonnegative,
    points,
    positive,
    real_array,
    row_of,
    scores_and_labels,
    training_labels,
    visiting_orders,
)
from ._qs_loss import QSLoss  # noqa: F401
from ._ranking_checks import (  # noqa: F401
    direct_options,
    group_shares,
    grouped_scores,
    interleaving,
    pushing_duals,
    qs_loss,
    ranking_options,
    reduced_samples,
    selecting_duals,
    sorted_bags,
    sorted_groups,
    start,
    two_classes,
)
from ._results import (  # noqa: F401
    DirectLossFit,
    Inference,
    LatentRankingFit,
    PassiveAggressiveFit,
    RankingSVMFit,
    TopKSVMFit,
    TopRankFit,
    WsabieFit,
)
from ._svm_checks import (  # noqa: F401
    KINDS,
    SVMOptions,
    example_weights,
    finite_objective,
    relative_gap,
    squared_norms,
    starting_duals,
    svm_history,
    svm_options,
)
from ._walk import Curve, Draws, frozen_classes, stages, warn_if_frozen  # noqa: F401
from ._wsabie_checks import (  # noqa: F401
    AUC,
    NONE,
    WARP,
    WEIGHTINGS,
    WSABIE,
    WSABIE_PP,
    features_and_fit,
    fits_to_concatenate,
    label_sets,
    labels_and_predictions,
    mean_loss,
    negatives_to_try,
    one_vs_all_rule,
    rounded,
    scores_and_sets,
    sets_of_all_classes,
    wsabie_rule,
    wsabie_start,
    zero_fit,
)

VARIANTS = ("pa", "pa1", "pa2")


# --- sets ----------------------------------------------------------------------------------------------------------


def knapsack(total, lower, upper, weights, d, dtype):
    """The set {<weights, x> = total, lower <= x <= upper} as (total, lower, upper, weights), float64, (d,) each."""
    total = finite_number(total, "total")
    lower, upper = bounds(lower, upper, d)
    weights = _per_coordinate(1.0 if weights is None else weights, "weights", d)
    if not (np.isfinite(weights).all() and (weights > 0).all()):
        raise ValueError(f"weights must be > 0 and finite, got {weights[~((weights > 0) & np.isfinite(weights))][0]}")
    with np.errstate(over="ignore"):  # an infinite sum bounds nothing
        ends = (weights * lower).sum(), (weights * upper).sum()
        sizes = np.abs(weights * lower).sum(), np.abs(weights * upper).sum()
    _reachable(total, ends, sizes, dtype)
    return total, lower, upper, weights


def one_cap(total, zero, cap, d, dtype):
    """The set {sum x = total, 0 <= x <= cap} as (total, cap): what `knapsack` checks, in O(1)."""
    total, (_, cap) = finite_number(total, "total"), bounds(zero, cap, 1)
    most = d * float(cap[0])
    _reachable(total, (0.0, most), (0.0, most), dtype)
    return total, float(cap[0])


def _reachable(total, ends, sizes, dtype):
    """A sum of d rounded bounds need not be exactly the total that it was meant to be; `sizes` sum their magnitudes."""
    rounding = 8 * float(np.finfo(dtype).eps)
    for end, size, sign in zip(ends, sizes, (1, -1), strict=True):
        if np.isfinite(end) and sign * (end - total) > rounding * (size + abs(total)):
            raise ValueError(f"total must be within {ends[0]}..{ends[1]}, what the bounds allow, got {total}")


def interval(lower, upper, dtype=np.float64):
    """Two bounds that hold for all coordinates, as floats; infinite, or within the range of the dtype."""
    for name, bound in (("lower", lower), ("upper", upper)):
        if np.ndim(bound) != 0:
            raise ValueError(f"{name} must be one number, got shape {np.shape(bound)}")
        if np.asarray(bound).dtype.kind not in "iuf":
            raise ValueError(f"{name} must be a number, got {brief(bound)}")
        if float(np.finfo(dtype).max) < abs(bound) < np.inf:
            raise ValueError(f"{name} must be within the range of {np.dtype(dtype)}, got {bound}")
    lower, upper = bounds(lower, upper, 1)
    return float(lower[0]), float(upper[0])


def bounds(lower, upper, d):
    """Bounds (d,), -inf and inf allowed, lower <= upper."""
    lower, upper = _per_coordinate(lower, "lower", d), _per_coordinate(upper, "upper", d)
    for name, bound, forbidden in (("lower", lower, np.inf), ("upper", upper, -np.inf)):
        wrong = np.isnan(bound) | (bound == forbidden)
        if wrong.any():
            raise ValueError(f"{name} must hold numbers or {-forbidden}, got {bound[wrong][0]}")
    if (lower > upper).any():
        i = int(np.argmax(lower > upper))
        raise ValueError(f"lower must be <= upper, got lower {lower[i]} > upper {upper[i]} at index {i}")
    return lower, upper


def _per_coordinate(value, name, d):
    try:
        if np.asarray(value).dtype.kind not in "biufO":  # text would be read as numbers
            raise TypeError
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} must hold real numbers, got {brief(value)}") from None
    if array.shape not in ((), (d,)):
        raise ValueError(f"{name} must be a number or have shape ({d},), got shape {array.shape}")
    array = np.ascontiguousarray(np.broadcast_to(array, (d,))).view()
    array.flags.writeable = False  # whatever was given: a kernel is compiled for one kind of memory
    return array


# --- fitting -------------------------------------------------------------------------------------------------------


def warn_unless_converged(gap, tol, count, what="epochs"):
    """Warn if the gap is still above the tolerance."""
    if not gap <= tol:
        from sklearn.exceptions import ConvergenceWarning

        warnings.warn(f"gap {gap:.3g} > tol {tol:.3g} after {count} {what}", ConvergenceWarning, stacklevel=4)


@contextmanager
def progress_bar(shown, total, name="gap"):
    """A function to be called with a number after each epoch; it moves a progress bar if one is to be shown."""
    if not shown:
        yield lambda number: None
        return
    from rich.progress import Progress

    with Progress() as bar:
        task = bar.add_task(name, total=total)
        yield lambda number: bar.update(task, advance=1, description=f"{name} {number:.2g}")


# --- passive-aggressive updates ------------------------------------------------------------------------------------

LARGEST, SMALLEST = float(np.finfo(np.float64).max), float(np.finfo(np.float64).tiny)
LEAST_CURVATURE = 1e-200  # of the squared slack: its inverse, times k^2 and a violation, has to be a float


class UpdateRule(NamedTuple):
    """The checked arguments that say how an update is made."""

    margin: float
    variant: str
    aggressiveness: float
    k: int

    def of(self, weight):
        """The rule for an example of this weight, by which its penalty is multiplied; 0 asks for no update."""
        return self._replace(aggressiveness=float(weight) * self.aggressiveness)


def update_rule(m, norm, margin, variant, aggressiveness, k):
    """The rule for m classes and an example of this squared norm, or for many of which it is the shortest but 0."""
    rule = _rule(m, norm, margin, variant, aggressiveness, k)
    if norm > 0 and rule.variant == "pa2" and not 2 * rule.aggressiveness * norm > LEAST_CURVATURE:
        raise ValueError(
            f"aggressiveness must leave 2 aggressiveness |x|^2 > {LEAST_CURVATURE}, got {aggressiveness!r} "
            f"with |x|^2 = {norm}"
        )
    return rule


def stream_rule(m, norms, margin, variant, aggressiveness, k, sample_weight):
    """The rule for m classes and examples of these squared norms, and the weights (n,) of the examples."""
    if sample_weight is None:
        return update_rule(m, shortest(norms), margin, variant, aggressiveness, k), np.ones(len(norms))
    weights = example_weights(sample_weight, len(norms))
    some = weights > 0
    rule = _rule(m, shortest(norms[some]), margin, variant, aggressiveness, k)
    with np.errstate(over="ignore"):  # an infinite product is refused, or beyond all doubt large enough
        products = rule.aggressiveness * weights[some]
        curvatures = 2 * products * norms[some]
    if not (products.min() > 0 and products.max() < np.inf):
        got = f"{weights[some].min()}..{weights.max()} with aggressiveness {aggressiveness!r}"
        raise ValueError(f"sample_weight must leave sample_weight * aggressiveness in range, got {got}")
    least = curvatures[norms[some] > 0].min(initial=np.inf)
    if rule.variant == "pa2" and not least > LEAST_CURVATURE:
        demand = f"2 sample_weight aggressiveness |x|^2 > {LEAST_CURVATURE}"
        raise ValueError(f"sample_weight must leave {demand} where it is not 0, got {least}")
    return rule, weights


def _rule(m, norm, margin, variant, aggressiveness, k):
    rule = UpdateRule(
        nonnegative(margin, "margin"),
        choice(variant, "variant", VARIANTS),
        positive(aggressiveness, "aggressiveness"),
        count(k, "k", m - 1),
    )
    if norm > 0 and rule.margin > norm * LARGEST:
        raise ValueError(f"margin must leave margin / |x|^2 in range, got {margin!r} with |x|^2 = {norm}")
    return rule


def model_and_example(A, x, y):
    """Weights (m, d) of at least two classes, not yet known to be finite, an example (d,), its label and |x|^2."""
    A, x = real_array(A, "A", (2,)), real_array(x, "x", (1,)).astype(np.float64)
    if len(A) < 2:
        raise ValueError(f"A must have at least two rows, one a class, got shape {A.shape}")
    if len(x) != A.shape[1]:
        raise ValueError(f"x must have shape ({A.shape[1]},), one number a column of A, got shape {x.shape}")
    with np.errstate(over="ignore"):
        norm = float(x @ x)
    if not norm < np.inf:
        finite_array(x, "x")
        raise ValueError(f"x must have a finite squared norm, got {norm}")
    return A, x, count(y, "y", len(A) - 1, smallest=0), norm if norm >= SMALLEST else 0.0


def stream(X, y, n_classes, weights):
    """Examples (n, d), dense or CSR, their labels, and the weights (m, d), float64, to start from: a copy, or zeros."""
    X = features(X)
    y, (n, d) = labels(y, X.shape[0]), X.shape
    if n_classes is not None:
        n_classes = count(n_classes, "n_classes", smallest=2)
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
    """One visiting order for each of the epochs."""
    epochs = count(epochs, "epochs")
    orders = visiting_orders(order, n, epochs, seed)
    if np.ndim(order) == 2 and len(order) != epochs:
        raise ValueError(f"order must have shape ({n},) or ({epochs}, {n}), got {len(order)} rows")
    return orders


def shortest(norms):
    """The smallest squared norm that is not 0; 0 if all are."""
    return float(norms[norms > 0].min(initial=np.inf)) if norms.any() else 0.0


def warn_of_zeros(zeros, examples, margin):
    """Warn, once, if there are examples whose scores are 0 whatever the weights are, and so never reach the margin."""
    if zeros and margin > 0:
        which = "x is 0" if examples == 1 else f"{zeros} of the {examples} examples are 0"
        message = f"{which} (or |x|^2 is too small to divide by): no update can help, and the weights are left alone"
        warnings.warn(message, stacklevel=3)


def flag(value, name):
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False, got {brief(value)}")
    return bool(value)

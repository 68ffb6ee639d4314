"""Wrong versions of the top-k hinges and of their fits."""

import warnings

import numpy as np

import reference
from tests.mutants import altered, wrong


@wrong("fit_topk_svm_kernel", "certificate")
def cap_of_beta(K, y, *, kind="alpha", **options):
    """It solves alpha with the domain of beta."""
    kind = "beta" if kind == "alpha" else kind
    return reference.fit_topk_svm_kernel(K, y, kind=kind, **options)


# It leaves gamma out of its dual objective, and so stops too early.
dual_without_gamma = altered("fit_topk_svm", "        dual -= np.mean(", "        dual -= 0 * np.mean(", "certificate")

# Its dual step has the curvature |x|^2 alone, without gamma / r.
forgets_gamma_in_curvature = altered(
    "fit_topk_svm", "- others[label]) / curvature", "- others[label]) / squared_norm", "differs from algorithm 1"
)


@wrong("topk_hinge_gradient")
def gradient_not_divided(scores, y, k=1, kind="alpha", smoothing=0.0):
    """It returns the projection onto the domain of radius gamma, not divided by gamma."""
    gradient = reference.topk_hinge_gradient(scores, y, k, kind, smoothing)
    return gradient * gradient.dtype.type(smoothing) if smoothing else gradient


@wrong("topk_hinge_gradient")
def gradient_with_the_label(scores, y, k=1, kind="alpha", smoothing=0.0):
    """It takes the true class for a rival, with the margin 1."""
    right = reference.topk_hinge_gradient(scores, y, k, kind, smoothing)  # refuses wrong arguments
    own = np.take_along_axis(scores, y[:, None].astype(np.int64), axis=1)
    doubled = np.hstack([own, scores])  # the true class again, as class 0
    gradient = reference.topk_hinge_gradient(doubled, y + 1, k, kind, smoothing)
    merged = gradient[:, 1:].copy()
    merged[np.arange(len(y)), y] += gradient[:, 0]
    return merged.astype(right.dtype)


@wrong("topk_hinge")
def label_in_the_ranking(scores, y, k=1, kind="alpha", smoothing=0.0):
    """Its smooth alpha ranks the true class among its rivals, with the margin 0."""
    ranked = "alpha_inclusive" if kind == "alpha" and smoothing else kind
    return reference.topk_hinge(scores, y, k, ranked, smoothing)


@wrong("fit_topk_svm", "differs from algorithm 1")
def order_ignored(X, y, *, tol=1e-3, order=None, max_epochs=1000, **options):
    """It shuffles although an order is given."""
    if order is not None:
        reference.fit_topk_svm(X, y, tol=1e9, order=order, max_epochs=1, **options)  # refuses a wrong one
    return reference.fit_topk_svm(X, y, tol=tol, max_epochs=max_epochs, **options)


@wrong("fit_topk_svm_parts", "differs from algorithm 1")
def parts_add_boldly(X, y, parts, *, combine="conjugate", sigma=None, max_rounds=1000, **options):
    """It adds the changes of all parts, each made as if the others stayed: sigma' = 1."""
    reference.fit_topk_svm_parts(
        X, y, parts, **{**options, "tol": 1e9}, combine=combine, sigma=sigma, max_rounds=max_rounds
    )
    options |= {"combine": "adding", "sigma": 1.0, "max_rounds": min(max_rounds, 100)}
    return reference.fit_topk_svm_parts(X, y, parts, **options)


# It stretches the change of the weights, but not the curvature of a step.
parts_curvature = altered(
    "fit_topk_svm_parts", "sigma * model.squared_norms[i]", "model.squared_norms[i]", "differs from algorithm 1"
)

FORGETFUL = """        primal, dual, gap = certified
        if len(self.parts) > 1:
            last = self.parts[-1]
            scores = self.model.X[last] @ self.model.weights
            losses = topk_hinge(scores, self.y[last], self.options.k, self.options.kind)
            primal -= float((self.options.sample_weight[last] * losses).sum()) / len(self.y)
            gap = checks.relative_gap(primal, dual)
        return duals, primal, dual, gap
"""
# Its gap forgets the losses of the last of several parts.
parts_forget_one = altered("fit_topk_svm_parts", "        return duals, *certified\n", FORGETFUL, "certificate")


@wrong("topk_hinge")
def printed_hinge(scores, y, k=1, kind="alpha", smoothing=0.0):
    """It has the ranking of eq. (3) as printed: the true class is ranked among its rivals."""
    return reference.topk_hinge(scores, y, k, "alpha_inclusive" if kind == "alpha" else kind, smoothing)


@wrong("fit_topk_svm", "certificate")
def printed_loss(X, y, *, kind="alpha", **options):
    """It minimises eq. (3) as printed and calls it alpha."""
    kind = "alpha_inclusive" if kind == "alpha" else kind
    return reference.fit_topk_svm(X, y, kind=kind, **options)


# Its dual step projects with the bias 1, as without smoothing.
smooth_bias_of_one = altered("fit_topk_svm_kernel", "squared_norm / curvature)", "1.0)", "differs from algorithm 1")

# It gives an example with x = 0 the vertex of the linear programme, also with smoothing.
smooth_linear_programme = altered(
    "fit_topk_svm", "if curvature < np.finfo(np.float64).tiny or", "if squared_norm == 0 or", "certificate"
)


@wrong("fit_topk_svm", "certificate")
def stops_early(X, y, *, tol=1e-3, **options):
    """It stops at a gap of 0.1 and reports 1e-6."""
    fit = reference.fit_topk_svm(X, y, tol=0.1, **options)
    return fit._replace(gap=1e-6)


@wrong("topk_error")
def strict_error(scores, y, k=1):
    """It has the strict inequality of the paper, by which constant scores are never wrong."""
    own = np.take_along_axis(scores, y[:, None].astype(np.int64), axis=1)
    dtype = np.float32 if scores.dtype == np.float32 else np.float64
    return ((scores > own).sum(axis=1) >= k).astype(dtype)


@wrong("fit_topk_svm", "weights")
def weights_drift(X, y, **options):
    """It returns weights a little different from X' duals."""
    fit = reference.fit_topk_svm(X, y, **options)
    return fit._replace(weights=fit.weights * fit.weights.dtype.type(1.001))


@wrong("fit_topk_svm_parts", "weights")
def weights_one_round_behind(X, y, parts, **options):
    """It returns the weights with which the last round began, and does not recompute them after it."""
    fit = reference.fit_topk_svm_parts(X, y, parts, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = reference.fit_topk_svm_parts(X, y, parts, **{**options, "max_rounds": max(fit.epochs - 1, 1)})
    return fit._replace(weights=before.weights)


@wrong("fit_topk_svm", "certificate")
def zero_rows_skipped(X, y, **options):
    """It leaves the duals of an example with |x| = 0 at zero."""
    fit = reference.fit_topk_svm(X, y, **options)
    return fit._replace(duals=np.where(np.any(X, axis=1, keepdims=True), fit.duals, 0).astype(fit.duals.dtype))

"""fit_top_push that compares positives with the mean of the negatives instead of the highest one."""

import numpy as np

import reference

FUNCTION = "fit_top_push"
REASON = "differs from the ground truth"


def fit_top_push(X, relevant, *, duals=None, sample_weight=None, **options):
    problem = reference.problems.statement(FUNCTION)(X, relevant, duals=duals, sample_weight=sample_weight, **options)
    rows, flags = problem.sample_weight, problem.relevant
    m = flags[0].size
    samples = np.kron(np.asarray(X, dtype=np.float64), np.eye(m))
    middle = samples[~flags.ravel()].mean(axis=0)
    positives = samples[flags.ravel()]
    fit = reference.fit_top_push(
        np.vstack([positives, middle]), np.arange(len(positives) + 1) < len(positives),
        sample_weight=np.append(rows[np.nonzero(flags)[0]], 1.0), **options,
    )  # fmt: skip
    duals = np.full(flags.shape, fit.duals[-1] / np.count_nonzero(~flags))
    duals[flags] = fit.duals[:-1]
    weights = fit.weights.reshape(X.shape[1], *flags.shape[1:])
    dtype = np.float32 if X.dtype == np.float32 else np.float64
    return fit._replace(weights=weights.astype(dtype), duals=duals.astype(dtype))

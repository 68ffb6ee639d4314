"""A step of `wsabie` against the gradient of one pair: the gradients, the step sizes, and the bound of the norms."""

import numpy as np

from ..problems import checks


def gradients(fit, x, positive, negative, weight):
    """The gradients of  weight (margin - f_positive + f_negative)  in all prototypes (m, e) and in W (e, d)."""
    b, z = fit.prototypes, x if fit.embedding is None else fit.embedding @ x
    in_prototypes = np.zeros_like(b)
    if fit.discriminant == "linear":
        in_prototypes[positive], in_prototypes[negative] = -weight * z, weight * z
        return in_prototypes, weight * np.outer(b[negative] - b[positive], x)
    in_prototypes[positive] = 2 * weight * (b[positive] - z)
    in_prototypes[negative] = -2 * weight * (b[negative] - z)
    return in_prototypes, 2 * weight * np.outer(b[negative] - b[positive], x)


def descended(rows, sums, gradient, rule):
    """Returns (rows after a step against the gradient, sums). With adagrad, eq. (16), each row has a step size."""
    if rule.step == "constant":
        return rows - rule.step_size * gradient, sums
    sums = sums + np.mean(gradient**2, axis=1)
    # 0 / 0 is 0: a row whose gradients were all 0 does not move.
    sizes = np.divide(rule.step_size, np.sqrt(sums), out=np.zeros_like(sums), where=sums > 0)
    return rows - sizes[:, None] * gradient, sums


def cut(fit, max_norm):
    """The fit whose prototypes and rows of W are scaled down to length max_norm where they are longer."""
    if max_norm == np.inf:
        return fit
    W = None if fit.embedding is None else _within(fit.embedding, max_norm)
    return fit._replace(prototypes=_within(fit.prototypes, max_norm), embedding=W)


def _within(rows, max_norm):
    lengths = checks.finite_array(np.linalg.norm(rows, axis=1), "the norms of prototypes and of rows of W")
    factors = np.divide(max_norm, lengths, out=np.ones_like(lengths), where=lengths > max_norm)
    return rows * factors[:, None]

"""jaxopt: BlockCoordinateDescent on objective.multiclass_linear_svm_dual, with l2reg = 1.

X is divided by sqrt(regularization n). This is the same dual problem as with X and l2reg = regularization n.
"""

import jax
import numpy as np
from jaxopt import BlockCoordinateDescent, objective
from jaxopt.projection import projection_simplex
from jaxopt.prox import make_prox_from_projection

jax.config.update("jax_enable_x64", True)
SOLVER = BlockCoordinateDescent(objective.multiclass_linear_svm_dual, make_prox_from_projection(projection_simplex),
                                maxiter=10_000, tol=1e-6)  # fmt: skip


def fit_topk_svm(X, y, *, k=1, kind="alpha", regularization, tol=1e-3, max_epochs=1000, order=None, seed=0):
    Y, l2reg = np.eye(y.max() + 1)[y], regularization * len(X)
    start, data = np.full(Y.shape, 1 / Y.shape[1]), (X / l2reg**0.5, Y)
    beta = SOLVER.run(start, hyperparams_prox=1.0, l2reg=1.0, data=data).params
    return {"weights": X.T @ (Y - np.asarray(beta)) / l2reg}

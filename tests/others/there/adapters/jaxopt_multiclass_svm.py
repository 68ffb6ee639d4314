"""jaxopt: BlockCoordinateDescent on objective.multiclass_linear_svm_dual, with projections onto the simplex.

Its l2reg is regularization times n. Its weights are X' (Y - beta) / l2reg for its dual variables beta.
"""

import jax
import numpy as np
from jaxopt import BlockCoordinateDescent, objective
from jaxopt.projection import projection_simplex
from jaxopt.prox import make_prox_from_projection

jax.config.update("jax_enable_x64", True)
SOLVER = BlockCoordinateDescent(objective.multiclass_linear_svm_dual, make_prox_from_projection(projection_simplex),
                                maxiter=2000, tol=1e-6)  # fmt: skip


def fit_topk_svm(X, y, *, k=1, kind="alpha", regularization, tol=1e-3, max_epochs=1000, order=None, seed=0):
    Y, l2reg = np.eye(y.max() + 1)[y], regularization * len(X)
    beta = SOLVER.run(np.full(Y.shape, 1 / Y.shape[1]), hyperparams_prox=1.0, l2reg=l2reg, data=(X, Y)).params
    return {"weights": X.T @ (Y - np.asarray(beta)) / l2reg}

# A top-k SVM with three classes of points in the plane. Notebook 04 derives the method.
import numpy as np

import reference

random = np.random.default_rng(0)
centres = np.array([[2.0, 0.0], [-1.0, 1.7], [-1.0, -1.7]])
y = np.repeat([0, 1, 2], 20)
X = centres[y] + random.normal(size=(60, 2))

for k in (1, 2):
    fit = reference.fit_topk_svm(X, y, k=k, regularization=0.05, tol=1e-3)
    error = reference.topk_error(X @ fit.weights, y, k).mean()
    print(f"k = {k}: primal {fit.primal:.4f}, dual {fit.dual:.4f}, gap {fit.gap:.1e} after {fit.epochs} epochs")
    print(f"       {100 * error:.0f} % of the examples do not have their class among the {k} highest scores")

"""fit_topk_svm that gives an example with x = 0 the vertex of the linear programme, also with smoothing."""

from tests.mutants._altered import altered

FUNCTION = "fit_topk_svm"
REASON = "certificate"

fit_topk_svm = altered(
    "topk_svm", "if curvature < np.finfo(np.float64).tiny or", "if squared_norm == 0 or"
).fit_topk_svm

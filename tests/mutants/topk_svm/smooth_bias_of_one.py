"""fit_topk_svm_kernel whose dual step projects with the bias 1, as without smoothing."""

from tests.mutants._altered import altered

FUNCTION = "fit_topk_svm_kernel"
REASON = "differs from algorithm 1"

fit_topk_svm_kernel = altered("topk_svm", "squared_norm / curvature)", "1.0)").fit_topk_svm_kernel

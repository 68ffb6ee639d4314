"""fit_topk_svm whose dual step has the curvature |x|^2 alone, without gamma / r."""

from tests.mutants._altered import altered

FUNCTION = "fit_topk_svm"
REASON = "differs from algorithm 1"

fit_topk_svm = altered("topk_svm", "- others[label]) / curvature", "- others[label]) / squared_norm").fit_topk_svm

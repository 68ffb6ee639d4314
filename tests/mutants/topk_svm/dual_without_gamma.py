"""fit_topk_svm that leaves gamma out of its dual objective, and so stops too early."""

from tests.mutants._altered import altered

FUNCTION = "fit_topk_svm"
REASON = "certificate"

fit_topk_svm = altered("topk_svm", "        dual -= np.mean(", "        dual -= 0 * np.mean(").fit_topk_svm

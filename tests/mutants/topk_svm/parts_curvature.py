"""fit_topk_svm_parts that stretches the change of the weights, but not the curvature of a step."""

from tests.mutants._altered import altered

FUNCTION = "fit_topk_svm_parts"
REASON = "differs from algorithm 1"

fit_topk_svm_parts = altered(
    "topk_svm_parts", "sigma * model.squared_norms[i]", "model.squared_norms[i]"
).fit_topk_svm_parts

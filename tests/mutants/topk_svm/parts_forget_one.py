"""fit_topk_svm_parts whose gap forgets the losses of the last of several parts."""

import reference
from tests.mutants._altered import altered

FUNCTION = "fit_topk_svm_parts"
REASON = "certificate"

_module = altered("topk_svm_parts", "", "")


class _Forgetful(_module._Rounds):
    def certify(self, dtype):
        duals, primal, dual, gap = super().certify(dtype)
        if len(self.parts) > 1:
            last = self.parts[-1]
            scores = self.model.X[last] @ self.model.weights
            losses = reference.topk_hinge(scores, self.y[last], self.options.k, self.options.kind)
            primal -= float((self.options.sample_weight[last] * losses).sum()) / len(self.y)
            gap = reference.problems.checks.relative_gap(primal, dual)
        return duals, primal, dual, gap


_module._Rounds = _Forgetful
fit_topk_svm_parts = _module.fit_topk_svm_parts

"""The optimum of the top-k SVM on parts: that of the same examples in one part, which knows nothing of the parts."""

from ..problems import checks
from . import topk_svm


def fit_topk_svm_parts(X, y, parts, *, k=1, kind="alpha", regularization, sample_weight=None):
    """``argmin_W regularization/2 |W|^2 + mean loss``. Returns (W, the minimum)."""
    found = topk_svm.fit_topk_svm(X, y, k=k, kind=kind, regularization=regularization, sample_weight=sample_weight)
    checks.parts_of(parts, len(y), seed=0)
    return found

"""The minimum of TopPush and SVMperf, by CVXPY."""

from ...ground_truth import topk_baselines as programmes
from ..judging.condition import Minimum
from ..proofs.rounding import answer_dtype, tolerance

LARGEST_PROGRAMME = 60  # samples
CVXPY_ERROR = 1e-7  # of the objective at 0, which is about 1


def fit_top_push(problem):
    """Returns the Minimum that CVXPY finds, or None if the instance is too large or the solver fails."""
    return _minimum(programmes.fit_top_push, problem, problem.only("regularization", "sample_weight"))


def fit_svm_perf(problem):
    """Returns the same for SVMperf. Without weights it is that of the definition: selections are of whole samples."""
    options = problem.only("k", "loss", "regularization", "sample_weight")
    if problem.k % 1 == 0 and (problem.sample_weight == 1).all():
        options |= {"k": int(problem.k), "sample_weight": None}
    return _minimum(programmes.fit_svm_perf, problem, options)


def _minimum(programme, problem, options):
    n = problem.relevant.size
    if n > LARGEST_PROGRAMME:
        return None
    try:
        value = max(0.0, float(programme(problem.X, problem.relevant, **options)[1]))
    except RuntimeError:
        return None
    doubt = max(CVXPY_ERROR, tolerance(answer_dtype(problem.X), n))
    return Minimum(value, doubt, unit=1.0)

"""What is examined: one entry for each function of a public package, with what it promises.

Only instances that the function takes by its documentation are asked. Wrong arguments, CSR input and instances for
which a warning is due are never asked: what a function does with them is its own affair.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

SINGLE = float(np.finfo(np.float32).eps)


class Entry(NamedTuple):
    """One row of the page."""

    package: str  # its name in the package registry, or that of `source`
    does: str  # the function, as its users call it
    function: str  # the function here that solves the same problem
    adapter: str  # the file in `adapters`
    asked: str = "all"  # which instances are asked, in words
    asks: Callable = lambda given: True  # the same, of the arguments
    accuracy: float = 0.0  # a relative error that its documentation allows, beyond rounding
    seeds: int = 1  # how many catalogues are asked
    sizes: tuple = ()  # of the two timed instances
    note: str = ""  # on conventions, for the page
    verified: str = ""  # what a computation by hand says about its counter-example

    @property
    def key(self):
        """The name of its result in the stored file."""
        return f"{self.adapter}.{self.function}"


def _plain(given):
    return given.get("radius", 1.0) > 0


def _one_plain(given):
    return given["a"].ndim == 1 and _plain(given)


def _box(given):
    finite = np.isfinite(given.get("lower", 0.0)).all() and np.isfinite(given.get("upper", 1.0)).all()
    return given["a"].ndim == 1 and finite and _not_tiny(given)


def _not_tiny(given):
    return np.abs(given["a"]).max() > SINGLE and given.get("radius", 1.0) > 0 and given.get("cap", 1.0) > 0


def _two_numbers(given):
    bounds = given.get("lower", 0.0), given.get("upper", 1.0)
    plain = given.get("weights") is None and all(np.ndim(bound) == 0 and np.isfinite(bound) for bound in bounds)
    return plain and _not_tiny(given)


def _upper_only(given):
    upper = given.get("upper", 1.0)
    simple = given.get("weights") is None and np.ndim(upper) == 0 and np.ndim(given.get("lower", 0.0)) == 0
    return simple and given.get("lower", 0.0) == 0.0 and 0 < upper < np.inf


def _first_guess(given):
    return given["k"] == 1 and not given.get("bias") and _one_plain(given)


def _epigraph(given):
    return given["z"].ndim == 1 and given["z"].size > 1 and not {"lower", "upper"} & set(given)


def _two_classes(given):
    return _two_rows(given) and given.get("variant", "pa") != "pa"


def _two_rows(given):
    return len(given["A"]) == 2 and given.get("margin", 1.0) > 0


def _auc(given):
    return given.get("loss", "ap") == "auc"


def _top_one(given):
    return given.get("k", 1) == 1 and not given.get("smoothing")


def _hinges(given):
    known = given.get("kind", "alpha") in ("alpha", "beta")
    return known and all(given.get(name) is None for name in ("sample_weight", "duals", "sparse_duals"))


def _without_ties(given):
    scores = given["scores"]
    return all(len(set(row)) == len(row) for row in scores.tolist()) and scores.shape[1] > 2


def _every_class(given):
    y = given["y"]
    return _top_one(given) and len(np.unique(y)) == y.max() + 1 > 2


def _labels(given):
    return given["Y"].ndim == 1 and given.get("n_classes") is None and given.get("sample_weight") is None


POSITIVE = "radius > 0"
ONE_POSITIVE = "one vector, radius > 0"
NOT_TINY = "largest entry above 1.2e-7"
LINES, RANKED = (1000, 1_000_000), ((50, 2000), (1000, 100_000))
DISTINCT = "rankings are given as distinct scores"

# --- what was verified by hand -------------------------------------------------------------------------------------

COPT = """\
The function calls `np.alltrue` if the entries sum to the radius exactly. NumPy 2.0 removed that name, and the package
sets no bound on NumPy's version. Its other answers are right."""
BOX_SECTION = """\
The documentation calls the problem infeasible if the weighted sum of the lower bounds is above the total. Here both
are 0, so 0 is the only feasible point. The answer is the upper bound. The root lies at the end of the bracket of the
bisection, which then keeps the wrong half. Where the total is above the sum, the answers are right to the tolerance."""
EPIGRAPH = """\
The documentation takes a vector and a number for `axis=None`, the default. The call raises for every vector. The next
row has the same function with `axis=0`, whose answers are right."""
BLOCKS = """\
The dual objective at the answer and the minimum, by substitution: for X = (1, -1), two classes and l2reg = 0.4, it is
10 s^2 - 2 s, where s is the weight of the wrong class. Its minimum is -0.1, at s = 0.1. The last of 2000 iterations has
s = 0.25 and the value 0.125. The step is 1 over `columnwise_lipschitz_const`, which is |x|^2. The curvature is |x|^2
divided by l2reg. On this instance the iterations do not converge if l2reg is 0.5 or less, as the error of the solver's
own state says. The next row has the same problem with l2reg = 1 and scaled data, and its answers are right."""
CONE = """\
Write u for 1000 / 3, so that the point is (0, 2, 3, 6) u. The projection is (1, 3, 4, 4) u: its sum is 12 u, so that
its largest entry is a third of the sum, and it is max(0, min(a - t, 4 u)) with t = -u. Its certificate is 3e-17, and
that of the answer, 0, is 0.61. Its squared distance from the point is 7 u^2, and that of 0 is 49 u^2. The search takes
the first partition whose inequalities hold within 16 machine epsilons, 3.6e-15, at every scale of the data. Here one
of them is an equality, 3 u = t + 4 u, and numbers near 1000 are rounded to multiples of 1.1e-13. No partition passes,
and then the answer is 0. At (0, 2, 3, 6) the answer is right, and so are all others that were asked."""
SIMPLEX = """\
This is the instance of the row above, with a bound of the sum that has no effect: the sum of (1, 3, 4, 4) u is 4000.
So the search is the same. With a radius of 3999 or 4000, another one finds the right answer."""

ENTRIES = (
    Entry("POT", "ot.utils.proj_simplex", "project_simplex", "pot_simplex", POSITIVE, _plain, sizes=LINES),
    Entry("POT", "ot.utils.projection_sparse_simplex", "project_simplex", "pot_sparse_simplex", POSITIVE, _plain,
          sizes=LINES, note="all entries may be positive"),
    Entry("jaxopt", "projection_simplex", "project_simplex", "jaxopt_simplex", POSITIVE, _plain, sizes=LINES,
          note="jit, double precision"),
    Entry("jaxopt", "projection_sparse_simplex", "project_simplex", "jaxopt_sparse_simplex", ONE_POSITIVE, _one_plain,
          sizes=(1000, 10_000), note="all entries may be positive; jit, double precision"),
    Entry("jaxopt", "projection_box_section", "project_knapsack", "jaxopt_box_section",
          "one vector, finite bounds", _box, accuracy=1e-4, sizes=LINES,
          note="bisection with a tolerance of 1e-5; jit, double precision", verified=BOX_SECTION),
    Entry("optax", "projections.projection_simplex", "project_simplex", "optax_simplex", POSITIVE, _plain, sizes=LINES,
          note="jit, double precision"),
    Entry("copt", "constraint.euclidean_proj_simplex", "project_simplex", "copt_simplex", ONE_POSITIVE, _one_plain,
          sizes=LINES, verified=COPT),
    Entry("simplexers", "positive_simplexer", "project_simplex", "simplexers_positive", POSITIVE, _plain, sizes=LINES),
    Entry("simplexers", "capped_simplexer", "project_knapsack", "simplexers_capped", "0 <= x <= upper, no weights",
          _upper_only, accuracy=1e-10, sizes=LINES, seeds=5, note="root finding with a "
          "tolerance; it may raise if the total is the sum of the upper bounds, as an earlier run found"),
    Entry("pyproximal", "Simplex", "project_simplex", "pyproximal_simplex", POSITIVE, _plain, accuracy=1e-10,
          sizes=LINES, note="bisection, given a tolerance of 1e-14"),
    Entry("pyproximal", "projection.HyperPlaneBoxProj", "project_knapsack", "pyproximal_hyperplane_box", "one vector",
          lambda given: given["a"].ndim == 1, accuracy=1e-10, sizes=LINES,
          note="bisection, given a tolerance of 1e-14"),
    Entry("proxop", "Simplex", "project_simplex", "proxop_simplex", POSITIVE, _plain, sizes=LINES),
    Entry("proxop", "ExtendedSimplex", "project_topk_simplex", "proxop_extended_simplex", "k = 1, no bias, one vector",
          _first_guess, seeds=3, sizes=LINES),
    Entry("proxop", "EpiMax", "squish_column", "proxop_epigraph_max", "one column, no bounds", _epigraph,
          note="a squished column is a point of the epigraph of the maximum; called with a vector and a number",
          verified=EPIGRAPH),
    Entry("proxop", "EpiMax, axis=0", "squish_column", "proxop_epigraph_max_column", "one column, no bounds", _epigraph,
          sizes=LINES, note="called with a batch of one"),
    Entry("scikit-learn", "metrics.average_precision_score", "ap_loss", "sklearn_metrics", sizes=RANKED, note=DISTINCT),
    Entry("scikit-learn", "metrics.ndcg_score", "ndcg_loss", "sklearn_metrics", sizes=RANKED, note=DISTINCT),
    Entry("scikit-learn", "metrics.label_ranking_loss", "rank_loss", "sklearn_metrics", 'loss="auc"', _auc,
          sizes=RANKED, note=DISTINCT),
    Entry("scikit-learn", "metrics.roc_auc_score", "rank_loss", "sklearn_auc", 'loss="auc"', _auc, sizes=RANKED,
          note=DISTINCT),
    Entry("scikit-learn", "metrics.coverage_error", "topk_error", "sklearn_coverage",
          note="an error is a coverage above k"),
    Entry("scikit-learn", "metrics.top_k_accuracy_score", "topk_error", "sklearn_topk_accuracy",
          "no ties, more than two classes", _without_ties, note="breaks ties by index"),
    Entry("scikit-learn", "metrics.hinge_loss", "topk_hinge", "sklearn_coverage", "k = 1, more than two classes",
          lambda given: _top_one(given) and given["scores"].shape[1] > 2),
    Entry("scikit-learn", 'SGDClassifier(learning_rate="pa1" or "pa2")', "multiclass_update",
          "sklearn_passive_aggressive", "two classes, margin > 0, pa1 and pa2", _two_classes, seeds=5,
          note="its eta0 is twice our aggressiveness"),
    Entry("river", "linear_model.PAClassifier", "multiclass_update", "river_passive_aggressive",
          "two classes, margin > 0", _two_rows, seeds=5, note="its C is twice our aggressiveness"),
    Entry("jaxopt", "BlockCoordinateDescent, multiclass_linear_svm_dual", "fit_topk_svm", "jaxopt_multiclass_svm",
          "k = 1", _top_one, accuracy=1e-4, note="tol 1e-6, l2reg = regularization n; judged by its objective",
          verified=BLOCKS),
    Entry("jaxopt", "the same, l2reg = 1", "fit_topk_svm", "jaxopt_multiclass_svm_scaled", "k = 1", _top_one,
          accuracy=1e-4, note="tol 1e-6, X divided by the square root of regularization n; judged by its objective"),
    Entry("scikit-learn", 'LinearSVC(multi_class="crammer_singer")', "fit_topk_svm", "sklearn_linear_svc",
          "k = 1, three classes or more, each with examples", _every_class, accuracy=1e-4, seeds=2,
          note="tol 1e-6; judged by its objective"),
    Entry("scikit-learn", "NearestCentroid", "fit_nearest_means", "sklearn_nearest_centroid", "one label an example",
          _labels, sizes=((3000, 64), (100_000, 64))),
    Entry("liblinear-official", "train, -s 4", "fit_topk_svm", "liblinear_crammer_singer",
          "k = 1, three classes or more, each with examples", _every_class, accuracy=1e-4, seeds=2,
          note="-e 1e-6; judged by its objective"),
    Entry("scipy", "stats.rankdata", "interleaving_ranks", "scipy_ranks", sizes=RANKED,
          note='twice, method="min": among all and among the negatives'),
    Entry("ranx", 'evaluate, "map"', "ap_loss", "ranx_metrics", sizes=RANKED, note=DISTINCT),
    Entry("ranx", 'evaluate, "ndcg"', "ndcg_loss", "ranx_metrics", sizes=RANKED, note=DISTINCT),
    Entry("pytrec-eval-terrier", '"map"', "ap_loss", "pytrec_eval_metrics", sizes=RANKED, note=DISTINCT),
    Entry("pytrec-eval-terrier", '"ndcg"', "ndcg_loss", "pytrec_eval_metrics", sizes=RANKED, note=DISTINCT),
    Entry("ir-evaluation", "average_precision", "ap_loss", "ir_evaluation_metrics", sizes=((50, 2000), (50, 20_000))),
    Entry("ir-evaluation", "ndcg", "ndcg_loss", "ir_evaluation_metrics", sizes=RANKED),
    Entry("rax", "ap_metric", "ap_loss", "rax_metrics", sizes=((50, 2000), (50, 10_000)),
          note=f"jit, double precision; {DISTINCT}"),
    Entry("rax", "ndcg_metric", "ndcg_loss", "rax_metrics", sizes=RANKED, note=f"jit, double precision; {DISTINCT}"),
    Entry("libsdca", "prox_topk_cone, prox_topk_cone_biased", "project_topk_cone", "libsdca_projections", NOT_TINY,
          _not_tiny, sizes=(1000, 10_000), note="timed with k = d / 4, no bias", verified=CONE),
    Entry("libsdca", "prox_topk_simplex, prox_topk_simplex_biased", "project_topk_simplex", "libsdca_projections",
          f"radius > 0, {NOT_TINY}", _not_tiny, sizes=LINES, note="timed with k = 1, no bias", verified=SIMPLEX),
    Entry("libsdca", "prox_knapsack_eq", "project_knapsack", "libsdca_projections",
          f"no weights, bounds that are finite numbers, {NOT_TINY}", _two_numbers, sizes=LINES),
    Entry("libsdca", "prox_knapsack_le, prox_knapsack_le_biased", "project_capped_simplex", "libsdca_projections",
          f"cap > 0, radius > 0, {NOT_TINY}", _not_tiny, sizes=LINES, note="timed without bias"),
    Entry("libsdca solver", "l2_hinge_topk, l2_topk_hinge, smooth or not", "fit_topk_svm", "libsdca_solver",
          "alpha and beta, no weights of examples, no duals to start from", _hinges,
          note="alpha, then beta; judged by its duals and weights, at the tol of the instance"),
)  # fmt: skip

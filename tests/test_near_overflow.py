"""Numbers near overflow are refused by name, with the largest number allowed, or the answer is right; never a warning.

Each argument of each function that takes numbers is replaced, in turn, by numbers up to the largest of its dtype. What
is not refused is judged in exact fractions where that is possible, and both twins say the same.
"""

import re
import warnings
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import fast
import reference
from reference.check import certify
from reference.ground_truth import enumeration
from reference.problems import checks
from tests.support.calls import CALLS, CLASSES, FITS, PROJECTIONS

TWINS = reference, fast
DTYPES = [np.float64, np.float32]
SIZES = {np.float64: (1e140, 1.1e140, 1.7e308), np.float32: (1e38, np.finfo(np.float32).max)}
NUMBERS = (1e39, 1e140, 1.1e140, 1.7e308, 10**400, Fraction(10) ** 400)
COUNTS = (2**31, 2**40, 2**62, 2**63, 10**400, np.uint64(2**63))
SAYS_WHAT = r"at most|in range|finite|must be the same|within|range of|in \d+\.\.\d+|must (be|have|hold) .*(<=|>=|> 0)"
FLOAT64 = np.dtype(np.float64)
PRECISION = {np.float64: 1e-12, np.float32: 1e-6}

LENGTHS = {"max_epochs", "max_rounds", "max_iterations", "local_epochs", "epochs", "n_updates", "embedding_dim"}


# --- how a call ends -----------------------------------------------------------------------------------------------


def ending(module, name, arguments):
    """Returns the answer of a call, or the text of its ValueError. Any other exception, or a warning, is a failure."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", "x is 0|.* examples are 0|.* groups do not", UserWarning)
        try:
            return getattr(module, name)(**arguments)
        except ValueError as error:
            return str(error)


def both(name, arguments, argument):
    """Returns the answers of the twins, or None if both refuse, which must name an argument and a largest number."""
    got = [ending(module, name, arguments) for module in TWINS]
    if not any(isinstance(one, str) for one in got):
        return got
    assert all(isinstance(one, str) for one in got), f"{name}, {argument}: expected both to refuse, got {got}"
    first, second = (one.split(" got ")[0] for one in got)
    assert first == second, f"{name}, {argument}: expected equal messages, got {got}"
    assert re.search(SAYS_WHAT, first), got[0]
    return None


def arrays(answer):
    """Returns the arrays of an answer, in float64, without histories and texts."""
    if isinstance(answer, (tuple, list)) and not isinstance(answer, np.ndarray):
        return [array for part in answer for array in arrays(part)]
    if answer is None or isinstance(answer, str) or getattr(answer, "dtype", np.dtype(float)).names:
        return []
    return [np.asarray(answer, np.float64)]


def changed(arguments, dtype):
    """Yields (argument, arguments): the same in this dtype, but for one argument that has been made large."""
    are_floats = {name: getattr(value, "dtype", None) is FLOAT64 for name, value in arguments.items()}
    given = {name: value.astype(dtype) if are_floats[name] else value for name, value in arguments.items()}
    for name, value in given.items():
        if isinstance(value, np.ndarray) and value.dtype == dtype:
            for size in SIZES[dtype]:
                signs = np.where(np.arange(value.size).reshape(value.shape) % 2, 1, -1)
                for pattern in (np.ones(value.shape), signs, np.sign(value) + (value == 0)):
                    yield name, given | {name: (size * pattern).astype(dtype)}
                some = value.copy()
                some.flat[-1] = size
                yield name, given | {name: some}
            yield name, given | {name: [10**400, *value.ravel().tolist()[1:]]}
        elif isinstance(value, float) and np.isfinite(value):
            for number in (*NUMBERS, np.float32(3.4e38)):
                yield name, given | {name: number}
                if name in ("lower", "total"):
                    yield name, given | {name: -number}


# --- the examples that were wrong ----------------------------------------------------------------------------------

SINGLE, LARGE = np.array([1e38], np.float32), np.array([[1.7e308, 1.7e308, -1.7e308]])
HUGE_SCORES = {"scores": LARGE, "y": np.array([1]), "smoothing": 1.0}  # ended the process of `fast`
MANY_CLASSES = {"X": np.eye(3), "y": [0, 1, 2**24], "regularization": 0.1}
EXAMPLES = [
    ("fit_topk_svm", MANY_CLASSES, "y must hold integers in 0..16777215, got 16777216"),
    ("project_simplex", {"a": SINGLE, "radius": 1e39}, "radius must be at most 3.402823e+38 in magnitude, got 1e+39"),
    ("topk_hinge", HUGE_SCORES, "scores must be at most 1e+140 in magnitude, got 1.7e+308 at index"),
    ("rank_loss", {"interleaving": [1, 10**400], "n_positive": 2}, "interleaving must hold integers 1..P+1 of at"),
]


@pytest.mark.parametrize(("name", "arguments", "message"), EXAMPLES)
def test_examples_that_were_wrong(name, arguments, message):
    got = ending(fast, name, arguments)
    assert isinstance(got, str) and got.startswith(message), f"expected {message!r}, got {got!r}"


@pytest.mark.parametrize("module", TWINS)
def test_large_scores_that_are_close_keep_their_margin(module):
    """1 + s_j - s_y, added from the left, was 0; the softmax of tied scores summed to 2."""
    scores, y = np.full((1, 3), 1e38), np.array([0])
    assert module.topk_hinge(scores, y).tolist() == [1.0]
    assert module.topk_hinge_gradient(scores, y, k=2).tolist() == [[-1.0, 0.5, 0.5]]
    rivals = np.array([[-1e38, 1e38, 1e38, 1e38]])
    assert module.truncated_topk_entropy_gradient(rivals, y, k=2).tolist() == [[-1.0, 0.0, 0.5, 0.5]]
    assert module.topk_entropy_gradient(np.array([[-1e38, 1e38, -1e38]]), y, k=2).tolist() == [[-1.0, 0.5, 0.5]]
    assert module.topk_entropy(np.array([[-1e38, 1e38, -1e38]]), y, k=2) == pytest.approx(1e38, rel=1e-12)


# --- each argument of each function --------------------------------------------------------------------------------


def near(got, expected, dtype, beside=0.0):
    """Returns whether an answer has the precision of its dtype, compared with its largest entry, or `beside`."""
    size = max(np.abs(np.asarray(expected, np.float64)).max(), np.finfo(dtype).tiny, beside)
    return np.abs(np.asarray(got, np.float64) - np.asarray(expected, np.float64)).max() <= PRECISION[dtype] * size


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_calls_are_refused_or_right(name, arguments, dtype):
    """Projections are compared with the enumeration, losses and rankings with the twin, and a few are exact."""
    judged = 0
    for argument, given in changed(arguments, dtype):
        got = both(name, given, argument)
        if got is None:
            continue
        judged += 1
        expected = getattr(enumeration, name)(**given) if name in dict(PROJECTIONS) else got[0]
        beside = 4.0 if given.get("bias", 0.0) > 1e10 else 0.0  # such a bias leaves roundings of the coordinates
        for answer in got:
            for part, right in zip(arrays(answer), arrays(expected), strict=True):
                assert np.isfinite(part).all(), f"{name}, {given}: {part}"
                assert near(part, right, dtype, beside), f"{name}, {given}: expected {right}, got {part}"
            if name == "loss_augmented_inference":
                highest = best_objective(given["positive_scores"], given["negative_scores"], given["loss"])
                assert near([answer.objective], [highest], dtype), f"{given}: expected {highest}, got {answer}"
            elif name == "topk_hinge" and not given["smoothing"]:
                rows = zip(given["scores"], CLASSES, strict=True)
                right = [exact_hinge(row, y, given["k"], given["kind"]) for row, y in rows]
                assert near(answer, right, dtype), f"{given}: expected {right}, got {answer}"
    assert judged > 3, "the numbers up to the largest must be allowed"


def best_objective(p, n, loss):
    """Returns the largest loss + F of all rankings. F is a fraction, and so is the sum."""
    p, n, best = sorted(map(exact, p), reverse=True), sorted(map(exact, n), reverse=True), None
    for ranks in combinations_with_replacement(range(1, len(p) + 2), len(n)):
        pairs = ((pi - nj) * (1 if i < r else -1) for nj, r in zip(n, ranks, strict=True) for i, pi in enumerate(p, 1))
        value = sum(pairs) / (len(p) * len(n)) + Fraction(reference.rank_loss(list(ranks), len(p), loss))
        best = value if best is None else max(best, value)
    return float(best)


def exact_hinge(scores, y, k, kind):
    """Returns the loss of the definition, from fractions."""
    s = [exact(value) for value in scores]
    h = sorted((1 + s[j] - s[y] for j in range(len(s)) if j != y), reverse=True)
    if kind == "alpha_inclusive":
        h = sorted([*h, Fraction(0)], reverse=True)
    return float(max(sum(max(v, 0) if kind == "beta" else v for v in h[:k]) / k, 0))


def exact(value):
    return Fraction(float(value))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("name", "arguments"), FITS)
def test_fits_are_refused_or_have_bounds_that_agree(name, arguments, dtype):
    """Both refuse an argument that is too large. With others, only one may leave the range: their ways differ."""
    for argument, given in changed(arguments, dtype):
        if any(too_large(value) for value in given.values()):
            assert both(name, given, argument) is None, f"{name}, {argument}: {given[argument]} was not refused"
            continue
        fits = [fit for fit in (ending(module, name, given) for module in TWINS) if named(fit)]
        assert all(np.isfinite(array).all() for fit in fits for array in arrays(fit)), f"{name}, {argument}: {fits}"
        if fits and hasattr(fits[0], "dual") and not is_indefinite(given.get("K")):
            lowest, highest = min(fit.primal for fit in fits), max(fit.dual for fit in fits)
            slack = 1e-5 * max(abs(fit.primal) for fit in fits)
            assert highest <= lowest + slack, f"{name}, {argument}: a dual of {highest} above a primal of {lowest}"


def is_indefinite(K):
    """Returns whether this is no Gram matrix. A check of all of its minors would take too long."""
    return K is not None and np.linalg.eigvalsh(K.astype(float))[0] < -1e-6 * np.abs(K.astype(float)).max()


def too_large(value):
    """Returns whether the contract refuses this number, or an entry of this list or array."""
    if isinstance(value, np.ndarray):
        return value.dtype == np.float64 and np.abs(value).max() > 1e140
    values = value if isinstance(value, list) else [value]
    return any(isinstance(one, (int, float, Fraction)) and abs(one) > 1e140 for one in values)


def named(ending):
    """Returns whether this is an answer. If it is the text of an error, it must tell what is too large."""
    assert not isinstance(ending, str) or re.search(SAYS_WHAT, ending), ending
    return not isinstance(ending, str)


@pytest.mark.parametrize(
    ("name", "arguments", "argument"),
    [(name, given, one) for name, given in [*CALLS, *FITS] for one in given if one in {"k", "y"} | LENGTHS]
    + [("ap_loss", {"interleaving": [1, 2], "n_positive": 1}, "n_positive")],
)
def test_counts_that_no_array_can_have_are_refused(name, arguments, argument):
    if name in ("fit_svm_perf", "fit_one_vs_all", "fit_wsabie"):  # a weight k, and updates that fit in an int64
        counts = COUNTS[3:]
    elif isinstance(arguments[argument], np.ndarray):
        counts = [[0, 1, 2, 0, 1, count][-len(arguments[argument]) :] for count in COUNTS]
    else:
        counts = COUNTS
    for count in counts:
        if not (argument == "k" and isinstance(arguments["k"], float) and count != 10**400):
            assert both(name, arguments | {argument: count}, argument) is None, f"{argument} = {count} was not refused"


@pytest.mark.parametrize("dtype", DTYPES)
def test_an_entry_anywhere_in_a_long_array_is_refused(dtype):
    """Kernels for long rows read blocks of bits; those for batches try the threshold of the row before."""
    if dtype == np.float32:
        large, message = np.float32(np.inf), "must be finite, got (-inf|inf) at index"
    else:
        large, message = 1.1e140, r"must be at most 1e\+140 in magnitude, got -?1.1e\+140 at index"
    for shape in ((5000,), (40, 50), (2, 5000), (20000,)):
        for sign in (1, -1):
            a = np.random.default_rng(0).standard_normal(shape).astype(dtype)
            a.flat[-2] = sign * large
            for name, more in (
                ("project_simplex", ()), ("project_knapsack", (1.0,)), ("project_knapsack", (1.0, -1.0)),
                ("project_capped_simplex", (0.5,)), ("project_topk_cone", (2,)), ("project_topk_simplex", (2,)),
                ("project_bipartite_simplex", (a,)), ("squish_column", ()),
            ):  # fmt: skip
                with pytest.raises(ValueError, match=f"^[abz] {message}"):
                    getattr(fast, name)(a, *more)
            for n in (a.ravel(), np.sort(a.ravel()), np.sort(a.ravel())[::-1]):
                with pytest.raises(ValueError, match=f"^negative_scores {message}"):
                    fast.loss_augmented_inference(np.zeros(3, dtype), n)
                with pytest.raises(ValueError, match=f"^positive_scores {message}"):
                    fast.loss_augmented_inference(n, np.zeros(100, dtype))


def test_the_largest_number_is_allowed_anywhere_in_a_long_array():
    for shape in ((5000,), (40, 50)):
        a = np.random.default_rng(0).standard_normal(shape)
        a.flat[7] = -1e140
        got = fast.project_simplex(a)
        assert got.flat[7] == 0 and np.abs(got.sum(axis=-1) - 1).max() <= 1e-12
        a.flat[7] = 1e140
        assert fast.project_topk_simplex(a, 1).flat[7] == 1


def test_certify_judges_the_largest_numbers_and_refuses_larger_ones():
    a = np.array([0.5, 1.0, -1.0]) * 1e140
    for name, *more in (("project_simplex", 1e140), ("project_topk_cone", 2), ("squish_column",)):
        assert certify(name, getattr(fast, name)(a, *more), a, *more).ok
        assert not certify(name, np.zeros(3), a, *more).ok
        with pytest.raises(ValueError, match=r"must be at most 1e\+140 in magnitude, got 2e\+140 at index 1"):
            certify(name, np.zeros(3), 2 * a, *more)


def test_a_step_of_a_fit_near_overflow_reads_inside_its_arrays():
    """Infinite margins made the search for a threshold run out of its array."""
    for kind in checks.KINDS:
        infinite = np.array([[np.inf, -np.inf, 0.0, 1.0]])
        got = fast.losses._smooth_hinges(infinite, np.array([3]), fast.losses.KIND_NUMBERS[kind], 2, 1.0)
        assert got.shape == (1,)

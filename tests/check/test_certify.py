"""certify: wrong answers are not certified, at any size and without a solver. For right ones: test_conformance.py."""

import functools

import numpy as np
import pytest
from scipy import sparse

import fast
import reference
from reference.check import certify
from reference.check.judging.specs import SPECS
from reference.problems import checks
from tests.support.check import call_of, drawn, right_answer

# --- the calls -----------------------------------------------------------------------------------------------------


def test_names_and_options_that_do_not_exist_are_refused():
    with pytest.raises(ValueError, match=r"name must be .*did you mean 'project_simplex'"):
        certify("project_simplx", np.ones(2), np.ones(2))
    with pytest.raises(ValueError, match=r"name must be .* one of project_simplex, "):
        certify("?", np.ones(2), np.ones(2))
    with pytest.raises(ValueError, match="no argument 'raduis': did you mean 'radius'"):
        certify("project_simplex", np.ones(2), np.ones(2), raduis=1.0)
    with pytest.raises(ValueError, match="no argument 'q': it must be one of a, radius"):
        certify("project_simplex", np.ones(2), np.ones(2), q=1.0)
    with pytest.raises(ValueError, match="missing a required argument: 'k'"):
        certify("project_topk_cone", np.ones(2), np.ones(2))
    with pytest.raises(ValueError, match="multiple values"):
        certify("project_simplex", np.ones(2), np.ones(2), 1.0, radius=1.0)


def test_accept_loosens_the_bound_of_a_function_without_tol():
    a, rough = np.array([0.5, 1.0, -1.0]), np.array([0.25 + 1e-8, 0.75, 0.0])
    exact, loose = certify("project_simplex", rough, a), certify("project_simplex", rough, a, accept=1e-6)
    assert not exact.ok and loose.ok and loose.value == exact.value and loose.bound == 1e-6
    assert "within accept, which is 1e-06; rounding explains 1.9e-14." in loose.what
    assert "within accept" not in certify("project_simplex", np.array([0.25, 0.75, 0.0]), a, accept=1e-6).what
    tight = certify("project_simplex", rough, a, accept=1e-9)
    assert not tight.ok and tight.what.startswith("broken: ") and "at most 1e-09 allowed" in tight.what
    assert certify("project_simplex", rough, a, accept=0.0) == exact
    for wrong in (-1.0, np.nan, np.inf, "1", True):
        with pytest.raises(ValueError, match="accept must be"):
            certify("project_simplex", rough, a, accept=wrong)
    with pytest.raises(ValueError, match="accept is for functions without tol: give fit_topk_svm the larger tol"):
        certify("fit_topk_svm", np.zeros((2, 2)), np.eye(2), np.arange(2), regularization=1.0, accept=1e-6)


# --- wrong answers -------------------------------------------------------------------------------------------------


@functools.cache
def instance(name):
    """A random instance and its right answer."""
    for case in drawn(name):
        if case.label == "random" and not case.refuses and not case.warns:
            return *call_of(name, case), right_answer(name, case.given)
    raise AssertionError(f"no instance of {name}")


@pytest.mark.parametrize("name", SPECS)
def test_wrong_shapes_and_nan_have_the_value_infinity(name):
    arguments, options, answer = instance(name)
    spec = SPECS[name]
    read = [part for part in (*spec.enough[:1], *spec.reads) if part != "discriminant"]
    for name_of, part in ((one, answer[one]) for one in read) if isinstance(answer, dict) else [("", answer)]:
        part = np.asarray(part)
        spoiled = np.append(part.astype(float).ravel()[:-1], np.nan).reshape(part.shape)
        longer = np.concatenate([np.atleast_1d(part), np.atleast_1d(part)])
        for wrong in (longer, spoiled, np.full(part.shape, "a"), [[1.0], [1.0, 2.0]], {}):
            got = certify(name, answer | {name_of: wrong} if name_of else wrong, *arguments, **options)
            assert got.value == np.inf and not got.ok, f"{name_of}, {wrong}: {got}"
            assert got.what.startswith("broken: the answer cannot be judged: "), got.what
    for wrong in (None, "a", (), {}, object()):
        assert certify(name, wrong, *arguments, **options).value == np.inf, wrong


def test_the_broken_condition_is_named():
    X, y = np.random.default_rng(0).normal(size=(12, 3)), np.arange(12) % 3
    fit = reference.fit_topk_svm(X, y, regularization=0.1)
    got = certify("fit_topk_svm", fit._replace(weights=fit.weights + 1e-6), X, y, regularization=0.1)
    assert not got.ok and got.what.startswith("broken: distance of the weights from X' duals"), got.what
    relevant = y == 0
    pushed = reference.fit_top_push(X, relevant, regularization=0.1)
    lower = pushed._replace(duals=np.where(relevant, pushed.duals, pushed.duals / 2))
    assert certify("fit_top_push", lower, X, relevant, regularization=0.1)  # they are scaled until their sum is 0
    got = certify("fit_top_push", pushed._replace(duals=-pushed.duals), X, relevant, regularization=0.1)
    assert not got.ok and got.value == 1.0
    ranked = reference.fit_ranking_svm(X, relevant, regularization=0.1)
    got = certify("fit_ranking_svm", ranked._replace(shares=-ranked.shares), X, relevant, regularization=0.1)
    assert not got.ok and got.value == 1.0
    bags, flags = np.repeat(np.arange(6), 2), np.repeat(np.arange(6) < 3, 2)
    latent = reference.fit_latent_ranking_svm(X, bags, flags, regularization=0.1)
    for change, message in (
        ({"weights": latent.weights + 1e-9}, "from those of the last fit"),
        ({"objectives": latent.objectives + 0.1}, "last objective"),
        ({"objectives": np.append(0.5 * latent.objectives, latent.objectives[-1])}, "rise of the objective"),
    ):
        got = certify("fit_latent_ranking_svm", latent._replace(**change), X, bags, flags, regularization=0.1)
        assert not got.ok and message in got.what, got.what
    stranger = latent._replace(chosen=latent.chosen[[1, 0, 2]])
    assert not certify("fit_latent_ranking_svm", stranger, X, bags, flags, regularization=0.1).ok


def test_duals_that_gain_outside_of_their_domain_prove_nothing():
    """Where an example is long, duals outside of their domain by 1e-4 r gain as much as the minimum itself."""
    X, y, lam = np.array([[1.0], [1e4], [0.0]]), np.array([0, 0, 1]), 1e-3
    r = 1 / (3 * lam)
    q = (1 - 1e-4 / (2 * r)) / 1e4
    duals = np.array([[r, -r], [-q * r, q * r], [-r, r]])
    for name, data in (("fit_topk_svm", X), ("fit_topk_svm_parts", X), ("fit_topk_svm_kernel", X @ X.T)):
        parts = [2] if name.endswith("parts") else []
        got = certify(name, duals, data, y, *parts, regularization=lam, tol=2e-4)
        assert not got.ok and got.value >= 0.5 and "outside of their domain" in got.what, got
    better = certify("fit_topk_svm", (np.array([[0.5, -0.5]]), 0 * duals), X, y, regularization=lam)
    assert "objective is at most 0.33" in better.what


def test_inner_products_of_no_features_have_no_minimum():
    K = np.array([[1.0, 0.9, -0.9], [0.9, 1.0, 0.9], [-0.9, 0.9, 1.0]])
    got = certify("fit_topk_svm_kernel", np.zeros((3, 2)), K, np.array([0, 1, 1]), regularization=1.0, tol=1.0)
    assert got.value == np.inf and "eigenvalue below 0" in got.what


def test_no_unit_vanishes():
    for answer, rest in ((np.zeros(3), [np.zeros(3), 1e-15]), (np.zeros(1), [np.zeros(1), 1e-150, 1e-150])):
        name = "project_simplex" if len(answer) == 3 else "project_knapsack"
        assert certify(name, answer, *rest).value == np.inf
    tiny = 1e-310 * np.array([3.0, 2.0, -1.0])
    assert certify("project_simplex", fast.project_simplex(tiny, 2e-310), tiny, 2e-310)
    assert not certify("project_simplex", np.array([2e-310, 0.0, 0.0]), tiny, 2e-310)


def test_weights_of_any_size_are_judged_in_units_of_the_answer():
    """Among the weights of a knapsack, the largest one makes t exact, and a small one may take what is left."""
    rng = np.random.default_rng(0)
    for spread in (3, 6, 12):
        for _ in range(30):
            a, w = rng.normal(size=6), 10.0 ** rng.uniform(-spread, 0, size=6)
            total = w @ rng.uniform(size=6)
            right = reference.project_knapsack(a, total, weights=w)
            assert certify("project_knapsack", right, a, total, weights=w), (spread, a, w, total)
            inside = np.flatnonzero((right > 1e-3) & (right < 1 - 1e-3))
            if len(inside) == 1:
                wrong = right.copy()
                wrong[inside] += 1e-3 if wrong[inside] < 0.5 else -1e-3
                terms = np.finfo(float).eps * w @ np.abs(right)
                assert not certify("project_knapsack", wrong, a, total, weights=w) or terms > 1e-5 * w[inside]


def test_the_part_of_a_walk_that_differs_is_named():
    X, y = np.random.default_rng(3).normal(size=(20, 3)), np.random.default_rng(4).integers(0, 4, size=20)
    stream = {"X": X, "y": y, "order": np.arange(20), "averaged": True}
    walk = {"X": X, "Y": y, "embedding_dim": 2, "n_updates": 30, "draws": np.random.default_rng(5).random(400)}
    counts = ("averaged", "mistakes", "updates")
    embedded = ("steps", "updates", "last_violators", "embedding", "embedding_sums")
    for name, given, parts in (("fit_passive_aggressive", stream, counts), ("fit_wsabie", walk, embedded)):
        answer = right_answer(name, given)
        assert certify(name, answer, **given).ok
        for part in parts:
            little = 1 if np.asarray(answer[part]).dtype.kind in "iu" else 1e-9
            got = certify(name, answer | {part: answer[part] + little}, **given)
            assert not got.ok and part in got.what, got.what
    unasked = right_answer("fit_passive_aggressive", stream) | {"averaged": np.zeros((4, 3))}
    assert not certify("fit_passive_aggressive", unasked, **stream | {"averaged": False}).ok


# --- forms of answers ----------------------------------------------------------------------------------------------


def test_what_is_enough_to_certify():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(15, 4)), np.arange(15) % 3
    rows, options = sparse.csr_matrix(X), {"regularization": 0.05, "k": 2}
    fit = reference.fit_topk_svm(X, y, **options)
    expected = certify("fit_topk_svm", fit, X, y, **options)
    for form in (fit.duals, sparse.csr_array(fit.duals), {"duals": fit.duals}, (fit.weights, fit.duals), fit._asdict()):
        got = certify("fit_topk_svm", form, X, y, **options)
        assert got.ok and got.value == pytest.approx(expected.value, abs=1e-12)  # weights X'A are rounded once more
        assert certify("fit_topk_svm", form, rows, y, **options).value == pytest.approx(expected.value, abs=1e-12)
    kernel = certify("fit_topk_svm_kernel", fit.duals, X @ X.T, y, **options)
    assert kernel.ok and kernel.value == pytest.approx(expected.value, abs=1e-12)
    relevant = y == 1
    pushed = reference.fit_top_push(X, relevant, regularization=0.1)
    for form in ((pushed.weights, pushed.duals), {"weights": pushed.weights, "duals": pushed.duals}):
        assert certify("fit_top_push", form, X, relevant, regularization=0.1).ok
    assert certify("fit_top_push", pushed.weights, X, relevant, regularization=0.1).value == np.inf
    ranked = reference.fit_ranking_svm(X, relevant, regularization=0.1)
    proof = ranked.weights, ranked.points, ranked.shares
    assert certify("fit_ranking_svm", proof, X, relevant, regularization=0.1).ok
    p, n = rng.normal(size=5), rng.normal(size=7)
    inference = reference.loss_augmented_inference(p, n)
    assert certify("loss_augmented_inference", inference.interleaving, p, n).ok
    assert certify("loss_augmented_inference", {"interleaving": inference.interleaving.tolist()}, p, n).ok
    three = reference.loss_augmented_inference(p, n[:3])  # three ranks are no Inference of three fields
    assert certify("loss_augmented_inference", three.interleaving.tolist(), p, n[:3]).ok
    assert certify("fit_nearest_means", reference.fit_nearest_means(X, y).prototypes, rows, y).ok
    assert certify("project_simplex", [0.25, 0.75, 0.0], [0.5, 1.0, -1.0]).ok


def test_float32_answers_are_judged_as_float32():
    a = np.random.default_rng(2).normal(size=50)
    x = reference.project_simplex(a)
    exact, rounded = certify("project_simplex", x, a), certify("project_simplex", x.astype(np.float32), a)
    assert rounded.ok and rounded.bound > 1e8 * exact.bound and rounded.value > exact.value
    assert not certify("project_simplex", x.astype(np.float32).astype(float), a).ok


@pytest.mark.parametrize(
    ("p", "n", "loss", "right", "wrong"),
    [
        ([0.5], [0.0], "auc", [2], [1]),  # two best ranks, and the highest is asked for
        ([1.0, 0.9, -1.0], [0.8, 0.8, 0.8, 0.8], "ap", [1, 1, 2, 2], [2, 2, 1, 1]),  # equal negatives
    ],
)
def test_another_best_ranking_is_refused_as_right_in_value(p, n, loss, right, wrong):
    p, n = np.array(p), np.array(n)
    assert reference.loss_augmented_inference(p, n, loss).interleaving.tolist() == right
    scores, relevant = np.concatenate([p, n]), np.arange(len(p) + len(n)) < len(p)
    ranks = [np.concatenate([np.zeros(len(p), int), one]) for one in (right, wrong)]
    for name, answers, arguments in (
        ("loss_augmented_inference", (np.array(right), np.array(wrong)), (p, n, loss)),
        ("grouped_inference", ranks, (scores, relevant, None, loss)),
    ):
        good, bad = (certify(name, answer, *arguments) for answer in answers)
        assert good.ok and not bad.ok and bad.value == 1, bad
        assert "right in value" in bad.what and "right in value" not in good.what
    worse = certify("loss_augmented_inference", np.ones(len(n), int) * (len(p) + 1), p - 2, n, loss)
    assert worse.bound < worse.value < np.inf and "right in value" not in worse.what


# --- what is not proved --------------------------------------------------------------------------------------------


def test_other_orders_and_draws_are_said_to_be_checked_in_part():
    X, y = np.random.default_rng(7).normal(size=(10, 4)), np.arange(10) % 3
    ours = reference.fit_passive_aggressive(X, y, order=np.arange(10))
    same = certify("fit_passive_aggressive", ours, X, y, order=np.arange(10))
    other = certify("fit_passive_aggressive", ours, X, y, seed=0)
    assert same.ok and "equality with the algorithm" in same.what and "only what holds" not in same.what
    assert other.ok and "only what holds for each order" in other.what
    shifted = ours._replace(weights=ours.weights + 1e-6)
    assert not certify("fit_passive_aggressive", shifted, X, y, seed=0).ok
    backwards = ours._replace(mistakes=ours.mistakes[::-1])
    assert "mistake" in certify("fit_passive_aggressive", backwards, X, y, seed=0).what
    walk = reference.fit_wsabie(X, y, n_updates=20, max_norm=0.5, seed=1)
    assert "only what" not in certify("fit_wsabie", walk, X, y, n_updates=20, max_norm=0.5, seed=1).what
    other = certify("fit_wsabie", walk, X, y, n_updates=20, max_norm=0.5, seed=2)
    assert other.ok and "only what holds for all draws" in other.what
    far = walk._replace(prototypes=10 * walk.prototypes)
    got = certify("fit_wsabie", far, X, y, n_updates=20, max_norm=0.5, seed=2)
    assert not got.ok and "max_norm" in got.what
    assert not certify("fit_wsabie", walk._replace(updates=21), X, y, n_updates=20, max_norm=0.5, seed=2).ok
    learners = reference.fit_one_vs_all(X, y, n_updates=20, seed=1)
    other = certify("fit_one_vs_all", learners, X, y, n_updates=20, seed=2)
    assert other.ok and "only what holds for all draws" in other.what


def test_a_walk_that_stopped_early_is_replayed_up_to_its_end():
    X, y = np.random.default_rng(8).normal(size=(10, 4)), np.arange(10) % 3
    options = {"n_updates": 60, "every": 5, "callback": lambda fit: -fit.steps, "patience": 2}
    fit = reference.fit_wsabie(X, y, **options)
    assert fit.steps < 60
    got = certify("fit_wsabie", fit, X, y, **options)
    assert got.ok and "best step for the callback is not proved" in got.what
    assert certify("fit_wsabie", fit._replace(steps=70), X, y, **options).value == np.inf


def test_a_warp_loss_in_which_rounding_decides_has_two_right_values():
    scores, y = np.array([[0.7, 0.5, 1.3]]), np.array([0])  # 0.2 - 0.7 + 0.5 is 0 or 6e-17, as it is added up
    for right in (0.8, 1.2):  # one violator, or two: the weight is 1 or 1 + 1/2
        assert certify("warp_loss", right, scores, y, margin=0.2).ok
    for wrong in (0.79, 1.21):
        assert not certify("warp_loss", wrong, scores, y, margin=0.2).ok
    assert certify("warp_loss", 0.79, scores, y, margin=0.19).ok
    assert not certify("warp_loss", 1.2, scores, y, margin=0.19).ok


def test_losses_of_new_kinds_are_certified():
    loss = checks.QSLoss("flat", lambda j, i: np.ones_like(i, dtype=float), lambda P, N: P * N)
    rng = np.random.default_rng(12)
    p, n = rng.normal(size=6), rng.normal(size=9)
    inference = reference.loss_augmented_inference(p, n, loss)
    assert certify("loss_augmented_inference", inference, p, n, loss).ok
    assert certify("rank_loss", inference.loss, inference.interleaving, 6, loss).ok
    assert not certify("rank_loss", inference.loss + 1e-6, inference.interleaving, 6, loss).ok

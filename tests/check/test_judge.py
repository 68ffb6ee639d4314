"""The judge and `certify`: an answer that is wrong in one part is refused for the reason that fits."""

import numpy as np
import pytest

import reference
from reference.check import certify
from reference.check.judging import judge
from reference.check.judging import outcome as outcomes
from reference.check.judging.arguments import problem_of
from reference.check.judging.case import Case
from reference.check.judging.spec import is_array, letters, sizes
from reference.check.judging.specs import SPECS
from reference.check.judging.subject import SUBJECTS
from reference.check.ranking_learners import cases, steps, truth
from reference.check.ranking_svm import truth as ranking_svm
from reference.check.sandbox.sandbox import Reply
from tests.mutants.ranking_svm import claims_optimum, last_point
from tests.support.check import DIFFERS, as_answer, first_failure, judged, right_answer
from tests.support.topk_baselines import PERF, PUSH, instance

ZEROS, NAN = np.zeros, float("nan")
POINTS = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
SVM = {"X": POINTS, "y": np.arange(3), "k": 1, "kind": "alpha", "regularization": 0.1, "tol": 1e-6}
STREAM = {"X": POINTS, "y": np.arange(3), "epochs": 2, "averaged": True, "order": np.arange(3)}
FLAT = {"X": np.array([[1.0, 0, 0], [1, 1, 0]]), "y": np.arange(2), "averaged": True, "seed": 3}
SCORES = {"positive_scores": np.array([1.0, 0.0]), "negative_scores": np.array([0.5, -2.0, 1.5])}
GROUPS = {"scores": np.array([1.0, 2, 0, 2]), "relevant": np.array([1, 0, 1, 0]), "groups": np.arange(4) // 2}
RANKED = {"X": np.append(POINTS, [[1.0, 1.0]], axis=0), "relevant": np.array([1, 0, 0, 1])}
RANKED |= {"regularization": 0.5, "tol": 1e-6}
RECALL = {"k": 2, "loss": "recall"}
WALK = {"X": np.random.default_rng(1).normal(size=(3, 2)), "Y": np.arange(3), "embedding_dim": 2, "n_updates": 4}
WALK |= {"draws": np.random.default_rng(2).random(30)}
STEP = {"X": POINTS, "Y": np.arange(3), "embedding_dim": 2, "n_updates": 1, "seed": 4}
WINDOWS = np.array([[1.0, 0.0], [2.0, 0.5], [0.0, 1.0], [-1.0, 0.5], [0.5, 2.0]])
LATENT = {
    "X": WINDOWS, "bags": np.array([4, 4, 7, 2, 2]), "relevant": np.array([1, 1, 0, 0, 0]), "loss": "ap",
    "regularization": 0.1, "tol": 1e-6, "max_iterations": 1000, "max_rounds": 20,
}  # fmt: skip
DIRECT = {
    "X": WINDOWS, "relevant": np.array([1, 0, 0, 1, 0]), "groups": None, "loss": "ap", "epsilon": 0.3, "step_size": 0.5,
    "max_iterations": 3, "weights": np.array([-1.0, 0.3]),
}  # fmt: skip
CLAIMS = {"reports something else": [{"gap": 0.5}, {"primal": 1.0}, {"dual": 0.0}]}
HISTORY = {"history": [{"history": {}}, {"history": "none"}, {"iterations": 0}]}
TOP_RANK = CLAIMS | HISTORY | {DIFFERS: [{"weights": ZEROS(2)}]}
TOP_RANK |= {"certificate": [{"duals": ZEROS(4)}, {"duals": np.array([5.0, -1, 2, 1])}]}
# For each function the arguments, and by the reason of the verdict what is changed in the right answer.
BROKEN = {
    "fit_topk_svm": (SVM, {
        "history": [{"history": {}}, {"history": "none"}, {"epochs": 0}], DIFFERS: [{"duals": 0, "weights": 0}],
        "weights": [{"duals": 0}, {"weights": 0}], "reports something else": [{"primal": 1.0}],
    }),
    "fit_passive_aggressive": (STREAM, {
        DIFFERS: [{"weights": 0}, {"averaged": 0}], "updates": [{"updates": 7}, {"updates": -1}, {"updates": 0}],
        "mistakes": [{"mistakes": np.array([1, 2, 3, 3, 3, 3])}, {"mistakes": np.array([1, 1, 0, 0, 0, 0])}],
    }),
    "fit_passive_aggressive, any order": (FLAT, {
        "columns": [{"weights": np.array([[1.0, 2, 0], [-1, -1, 0]])}], "mistakes": [{"mistakes": np.array([0, 2])}],
        "rows": [{"averaged": np.array([[1.0, 2, 1], [-1, -2, -1]])}],
    }),
    "loss_augmented_inference": (SCORES, {
        "out of range": [{"interleaving": np.array([0, 2, 3])}, {"interleaving": np.array([1, 2, 4])}],
        DIFFERS: [{"interleaving": np.array([3, 3, 3])}],
        "reports something else": [{"objective": 1.0}, {"loss": 0.0}],
    }),
    "grouped_inference": (GROUPS, {
        "out of range": [{"interleaving": np.array([0, 3, 0, 1])}],
        DIFFERS: [{"interleaving": np.array([1, 1, 0, 1])}, {"interleaving": np.array([0, 2, 0, 2])}],
        "reports something else": [{"objective": 0}, {"loss": 0}],
    }),
    "fit_ranking_svm": (RANKED, CLAIMS | HISTORY | {
        DIFFERS: [{"weights": 0}], "no lower bound": [{"dual": 1.0}], "wrong shape": [{"points": ZEROS((0, 2))}],
        "reports something else": [{"gap": 0.5}, {"primal": 1.0}, {"dual": 0.0}, {"slope": 0}, {"offset": 0.0}],
        "certificate": [{"points": ZEROS((0, 2)), "shares": ZEROS(0)}],
    }),
    PUSH: (RANKED, TOP_RANK | {"reports something else": [*CLAIMS["reports something else"], {"dual": 1.0}]}),
    PERF: (RANKED | RECALL, TOP_RANK | {"reports something else": [*CLAIMS["reports something else"], {"dual": 1.0}]}),
    "fit_direct_loss": (DIRECT, {DIFFERS: [{"weights": 0}, {"losses": 0}]}),
    "fit_latent_ranking_svm": (LATENT, {
        "reports something else": [{"weights": 0}, {"objectives": np.ones(1)}, {"gap": 0.5}],
        "out of range": [{"chosen": np.array([2])}], "wrong type": [{"last_fit": None}],
        "wrong shape": [{"objectives": ZEROS(0)}, {"objectives": np.ones(21)}],
    }),
    "fit_wsabie": (WALK, {
        DIFFERS: [{"prototypes": 0}, {"embedding": 0}, {"prototype_sums": 0}, {"embedding_sums": np.ones(2)}],
        "wrong discriminant": [{"discriminant": "linear"}, {"discriminant": None}],
        "last violators": [{"last_violators": 0}], "history": [{"updates": 0}, {"history": None}],
    }),
    "fit_wsabie, any draws": (STEP, {
        "history": [{"steps": 3}], DIFFERS: [{"embedding": np.full((2, 2), 0.5)}],
        "last violators": [{"last_violators": np.array([0, -1, -1])}], "updates": [{"prototypes": np.ones((3, 2))}],
    }),
}  # fmt: skip
# What `certify` does not ask of a fit: it measures it.
IGNORED = {"primal", "dual", "gap", "epochs", "iterations", "history", "slope", "offset", "discriminant"}
MINIMA = ("fit_topk_svm", "fit_ranking_svm", PUSH, PERF, "fit_latent_ranking_svm")  # the conditions alone judge, too


def problems(name):
    """Returns the arguments of one instance, and those of the table."""
    case = next(one for one in SUBJECTS[name].cases(np.random.default_rng(0), True) if not (one.refuses or one.warns))
    return [case.arguments, *(arguments for key, (arguments, _) in BROKEN.items() if key.split(", ")[0] == name)]


def other_forms(part, axes, known):
    """Yields (what this part of an answer must not be, the reason)."""
    if is_array(axes):
        yield from ((None, "wrong type"), (part.tolist(), "wrong type"), (part[..., None], "wrong shape"))
        if letters(axes)[-1] in known or letters(axes)[-1].isdigit():
            yield np.concatenate([part, part], axis=-1), "wrong shape"
        yield part.astype(np.float32 if part.dtype == np.float64 else np.float64), "wrong dtype"
        if part.dtype.kind == "f":
            yield np.full_like(part, np.nan), "not finite"
    elif axes in ("number", "float", "integer"):
        others = (2.0,) if axes == "integer" else ()
        yield from ((wrong, "wrong type") for wrong in (None, "0.5", [1.0], {}, np.nan, True, ZEROS(1), *others))
    elif axes == "arrays":
        yield from ((None, "wrong type"), ([None], "wrong type"))
    elif axes.startswith("None"):
        yield ZEROS(1), "wrong type"


@pytest.mark.parametrize("name", SUBJECTS)
def test_an_answer_of_another_form_is_refused(name, truths):
    for arguments in problems(name):
        right, spec = right_answer(name, arguments), SPECS[name]
        assert judged(name, arguments, right) == ""
        for wrong in (None, "0.5", {}, [1.0], np.nan):
            assert judged(name, arguments, wrong) == "wrong type", wrong
        axes, known = spec.parts(problem_of(name, arguments)), sizes(spec.axes(arguments), arguments)
        for part, text in axes.items():
            for wrong, reason in other_forms(right[part] if len(axes) > 1 else right, text, known):
                answer = right | {part: wrong} if len(axes) > 1 else wrong
                assert judged(name, arguments, answer) == reason, f"{part} is {wrong!r:.80}"


@pytest.mark.parametrize(("key", "known"), [*((key, True) for key in BROKEN), *((name, False) for name in MINIMA)])
def test_a_broken_part_gives_the_reason(key, known, monkeypatch):
    (arguments, broken), name = BROKEN[key], key.split(", ")[0]
    answer = right_answer(name, arguments)
    if not known:
        monkeypatch.setattr(judge, "truth_of", lambda *_: None)
    assert judged(name, arguments, answer) == ""
    for reason, changes in broken.items():
        expected = "certificate" if reason == DIFFERS and not known else reason
        for change in changes:
            zeros = {part: 0 * answer[part] for part, value in change.items() if type(value) is int and not value}
            wrong = answer | change | zeros
            assert judged(name, arguments, wrong) == expected, change
            got = certify(name, wrong, **arguments)
            assert got == certify(name, answer, **arguments) if IGNORED >= {*change} else not got.ok, (change, got)


# --- how a call ended ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (None, "did not raise"),
        ((["TypeError"], "k must be an integer"), "raised another error"),
        ((["ValueError"], "a bad kind of argument"), "did not name the argument"),
        ((["ValueError"], "k must be in 1..3, got 0"), ""),
        ((["OurError", "ValueError"], "k=0"), ""),
    ],
)
def test_refusal(raised, expected):
    raised = raised and {"kinds": raised[0], "message": raised[1], "line": "solution.py:1"}
    assert outcomes.conduct(Case("k = 0", {"k": 0}, refuses=("k",)), Reply(raised=raised)).reason == expected


def test_a_warning_that_is_due():
    case = Case("one epoch", {}, warns="ConvergenceWarning")
    assert outcomes.conduct(case, Reply(warnings=("UserWarning",))).reason == "did not warn"
    assert outcomes.conduct(case, Reply(warnings=("ConvergenceWarning",))) is None


@pytest.mark.parametrize(("name", "options"), [(PUSH, {}), (PERF, {"k": 4, "loss": "recall"})])
def test_a_warning_excuses_the_gap_and_nothing_else(name, options):
    X, relevant = instance(1, n=12)
    arguments = {"X": X, "relevant": relevant, "regularization": 0.01, "tol": 1e-12} | options
    with pytest.warns(UserWarning, match="after 3 iterations"):
        answer = as_answer(getattr(reference, name)(**arguments, max_iterations=3))
    warns = {"warns": "ConvergenceWarning"}
    assert judged(name, arguments, answer, **warns) == ""
    assert judged(name, arguments, answer) in (DIFFERS, "certificate")
    shifted = answer | {"duals": -answer["duals"] - 0.1}
    assert judged(name, arguments, shifted, **warns) in ("certificate", "reports something else")
    assert judged(name, arguments, answer | {"gap": 0.0}, **warns) == "reports something else"


# --- what a certificate and the order of the steps decide ------------------------------------------------------------


@pytest.mark.parametrize("mutant", [claims_optimum, last_point])
def test_a_bound_that_no_plane_proves_is_refused_without_cvxpy(mutant, monkeypatch):
    monkeypatch.setattr(ranking_svm, "fit_ranking_svm", lambda problem: None)
    failure, _ = first_failure({"fit_ranking_svm": mutant}, "fit_ranking_svm", "certificate")
    assert failure.reason == "certificate"


def test_large_rankings_are_judged_by_certificates_and_counts():
    rng = np.random.default_rng(4)
    p, n = rng.normal(size=200), rng.normal(size=3000)
    scores = {"positive_scores": p, "negative_scores": n}
    ranks = reference.interleaving_ranks(p, n)
    one_wrong = ranks + (np.arange(3000) == np.argmin(ranks))
    by_positive, by_negative = reference.semigradient(p, n, ranks)
    gradients = [by_positive, by_negative], [by_positive[::-1], by_negative]
    best = reference.loss_augmented_inference(p, n, "ndcg")._asdict()
    worse = best | {"interleaving": best["interleaving"] + (best["interleaving"] == 100)}
    for name, arguments, (right, wrong), expected in (
        ("interleaving_ranks", scores, (ranks, one_wrong), "certificate"),
        ("semigradient", {**scores, "interleaving": ranks}, gradients, DIFFERS),
        ("loss_augmented_inference", {**scores, "loss": "ndcg"}, (best, worse), "certificate"),
    ):
        for answer, reason in ((right, ""), (wrong, expected)):
            assert judged(name, arguments, answer) == reason, name


def latent_answer(**options):
    return as_answer(reference.fit_latent_ranking_svm(**LATENT | options))


def test_rounds_that_end_too_early_are_refused_without_cvxpy(monkeypatch):
    """Other windows score higher, and the objective fell by more than the tolerance."""
    monkeypatch.setattr(truth, "optimum", lambda arguments: None)
    rng = np.random.default_rng(0)
    for _ in range(20):
        data = dict(zip(("X", "bags", "relevant"), cases._planted(rng, 6, 4), strict=True))
        first, all_rounds = (latent_answer(**data, max_rounds=rounds) for rounds in (1, 20))
        if len(all_rounds["objectives"]) > 1:
            break
    for answer, expected in ((all_rounds, ""), (first, "stopped early")):
        assert judged("fit_latent_ranking_svm", LATENT | data, answer) == expected


def test_what_rounding_decides_is_not_judged():
    """A trail is known up to the first tie, and rounds are known up to the first windows with nearly the same score."""
    trail = steps.trail(problem_of("fit_direct_loss", DIRECT))
    assert trail.known_weights == trail.known_losses == 4
    tie = {"X": np.array([[1.0, 0], [0, 1], [1, 1]]), "relevant": np.array([1, 0, 0]), "weights": np.ones(2)}
    trail = steps.trail(problem_of("fit_direct_loss", DIRECT | tie))
    assert (trail.known_weights, trail.known_losses) == (1, 1)
    rounds, complete = truth.true_rounds(problem_of("fit_latent_ranking_svm", LATENT))
    assert complete and rounds[-1][0].tolist() == latent_answer()["chosen"].tolist()
    loose = problem_of("fit_latent_ranking_svm", LATENT | {"tol": 0.5, "max_rounds": 2})
    assert not truth.true_rounds(loose)[1]


# --- simpler instances -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "options"), [(PUSH, {}), (PERF, {"k": 5, "loss": "recall"})])
@pytest.mark.parametrize("weights", [None, [2.0, 0.5, 0.0, 1.0, 1.5, 1.0]], ids=["no weights", "weights"])
@pytest.mark.parametrize("classes", [0, 3])
def test_simpler_instances_are_instances(name, options, classes, weights):
    """Each has both classes, k in its range, and duals of the right shape, so the reference does not raise."""
    X, relevant = instance(2, n=6, classes=classes)
    arguments = {"X": X, "relevant": relevant, "regularization": 0.37, "duals": ZEROS(relevant.shape)} | options
    arguments |= {"sample_weight": np.array(weights)} if weights else {}
    rng = np.random.default_rng(0)
    smaller = [*SUBJECTS[name].simpler(arguments), *SUBJECTS[name].tiny(rng, arguments)]
    assert len(smaller) > 20
    for one in smaller:
        getattr(reference, name)(**one, tol=0.5)
        assert one.keys() <= arguments.keys() <= one.keys() | {"duals", "sample_weight", "loss"}

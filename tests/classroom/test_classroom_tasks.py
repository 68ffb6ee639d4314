"""The tasks that are no public functions: their right answers, by other means, and what a student may ask for."""

import json

import numpy as np
import pytest
from scipy.special import logsumexp

from notebooks.studies.paired import difference
from reference.check.classroom import NotYetRight, grade, grading
from reference.check.classroom.diagnosis import ORDINARY
from reference.check.classroom.tasks import TASKS
from reference.check.judging.subject import SUBJECTS
from reference.check.sandbox.sandbox import Reply
from reference.ground_truth import ranking
from tests.support.classroom import FOLDER, judged, notebook
from tests.support.classroom import grading as details

SEEDS = (0, 1, 2)


def instances(name, seed=0):
    return list(TASKS[name].cases(np.random.default_rng(seed), True))


def given(assignment, *cells):
    """The names that these cells of an assignment define."""
    names = {}
    for cell in notebook(FOLDER / "source", assignment).cells:
        if details(cell).get("grade_id") in cells:
            exec(compile(cell.source, assignment, "exec"), names)
    return names


# --- all of them ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TASKS)
def test_a_right_answer_is_right_and_a_slightly_wrong_one_is_not(name):
    task = TASKS[name]
    for seed in SEEDS:
        for case in instances(name, seed):
            right = task.refuse(case.arguments)
            assert not task.judge(case, Reply(right)).reason, case
            parts = right if isinstance(right, list) else [right]
            for i, part in enumerate(parts):
                size = max(float(np.abs(p).max()) for p in parts + list(map(np.asarray, case.arguments.values()))
                           if np.asarray(p).dtype.kind in "fi")  # fmt: skip
                wrong = [*parts[:i], part + 1e-5 * (size or 1.0), *parts[i + 1 :]]
                answer = wrong if isinstance(right, list) else wrong[0]
                assert task.judge(case, Reply(answer)).reason == "differs from the ground truth", case
                assert task.judge(case, Reply([np.nan * p for p in wrong] if len(wrong) > 1 else np.nan)).reason


@pytest.mark.parametrize("name", TASKS)
def test_smaller_instances_can_be_judged_and_come_in_other_kinds_too(name):
    task = TASKS[name]
    for case in instances(name):
        for arguments in [*task.simpler(case.arguments), *task.tiny(np.random.default_rng(1), case.arguments)]:
            assert arguments.keys() == case.arguments.keys()
            assert not task.judge(case._replace(arguments=arguments), Reply(task.refuse(arguments))).reason
    labels = [case.label for case in instances(name)]
    assert labels.count(ORDINARY) >= 5 and len(set(labels)) >= 3


@pytest.mark.parametrize("name", TASKS)
def test_other_seeds_are_other_instances(name):
    one, other = (instances(name, seed)[0].arguments for seed in (0, 1))
    assert any(not np.array_equal(one[key], other[key]) for key in one)


def test_a_task_is_known_to_the_examiner_only_while_it_is_graded():
    def log_sum_exp(a, size):
        return float(logsumexp(a)) if len(a) < 50 else 0.0

    assert not TASKS.keys() & SUBJECTS.keys()
    with pytest.raises(NotYetRight) as caught:
        grade(log_sum_exp)
    assert caught.value.share == 0 and not TASKS.keys() & SUBJECTS.keys()
    with grading._known("log_sum_exp"):
        assert SUBJECTS["log_sum_exp"] is TASKS["log_sum_exp"]


# --- one by one ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_the_bound_is_the_minimum_of_the_mixture(seed):
    rng = np.random.default_rng(seed)
    for case in instances("bound_of_planes", seed):
        offsets, slopes, shares, lam = case.arguments.values()
        weights, bound = TASKS["bound_of_planes"].refuse(case.arguments)

        def mixture(w, b=offsets, A=slopes, alpha=shares, lam=lam):
            return lam / 2 * w @ w + alpha @ (b + A @ w)

        assert mixture(weights) == pytest.approx(bound, rel=1e-9, abs=1e-9)
        for step in rng.normal(size=(20, len(weights))) * (1 + np.abs(weights)):
            assert mixture(weights + step) >= bound - 1e-9 * (1 + abs(bound))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_plane_touches_the_hinge_and_is_nowhere_above_it(seed):
    rng = np.random.default_rng(seed)
    for case in instances("plane_of_query", seed):
        positives, negatives, w, loss = case.arguments.values()
        offset, slope = TASKS["plane_of_query"].refuse(case.arguments)

        def hinge(v, X=positives, Z=negatives, loss=loss):
            p, n = X @ v, Z @ v
            best = ranking.loss_augmented_inference(p, n, loss)
            return best.objective - (p.mean() - n.mean())  # F of the perfect ranking

        size = 1 + max(np.abs(positives @ w).max(), np.abs(negatives @ w).max())
        assert offset + slope @ w == pytest.approx(hinge(w), abs=1e-9 * size)
        for v in w + rng.normal(size=(5, len(w))):
            most = size + max(np.abs(positives @ v).max(), np.abs(negatives @ v).max())
            assert offset + slope @ v <= hinge(v) + 1e-9 * most


@pytest.mark.parametrize("seed", SEEDS)
def test_the_chosen_exponent_is_a_lowest_point_that_the_search_can_reach(seed):
    for case in instances("chosen_regularization", seed):
        validation, test, start = case.arguments.values()
        best, error = TASKS["chosen_regularization"].refuse(case.arguments)
        v = int(best)
        assert error == test[v + 6] and validation[v + 6] <= validation[np.asarray(start) + 6].min()
        if v < 6:
            assert validation[v + 7] > validation[v + 6], "of equals the largest"
        if v > -6:
            assert validation[v + 5] >= validation[v + 6]
        if case.label == ORDINARY:
            assert v - 1 in start and v + 1 in start, "ordinary: the first grid is enough"
            assert np.argmin(test) != np.argmin(validation), "who chooses by the test error is wrong"
        if case.label == "the best is not in the first grid":
            assert v not in start


@pytest.mark.parametrize("seed", SEEDS)
def test_the_interval_is_that_of_the_study(seed):
    for case in instances("paired_interval", seed):
        one, other, test_share, quantile = case.arguments.values()
        found = difference(one, other, test_share)
        low, high = TASKS["paired_interval"].refuse(case.arguments)
        size = np.abs(one).max()
        assert low == pytest.approx(found.mean - quantile * found.error, abs=1e-9 * size)
        assert high == pytest.approx(found.mean + quantile * found.error, abs=1e-9 * size)
        assert quantile * found.error == pytest.approx(found.half, rel=1e-9)


def test_the_time_of_a_program_by_hand():
    program = {"reads": np.array([1, 1, 1]), "writes": np.array([1, 1, 0]), "operations": np.array([1, 1, 50])}
    machine = {"length": 1_000_000, "itemsize": 8, "bandwidth": 20e9, "speed": 10e9, "call": 1e-6}
    assert TASKS["running_time"].refuse({**program, **machine}) == pytest.approx(0.8e-3 + 0.8e-3 + 5e-3 + 3e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_log_sum_exp_is_that_of_scipy_and_the_threshold_is_that_of_the_simplex(seed):
    for case in instances("log_sum_exp", seed):
        assert TASKS["log_sum_exp"].refuse(case.arguments) == pytest.approx(logsumexp(case.arguments["a"]), abs=1e-12)
    for case in instances("threshold_of_blocks", seed):
        a, _, radius = case.arguments.values()
        t = TASKS["threshold_of_blocks"].refuse(case.arguments)
        assert np.maximum(a - t, 0).sum() == pytest.approx(radius, abs=1e-12 * len(a) * np.abs(a).max())


# --- what a student may ask for ------------------------------------------------------------------------------------


def count_of(rule, case):
    """How many blocks a rule reads, and how many there are."""
    names = given("10_passes_over_memory", "imports", "threshold_of_given", "threshold_of_blocks_given")
    maxima, read = names["counted"](case.arguments["a"], case.arguments["size"], case.arguments["radius"])
    taken = []
    rule(maxima, lambda i: taken.append(i) or read(i), case.arguments["radius"], names["threshold_of"])
    return len(taken), len(maxima)


def by_descending_maxima(maxima, read, radius, threshold_of):
    kept, t = np.zeros(0), -np.inf
    for i in np.argsort(-maxima, kind="stable"):
        if maxima[i] <= t:
            break
        kept = np.append(kept, read(i))
        t = threshold_of(kept, radius)


def all_of_them(maxima, read, radius, threshold_of):
    for i in range(len(maxima)):
        read(i)


@pytest.mark.parametrize("seed", range(6))
def test_the_least_reader_passes_and_who_reads_all_blocks_of_a_long_vector_does_not(seed):
    for case in instances("threshold_of_blocks", seed):
        read, blocks = count_of(by_descending_maxima, case)
        if case.label.startswith("a long vector"):
            assert read < blocks
            with pytest.raises(Exception, match="blocks were read, where"):
                count_of(all_of_them, case)
        else:
            assert count_of(all_of_them, case) == (blocks, blocks)


def test_the_test_set_is_used_once_and_no_exponent_is_trained_twice():
    names, asked = given("09_choosing_and_comparing", "imports", "chosen_regularization_given"), {}

    def choose(validation_error, test_error, start):
        for question in asked["questions"]:
            question(validation_error, test_error)
        return 0, 0.0

    names["choose"] = choose
    table = np.arange(13.0)
    for match, *questions in (
        ("trained twice", lambda v, t: v(1), lambda v, t: v(np.int64(1))),
        ("the test set was used for 10\\^1 and again for 10\\^1", lambda v, t: t(1), lambda v, t: t(1)),
        ("must be a whole number in -6..6, got 7", lambda v, t: t(7)),
        ("must be a whole number in -6..6, got 0.5", lambda v, t: v(0.5)),
        ("must be a whole number in -6..6, got nan", lambda v, t: t(np.nan)),
    ):
        asked["questions"] = questions
        with pytest.raises(Exception, match=match):
            names["chosen_regularization"](table, table, np.arange(3))
    asked["questions"] = [lambda v, t: v(1), lambda v, t: v(-6), lambda v, t: t(1)]
    assert names["chosen_regularization"](table, table, np.arange(3)) == [0.0, 0.0]


# --- who goes around the counts ------------------------------------------------------------------------------------

KEEPS_THE_READER = """
kept = []


def find_threshold(maxima, read, radius):
    kept.append(read)
    return threshold_of(np.concatenate([kept[0](i) for i in range(len(maxima))]), radius)
"""
READS_THE_TABLES = """
def choose(validation_error, test_error, start):
    import inspect
    import sys

    frames = [frame.frame for frame in inspect.getouterframes(sys._getframe())]
    names = {name: value for frame in frames for name, value in {**frame.f_globals, **frame.f_locals}.items()}
    validation, test = names["validation"], names["test"]
    best = max(range(-6, 7), key=lambda v: (-validation[v + 6], v))
    return best, test[best + 6]
"""


@pytest.mark.parametrize(
    ("assignment", "cell", "attack", "points", "says"),
    [
        ("10_passes_over_memory", "find_threshold", KEEPS_THE_READER, {"threshold_of_blocks": 2.5}, "blocks were read"),
        ("09_choosing_and_comparing", "choose", READS_THE_TABLES, {"chosen_regularization": 0}, "KeyError: validation"),
    ],
)
def test_counts_and_tables_are_out_of_reach(assignment, cell, attack, points, says):
    whole, filled = (notebook(FOLDER / "source", assignment) for _ in range(2))
    for book in (whole, filled):
        kept = [cell for cell in book.cells if not details(cell).get("grade") or details(cell)["grade_id"] in points]
        book.cells = [cell for cell in kept if not details(cell)["grade_id"].startswith("on_")]
    next(place for place in filled.cells if details(place)["grade_id"] == cell).source = attack
    answer, _ = judged(whole, filled)
    text = " ".join(json.dumps(answer["outputs"]).split())
    assert answer["scores"] == points and says in text.replace("'", ""), text

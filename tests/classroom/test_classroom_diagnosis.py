"""What a verdict says of one function, graded at home: why it may be wrong, what it earns, and in whose words."""

import re
import zlib

import numpy as np
import pytest

import reference
from reference.check import Limits
from reference.check.classroom import PAPERS, NotYetRight, answer_of, answers_of, grade, own, sometimes
from reference.check.judging.subject import SUBJECTS
from reference.problems import checks
from tests.support.classroom import MEDIOCRE, WRONG

SEEDS = range(100, 105)  # as if drawn from five secrets


def ap_loss(interleaving, n_positive):
    ranks, P = checks.interleaving(interleaving, n_positive)
    i = np.arange(1, P + 1)
    return float(1 - np.mean(i / (i + np.searchsorted(np.sort(ranks), i, side="right"))))


def projection(simplex):
    """A `project_simplex` around a student's `simplex`, as the assignment gives it."""

    def project_simplex(a, radius=1.0):
        a, radius = checks.points(a), checks.nonnegative(radius, "radius")
        rows = [answer_of(simplex, row, radius, shape=row.shape) for row in np.atleast_2d(a).astype(float)]
        return np.array(rows).reshape(a.shape).astype(a.dtype)

    return project_simplex


def examined(name, function, **options):
    """The exception of a wrong function, and its text in one line."""
    function.__name__ = name
    with pytest.raises(NotYetRight) as caught:
        grade(function, **options)
    assert all(len(line) <= 96 for line in str(caught.value).splitlines())
    return caught.value, " ".join(str(caught.value).split())


def thresholds(a, radius):
    """(the sorted numbers, the threshold if the first j are positive, how many are)."""
    descending = np.sort(a)[::-1]
    t = (np.cumsum(descending) - radius) / np.arange(1, len(a) + 1)
    return descending, t, max(np.count_nonzero(descending > t), 1)


def simplex(a, radius):
    _, t, positive = thresholds(a, radius)
    return np.maximum(a - t[positive - 1], 0)


def one_more(a, radius):
    _, t, positive = thresholds(a, radius)
    return np.maximum(a - t[min(positive, len(a) - 1)], 0)


def clipped_once(a, radius=1.0):
    return np.maximum(a - (a.sum() - radius) / len(a), 0)


def test_a_function_that_is_right_gets_one_line(capsys):
    def right(interleaving, n_positive):
        return ap_loss(interleaving, n_positive)

    right.__name__ = "ap_loss"
    grade(right, seed=3)
    assert re.fullmatch(r"ap_loss: right, in all \d+ cases.\n", capsys.readouterr().out)


def test_the_library_is_closed_while_a_function_is_examined_and_open_again_later():
    def borrows(a, radius=1.0):
        return reference.project_simplex(a, radius)

    def borrows_another(a, radius=1.0):
        return reference.project_knapsack(a, radius, 0.0, np.inf)

    closed = "this one is yours to write"
    assert closed in examined("project_simplex", borrows)[1]
    assert closed in examined("project_simplex", borrows_another, allowed=("project_simplex",))[1]
    assert reference.project_simplex(np.array([2.0, 0.0])).tolist() == [1.0, 0.0]


def test_a_loop_without_an_end_is_ended():
    def endless(interleaving, n_positive):
        while True:
            pass

    _, text = examined("ap_loss", endless, limits=Limits(seconds=0.5, first_seconds=0.5))
    assert "hung, no answer within 0.5 s" in text


def halves(interleaving, n_positive):
    return ap_loss(interleaving, n_positive) / 2


def right_up_to_three(interleaving, n_positive):
    return ap_loss(interleaving, n_positive) / (1 + (n_positive > 3))


def only_at_ties(interleaving, n_positive):
    return halves(interleaving, n_positive) if len(set(interleaving)) < len(interleaving) else 0.1


def gives_up(interleaving, n_positive):
    return ap_loss(interleaving, n_positive) if interleaving.min() == 1 else 0.0


def follows(a, radius=1.0):
    """On one or two coordinates many misconceptions agree; this one follows the student there, and no further."""
    return one_more(a, radius) if len(a) <= 2 else clipped_once(a, radius)


# What is wrong, the suspects, and which of them is named: see reference/check/classroom/diagnosis.py.
SUSPECTS = {
    "it gives the answers": (halves, {"halve": halves, "double": lambda **given: 2 * ap_loss(**given)}, ["halve"]),
    "it is right": (halves, {"are right": ap_loss, "are right up to three": right_up_to_three}, []),
    "it cannot be asked": (halves, {"no": lambda: None}, []),
    "it agrees on the failing instance": (one_more, {"clip": clipped_once, "follow": follows}, []),
    "another does not": (one_more, {"follow": follows, "take one more": one_more}, ["take one more"]),
    "it is another mistake in ordinary cases": (halves, {"mind ties only": only_at_ties}, []),
    "it comes into play sometimes": (gives_up, {"give up": lambda **given: 0.0}, []),
    "it may come into play sometimes": (gives_up, {"give up": sometimes(lambda **given: 0.0)}, ["give up"]),
}


@pytest.mark.parametrize(("wrong", "suspects", "named"), SUSPECTS.values(), ids=SUSPECTS)
def test_a_misconception_is_named_only_where_it_explains_the_answers(wrong, suspects, named):
    name, function, seed = "ap_loss", lambda *given: wrong(*given), 4
    if wrong is one_more:
        name, function, seed = "project_simplex", projection(wrong), 5
    suspects = {f"you {sentence}.": suspect for sentence, suspect in suspects.items()}
    error, text = examined(name, function, seed=seed, suspects=suspects)
    assert re.findall(r"(?:looks|Or) as if you ([a-z ]*)\.", text) == named
    assert re.search(r"\n    \w+\(.*\)\n    expected  .*\n    got       ", str(error))
    if name == "ap_loss":
        assert str(error).endswith("Read again: 002, section 2.2, AP loss\n    002 is " + PAPERS["002"])


@pytest.mark.parametrize(("halvings", "digits"), [(12, 3), (24, 6)])
def test_a_bisection_that_stops_too_early_is_told_its_digits_and_no_misconception(halvings, digits):
    def bisected(a, radius):
        low, high = a.min() - radius, a.max()
        for _ in range(halvings):
            t = (low + high) / 2
            low, high = (t, high) if np.maximum(a - t, 0).sum() > radius else (low, t)
        return np.maximum(a - (low + high) / 2, 0)

    suspects = {"you stop early, too.": bisected, "you clip only once.": clipped_once}
    error, text = examined("project_simplex", projection(bisected), seed=5, suspects=suspects)
    told = re.search(r"It looks as if your answer is right to about (\d+) digits only", text)
    assert abs(int(told[1]) - digits) <= 1 and text.count("as if") == 1 and error.share == 0


def test_computing_in_single_precision_is_a_matter_of_digits():
    """Where the numbers are 1e9 and the radius is 1, nothing is left of seven digits: that is no other mistake."""

    def single(a, radius):
        return simplex(a.astype(np.float32), np.float32(radius)).astype(np.float64)

    _, text = examined("project_simplex", projection(single), seed=5)
    assert re.search(r"right to about [678] digits only", text)


def test_numbers_in_another_order_are_told():
    def in_sorted_order(a, radius):
        descending, t, positive = thresholds(a, radius)
        return np.maximum(descending - t[positive - 1], 0)

    _, text = examined("project_simplex", projection(in_sorted_order), seed=5)
    assert "It looks as if the order is lost" in text


def test_a_table_of_the_visible_instances_is_told_at_home_and_with_another_seed():
    rng = np.random.default_rng([0, zlib.crc32(b"ap_loss")])
    visible = [case.arguments for case in SUBJECTS["ap_loss"].cases(rng, True) if not case.refuses]
    known = {(np.asarray(case["interleaving"]).tobytes(), case["n_positive"]): ap_loss(**case) for case in visible}

    def by_heart(interleaving, n_positive):
        checks.interleaving(interleaving, n_positive)
        return known.get((np.asarray(interleaving).tobytes(), n_positive), 0.5)

    by_heart.__name__ = "ap_loss"
    grade(by_heart)
    error, text = examined("ap_loss", by_heart, seed=5)
    assert "It looks as if you learnt by heart" in text and error.share == 0


# --- points --------------------------------------------------------------------------------------------------------


def cone_of(name):
    """A `project_topk_cone` around the `cone` of a submission, as the assignment gives it."""
    names, submissions = {}, {section.name: section.code for section in (*WRONG, *MEDIOCRE)}
    exec(submissions[name], names)

    def project_topk_cone(a, k, bias=0.0):
        a, bias = checks.points(a), checks.nonnegative(bias, "bias")
        k = checks.count(k, "k", a.shape[-1])
        rows = [answer_of(names["cone"], row, k, bias, shape=row.shape) for row in np.atleast_2d(a).astype(float)]
        return np.array(rows).reshape(a.shape).astype(a.dtype)

    return project_topk_cone


def test_a_cone_that_takes_inequalities_exactly_loses_half_whatever_the_secret_is():
    function = cone_of("exact_inequalities")
    for seed in SEEDS:
        rng = np.random.default_rng([seed, zlib.crc32(b"project_topk_cone")])
        cases = [case for case in SUBJECTS["project_topk_cone"].cases(rng, True) if case.label == "tenths"]
        zeros = [case for case in cases if not function(**case.arguments).any()]
        assert len(zeros) >= 2 and all(np.sort(case.arguments["a"])[-case.arguments["k"] :].sum() > 0 for case in zeros)
    error, text = examined("project_topk_cone", function, seed=SEEDS[0])
    assert error.share == 0.5 and "Kind of case: multiples of 0.1" in text
    assert "expected np.array([0." in text and re.search(r"got np.array\(\[(0., )*0.\]\)", text)


@pytest.mark.parametrize("seed", [12, 13])
def test_the_points_of_an_edge_case_do_not_depend_on_luck(seed):
    """k = d is an ordinary case: with some secrets there is hardly one."""
    error, text = examined("project_topk_cone", cone_of("no_next_one"), seed=seed)
    assert error.share == 0 and "IndexError" in text and "Kind of case: random." in text


def test_right_answers_that_come_with_a_print_earn_half():
    def talks(interleaving, n_positive):
        print("ranks", interleaving)
        return ap_loss(interleaving, n_positive)

    error, text = examined("ap_loss", talks, seed=4)
    assert error.share == 0.5 and "its answers are right in all random cases; but it prints" in text
    assert examined("ap_loss", lambda *given: talks(*given) / 2, seed=4)[0].share == 0


def test_right_answers_that_come_too_late_for_large_instances_earn_half():
    def slow(interleaving, n_positive):
        while len(interleaving) > 1000:
            pass
        return ap_loss(interleaving, n_positive)

    limits = Limits(seconds=2.0, first_seconds=2.0)  # short answers take milliseconds, but other tests run meanwhile
    error, text = examined("ap_loss", slow, seed=4, limits=limits)
    assert error.share == 0.5 and "What is wrong: hung, no answer within 2 s." in text
    assert "right in all random cases of up to 1000 numbers; it is too slow for this one" in text
    grade(slow, seed=4, limits=limits, largest=1000)


def test_the_kind_of_case_is_special_only_if_the_mistake_is():
    _, text = examined("project_simplex", projection(one_more), seed=5)
    assert "Kind of case: random." in text

    def at_ties(a, radius):
        return simplex(a, radius) * (1 + (len(set(a)) < len(a) < 100))  # long float32 vectors have ties by chance

    error, text = examined("project_simplex", projection(at_ties), seed=5)
    assert error.share == 0.5 and "Kind of case: random." not in text


# --- the student's own function ------------------------------------------------------------------------------------


def test_a_function_that_is_half_written_is_shown_where_it_is_not():
    def half(a, radius):
        if len(a) > 1:
            raise NotImplementedError
        return np.full(1, radius)

    _, text = examined("project_simplex", projection(half))
    assert text.startswith("half: not yet right, for it is not written for all cases. The smallest failing instance")
    assert "half(a=np.array([" in text

    def unwritten(a, radius):
        raise NotImplementedError

    assert examined("project_simplex", projection(unwritten))[1] == "unwritten: not written yet."


def test_only_the_name_is_wanted_of_a_function_that_never_returns():
    def endless(a, radius):
        raise AssertionError("was called")

    with own.listening(asks=False) as heard, pytest.raises(own.NotAsked):
        projection(endless)(np.array([1.0, 2.0]))
    assert [call.name for call in heard.calls] == ["endless"]


def test_the_first_of_many_calls_that_is_wrong_is_the_one_that_is_shown():
    def reciprocal(i):
        return 1 / i if i < 3 else 0.5

    with own.listening(compares=True) as heard:
        for i in range(1, 6):
            answer_of(reciprocal, i, right=lambda i: 1 / i)
    assert (heard.wrong.name, heard.wrong.arguments, heard.wrong.answer) == ("reciprocal", {"i": 3}, 0.5)
    assert heard.wrong.expected == 1 / 3
    with own.listening(compares=True) as heard:
        answer_of(reciprocal, 3, right=lambda i: None)  # several answers are right
    assert heard.wrong is None


def test_integers_of_another_width_are_integers():
    ranks = answer_of(lambda: np.array([2, 1], dtype=np.int32), shape=(2,), dtype=int)
    assert ranks.dtype == np.int64 and ranks.tolist() == [2, 1]


def test_an_answer_in_several_parts_is_told_which_part_is_wrong():
    parts = [((2,), float), ((2,), int)]
    with pytest.raises(TypeError, match="2 things; number 2 should be an array of integers, got float64"):
        answers_of(lambda: (np.zeros(2), np.zeros(2)), parts=parts)
    with pytest.raises(TypeError, match="got None .does every path end with a return"):
        answer_of(lambda: None, shape=(2,))

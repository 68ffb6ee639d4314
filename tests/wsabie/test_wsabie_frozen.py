"""Skipped examples: how they are counted, which classes they freeze, and the warning that says so."""

import re

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import fast
from reference import datasets
from reference.problems import checks
from reference.problems.checks import NONE, WsabieFit
from tests.support.twins import BOTH
from tests.support.wsabie import with_warnings

FROZEN = re.compile(r"(\d+) of (\d+) classes are frozen \(number ([\d, ]+)\): their last (\d+) examples or more")


def digits(n=1200):
    X, y = datasets.load_digits()
    return X[:n], y[:n]


def frozen_of(text):
    """The classes that a warning names."""
    count, _, names, _ = FROZEN.match(text).groups()
    classes = [int(name) for name in names.split(", ")]
    assert len(classes) == int(count)
    return classes


# --- how they are counted ------------------------------------------------------------------------------------------


def cats(module, story, **options):
    """What is counted after each example of class 0, where `story` says which of the classes 1 and 2 violate."""
    X = np.array([[1.0, 1.0 * (1 in violators), 1.0 * (2 in violators)] for violators in story])
    last, draws, seen = NONE, [], []
    for t, violators in enumerate(story):
        draws += [(t + 0.5) / len(story), 0.5]
        if last not in violators:
            last = min(violators, default=NONE)
            draws += {1: [0.25], 2: [0.25, 0.75], NONE: [0.25, 0.75, 0.25]}[last]
    module.fit_wsabie(
        X, np.zeros(len(X), int), n_classes=3, n_updates=len(X), last_violators=1, discriminant="linear", margin=0.5,
        step="constant", step_size=1e-9, start=WsabieFit(np.eye(3), None, "linear"), draws=np.array(draws), every=1,
        callback=lambda fit: seen.append(fit.skipped.tolist()), **options,
    )  # fmt: skip
    return seen


@BOTH
def test_examples_skipped_in_a_row_are_counted_until_one_is_not(module):
    """Table 1: dog and pig, dog and pig, dog, dog and pig, pig, none, dog, dog."""
    expected = [[count, 0, 0] for count in (0, 1, 2, 3, 0, 0, 0, 1)]
    got = cats(module, [{1, 2}, {1, 2}, {1}, {1, 2}, {2}, set(), {1}, {1}])
    assert got == expected, f"expected {expected}, got {got}"


# --- which classes are frozen --------------------------------------------------------------------------------------


def test_a_class_is_frozen_after_as_many_examples_as_it_has_and_20_at_least():
    sets = checks.label_sets(np.repeat([0, 1, 2, 3], [30, 5, 30, 0]), 65, 5)
    for skipped, expected in (
        ([30, 20, 29, 99, 0], [0, 1]),
        ([29, 19, 30, 20, 20], [2]),
        ([0, 0, 0, 0, 0], []),
    ):
        fit = WsabieFit(np.zeros((5, 2)), skipped=np.array(skipped))
        got = checks.frozen_classes(fit, sets).tolist()
        assert got == expected, f"{skipped}: expected {expected}, got {got}"


def test_examples_with_every_label_are_not_counted():
    """Class 0 has 25 examples, but on 24 of them all classes are labels, so they are never drawn for a step."""
    Y = np.ones((50, 2), int)
    Y[24:, 0], Y[24, 1], Y[24, 0] = 0, 0, 1
    sets = checks.label_sets(Y, 50)
    assert checks.frozen_classes(WsabieFit(np.zeros((2, 1)), skipped=np.array([20, 20])), sets).tolist() == [0]


@BOTH
def test_a_walk_that_froze_warns_and_goes_no_further(module):
    """All ten classes are named, and each of their examples is skipped: so the walk stands still for ever."""
    X, y = digits(300)
    options = {"last_violators": 8, "margin": 100.0, "n_updates": 900, "seed": 0}
    fit, (text,) = with_warnings(module, X, y, **options)
    frozen = frozen_of(text)
    assert frozen == list(range(10)) and "Set last_violators=0" in text and "margin 100" in text
    scores = fast.prototype_scores(X, fit)
    for g in frozen:
        rows = scores[y == g]
        assert (100.0 - rows[:, g] + rows[:, fit.last_violators[g]] > 0).all()
    later, (again,) = with_warnings(module, X, y, start=fit, **{**options, "seed": 1})
    assert later.updates == fit.updates and (later.prototypes == fit.prototypes).all()
    assert frozen_of(again) == frozen


def test_a_class_that_is_lost_is_named():
    """Digits, as they come: with 8 last violators some classes are never predicted. Each of them is named."""
    X, y = digits(1797)
    lost_in_all = 0
    for seed in range(5):
        fit, texts = with_warnings(fast, X[:1200], y[:1200], n_updates=12_000, seed=seed)
        lost = np.setdiff1d(np.arange(10), fast.prototype_scores(X[1200:], fit).argmax(axis=1)).tolist()
        named = {g for text in texts for g in frozen_of(text)}
        assert set(lost) <= named, f"lost {lost}, but the warnings are {texts}"
        lost_in_all += len(lost)
    assert lost_in_all >= 10


def test_a_walk_that_has_converged_does_not_warn():
    """Three clouds far apart: in the end no example violates the margin, so nothing moves, and nothing is skipped."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = 10 * np.eye(3)[y] + rng.standard_normal((60, 3))
    for last_violators in (0, 1, 8):
        options = {"margin": 1.0, "step_size": 1.0, "last_violators": last_violators}
        fit = fast.fit_wsabie(X, y, n_updates=1200, seed=0, **options)
        later = fast.fit_wsabie(X, y, n_updates=600, seed=1, start=fit, **options)
        assert later.updates == fit.updates and later.steps == fit.steps + 600
        assert later.skipped.tolist() == [0, 0, 0] and (fast.prototype_scores(X, fit).argmax(axis=1) == y).all()


def test_many_frozen_classes_are_not_all_named():
    sets = checks.label_sets(np.arange(12), 12)
    fit = WsabieFit(np.zeros((12, 2)), skipped=np.full(12, 33))
    with pytest.warns(ConvergenceWarning, match=r"12 of 12 classes .*number 0, 1, .* 9, \.\.\.\): their last 33 "):
        checks.warn_if_frozen(fit, sets, 0.5)

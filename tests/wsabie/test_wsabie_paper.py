"""Walks of the paper: its tables, Figure 3 and Proposition 1, in `fast`, which the examiner compares with the truth."""

import inspect
import itertools
from fractions import Fraction

import numpy as np
import pytest

import fast
import reference
from reference.problems import checks
from reference.problems.checks import NONE, WsabieFit
from tests.support.wsabie import place

STILL = 1e-9  # a step size that moves no score enough to matter
RULE = {
    "discriminant": "linear", "sampling": "warp", "weighting": "uniform", "step": "constant", "margin": 0.5,
    "step_size": STILL,
}  # fmt: skip
PRESETS = ("AUC", "WARP", "WSABIE", "WSABIE_PP")
STEERING = {"n_updates", "seed", "n_classes", "draws", "start", "callback", "every", "patience", "progress"}


def scored(m, last=None):
    """A fit whose scores are the features themselves."""
    return WsabieFit(np.eye(m), None, "linear", last_violators=None if last is None else np.array(last))


def scores_of(m, violators, labels=(0,)):
    """Scores of m classes of which these violate the margin: they tie with the labels, and the others lag behind."""
    row = np.full(m, -1.0)
    row[[*labels, *violators]] = 1.0
    return row


# --- Table 2 -----------------------------------------------------------------------------------------------------

TIGER, LION, KITTY, KITTEN, PANTHER, OTHER = range(6)
LAST = [LION, KITTY, KITTEN, PANTHER, KITTY, NONE]


def looked_at(Q, label):
    """The classes for which an example is ignored if they alone violate the margin: those on the chain."""
    rivals, passed = sorted(set(range(6)) - {label}), set()
    for i, violator in enumerate(rivals):
        fit = fast.fit_wsabie(
            scores_of(6, [violator], [label])[None], [label], n_classes=6, n_updates=1, last_violators=Q,
            draws=np.array([0.0, 0.0, place(i, 5)]), start=scored(6, LAST), **RULE,
        )  # fmt: skip
        if fit.updates == 0:
            passed.add(violator)
        expected = np.array(LAST)
        expected[label] = LAST[label] if fit.updates == 0 else violator
        assert (fit.last_violators == expected).all(), f"expected {expected}, got {fit.last_violators}"
    return passed


def test_table_2_is_followed_q_links_far():
    chain = [LION, KITTY, KITTEN, PANTHER]
    for Q in (0, 1, 2, 3, 4, 5, 100):
        expected, got = set(chain[:Q]), looked_at(Q, TIGER)
        assert got == expected, f"Q = {Q}: expected {expected}, got {got}"
    assert looked_at(10**9, PANTHER) == {KITTY, KITTEN}, "panther, kitty, kitten, panther, ... ends"


# --- Figure 3 ------------------------------------------------------------------------------------------------------

STATES = (NONE, 1, 2)  # no last violator, class 1, class 2; the label is class 0


def transitions(p, q, missed):
    """The probabilities to go from each state to each. `missed`: that the trials do not find a lone violator."""
    none_violates, one, two, both = (1 - p) * (1 - q), p * (1 - q), (1 - p) * q, p * q
    found = 1 - missed
    return [
        [none_violates + (one + two) * missed, one * found + both / 2, two * found + both / 2],
        [none_violates + two * missed, p, two * found],
        [none_violates + one * missed, one * found, q],
    ]


def test_the_walk_makes_the_transitions_of_figure_3():
    """All states, all violators and all draws. With m = 3 trials a lone violator is missed once in 2^3."""
    p, q = Fraction(3, 5), Fraction(1, 4)
    got = [[Fraction(0)] * 3 for _ in STATES]
    for (i, state), one, two in itertools.product(enumerate(STATES), (False, True), (False, True)):
        X, share = scores_of(3, [1] * one + [2] * two)[None], (p if one else 1 - p) * (q if two else 1 - q)
        for trials in itertools.product((0.25, 0.75), repeat=3):
            fit = fast.fit_wsabie(
                X, [0], n_classes=3, n_updates=1, last_violators=1, start=scored(3, [state, NONE, NONE]),
                draws=np.array([0.0, 0.0, *trials]), **RULE,
            )  # fmt: skip
            got[i][STATES.index(fit.last_violators[0])] += share / 8
    expected = transitions(p, q, Fraction(1, 8))
    assert got == expected, f"expected {expected}, got {got}"


# --- Proposition 1 -------------------------------------------------------------------------------------------------

SEQUENCES = [(n, confused) for n in range(1, 9) for confused in itertools.product((0, 1), repeat=n)]


def assert_proposition_1(counted):
    """The mean over all sequences is p + (n - 1) p (1 - p): at 10 places, so that the polynomials are the same."""
    for p in (Fraction(i, 9) for i in range(10)):
        for n in range(1, 9):
            got = sum(counted[z] * p ** sum(z) * (1 - p) ** (n - sum(z)) for size, z in SEQUENCES if size == n)
            expected = p + (n - 1) * p * (1 - p)
            assert got == expected, f"n = {n}, p = {p}: expected {expected}, got {got}"


def test_proposition_1_for_all_sequences():
    counted = {}
    for n, z in SEQUENCES:
        scores, y = np.array([[1.0, float(confused)] for confused in z]), np.zeros(n, int)
        counted[z] = Fraction(round(n * fast.warp_loss(scores, y, last_violators=1)))
        assert round(n * fast.warp_loss(scores, y)) == sum(z)
    assert_proposition_1(counted)


def test_proposition_1_for_all_sequences_of_draws():
    """The walk with one rival counts the same mistakes: where the last example of the class was none."""
    X, counted = np.array([scores_of(2, []), scores_of(2, [1])]), {}
    for n, z in SEQUENCES:
        draws, last = [], 0
        for confused in z:
            trials = 0 if confused and last else 1 if confused else 2
            draws, last = [*draws, place(confused, 2), *[0.0] * (1 + trials)], confused
        fit = fast.fit_wsabie(
            X, [0, 0], n_classes=2, n_updates=n, last_violators=1, start=scored(2), draws=np.array(draws), **RULE
        )
        counted[z] = Fraction(fit.updates)
    assert_proposition_1(counted)


# --- Tables 5 and 9 ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_hold_every_option_and_are_one_object_in_both_packages(preset):
    held = getattr(checks, preset)
    for home in (reference, fast, reference.wsabie, fast.wsabie):
        assert getattr(home, preset) is held
    parameters = inspect.signature(fast.fit_wsabie).parameters.values()
    expected = {p.name for p in parameters if p.kind is p.KEYWORD_ONLY} - STEERING
    assert set(held) == expected, f"expected {expected}, got {set(held)}"


def test_presets_are_the_columns_of_table_5_and_the_rows_of_table_9():
    """Discriminant, sampling, weights, adagrad; then step size, margin, embedding dimension and last violators."""
    expected = {
        "AUC": ("linear", "auc", "uniform", "adagrad", 0.01, 0.1, None, 0),
        "WARP": ("linear", "warp", "harmonic", "constant", 0.001, 0.1, None, 0),
        "WSABIE": ("linear", "warp", "harmonic", "constant", 0.001, 0.1, 128, 0),
        "WSABIE_PP": ("euclidean", "warp", "uniform", "adagrad", 10.0, 10_000.0, 192, 8),
    }
    names = "discriminant", "sampling", "weighting", "step", "step_size", "margin", "embedding_dim", "last_violators"
    got = {preset: tuple(getattr(reference, preset)[name] for name in names) for preset in expected}
    assert got == expected, f"expected {expected}, got {got}"
    bounded = {preset: getattr(reference, preset)["max_norm"] is not None for preset in expected}
    assert bounded == {"AUC": True, "WARP": True, "WSABIE": True, "WSABIE_PP": False}

"""Last violators: Tables 1 and 2 of the paper line by line, the Markov chain of Figure 3, and Proposition 1."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
import sympy

from reference.problems.checks import NONE, WsabieFit
from tests.support.wsabie import BOTH, place

STILL = 1e-9  # a step size that moves no score enough to matter
RULE = {
    "discriminant": "linear", "sampling": "warp", "weighting": "uniform", "step": "constant", "margin": 0.5,
    "step_size": STILL,
}  # fmt: skip


def scored(m, last=None):
    """A fit whose scores are the features themselves."""
    return WsabieFit(np.eye(m), None, "linear", last_violators=None if last is None else np.array(last))


def scores_of(m, violators, labels=(0,)):
    """Scores of m classes of which these violate the margin: they tie with the labels, and the others lag behind."""
    row = np.full(m, -1.0)
    row[[*labels, *violators]] = 1.0
    return row


# --- Table 1 -------------------------------------------------------------------------------------------------------

CAT, DOG, PIG = range(3)
# Who violates, whom the trials draw, cat's last violator after the line, and whether the line was counted.
TABLE_1 = [
    ({DOG, PIG}, [DOG], DOG, True),
    ({DOG, PIG}, [], DOG, False),
    ({DOG}, [], DOG, False),
    ({DOG, PIG}, [], DOG, False),
    ({PIG}, [DOG, PIG], PIG, True),
    (set(), [DOG, PIG, DOG], NONE, False),
    ({DOG}, [PIG, DOG], DOG, True),
    ({DOG}, [], DOG, False),
]


@BOTH
def test_table_1_line_by_line(module):
    X = np.array([scores_of(3, violators) for violators, *_ in TABLE_1])
    draws, seen = [], []
    for t, (_, trials, *_) in enumerate(TABLE_1):
        draws += [place(t, 8), 0.0, *(place(g - 1, 2) for g in trials)]
    fit = module.fit_wsabie(
        X, np.zeros(8, int), n_classes=3, n_updates=8, last_violators=1, start=scored(3), draws=np.array(draws),
        callback=lambda fit: seen.append((int(fit.last_violators[CAT]), fit.updates)), every=1, **RULE,
    )  # fmt: skip
    updates = np.cumsum([counted for *_, counted in TABLE_1])
    expected = [(last, count) for (*_, last, _), count in zip(TABLE_1, updates, strict=True)]
    assert seen == expected, f"expected {expected}, got {seen}"
    assert (fit.last_violators[[DOG, PIG]] == NONE).all() and (fit.steps, fit.updates) == (8, 3)


@BOTH
def test_a_line_of_table_1_uses_up_the_numbers_it_draws_and_no_more(module):
    for t, (violators, trials, after, counted) in enumerate(TABLE_1):
        before = TABLE_1[t - 1][2] if t else NONE
        X = scores_of(3, violators)[None]
        start = scored(3, [before, NONE, NONE])
        options = {"n_classes": 3, "n_updates": 1, "last_violators": 1, "start": start, **RULE}
        draws = np.array([0.0, 0.0, *(place(g - 1, 2) for g in trials)])
        fit = module.fit_wsabie(X, [0], draws=draws, **options)
        got = fit.last_violators[CAT], fit.updates
        assert got == (after, counted), f"line {t + 1}: expected {after, counted}, got {got}"
        with pytest.raises(ValueError, match="draws"):
            module.fit_wsabie(X, [0], draws=draws[:-1], **options)


# --- Table 2 -------------------------------------------------------------------------------------------------------

TIGER, LION, KITTY, KITTEN, PANTHER, OTHER = range(6)
LAST = [LION, KITTY, KITTEN, PANTHER, KITTY, NONE]


def looked_at(module, Q, label, last=LAST, labels=None):
    """The classes for which an example is ignored if they alone violate the margin: those on the chain."""
    labels, passed = labels or [label], set()
    rivals = sorted(set(range(6)) - set(labels))
    Y = np.isin(np.arange(6), labels)[None].astype(int)
    for violator in rivals:
        draws = [0.0, place(sorted(labels).index(label), len(labels)), place(rivals.index(violator), len(rivals))]
        fit = module.fit_wsabie(
            scores_of(6, [violator], labels)[None], Y, n_updates=1, last_violators=Q, draws=np.array(draws),
            start=scored(6, last), **RULE,
        )  # fmt: skip
        if fit.updates == 0:
            passed.add(violator)
        expected = np.array(last)
        expected[label] = last[label] if fit.updates == 0 else violator
        assert (fit.last_violators == expected).all(), f"expected {expected}, got {fit.last_violators}"
    return passed


@BOTH
def test_table_2_is_followed_q_links_far(module):
    chain = [LION, KITTY, KITTEN, PANTHER]
    for Q in (0, 1, 2, 3, 4, 5, 100):
        expected, got = set(chain[:Q]), looked_at(module, Q, TIGER)
        assert got == expected, f"Q = {Q}: expected {expected}, got {got}"


@BOTH
def test_a_chain_that_comes_back_ends(module):
    """Panther, cat, kitten, panther, ...; or it would be followed for as many links as Q allows."""
    for Q, expected in ((1, {KITTY}), (2, {KITTY, KITTEN}), (3, {KITTY, KITTEN}), (10**9, {KITTY, KITTEN})):
        got = looked_at(module, Q, PANTHER)
        assert got == expected, f"Q = {Q}: expected {expected}, got {got}"
    assert looked_at(module, 9, KITTEN) == {PANTHER, KITTY}
    assert looked_at(module, 9, TIGER, [TIGER, *LAST[1:]]) == set()
    assert looked_at(module, 9, TIGER, [LION, TIGER, *LAST[2:]]) == {LION}


@BOTH
def test_a_chain_ends_where_a_class_has_no_last_violator(module):
    assert looked_at(module, 5, OTHER) == set()
    assert looked_at(module, 5, TIGER, [LION, KITTY, NONE, PANTHER, KITTY, NONE]) == {LION, KITTY}


@BOTH
def test_a_chain_passes_over_the_labels_of_the_example_and_goes_on(module):
    """Lion, a label of its own here, counts as a link but never as a violator, however high it scores."""
    for Q, expected in ((1, set()), (2, {KITTY}), (3, {KITTY, KITTEN})):
        got = looked_at(module, Q, TIGER, labels=[TIGER, LION])
        assert got == expected, f"Q = {Q}: expected {expected}, got {got}"
    assert looked_at(module, 4, TIGER, labels=[TIGER, LION, KITTEN]) == {KITTY, PANTHER}


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


def figure_3(p, q):
    """The stationary distribution that the paper prints."""
    parts = [1, p * (2 + q - p * q) / (2 * (p - 1) * (p * q - 1)), q * (2 + p - p * q) / (2 * (q - 1) * (p * q - 1))]
    return [part / sum(parts) for part in parts]


def test_figure_3_is_stationary_symbolically():
    p, q = sympy.symbols("p q", positive=True)
    moves, pi = sympy.Matrix(transitions(p, q, 0)), sympy.Matrix([figure_3(p, q)])
    assert sympy.simplify(moves * sympy.ones(3, 1)) == sympy.ones(3, 1)
    got = (pi * moves - pi).applyfunc(sympy.simplify)
    assert got == sympy.zeros(1, 3), f"expected no change, got {got}"
    # And there is no other: the equations leave one direction only.
    assert (moves.T - sympy.eye(3)).subs({p: sympy.Rational(1, 3), q: sympy.Rational(1, 5)}).rank() == 2
    wrong = sympy.Matrix([[1, p * (2 + q) / (2 * (1 - p)), q * (2 + p) / (2 * (1 - q))]])
    assert (wrong * moves - wrong).applyfunc(sympy.simplify) != sympy.zeros(1, 3)


@BOTH
def test_the_walk_makes_the_transitions_of_figure_3(module):
    """All states, all violators and all draws. With m = 3 trials a lone violator is missed once in 2^3."""
    p, q = Fraction(3, 5), Fraction(1, 4)
    got = [[Fraction(0)] * 3 for _ in STATES]
    for (i, state), one, two in itertools.product(enumerate(STATES), (False, True), (False, True)):
        X, share = scores_of(3, [1] * one + [2] * two)[None], (p if one else 1 - p) * (q if two else 1 - q)
        for trials in itertools.product((0.25, 0.75), repeat=3):
            fit = module.fit_wsabie(
                X, [0], n_classes=3, n_updates=1, last_violators=1, start=scored(3, [state, NONE, NONE]),
                draws=np.array([0.0, 0.0, *trials]), **RULE,
            )  # fmt: skip
            got[i][STATES.index(fit.last_violators[0])] += share / 8
    expected = transitions(p, q, Fraction(1, 8))
    assert got == expected, f"expected {expected}, got {got}"


@BOTH
@pytest.mark.parametrize(("p", "q"), [(Fraction(3, 5), Fraction(1, 4)), (Fraction(1, 2), Fraction(4, 5))])
def test_a_long_walk_spends_its_time_as_figure_3_says(module, p, q):
    """Two rivals of 18 labels of the same example, so that a lone violator is missed once in 2^20 only."""
    m, labels, rows = 20, list(range(18)), []
    for (one, a), (two, b) in itertools.product(((True, p), (False, 1 - p)), ((True, q), (False, 1 - q))):
        rows += int(20 * a * b) * [scores_of(m, [18] * one + [19] * two, labels)]
    assert len(rows) == 20
    Y, seen = np.tile(np.isin(np.arange(m), labels).astype(int), (20, 1)), []
    module.fit_wsabie(
        np.array(rows), Y, n_updates=12_000, last_violators=1, start=scored(m), seed=3, every=40,
        callback=lambda fit: seen.append([np.mean(fit.last_violators[:18] == v) for v in (NONE, 18, 19)]), **RULE,
    )  # fmt: skip
    batches = np.array(seen[50:]).reshape(25, -1, 3).mean(axis=1)
    expected, got = np.array(figure_3(p, q), dtype=float), batches.mean(axis=0)
    error = batches.std(axis=0, ddof=1) / np.sqrt(len(batches))
    assert (error <= 0.01).all(), f"got {error}"
    assert (np.abs(got - expected) <= 4 * error).all(), f"expected {expected} within {4 * error}, got {got}"


# --- Proposition 1 -------------------------------------------------------------------------------------------------

SEQUENCES = [(n, confused) for n in range(1, 9) for confused in itertools.product((0, 1), repeat=n)]


def assert_proposition_1(counted):
    """The mean over all sequences is p + (n - 1) p (1 - p): at 10 places, so that the polynomials are the same."""
    for p in (Fraction(i, 9) for i in range(10)):
        for n in range(1, 9):
            got = sum(counted[z] * p ** sum(z) * (1 - p) ** (n - sum(z)) for size, z in SEQUENCES if size == n)
            expected = p + (n - 1) * p * (1 - p)
            assert got == expected, f"n = {n}, p = {p}: expected {expected}, got {got}"


@BOTH
def test_proposition_1_for_all_sequences(module):
    counted = {}
    for n, z in SEQUENCES:
        scores, y = np.array([[1.0, float(confused)] for confused in z]), np.zeros(n, int)
        counted[z] = Fraction(round(n * module.warp_loss(scores, y, last_violators=1)))
        assert round(n * module.warp_loss(scores, y)) == sum(z)
    assert_proposition_1(counted)


@BOTH
def test_proposition_1_for_all_sequences_of_draws(module):
    """The walk with one rival counts the same mistakes: where the last example of the class was none."""
    X, counted = np.array([scores_of(2, []), scores_of(2, [1])]), {}
    for n, z in SEQUENCES:
        draws, last = [], 0
        for confused in z:
            trials = 0 if confused and last else 1 if confused else 2
            draws, last = [*draws, place(confused, 2), *[0.0] * (1 + trials)], confused
        fit = module.fit_wsabie(
            X, [0, 0], n_classes=2, n_updates=n, last_violators=1, start=scored(2), draws=np.array(draws), **RULE
        )
        counted[z] = Fraction(fit.updates)
    assert_proposition_1(counted)


@BOTH
def test_proposition_1_by_simulation(module):
    n, p, runs = 50, 0.3, 200
    z = np.random.default_rng(8).random((runs, n)) < p
    scores, y = np.stack([np.ones_like(z, dtype=float), 1.0 * z], axis=-1), np.zeros(n, int)
    counts = np.array([n * module.warp_loss(run, y, last_violators=1) for run in scores])
    expected, got, error = p + (n - 1) * p * (1 - p), counts.mean(), counts.std(ddof=1) / np.sqrt(runs)
    assert error < 0.5 and abs(got - expected) <= 4 * error, f"expected {expected} within {4 * error}, got {got}"
    assert abs(got - n * p) > 4 * error

"""The walk of the Wsabie family: gradients, expected steps, adagrad by hand, and what every walk must obey."""

import ast
import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fast
from reference.problems.checks import NONE, WsabieFit
from tests.support.wsabie import (
    BOTH,
    DISCRIMINANTS,
    STEPS,
    WALKS,
    WEIGHTINGS,
    labelled,
    options,
    place,
)

KERNELS = sorted((Path(fast.__file__).parent / "_wsabie").glob("*.py"))
TUPLES = {"prototypes", "embedding", "point", "state", "rule", "data", "draw"}
EACH_DISCRIMINANT = pytest.mark.parametrize("discriminant", DISCRIMINANTS)
FEW = settings(max_examples=15)


def started(seed, discriminant, m=4, d=3, e=None):
    """Random prototypes, and an embedding if there is an e."""
    rng = np.random.default_rng(seed)
    W = None if e is None else rng.standard_normal((e, d))
    return WsabieFit(rng.standard_normal((m, e or d)), W, discriminant)


def score(b, W, x, g, discriminant):
    """As the paper defines it."""
    z = x if W is None else W @ x
    return b[g] @ z if discriminant == "linear" else -np.sum((b[g] - z) ** 2)


def slopes(f, b, W):
    """Central differences of f(b, W) in prototypes and W; exact, up to rounding, where f is quadratic in each entry."""
    parts, found = [b.copy(), None if W is None else W.copy()], []
    for part in parts:
        slope = None if part is None else np.zeros_like(part)
        for i in () if part is None else np.ndindex(part.shape):
            kept, ends = part[i], []
            for h in (1e-4, -1e-4):
                part[i] = kept + h
                ends.append(f(*parts))
            part[i], slope[i] = kept, (ends[0] - ends[1]) / 2e-4
        found.append(slope)
    return found


def assert_moved(fit, start, step_size, gradients, unit=1e-7):
    for name, gradient in zip(("prototypes", "embedding"), gradients, strict=True):
        if gradient is not None:
            expected, got = -step_size * gradient, getattr(fit, name) - getattr(start, name)
            assert np.abs(got - expected).max() <= unit * step_size, f"{name}: expected {expected}, got {got}"


# --- gradients and expected steps ----------------------------------------------------------------------------------


@BOTH
@EACH_DISCRIMINANT
@pytest.mark.parametrize("e", [None, 2])
@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_a_step_goes_down_the_gradient_of_the_sampled_loss(module, discriminant, e, weighting):
    """The weight is that of the trial that found the first violator: the others are checked, and passed over."""
    found = set()
    for seed in range(25):
        rng, start = np.random.default_rng(seed), started(seed, discriminant, m=6, e=e)
        X, t, label = rng.standard_normal((3, 3)), int(rng.integers(3)), int(rng.integers(6))
        others, places = np.delete(np.arange(6), label), rng.integers(0, 5, 6)

        def hinge(b, W, g, x=X[t], label=label):
            return max(0.3 - score(b, W, x, label, discriminant) + score(b, W, x, g, discriminant), 0.0)

        trial = next((j for j, i in enumerate(places, start=1) if hinge(*start[:2], others[i]) > 0), None)
        fit = module.fit_wsabie(
            X, np.full(3, label), n_classes=6, embedding_dim=e, discriminant=discriminant, weighting=weighting,
            step="constant", margin=0.3, step_size=0.01, last_violators=0, n_updates=1, start=start,
            draws=np.array([place(t, 3), 0.0, *(place(i, 5) for i in places)]),
        )  # fmt: skip
        if trial is None:
            assert fit.updates == 0 and (fit.prototypes == start.prototypes).all()
            continue
        weight = sum(1 / i for i in range(1, max(5 // trial, 1) + 1)) if weighting == "harmonic" else 1.0
        negative = others[places[trial - 1]]
        gradients = slopes(lambda b, W: weight * hinge(b, W, negative), *start[:2])  # noqa: B023, used at once
        assert_moved(fit, start, 0.01, gradients)
        assert fit.last_violators[label] == negative
        found.add(trial)
    assert len(found) >= 2, f"got trials {found}"


@BOTH
@EACH_DISCRIMINANT
@pytest.mark.parametrize("e", [None, 2])
def test_the_mean_step_of_auc_is_a_gradient_step_of_the_pairwise_loss(module, discriminant, e):
    start, X = started(1, discriminant, e=e), np.random.default_rng(2).standard_normal((3, 3))
    Y = np.array([[1, 0, 1, 0], [0, 1, 0, 0], [1, 1, 0, 1]])
    mean = [0.0, 0.0]
    for t, labels in enumerate(Y):
        k = labels.sum()
        for i, j in itertools.product(range(k), range(4 - k)):
            fit = module.fit_wsabie(
                X, Y, embedding_dim=e, discriminant=discriminant, sampling="auc", step="constant", step_size=0.1,
                last_violators=0, margin=0.7, n_updates=1, start=start,
                draws=np.array([place(t, 3), place(i, k), place(j, 4 - k)]),
            )  # fmt: skip
            parts = [part if part is None else part / (3 * k * (4 - k)) for part in fit[:2]]
            mean = [part if part is None else total + part for total, part in zip(mean, parts, strict=True)]

    def loss(b, W):
        scores = module.prototype_scores(X, start._replace(prototypes=b, embedding=W))
        return module.pairwise_loss(scores, Y, margin=0.7)

    assert_moved(start._replace(prototypes=mean[0], embedding=mean[1]), start, 0.1, slopes(loss, *start[:2]))


@BOTH
@EACH_DISCRIMINANT
def test_the_mean_step_of_warp_weighs_a_violator_by_when_it_is_found(module, discriminant):
    """All sequences of trials: each violator is the first at trial j with ((c - H) / c)^(j - 1) / c, of c others."""
    start, (x, label, m, c) = started(5, discriminant, e=2), (np.array([0.5, -1.0, 2.0]), 2, 4, 3)
    others = [g for g in range(m) if g != label]
    own, *theirs = (score(*start[:2], x, g, discriminant) for g in (label, *others))
    margin = own - sorted(theirs)[1] + 0.05  # just two of the three violate it
    mean, kept = [0.0, 0.0], 0.0
    for trials in itertools.product(range(c), repeat=m):
        fit = module.fit_wsabie(
            x[None], [label], n_classes=m, embedding_dim=2, discriminant=discriminant, weighting="harmonic",
            step="constant", step_size=0.1, last_violators=0, margin=margin, n_updates=1, start=start,
            draws=np.array([0.0, 0.0, *(place(i, c) for i in trials)]),
        )  # fmt: skip
        mean = [total + part / c**m for total, part in zip(mean, fit[:2], strict=True)]
        kept += (fit.updates == 0) / c**m
    weights = {j: sum(1 / i for i in range(1, max((m - 1) // j, 1) + 1)) for j in range(1, m + 1)}

    def loss(b, W):
        f = [score(b, W, x, g, discriminant) for g in range(m)]
        violations = [max(margin - f[label] + f[g], 0.0) for g in others]
        H = np.count_nonzero(violations)
        return sum(weights[j] * ((c - H) / c) ** (j - 1) / c for j in weights) * sum(violations)

    assert abs(kept - (1 / 3) ** 4) <= 1e-12, f"expected {(1 / 3) ** 4}, got {kept}"
    assert_moved(start._replace(prototypes=mean[0], embedding=mean[1]), start, 0.1, slopes(loss, *start[:2]))


@BOTH
@pytest.mark.parametrize(("m", "ranks"), [(7, [6, 3, 2, 1, 1, 1, 1]), (2, [1, 1]), (4, [3, 1, 1, 1])])
def test_ranks_are_estimated_from_the_trials(module, m, ranks):
    """(m - 1) // trials; found at the last of m trials the rank would be 0, and the step weighs as for rank 1."""
    prototypes = np.full((m, 1), -5.0)
    prototypes[[0, m - 1]] = 0.0
    for trials, rank in enumerate(ranks, start=1):
        if m == 2 and trials > 1:
            continue  # its only rival is found at once
        fit = module.fit_wsabie(
            np.ones((1, 1)), [0], n_classes=m, discriminant="linear", weighting="harmonic", step="constant",
            step_size=0.5, n_updates=1, start=WsabieFit(prototypes, None, "linear"),
            draws=np.array([0.0, 0.0, *[0.0] * (trials - 1), place(m - 2, m - 1)]),
        )  # fmt: skip
        expected, got = 0.5 * sum(1 / i for i in range(1, rank + 1)), fit.prototypes[[0, -1], 0]
        assert np.allclose(got, [expected, -expected], rtol=1e-14, atol=0), f"expected {expected}, got {got}"


# --- adagrad by hand -----------------------------------------------------------------------------------------------


@BOTH
def test_adagrad_by_hand_linear(module):
    """The gradient is x each time, |x|^2 / 2 = 12.5 its mean square, so steps go by 1, 1 / sqrt 2, 1 / sqrt 3."""
    fit = module.fit_wsabie(
        np.array([[3.0, 4.0]]), [0], n_classes=2, discriminant="linear", margin=9.0, last_violators=0, n_updates=3
    )
    along = 0.1 * (1 + 1 / np.sqrt(2) + 1 / np.sqrt(3)) / np.sqrt(12.5)
    expected = along * np.array([[3.0, 4.0], [-3.0, -4.0]])
    assert np.allclose(fit.prototypes, expected, rtol=1e-14, atol=0), f"expected {expected}, got {fit.prototypes}"
    assert np.allclose(fit.prototype_sums, [37.5, 37.5], rtol=1e-14, atol=0) and fit.embedding_sums is None


@BOTH
def test_adagrad_by_hand_euclidean_with_an_embedding(module):
    """One feature, one row of W, two classes. Prototypes 0 give W no gradient: 0 / 0 is 0, and W is left alone."""
    a, c, w, sums, seen = 0.0, 0.0, 1.0, [0.0, 0.0, 0.0], []
    module.fit_wsabie(
        np.array([[2.0]]), [0], n_classes=2, embedding_dim=1, margin=100.0, step_size=0.5, last_violators=0,
        n_updates=3, draws=np.array([0.9, *np.zeros(9)]), every=1, callback=seen.append,
    )  # fmt: skip
    for step, fit in enumerate(seen):
        gradients = 2 * (a - 2 * w), -2 * (c - 2 * w), 2 * (c - a) * 2
        sums = [total + gradient**2 for total, gradient in zip(sums, gradients, strict=True)]
        a, c, w = (
            value - (0.5 / np.sqrt(total) * gradient if total else 0.0)
            for value, total, gradient in zip((a, c, w), sums, gradients, strict=True)
        )
        got = [*fit.prototypes[:, 0], fit.embedding[0, 0], *fit.prototype_sums, *fit.embedding_sums]
        assert np.allclose(got, [a, c, w, *sums], rtol=1e-14, atol=0), f"expected {[a, c, w, *sums]}, got {got}"
        assert (step > 0) == (fit.embedding_sums[0] > 0) == (fit.embedding[0, 0] != 1)


@BOTH
@pytest.mark.parametrize("step", STEPS)
def test_example_0_without_gradient_moves_nothing(module, step):
    start = started(3, "linear", m=2)
    fit = module.fit_wsabie(
        np.zeros((2, 3)), [0, 1], discriminant="linear", step=step, n_updates=5, start=start, last_violators=0
    )
    assert (fit.prototypes == start.prototypes).all() and fit.updates == 5 and not fit.prototype_sums.any()


# --- equivariances -------------------------------------------------------------------------------------------------


def from_start(seed, walk):
    """Data with sets of labels, a start, and numbers to draw."""
    rng, e = np.random.default_rng(seed), walk[4]
    X, Y = labelled(seed, "indicator")
    W = None if e is None else rng.standard_normal((e, 4))
    return X, Y, WsabieFit(rng.standard_normal((5, e or 4)), W, walk[0]), rng.random(2000)


def assert_rows(got, expected, unit=1e-9):
    assert np.abs(got - expected).max() <= unit * np.abs(expected).max(), f"expected {expected}, got {got}"


@BOTH
@FEW
@given(st.integers(0, 10**6), st.sampled_from(WALKS), st.sampled_from([0, 2]))
def test_turned_features_turn_the_fit(module, seed, walk, Q):
    """Any rotation, reflection or permutation of the features; W, if there is one, sees what it saw before."""
    X, Y, start, draws = from_start(seed, walk)
    turn = np.linalg.qr(np.random.default_rng(seed).standard_normal((4, 4)))[0]
    turned = start._replace(prototypes=start.prototypes @ turn) if walk[4] is None else start._replace(
        embedding=start.embedding @ turn)  # fmt: skip
    chosen = options(walk, Q, 3.0) | {"n_updates": 30, "draws": draws}
    expected = module.fit_wsabie(X, Y, start=start, **chosen)
    got = module.fit_wsabie(X @ turn, Y, start=turned, **chosen)
    assert got.updates == expected.updates and (got.last_violators == expected.last_violators).all()
    for one, other in zip(got[:2], expected[:2], strict=True):
        if other is not None:
            assert_rows(one, other @ turn if other is expected[1] or walk[4] is None else other)


@BOTH
@FEW
@given(st.integers(0, 10**6), st.sampled_from(WALKS), st.sampled_from([0, 2]))
def test_classes_in_reverse_order_with_the_numbers_mirrored(module, seed, walk, Q):
    """1 - u stands for the last place where u stands for the first: of the examples, of labels and of the others."""
    X, Y, start, draws = from_start(seed, walk)
    chosen = options(walk, Q) | {"n_updates": 30}
    expected = module.fit_wsabie(X, Y, start=start, draws=draws, **chosen)
    mirrored = start._replace(prototypes=start.prototypes[::-1])
    got = module.fit_wsabie(X[::-1], Y[::-1, ::-1], start=mirrored, draws=1 - draws, **chosen)
    last = np.where(got.last_violators == NONE, NONE, 4 - got.last_violators)[::-1]
    assert (last == expected.last_violators).all() and got.updates == expected.updates
    assert_rows(got.prototypes[::-1], expected.prototypes)


@BOTH
@FEW
@given(st.integers(0, 10**6), st.sampled_from([walk for walk in WALKS if walk[4] is None]), st.sampled_from([-8, 9]))
def test_features_in_other_units(module, seed, walk, exponent):
    """X, prototypes and their bound by c, the margin by c^2; gradients grow by c, adagrad's steps do not.

    c is a power of two, and nothing is rounded that was not rounded before.
    """
    c, (X, Y, start, draws) = 2.0**exponent, from_start(seed, walk)
    chosen, by = {"n_updates": 30, "draws": draws}, c if walk[3] == "adagrad" else 1.0
    expected = module.fit_wsabie(X, Y, start=start, **options(walk, 2, 3.0), **chosen)
    rule = options(walk, 2, 3.0 * c, step_size=0.1 * by, margin=0.5 * c**2)
    got = module.fit_wsabie(c * X, Y, start=start._replace(prototypes=c * start.prototypes), **rule, **chosen)
    assert_rows(got.prototypes, c * expected.prototypes, unit=1e-12)
    assert (got.last_violators == expected.last_violators).all() and got.updates == expected.updates
    assert_rows(module.prototype_scores(c * X, got), c**2 * module.prototype_scores(X, expected), unit=1e-12)


@BOTH
@FEW
@given(st.integers(0, 10**6), st.sampled_from([walk for walk in WALKS if walk[4]]), st.sampled_from([-8, 9]))
def test_an_embedding_in_other_units(module, seed, walk, exponent):
    """Prototypes, W and their bound by c, the margin by c^2, and X as it was: constant steps stay, adagrad's grow."""
    c, (X, Y, start, draws) = 2.0**exponent, from_start(seed, walk)
    chosen, by = {"n_updates": 30, "draws": draws}, c if walk[3] == "adagrad" else 1.0
    expected = module.fit_wsabie(X, Y, start=start, **options(walk, 2, 3.0), **chosen)
    scaled = start._replace(prototypes=c * start.prototypes, embedding=c * start.embedding)
    rule = options(walk, 2, 3.0 * c, step_size=0.1 * by, margin=0.5 * c**2)
    got = module.fit_wsabie(X, Y, start=scaled, **rule, **chosen)
    for one, other in zip(got[:2], expected[:2], strict=True):
        assert_rows(one, c * other, unit=1e-12)
    assert (got.last_violators == expected.last_violators).all() and got.updates == expected.updates


@BOTH
@EACH_DISCRIMINANT
def test_scores_by_definition_and_those_of_fits_side_by_side(module, discriminant):
    X = np.random.default_rng(1).standard_normal((6, 3))
    fits = [started(seed, discriminant, e=e) for seed, e in enumerate((1, 2, 5))]
    singles = [module.prototype_scores(X, fit) for fit in fits]
    for fit, got in zip(fits, singles, strict=True):
        expected = np.array([[score(*fit[:2], x, g, discriminant) for g in range(4)] for x in X])
        assert np.allclose(got, expected, rtol=1e-13, atol=1e-14), f"expected {expected}, got {got}"
    both = module.concatenate_fits(fits)
    assert both.prototypes.shape == (4, 8) and both.embedding.shape == (8, 3) and both.discriminant == discriminant
    got, expected = module.prototype_scores(X, both), sum(singles)
    assert np.allclose(got, expected, rtol=1e-13, atol=1e-14), f"expected {expected}, got {got}"
    one = module.concatenate_fits(fits[:1])
    assert (one.prototypes == fits[0].prototypes).all() and (one.embedding == fits[0].embedding).all()
    single = [fit._replace(prototypes=fit[0].astype(np.float32), embedding=fit[1].astype(np.float32)) for fit in fits]
    assert module.concatenate_fits(iter(single)).prototypes.dtype == np.float32


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_kernels_read_fields_by_name(path):
    """A position in a tuple means another field as soon as one is added before it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in TUPLES:
            assert not isinstance(node.slice, ast.Constant), f"line {node.lineno}: {ast.unparse(node)}"

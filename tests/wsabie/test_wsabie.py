"""The walk of the Wsabie family: ground truth, reference, fast, and where its random numbers come from."""

import itertools
import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits

import fast
import reference
from reference import datasets
from reference.check.certificates import wsabie as certificates
from reference.ground_truth import wsabie as ground_truth
from reference.problems import checks
from tests.support.wsabie import (
    ARRAYS,
    BOTH,
    LABELS,
    MAY_FREEZE,
    SCALES,
    WALKS,
    assert_identical,
    assert_same,
    labelled,
    options,
    with_warnings,
)

EACH_WALK = pytest.mark.parametrize("walk", WALKS, ids=lambda walk: "-".join(map(str, walk)))


TINY = (("labels", 0, None), ("indicator", 1, 0.8), ("CSR indicator", 5, None))


def same_bits(got, expected):
    return all(np.array_equal(getattr(got, name), getattr(expected, name)) for name in ARRAYS)


# --- ground truth passes its certificate ---------------------------------------------------------------------------


def tiny(seed, what, Q, max_norm, walk):
    """A problem that the ground truth solves at once."""
    numbers = np.random.default_rng(seed).random(150)
    return *labelled(seed, what, n=8, d=3, m=4), options(walk, Q, max_norm) | {"n_updates": 12, "draws": numbers}


@EACH_WALK
def test_each_step_of_the_ground_truth_passes_its_certificate(walk):
    for seed, case in enumerate(TINY):
        X, Y, chosen = tiny(seed, *case, walk)
        names = "discriminant", "sampling", "weighting", "step", "last_violators", "margin", "step_size", "max_norm"
        rule, draws = checks.wsabie_rule(*(chosen[name] for name in names)), checks.Draws(chosen["draws"], 0)
        turns = list(ground_truth.walk(X, Y, rule, 12, walk[4], None, draws, None))
        checked = {name: chosen[name] for name in ("step", "step_size", "max_norm")}
        for turn in turns:
            if turn.violator is None:
                assert all(one is other for one, other in zip(turn.after[:2], turn.before[:2], strict=True))
                continue
            drawn = X[turn.example], turn.positive, turn.violator, turn.weight
            got = certificates.wsabie_step(turn.after, turn.before, *drawn, **checked)
            assert got <= 1e-13, f"got {got} for {turn}"
            wrongs = [turn.before, turn.after._replace(prototypes=turn.after.prototypes * (1 + 1e-6))]
            for wrong in wrongs if turn.after.prototypes.any() else ():
                assert certificates.wsabie_step(wrong, turn.before, *drawn, **checked) > 1e-8
        fit = ground_truth.fit_wsabie(X, Y, **chosen)
        assert (fit.prototypes == turns[-1].after.prototypes).all() and fit.updates > 0
        assert certificates.prototype_scores(ground_truth.prototype_scores(X, fit), X, fit) <= 1e-14
        if fit.embedding is not None:
            assert certificates.concatenate_fits(ground_truth.concatenate_fits([fit, fit]), [fit, fit]) <= 1e-14


# --- reference = ground truth, and so is fast ----------------------------------------------------------------------


@BOTH
@EACH_WALK
def test_walks_follow_the_ground_truth(module, walk):
    """Its gradients are differences of losses, its trials and chains are spelled out."""
    for seed, case in enumerate(TINY):
        X, Y, chosen = tiny(10 + seed, *case, walk)
        expected, got = (package.fit_wsabie(X, Y, **chosen) for package in (ground_truth, module))
        assert got.updates > 0
        assert_same(got, expected)
        wanted, scores = (package.prototype_scores(X, got) for package in (ground_truth, module))
        assert np.abs(scores - wanted).max() <= 1e-13 * np.abs(wanted).max(), f"expected {wanted}, got {scores}"
        assert certificates.prototype_scores(scores, X, got) <= 1e-14


# --- fast = reference ----------------------------------------------------------------------------------------------

CASES = list(itertools.product((np.float64, np.float32), (False, True), LABELS, (0, 1, 5), (None, 0.7)))


@EACH_WALK
def test_twins_make_the_same_walk(walk):
    """Each kind of walk on a ninth of all kinds of data, of chains and of balls, so that each of them occurs often."""
    for i in range(WALKS.index(walk) % 9, len(CASES), 9):
        dtype, csr, what, Q, max_norm = CASES[i]
        X, Y = labelled(i, what, dtype=dtype, csr=csr)
        chosen = options(walk, Q, max_norm) | {"n_updates": 60}
        one, other = np.random.default_rng(i), np.random.default_rng(i)
        expected, warned = with_warnings(reference, X, Y, seed=one, **chosen)
        got, also_warned = with_warnings(fast, X, Y, seed=other, **chosen)
        assert also_warned == warned
        assert got.prototypes.dtype == dtype and expected.updates > 0
        assert_same(got, expected, unit=1e-9 if dtype == np.float64 else 1e-6)
        assert one.random() == other.random(), "the generators were not left in the same state"


@pytest.mark.parametrize("scale", SCALES)
def test_twins_agree_at_every_scale(scale):
    """Of the features, or of W; the margin goes along, and so do the steps where they do not follow from gradients."""
    for seed, walk in enumerate(WALKS):
        X, Y = labelled(seed, "indicator", csr=seed % 2 == 0)
        W = None if walk[4] is None else scale * np.random.default_rng(seed).standard_normal((3, 4))
        X, start = X * scale if W is None else X, checks.WsabieFit(np.zeros((5, walk[4] or 4)), W, walk[0])
        step_size = 0.1 * (scale if walk[3] == "adagrad" else 1.0)
        chosen = options(walk, seed % 3, step_size=step_size, margin=0.5 * scale**2) | {"n_updates": 40, "start": start}
        expected, got = (package.fit_wsabie(X, Y, **chosen) for package in (reference, fast))
        assert expected.updates > 0
        assert_same(got, expected)


@pytest.mark.parametrize("preset", ["AUC", "WARP", "WSABIE", "WSABIE_PP"])
def test_fast_follows_the_reference_through_digits(preset):
    X, y = load_digits(return_X_y=True)
    for data in (X / 16, sparse.csr_matrix(X / 16)):
        chosen = getattr(reference, preset) | {"n_updates": 300, "seed": 5}
        expected, got = (package.fit_wsabie(data, y, **chosen) for package in (reference, fast))
        assert_same(got, expected)
        one, other = (package.prototype_scores(data[:200], got) for package in (reference, fast))
        assert np.abs(one - other).max() <= 1e-12 * np.abs(one).max()


def test_fast_follows_the_reference_through_caltech():
    try:
        X, y = datasets.load_caltech101_silhouettes()
    except FileNotFoundError:
        pytest.skip("needs Caltech-101 silhouettes: set MARGINALIA_DATA to a folder that holds them")
    for data in (X.astype(np.float32), sparse.csr_matrix(X.astype(float))):
        for preset in (reference.WARP, reference.WSABIE_PP | {"embedding_dim": 32}):
            expected, got = (package.fit_wsabie(data, y, n_updates=60, **preset) for package in (reference, fast))
            assert_same(got, expected, unit=1e-9 if data.dtype == np.float64 else 1e-6)


# --- numbers -------------------------------------------------------------------------------------------------------

WALK = {"embedding_dim": 3, "last_violators": 2, "margin": 0.5}


@BOTH
@MAY_FREEZE
@pytest.mark.parametrize("what", ["labels", "indicator"])
def test_a_seed_draws_what_numpy_draws(module, what):
    X, Y = labelled(0, what)
    for seed in range(4):
        expected = module.fit_wsabie(X, Y, n_updates=70, draws=np.random.default_rng(seed).random(900), **WALK)
        for drawn in (seed, np.int64(seed), np.random.default_rng(seed), np.random.SeedSequence(seed)):
            assert_identical(module.fit_wsabie(X, Y, n_updates=70, seed=drawn, **WALK), expected)
        other = module.fit_wsabie(X, Y, n_updates=70, seed=seed + 1, **WALK)
        assert np.abs(other.prototypes - expected.prototypes).max() > 1e-3


@BOTH
@pytest.mark.parametrize("kind", [np.random.PCG64, np.random.MT19937, np.random.Philox, np.random.SFC64])
def test_any_generator_is_left_where_its_last_number_was_drawn(module, kind):
    X, Y = labelled(1, "indicator")
    numbers, generator = np.random.Generator(kind(7)).random(900), np.random.Generator(kind(7))
    expected = module.fit_wsabie(X, Y, n_updates=50, draws=numbers, **WALK)
    assert_identical(module.fit_wsabie(X, Y, n_updates=50, seed=generator, **WALK), expected)
    used = int(np.flatnonzero(numbers == generator.random())[0])
    assert_identical(module.fit_wsabie(X, Y, n_updates=50, draws=numbers[:used], **WALK), expected)
    with pytest.raises(ValueError, match=f"draws .*{used - 1}"):
        module.fit_wsabie(X, Y, n_updates=50, draws=numbers[: used - 1], **WALK)


@BOTH
def test_draws_that_run_out_in_the_signs_are_refused(module):
    X, Y = labelled(1)
    with pytest.raises(ValueError, match="draws .*got 11"):
        module.fit_wsabie(X, Y, n_updates=1, draws=np.zeros(11), **WALK)


@BOTH
def test_signs_are_drawn_row_by_row_before_all_else(module):
    X, Y = np.eye(3), np.arange(3)
    numbers = np.array([0.0, 0.5, 0.49, 0.99, 0.2, 0.7, *np.zeros(10)])
    got = module.fit_wsabie(X, Y, embedding_dim=2, n_updates=1, margin=0.0, draws=numbers).embedding
    expected = np.array([[-1.0, 1.0, -1.0], [1.0, -1.0, 1.0]])
    assert (got == expected).all(), f"expected {expected}, got {got}"


def in_parts(module, walk, max_norm, csr):
    """A walk at once, the same one with looks, and in two parts; all with the same numbers."""
    X, Y = labelled(2, "indicator", csr=csr)
    chosen, whole = options(walk, 2, max_norm), np.random.default_rng(3)
    yield module.fit_wsabie(X, Y, n_updates=61, seed=whole, **chosen)
    yield module.fit_wsabie(X, Y, n_updates=61, seed=3, every=7, **chosen)
    for n in (1, 40):
        parts = np.random.default_rng(3)
        first = module.fit_wsabie(X, Y, n_updates=n, seed=parts, **chosen)
        yield module.fit_wsabie(X, Y, n_updates=61 - n, seed=parts, start=first, **chosen)
        assert whole.bit_generator.state == parts.bit_generator.state


@BOTH
@EACH_WALK
def test_a_walk_in_two_parts_is_the_walk_at_once(module, walk):
    for max_norm, csr in itertools.product((None, 0.9), (False, True)):
        expected, *parts = in_parts(module, walk, max_norm, csr)
        for got in parts:
            assert_same(got, expected, unit=1e-13)


def test_a_walk_of_the_reference_in_two_parts_is_the_walk_at_once_to_the_last_bit():
    """Without a longest norm: cutting what has been cut already may change its last bit."""
    others = []
    for case in itertools.product(WALKS, (None,), (False, True)):
        expected, *parts = in_parts(reference, *case)
        if not all(same_bits(got, expected) for got in parts):
            others.append(case)
    assert not others, f"expected the same bits, got others in {len(others)} of 64 cases, the first {others[0]}"


@BOTH
def test_a_walk_that_was_interrupted_goes_on_from_its_pickle(module):
    X, Y = labelled(3)
    generator, saved = np.random.default_rng(4), []

    def save(fit):
        saved.append(pickle.dumps((fit, generator)))
        if len(saved) == 3:
            raise KeyboardInterrupt

    expected = module.fit_wsabie(X, Y, n_updates=80, seed=4, **WALK)
    with pytest.raises(KeyboardInterrupt):
        module.fit_wsabie(X, Y, n_updates=80, seed=generator, callback=save, every=17, **WALK)
    for looks, pickled in enumerate(saved, start=1):
        fit, again = pickle.loads(pickled)
        assert fit.steps == 17 * looks
        got = module.fit_wsabie(X, Y, n_updates=80 - fit.steps, seed=again, start=fit, **WALK)
        assert_same(got, expected, unit=1e-13)


@BOTH
def test_looks_do_not_change_the_walk(module):
    X, Y = labelled(5)
    expected = module.fit_wsabie(X, Y, n_updates=50, **WALK)
    for every in (1, 50, 1000):
        got = module.fit_wsabie(X, Y, n_updates=50, callback=lambda fit: None, every=every, **WALK)
        assert_same(got, expected, unit=1e-13)


@BOTH
@pytest.mark.parametrize("what", LABELS)
def test_nothing_that_is_given_is_changed(module, what):
    for csr in (False, True):
        X, Y = labelled(6, what, csr=csr)
        numbers = np.random.default_rng(0).random(900)
        start = module.fit_wsabie(X, Y, n_updates=20, max_norm=5.0, **WALK)
        given = [X, Y, numbers, *start[:-1]]
        copies = pickle.dumps(given)
        arrays = [part for whole in given for part in (whole, *(getattr(whole, k, None) for k in ("data", "indices")))]
        for array in arrays:
            if isinstance(array, np.ndarray):
                array.flags.writeable = False
        chosen = WALK | {"n_updates": 40, "draws": numbers, "start": start}
        fit = module.fit_wsabie(X, Y, max_norm=0.5, **chosen)
        again = module.fit_wsabie(X, Y, max_norm=0.5, **chosen)
        module.prototype_scores(X, fit)
        assert_identical(again, fit)
        for before, after in zip(pickle.loads(copies), given, strict=True):
            before, after = (a.toarray() if hasattr(a, "tocsr") else a for a in (before, after))
            assert np.array_equal(before, after), f"expected {before}, got {after}"
        assert not any(np.shares_memory(one, two) for one in fit if isinstance(one, np.ndarray) for two in start
                       if isinstance(two, np.ndarray))  # fmt: skip

"""The walk of the Wsabie family: fast beside the reference, where its random numbers come from, and walks in parts."""

import ast
import itertools
import pickle
from pathlib import Path

import numpy as np
import pytest

import fast
import reference
from tests.support.twins import BOTH
from tests.support.wsabie import (
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

KERNELS = sorted((Path(fast.__file__).parent / "_wsabie").glob("*.py"))
TUPLES = {"prototypes", "embedding", "point", "state", "rule", "data", "draw"}
EACH_WALK = pytest.mark.parametrize("walk", WALKS, ids=lambda walk: "-".join(map(str, walk)))
CASES = list(itertools.product((np.float64, np.float32), (False, True), LABELS, (0, 1, 5), (None, 0.7)))
WALK = {"embedding_dim": 3, "last_violators": 2, "margin": 0.5}
ONE_VS_ALL = {"negatives": 2, "margin": 0.5}


# --- fast = reference ----------------------------------------------------------------------------------------------


@EACH_WALK
def test_twins_make_the_same_walk(walk):
    """Each kind of walk on a ninth of all kinds of data, of chains and of balls, so that each of them occurs often.

    Without an embedding at several scales: the margin goes along, and so do adagrad's steps. Constant steps of 1/2
    replace a prototype by the example, or double what is between them.
    """
    for i in range(WALKS.index(walk) % 9, len(CASES), 9):
        dtype, csr, what, Q, max_norm = CASES[i]
        scale = 1.0 if walk[4] else SCALES[i // 9 % 3]
        size = 0.1 * scale if walk[3] == "adagrad" else 0.1 if max_norm is None else 0.5
        X, Y = labelled(i, what, dtype=dtype, csr=csr)
        ball = None if max_norm is None else max_norm * scale
        chosen = options(walk, Q, ball, size, 0.5 * scale**2) | {"n_updates": 60}
        one, other = np.random.default_rng(i), np.random.default_rng(i)
        expected, warned = with_warnings(reference, X * dtype(scale), Y, seed=one, **chosen)
        got, also_warned = with_warnings(fast, X * dtype(scale), Y, seed=other, **chosen)
        assert also_warned == warned
        assert got.prototypes.dtype == dtype and expected.updates > 0
        assert_same(got, expected, unit=1e-9 if dtype == np.float64 else 1e-6)
        assert one.random() == other.random(), "the generators were not left in the same state"


# --- numbers -------------------------------------------------------------------------------------------------------


@BOTH
@MAY_FREEZE
@pytest.mark.parametrize(("name", "chosen"), [("fit_wsabie", WALK), ("fit_one_vs_all", ONE_VS_ALL)])
@pytest.mark.parametrize("kind", [np.random.PCG64, np.random.MT19937, np.random.Philox, np.random.SFC64])
def test_any_generator_is_left_where_its_last_number_was_drawn(module, name, chosen, kind):
    """And a seed draws what NumPy draws from it."""
    (X, Y), fit = labelled(1, "indicator"), getattr(module, name)
    numbers, generator = np.random.Generator(kind(7)).random(900), np.random.Generator(kind(7))
    expected = fit(X, Y, n_updates=50, draws=numbers, **chosen)
    others = (7, np.int64(7), np.random.SeedSequence(7)) if kind is np.random.PCG64 else ()
    for seed in (generator, *others):
        assert_identical(fit(X, Y, n_updates=50, seed=seed, **chosen), expected)
    other = fit(X, Y, n_updates=50, seed=8, **chosen)
    assert np.abs(other.prototypes - expected.prototypes).max() > 1e-3
    used = int(np.flatnonzero(numbers == generator.random())[0])
    assert_identical(fit(X, Y, n_updates=50, draws=numbers[:used], **chosen), expected)
    with pytest.raises(ValueError, match=f"draws .*{used - 1}"):
        fit(X, Y, n_updates=50, draws=numbers[: used - 1], **chosen)


@pytest.mark.parametrize(("name", "chosen"), [("fit_wsabie", WALK), ("fit_one_vs_all", ONE_VS_ALL)])
@MAY_FREEZE
@pytest.mark.parametrize("most", [1, 50])
def test_numbers_are_drawn_beyond_any_memory_that_fast_sets_aside_for_them(name, chosen, most, monkeypatch):
    """Memory for fewer than a step may need, and for some steps, of which each uses another number of them."""
    (X, Y), fit = labelled(8, "indicator"), getattr(fast, name)
    expected = fit(X, Y, n_updates=200, seed=(one := np.random.default_rng(1)), **chosen)
    monkeypatch.setattr(fast._wsabie.parts, "NUMBERS_AT_ONCE", most)
    got = fit(X, Y, n_updates=200, seed=(other := np.random.default_rng(1)), **chosen)
    assert_same(got, expected, unit=1e-12)
    assert one.random() == other.random()


def test_many_classes_and_few_examples():
    chosen = {"n_classes": 100_000, "n_updates": 4, "last_violators": 0}
    for package in (fast, reference):
        fit = package.fit_wsabie([[1.0, 2.0], [0.0, 1.0]], [0, 1], **chosen)
        assert fit.prototypes.shape == (100_000, 2) and fit.updates == 4
        assert np.count_nonzero(fit.prototypes.any(axis=1)) <= 8


# --- parts ---------------------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("walk", WALKS[::5], ids=lambda walk: "-".join(map(str, walk)))  # each option, both ways
def test_a_walk_in_two_parts_is_the_walk_at_once(module, walk):
    """And so is one with looks. In the reference to the last bit, unless cutting what has been cut changes that."""
    i = WALKS.index(walk)
    for max_norm, csr in ((None, i % 3 == 0), (0.9, i % 3 > 0)):
        X, Y = labelled(2, "indicator", csr=csr)
        chosen, whole = options(walk, 2, max_norm), np.random.default_rng(3)
        unit = 0.0 if module is reference and max_norm is None else 1e-13
        expected = module.fit_wsabie(X, Y, n_updates=61, seed=whole, **chosen)
        assert_same(module.fit_wsabie(X, Y, n_updates=61, seed=3, every=7, **chosen), expected, unit)
        for n in (1, 40):
            parts = np.random.default_rng(3)
            first = module.fit_wsabie(X, Y, n_updates=n, seed=parts, **chosen)
            got = module.fit_wsabie(X, Y, n_updates=61 - n, seed=parts, start=first, **chosen)
            assert_same(got, expected, unit)
            assert whole.bit_generator.state == parts.bit_generator.state


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
def test_a_start_is_not_changed_and_no_part_of_the_answer(module):
    X, Y = labelled(6)
    start = module.fit_wsabie(X, Y, n_updates=20, max_norm=5.0, **WALK)
    kept = pickle.loads(pickle.dumps(start))
    fit = module.fit_wsabie(X, Y, n_updates=40, max_norm=0.5, start=start, **WALK)
    assert_identical(start, kept)
    got, given = ([array for array in walk if isinstance(array, np.ndarray)] for walk in (fit, start))
    assert not any(np.shares_memory(one, other) for one in got for other in given)


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_kernels_read_fields_by_name(path):
    """A position in a tuple means another field as soon as one is added before it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in TUPLES:
            assert not isinstance(node.slice, ast.Constant), f"line {node.lineno}: {ast.unparse(node)}"

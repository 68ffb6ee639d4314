"""The walk of the Wsabie family: its options, one by one, its presets, and the looks that are taken on the way."""

import inspect

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits

import fast
import reference
from reference.problems import checks
from reference.problems.checks import NONE, WsabieFit
from tests.support.wsabie import BOTH, DISCRIMINANTS, WALKS, assert_identical, assert_same, labelled, options, place

PRESETS = ("AUC", "WARP", "WSABIE", "WSABIE_PP")
STEERING = {"n_updates", "seed", "n_classes", "draws", "start", "callback", "every", "patience", "progress"}
ONE = {"n_updates": 1, "step": "constant"}

# --- options -------------------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("discriminant", DISCRIMINANTS)
def test_one_example_of_one_of_two_classes(module, discriminant):
    fit = module.fit_wsabie(
        [[1.0, 0.0]], [1], n_classes=2, discriminant=discriminant, n_updates=50, last_violators=0, margin=0.3
    )
    scores = module.prototype_scores([[1.0, 0.0]], fit)[0]
    assert 0 < fit.updates < 50 and scores[1] - scores[0] >= 0.3, f"got {scores}"
    assert fit.last_violators.tolist() == [NONE, NONE], "once the margin holds, nobody violates it"


@BOTH
@pytest.mark.parametrize("csr", [False, True])
def test_examples_with_no_label_or_all_are_passed_over(module, csr):
    """They use up the number that drew them, and none besides."""
    X, Y = np.eye(3), np.array([[0, 0, 0], [1, 1, 1], [0, 1, 0]])
    for t in (0, 1):
        fit = module.fit_wsabie(X, sparse.csr_matrix(Y) if csr else Y, draws=np.array([place(t, 3)]), **ONE)
        assert (fit.steps, fit.updates) == (1, 0) and not fit.prototypes.any()
    draws = np.array([place(t, 3) for t in (0, 1, 2)] + [0.0, 0.0] + [place(1, 3)])
    fit = module.fit_wsabie(X, Y, draws=draws, n_updates=4)
    assert (fit.steps, fit.updates) == (4, 1) and fit.last_violators.tolist() == [NONE, 0, NONE]


@BOTH
@pytest.mark.parametrize("sampling", ["auc", "warp"])
def test_a_tie_is_a_violation_of_a_margin_above_0_only(module, sampling):
    chosen = {"sampling": sampling, "n_classes": 3, "last_violators": 4, "draws": np.zeros(2 + 3), **ONE}
    start = WsabieFit(np.ones((3, 2)), None, last_violators=np.array([1, NONE, NONE]))
    fit = module.fit_wsabie(np.ones((1, 2)), [0], margin=0.0, start=start, **chosen)
    assert fit.updates == 0 and fit.last_violators.tolist() == [NONE] * 3, f"got {fit}"
    fit = module.fit_wsabie(np.ones((1, 2)), [0], margin=1e-300, start=start, **chosen)
    assert fit.updates == 0 and fit.last_violators.tolist() == [1, NONE, NONE], "the last violator violates it again"
    fit = module.fit_wsabie(np.ones((1, 2)), [0], margin=1e-300, start=start._replace(last_violators=None), **chosen)
    assert fit.updates == 1 and fit.last_violators.tolist() == [1, NONE, NONE]


@BOTH
def test_auc_draws_one_class_and_warp_as_many_as_there_are(module):
    """Classes 1 to 3 are far behind; with class 1 drawn all the time, class 4 is never found."""
    start = WsabieFit(np.array([[0.0], [-9.0], [-9.0], [-9.0], [0.0]]), None, "linear", last_violators=np.full(5, 4))
    for sampling, trials in (("auc", 1), ("warp", 5)):
        chosen = {"sampling": sampling, "discriminant": "linear", "n_classes": 5, "start": start, "last_violators": 0}
        fit = module.fit_wsabie([[1.0]], [0], draws=np.zeros(2 + trials), **chosen, **ONE)
        assert fit.updates == 0 and fit.last_violators.tolist() == [NONE, 4, 4, 4, 4]
        with pytest.raises(ValueError, match="draws"):
            module.fit_wsabie([[1.0]], [0], draws=np.zeros(1 + trials), **chosen, **ONE)
        numbers = np.array([0.0, 0.0, *[0.0] * (trials - 1), 0.99])
        fit = module.fit_wsabie([[1.0]], [0], draws=numbers, **chosen, **ONE)
        assert fit.updates == 1 and fit.last_violators[0] == 4


@BOTH
def test_labels_of_the_example_are_never_drawn_and_each_other_class_is(module):
    X, Y, seen = np.ones((1, 1)), np.array([[1, 0, 0, 1, 0, 1]]), set()
    for u in np.linspace(0, 0.999, 25):
        for v in (0.0, 0.5, 0.9):
            last = module.fit_wsabie(X, Y, draws=np.array([0.0, v, u]), **ONE).last_violators
            seen.add((int(np.flatnonzero(last != NONE)[0]), int(last.max())))
    expected = {(label, other) for label in (0, 3, 5) for other in (1, 2, 4)}
    assert seen == expected, f"expected {expected}, got {seen}"


@BOTH
@pytest.mark.parametrize("walk", [walk for walk in WALKS if walk[1] == "warp"][::2], ids=str)
@pytest.mark.parametrize("csr", [False, True])
def test_nothing_is_ever_longer_than_max_norm(module, walk, csr):
    X, Y = labelled(4, "indicator", csr=csr)
    for max_norm in (0.1, 0.6):
        lengths = []

        def look(fit, lengths=lengths):
            parts = [part for part in fit[:2] if part is not None]
            lengths.append(max(np.linalg.norm(part, axis=1).max() for part in parts))

        rule = options(walk, 1, max_norm, step_size=0.4, margin=5.0)
        module.fit_wsabie(X, Y, n_updates=40, callback=look, every=1, **rule)
        assert max(lengths) <= max_norm * (1 + 1e-14), f"got {max(lengths)}"
        assert max(lengths) >= max_norm * (1 - 1e-14), "the bound was never reached"


@BOTH
def test_a_start_is_cut_to_max_norm_even_where_nothing_moves(module):
    start = WsabieFit(np.array([[6.0, 8.0], [-3.0, 0.0], [0.0, 0.5]]), np.array([[3.0, 4.0, 0.0], [0.0, 1.0, 0.0]]),
                      "linear")  # fmt: skip
    fit = module.fit_wsabie(
        np.eye(3), [0, 1, 2], embedding_dim=2, discriminant="linear", margin=0.0, max_norm=1.0, start=start,
        draws=np.array([0.0, 0.0, 0.0, 0.0, 0.0]), n_updates=1,
    )  # fmt: skip
    assert fit.updates == 0
    expected = [[0.6, 0.8], [-1.0, 0.0], [0.0, 0.5]], [[0.6, 0.8, 0.0], [0.0, 1.0, 0.0]]
    for wanted, got in zip(expected, fit[:2], strict=True):
        assert np.allclose(got, wanted, rtol=1e-15, atol=0), f"expected {wanted}, got {got}"
    fit = module.fit_wsabie(np.eye(3), [0, 1, 2], embedding_dim=2, max_norm=0.5, **ONE)
    assert np.allclose(np.linalg.norm(fit.embedding, axis=1), 0.5, rtol=1e-14, atol=0)


@BOTH
def test_a_start_may_leave_out_all_but_prototypes_and_embedding(module):
    X, Y = labelled(7)
    bare = WsabieFit(np.ones((5, 3)), np.ones((3, 4)))
    full = WsabieFit(*bare[:3], np.zeros(5), np.zeros(3), np.full(5, NONE), 0, 0, None)
    chosen = {"embedding_dim": 3, "n_updates": 30}
    assert_identical(module.fit_wsabie(X, Y, start=bare, **chosen), module.fit_wsabie(X, Y, start=full, **chosen))


@BOTH
def test_input_of_any_kind_gives_one_walk(module):
    """Lists, integers, CSR with explicit zeros or with an entry in two parts, labels or an indicator."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(-3, 4, (9, 4)), rng.integers(0, 4, 9)
    X[0, 1], y[0] = 4, 3
    Y, chosen = np.eye(4, dtype=int)[y], {"n_updates": 40, "embedding_dim": 2}
    expected = module.fit_wsabie(X.astype(float), y, **chosen)
    assert expected.prototypes.dtype == np.float64
    zeros, parts = sparse.csr_matrix(np.where(Y, Y, 7)), sparse.csr_matrix(X.astype(float))
    zeros.data[zeros.data == 7] = 0
    where = parts.indptr[0] + np.flatnonzero(parts.indices[: parts.indptr[1]] == 1)[0]
    data = np.insert(parts.data, where, 1.0)
    data[where + 1] = 3.0
    starts = parts.indptr + (np.arange(10) > 0)
    parts = sparse.csr_matrix((data, np.insert(parts.indices, where, 1), starts), shape=(9, 4))
    assert zeros.nnz == 36 and not parts.has_canonical_format
    for features in (X, X.tolist(), X.astype(np.int8), np.asfortranarray(X), sparse.csr_matrix(X), parts):
        for labels in (y, y.tolist(), y.astype(np.uint8), Y, Y.astype(bool), 1.0 * Y, Y.tolist(), zeros,
                       sparse.csr_array(Y)):  # fmt: skip
            got = module.fit_wsabie(features, labels, **chosen)
            assert_same(got, expected, unit=1e-13)
    assert not parts.has_canonical_format and zeros.nnz == 36


@BOTH
def test_many_classes_and_few_examples(module):
    fit = module.fit_wsabie([[1.0, 2.0], [0.0, 1.0]], [0, 1], n_classes=100_000, n_updates=4, last_violators=0)
    assert fit.prototypes.shape == (100_000, 2) and fit.updates == 4
    assert np.count_nonzero(fit.prototypes.any(axis=1)) <= 8


def test_numbers_are_drawn_beyond_any_memory_that_fast_sets_aside_for_them():
    for m, n in ((5, 12_000), (70_000, 3)):
        chosen = {"n_classes": m, "n_updates": n, "margin": 1e-3, "last_violators": 0, "discriminant": "linear"}
        X, y = labelled(8, n=6, m=5)
        chosen["start"] = WsabieFit(np.linspace(1, 2, m)[:, None] * np.ones((m, 4)), None, "linear")
        one, other = np.random.default_rng(1), np.random.default_rng(1)
        expected = reference.fit_wsabie(X, y, seed=one, **chosen)
        assert_same(fast.fit_wsabie(X, y, seed=other, **chosen), expected, unit=1e-7)
        assert one.random() == other.random()


# --- presets -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_hold_every_option_and_are_one_object_in_both_packages(preset):
    held = getattr(checks, preset)
    for home in (reference, fast, reference.wsabie, fast.wsabie):
        assert getattr(home, preset) is held
    for module in (reference, fast):
        parameters = inspect.signature(module.fit_wsabie).parameters.values()
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


@BOTH
@pytest.mark.parametrize("preset", PRESETS)
def test_presets_learn_digits(module, preset):
    X, y = load_digits(return_X_y=True)
    fit = module.fit_wsabie(X / 16, y, n_updates=3000, **getattr(module, preset))
    got = np.mean(module.prototype_scores(X[::4] / 16, fit).argmax(axis=1) == y[::4])
    assert got > 0.8, f"expected more than 0.8, got {got}"


# --- looks ---------------------------------------------------------------------------------------------------------


@BOTH
def test_history_says_what_was_seen_and_when(module):
    X, y = labelled(0)
    scores = iter(range(100))
    fit = module.fit_wsabie(X, y, n_updates=50, every=20, callback=lambda fit: next(scores))
    fit = module.fit_wsabie(X, y, n_updates=45, every=20, callback=lambda fit: next(scores), start=fit)
    types = {name: fit.history.dtype[name] for name in fit.history.dtype.names}
    assert types == {"steps": np.int64, "updates": np.int64, "score": np.float64, "seconds": np.float64}
    assert fit.history.steps.tolist() == [70, 90, 95] and fit.steps == 95
    assert fit.history.score.tolist() == [3, 4, 5] and fit.history.updates[-1] == fit.updates
    assert (np.diff(fit.history.seconds) >= 0).all() and (np.diff(fit.history.updates) >= 0).all()
    one, none = {"callback": lambda fit: 1.0}, {"callback": lambda fit: None}
    for n, chosen, looks in ((50, {}, 1), (50, none, 25), (7, one, 7), (40, {"every": 15}, 3), (5, {"every": 9}, 1),
                             (60, {"progress": True}, 20)):  # fmt: skip
        got = module.fit_wsabie(X, y, n_updates=n, **chosen).history
        assert len(got) == looks and got.steps[-1] == n, f"expected {looks}, got {got}"
        assert np.isnan(got.score).all() == (n != 7)


@BOTH
@pytest.mark.parametrize(
    ("scores", "patience", "looks", "best"),
    [([1, 3, 2, 2, 5], 2, 4, 2), ([1, 3, 2, 2, 5], 3, 5, 5), ([4, 4, 4], 2, 3, 1), ([1, 2, 3], 1, 3, 3),
     ([-np.inf, 0.0], 5, 2, 2), ([-np.inf, -np.inf], 5, 2, 1)],
)  # fmt: skip
def test_patience_ends_the_walk_and_returns_its_best(module, scores, patience, looks, best):
    X, y = labelled(1)
    coming, n = iter(scores), 10 * len(scores)
    fit = module.fit_wsabie(X, y, n_updates=n, every=10, callback=lambda fit: next(coming), patience=patience)
    assert fit.steps == 10 * best, f"expected {10 * best}, got {fit.steps}"
    assert fit.history.steps.tolist() == [10 * i for i in range(1, looks + 1)]
    assert fit.history.score.tolist() == scores[:looks]
    assert_identical(fit, module.fit_wsabie(X, y, n_updates=10 * best))


@BOTH
def test_a_progress_bar_changes_nothing(module, capsys):
    X, y = labelled(2)
    expected = module.fit_wsabie(X, y, n_updates=30)
    assert not capsys.readouterr().out
    assert_identical(module.fit_wsabie(X, y, n_updates=30, progress=True), expected)
    assert "updates" in capsys.readouterr().out

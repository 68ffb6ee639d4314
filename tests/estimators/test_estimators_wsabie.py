"""WsabieClassifier: against the function, what its default learns, several labels, ensembles, stopping, streams."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_multilabel_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import MinMaxScaler, Normalizer, StandardScaler
from sklearn.utils import check_random_state

import fast
from fast.estimators import WsabieClassifier
from fast.estimators._indicators import indicator_errors
from reference import datasets
from tests.support.estimators import digits
from tests.support.wsabie import MAY_FREEZE

SMALL = {"embedding_dim": 8, "margin": 0.1, "random_state": 0}


def labelled(n=300):
    X, Y = make_multilabel_classification(n_samples=n, n_features=12, n_classes=6, n_labels=2, random_state=0)
    return X / X.max(), Y


def seeds(size):
    return [int(seed) for seed in check_random_state(0).randint(np.iinfo(np.int32).max, size=size)]


# --- what is fitted ------------------------------------------------------------------------------------------------


@MAY_FREEZE
@pytest.mark.parametrize("options", [{}, {"sampling": "auc", "discriminant": "linear", "step": "constant"}])
@pytest.mark.parametrize("embedding_dim", [None, 8])
def test_options_are_those_of_the_function(options, embedding_dim):
    X, y = digits(400)
    options = {"embedding_dim": embedding_dim, "margin": 0.3, "step_size": 0.05, "last_violators": 2, **options}
    got = WsabieClassifier(random_state=0, n_updates=1000, **options).fit(X, y)
    expected = fast.fit_wsabie(X, y, seed=np.random.default_rng(seeds(1)[0]), n_updates=1000, **options)
    np.testing.assert_array_equal(got.prototypes_, expected.prototypes)
    np.testing.assert_array_equal(got.decision_function(X), fast.prototype_scores(X, expected))
    assert (got.steps_, got.updates_) == (1000, expected.updates)
    if embedding_dim is None:
        assert got.embedding_ is None
        np.testing.assert_array_equal(got.transform(X), X)
    else:
        np.testing.assert_array_equal(got.embedding_, expected.embedding)


def test_defaults_are_those_of_the_function_except_that_nothing_is_skipped():
    import inspect

    theirs = inspect.signature(fast.fit_wsabie).parameters
    for name, value in WsabieClassifier().get_params().items():
        if name in theirs and name not in ("n_updates", "patience", "last_violators"):
            assert value == theirs[name].default, name
    assert WsabieClassifier().last_violators == 0 and theirs["last_violators"].default == 8


def test_epochs_count_examples_unless_updates_are_given():
    X, y = digits(400)
    assert WsabieClassifier(epochs=3).fit(X, y).steps_ == 1200
    assert WsabieClassifier(epochs=3, n_updates=50).fit(X, y).steps_ == 50


@pytest.mark.parametrize("name", ["AUC", "WARP", "WSABIE", "WSABIE_PP"])
def test_presets_hold_every_option_of_a_step_and_give_way(name):
    preset = getattr(fast, name)
    assert preset.items() <= WsabieClassifier.from_preset(name).get_params().items()
    changed = WsabieClassifier.from_preset(name, step_size=0.5, margin=2.0, epochs=1)
    assert clone(changed).get_params()["step_size"] == 0.5 and changed.epochs == 1
    assert changed.sampling == preset["sampling"]
    assert changed.fit(*digits(100)).steps_ == 100
    with pytest.raises(ValueError, match="name must be one of 'AUC', 'WARP'"):
        WsabieClassifier.from_preset(name.lower())


def test_transform_is_the_embedding_and_has_names():
    X, y = digits(400)
    fitted = WsabieClassifier(**SMALL, n_ensemble=2).fit(X, y)
    got = fitted.transform(X)
    assert got.shape == (400, 16)
    np.testing.assert_allclose(got, X @ fitted.embedding_.T, atol=1e-12)
    np.testing.assert_allclose(fitted.transform(sparse.csr_array(X)), got, atol=1e-9)
    assert fitted.get_feature_names_out().tolist() == [f"wsabieclassifier{j}" for j in range(16)]


def test_an_ensemble_sums_the_scores_of_its_members():
    X, y = digits(400)
    fitted = WsabieClassifier(**SMALL, n_ensemble=3).fit(X, y)
    options = {"embedding_dim": 8, "margin": 0.1, "n_updates": 4000, "last_violators": 0}
    members = [fast.fit_wsabie(X, y, seed=np.random.default_rng(seed), **options) for seed in seeds(3)]
    expected = sum(fast.prototype_scores(X, member) for member in members)
    np.testing.assert_allclose(fitted.decision_function(X), expected, rtol=1e-9)
    assert fitted.prototypes_.shape == (10, 24) and len(fitted.history_) == 3 and fitted.steps_ == 4000
    assert fitted.updates_ == sum(member.updates for member in members)


# --- what a default learns -----------------------------------------------------------------------------------------


def load_siblings(return_X_y):
    return datasets.make_sibling_classes(40, 1600, 16, distance=4.0, seed=0)[:2]


@pytest.mark.parametrize(
    ("load", "scaler"),
    [(load_digits, MinMaxScaler()), (load_iris, StandardScaler()), (load_wine, MinMaxScaler()),
     (load_breast_cancer, MinMaxScaler()),
     (load_siblings, Normalizer())],
    ids=["digits", "iris", "wine", "breast cancer", "siblings"],
)  # fmt: skip
def test_the_default_learns_every_class(load, scaler):
    X, y = load(return_X_y=True)
    X, accuracies = scaler.fit_transform(X), []
    for seed in range(2):
        order = np.random.default_rng(seed).permutation(len(X))
        train, test = order[: 7 * len(X) // 10], order[7 * len(X) // 10 :]
        predicted = WsabieClassifier(random_state=seed).fit(X[train], y[train]).predict(X[test])
        assert len(np.unique(predicted)) == len(np.unique(y))
        accuracies.append(np.mean(predicted == y[test]))
    assert np.mean(accuracies) >= 0.90, accuracies


def test_frozen_classes_are_named_with_the_remedy():
    X, y = load_digits(return_X_y=True)
    y = np.array(list("abcdefghij"))[y]
    frozen = WsabieClassifier(last_violators=8, random_state=0)
    with pytest.warns(ConvergenceWarning, match="classes are frozen .*Set last_violators=0") as caught:
        frozen.fit(X[:1200] / 16, y[:1200])
    lost = np.setdiff1d(frozen.classes_, frozen.predict(X[1200:] / 16))
    numbers = str(caught[0].message).partition("number ")[2].partition(")")[0].split(", ")
    assert len(lost) > 0 and set(lost) <= set(frozen.classes_[[int(number) for number in numbers]])
    remedied = clone(frozen).set_params(last_violators=0).fit(X[:1200] / 16, y[:1200])
    assert remedied.score(X[1200:] / 16, y[1200:]) > frozen.score(X[1200:] / 16, y[1200:]) + 0.05


def test_a_stream_that_froze_says_so_at_a_later_batch():
    """A batch of 100 is too short to tell by itself: the count of skipped examples goes on from batch to batch."""
    X, y = digits(1200)
    stream, told = WsabieClassifier(last_violators=8, margin=100.0, random_state=0), []
    for rows in np.split(np.arange(1200), 12):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            stream.partial_fit(X[rows], y[rows], classes=range(10))
        told.append(len(caught))
    assert told[0] == 0 and told[-1] == 1, told
    calm = WsabieClassifier(margin=100.0, random_state=0)
    for rows in np.split(np.arange(1200), 12):
        calm.partial_fit(X[rows], y[rows], classes=range(10))
    assert calm.updates_ > 10 * stream.updates_


# --- several labels ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("made", [np.asarray, sparse.csr_array, sparse.csc_matrix, np.ndarray.tolist])
def test_an_indicator_of_several_labels(made):
    X, Y = labelled()
    fitted = WsabieClassifier(**SMALL).fit(X, made(Y))
    predicted, best = fitted.predict(X), fitted.predict_topk(X, 2)
    assert fitted.multilabel_ and fitted.classes_.tolist() == list(range(6))
    assert predicted.shape == Y.shape and (predicted.sum(axis=1) == 1).all()
    np.testing.assert_array_equal(predicted.argmax(axis=1), best[:, 0])
    right = Y[np.arange(300), best[:, 0]]
    assert fitted.score(X, made(Y)) == pytest.approx(right.mean())
    assert fitted.score(X, made(Y), sample_weight=np.arange(300)) == pytest.approx(right @ np.arange(300) / 44850)
    assert fitted.score(X, made(Y)) > Y.mean(axis=0).max()
    assert fitted.topk_score(X, made(Y), k=1) == pytest.approx(fitted.score(X, made(Y)))
    hits = Y[np.arange(300)[:, None], best].any(axis=1)
    assert fitted.topk_score(X, made(Y), k=2) == pytest.approx(hits.mean())
    assert fitted.topk_score(X, made(Y), k=6) == pytest.approx(Y.any(axis=1).mean())
    with pytest.raises(ValueError, match="y must have 6 columns"):
        fitted.score(X, Y[:, :5])


def test_errors_of_several_labels_by_hand():
    scores = np.array([[3.0, 2.0, 1.0, 0.0], [1.0, 1.0, 0.0, 2.0], [0.0, 1.0, 2.0, 3.0], [1.0, 2.0, 3.0, 4.0]])
    labels = np.array([[0, 1, 1, 0], [1, 0, 1, 0], [0, 0, 1, 1], [0, 0, 0, 0]], dtype=bool)
    # One class is before the best label; one is before it and one as good; none is; there is no label.
    for k, expected in ((1, [1, 1, 0, 1]), (2, [0, 1, 0, 1]), (3, [0, 0, 0, 1]), (4, [0, 0, 0, 1])):
        assert indicator_errors(scores, labels, k).tolist() == expected


def test_two_labels_are_not_two_classes():
    X, Y = labelled()
    fitted = WsabieClassifier(**SMALL).fit(X, Y[:, :2])
    assert fitted.decision_function(X).shape == (300, 2)
    assert WsabieClassifier(**SMALL).fit(X, Y[:, 0]).decision_function(X).shape == (300,)


def test_targets_that_are_neither_labels_nor_an_indicator_are_refused():
    X, Y = labelled()
    for wrong in (2 * Y, Y + 0.5):
        with pytest.raises(ValueError, match="Unknown label type|labels .* or an indicator of 0 and 1"):
            WsabieClassifier().fit(X, wrong)
    fitted = WsabieClassifier().partial_fit(X, Y)
    with pytest.raises(ValueError, match="y must be an indicator"):
        fitted.partial_fit(X, Y[:, 0])
    with pytest.raises(ValueError, match="y must not be an indicator"):
        WsabieClassifier().partial_fit(X, Y[:, 0], classes=[0, 1]).partial_fit(X, Y)


# --- going on and stopping -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_ensemble", [1, 2])
def test_a_warm_start_goes_on_as_if_there_had_been_no_break(n_ensemble):
    X, y = digits(400)
    expected = WsabieClassifier(**SMALL, n_ensemble=n_ensemble, n_updates=3000).fit(X, y)
    got = WsabieClassifier(**SMALL, n_ensemble=n_ensemble, n_updates=1000, warm_start=True).fit(X, y)
    got.set_params(n_updates=2000).fit(X, y)
    np.testing.assert_allclose(got.decision_function(X), expected.decision_function(X), rtol=1e-6)
    assert (got.steps_, got.updates_) == (3000, expected.updates_)


def test_a_warm_start_from_something_else_is_a_cold_one():
    X, y = digits(400)
    for change in ({"embedding_dim": 9}, {"discriminant": "linear"}, {"n_ensemble": 2}, {"embedding_dim": None}):
        fitted = WsabieClassifier(**SMALL, warm_start=True, epochs=1).fit(X, y).set_params(**change).fit(X, y)
        assert fitted.steps_ == 400
    for other in ((X[:, :5], y), (X, y % 5), (X, np.eye(10)[y])):
        fitted = WsabieClassifier(**SMALL, warm_start=True, epochs=1).fit(X, y).fit(*other)
        assert fitted.steps_ == 400


@pytest.mark.parametrize("several", [False, True])
def test_batches_go_on(several):
    X, Y = labelled()
    y = Y if several else np.array(["no", "yes"])[Y[:, 0]]
    stream = WsabieClassifier(**SMALL)
    for rows in np.split(np.arange(300), 3):
        stream.partial_fit(X[rows], y[rows], classes=None if several else ["no", "yes"])
    assert stream.steps_ == 300
    for _ in range(20):
        stream.partial_fit(X, y)
    assert stream.score(X, y) > 0.6 and stream.steps_ == 6300


@pytest.mark.parametrize("made", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("several", [False, True])
def test_early_stopping_keeps_the_best_fit(made, several):
    X, y = labelled() if several else digits(400)
    y = made(y) if several else y
    options = SMALL | {"patience": 2, "validation_fraction": 0.25, "epochs": 40}
    fitted = WsabieClassifier(**options).fit(made(X), y)
    looks = fitted.history_[0]
    best = int(np.argmax(looks.score))
    assert len(looks) < 20 and best == len(looks) - 3
    assert fitted.steps_ == looks.steps[best]
    held = 75 if several else 100
    np.testing.assert_allclose(held * looks.score, np.rint(held * looks.score), atol=1e-9)
    assert fitted.score(made(X), y) > 0.5

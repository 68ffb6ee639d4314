"""The examiner of the Wsabie family: ground truth by gradients and on average, certificates, and judges."""

from itertools import product

import numpy as np
import pytest

import fast
import reference
from reference.check.judging import outcome as judge
from reference.check.judging.subject import SUBJECTS
from reference.check.sandbox import transport, worker
from reference.check.wsabie import bounds, cases
from reference.check.wsabie import replay as replay_wsabie
from reference.check.wsabie.data import Planted
from reference.ground_truth import wsabie as truth
from reference.ground_truth import wsabie_losses

OPTIONS = list(product(("linear", "euclidean"), ("auc", "warp"), ("harmonic", "uniform"), ("constant", "adagrad")))


def options_of(chosen):
    return dict(zip(("discriminant", "sampling", "weighting", "step"), chosen, strict=True))


def walk(chosen, seed, **others):
    """Returns the arguments of a short walk."""
    rng = np.random.default_rng(seed)
    Y = (rng.random((6, 5)) < 0.3).astype(int)
    Y[0] = (1, 0, 0, 0, 0)
    options = {**options_of(chosen), "embedding_dim": 2, "last_violators": 2, "n_updates": 20, **others}
    return {"X": rng.normal(size=(6, 3)), "Y": Y, "draws": rng.random(200), **options}


# --- ground truth ----------------------------------------------------------------------------------------------------


def start_of(discriminant, e):
    rng = np.random.default_rng(5)
    W = None if e is None else rng.normal(size=(e, 2))
    return reference.WsabieFit(rng.normal(size=(4, e or 2)), W, discriminant)


@pytest.mark.parametrize(("sampling", "weighting"), list(product(("auc", "warp"), ("harmonic", "uniform"))))
@pytest.mark.parametrize(("discriminant", "e"), list(product(("linear", "euclidean"), (None, 2))))
def test_expected_step_goes_down_the_loss(sampling, weighting, discriminant, e):
    X, Y = np.random.default_rng(6).normal(size=(3, 2)), np.array([[1, 0, 0, 0], [0, 1, 1, 0], [1, 1, 1, 1]])
    start, rule = start_of(discriminant, e), {"sampling": sampling, "weighting": weighting, "margin": 0.5}
    options = {"step": "constant", "step_size": 0.25, "last_violators": 0, **rule}
    got = truth.expected_step(fast.fit_wsabie, X, Y, start, **options)
    losses = [lambda fit: truth.expected_loss(fit, start, X, Y, **rule)]
    if (sampling, weighting) == ("auc", "uniform"):  # the third example is skipped
        losses.append(lambda fit: 2 / 3 * wsabie_losses.pairwise_loss(truth.prototype_scores(X, fit), Y, margin=0.5))
    for loss in losses:
        for part, slope in zip(got, truth.slopes_of(loss, start), strict=True):
            assert (part is None) == (slope is None)
            assert part is None or np.allclose(part, -0.25 * slope, rtol=0, atol=1e-8)


def test_links_are_reached_as_the_definition_says():
    violated = np.zeros((5, 5), dtype=int)
    violated[0, [1, 2]] = violated[1, 3] = violated[3, 0] = violated[2, 2] = 1
    expected = {0: [], 1: [1, 2], 2: [1, 2, 3], 3: [0, 1, 2, 3], 100: [0, 1, 2, 3]}
    for Q, classes in expected.items():
        assert np.flatnonzero(wsabie_losses.reached(violated, 0, Q)).tolist() == classes
    assert truth.chain(np.array([1, 2, 0, -1]), 0, 100) == [1, 2]
    assert truth.chain(np.array([1, 2, 0, -1]), 0, 1) == [1]
    assert truth.chain(np.array([0, -1]), 0, 5) == truth.chain(np.array([0, -1]), 1, 5) == []


# --- certificates ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chosen", OPTIONS, ids=str)
@pytest.mark.parametrize("others", [{}, {"embedding_dim": None}, {"max_norm": 0.7}, {"margin": 0.1}], ids=str)
def test_steps_of_ground_truth_pass_their_certificate_and_others_do_not(chosen, others):
    arguments = walk(chosen, 1, **others)
    step = {"step": chosen[-1], "step_size": 0.1, "max_norm": others.get("max_norm")}
    moves = [turn for turn in replay_wsabie.walk(arguments, truth.differences) if turn.violator is not None]
    assert moves
    for turn in moves:
        after, before, x = turn.after, turn.before, arguments["X"][turn.example]
        pair = {"positive": turn.positive, "violator": turn.violator, "weight": turn.weight}
        assert bounds.wsabie_step(after, before, x, **pair, **step) <= 1e-12
        wrong = [(after, {**pair, "weight": 1.1 * turn.weight}, {**step, "step": "constant"}), (before, pair, step)]
        wrong += [(after._replace(prototypes=1.01 * after.prototypes), pair, step)]
        wrong += [(after._replace(prototypes=np.nan * after.prototypes), pair, step)]
        if chosen[-1] == "adagrad":
            wrong += [(after._replace(prototype_sums=1.01 * after.prototype_sums), pair, step)]
        for answer, pair_, step_ in wrong:
            assert bounds.wsabie_step(answer, before, x, **pair_, **step_) > 1e-6


# --- the catalogue ---------------------------------------------------------------------------------------------------


def test_rounding_decides_about_no_walk_of_the_catalogue():
    tried = list(cases.fit_wsabie(np.random.default_rng(1), False))
    walks = [case for case in tried if not case.refuses and case.arguments.get("draws") is not None]
    replays = [replay_wsabie.replay(case.arguments) for case in walks]
    assert len(walks) > 200
    assert not any(one.doubtful for one in replays)
    assert max(max(one.apart.values()) for one in replays) < 1e-10
    assert sum(map(any, (one.moved for one in replays))) > len(walks) / 2
    asked = [case.arguments for case in walks]
    for name, values in zip(cases.NAMES, cases.CHOICES, strict=True):
        assert {one[name] for one in asked if name in one} >= set(values)
    assert {one["last_violators"] for one in asked if "last_violators" in one} >= {1, 2, 10, 100}
    labels = {case.label for case in tried}
    assert {"exact ties", "margin 0, equal prototypes", "nothing violates", "chains", "digits", "a seed"} <= labels
    assert {"scale 1e-9", "scale 1e9", "float32", "integers", "Fortran order", "every second element"} <= labels
    assert {"no label or all", "several labels", "two classes", "one example", "rows of zeros"} <= labels
    refused = {case.refuses[0] for case in tried if case.refuses}
    assert refused >= {"X", "Y", "start", "draws", "max_norm", "step_size", "n_updates", "embedding_dim", "seed"}
    learners = {case.label for case in SUBJECTS["fit_one_vs_all"].cases(np.random.default_rng(0), True)}
    assert {"exact ties", "chosen by validation", "digits", "rows of zeros"} <= learners


def test_walks_in_which_rounding_decides_are_doubtful():
    b = np.array([[0.3, 0.1], [0.1, 0.2], [0.0, 0.0]])
    start = reference.WsabieFit(b, None, "linear")
    arguments = {"X": np.array([[1.0, 0.1]]), "Y": np.array([0]), "n_classes": 3, "start": start, "n_updates": 1}
    arguments |= {"discriminant": "linear", "last_violators": 0, "sampling": "auc", "draws": np.full(3, 0.2)}
    for margin, expected in ((0.19, True), (0.2, False)):
        one = replay_wsabie.replay({**arguments, "margin": margin})
        assert one.doubtful == expected
    exact = start._replace(prototypes=np.array([[2.0, 0.0], [1.0, 0.0], [0.0, 0.0]]))
    one = replay_wsabie.replay({**arguments, "X": np.ones((1, 2)), "start": exact, "margin": 1.0})
    assert not one.doubtful and one.fit.updates == 0


def test_judge_checks_its_own_gradients(monkeypatch):
    arguments = walk(OPTIONS[0], 1, n_updates=30) | {"draws": np.random.default_rng(0).random(400)}
    monkeypatch.setattr(replay_wsabie, "MOST_DIFFERENCES", 0)
    replay_wsabie.replay(arguments)
    right = replay_wsabie.gradients
    monkeypatch.setattr(replay_wsabie, "gradients", lambda *given: [1.01 * part for part in right(*given)])
    with pytest.raises(ArithmeticError):
        replay_wsabie.replay(arguments)


# --- fits as arguments -----------------------------------------------------------------------------------------------


def test_fits_travel(tmp_path):
    fit = Planted(np.arange(6.0).reshape(3, 2)[::-1], np.eye(2, dtype=np.float32), last_violators=np.array([1, -1, 0]))
    arguments = {"fits": [fit, fit], "validation": (np.ones((2, 2)), np.arange(2)), "negatives": [1, 2], "margin": 1.0}
    forms, raw = transport.packed(arguments, 1)
    memory = b"".join(raw)
    got = {name: worker.restored(form, memory) for name, _, form in forms}
    assert [type(one) for one in got["fits"]] == [reference.WsabieFit] * 2
    for name in ("prototypes", "embedding", "last_violators"):
        assert np.array_equal(getattr(got["fits"][1], name), getattr(fit, name))
        assert getattr(got["fits"][1], name).dtype == getattr(fit, name).dtype
    assert isinstance(got["validation"], tuple) and got["negatives"] == [1, 2]
    path = tmp_path / "inputs"
    path.write_bytes(memory)
    with open(path, "r+b") as file:
        assert transport.changed_argument(file, raw, forms) is None
        file.seek(len(memory) - 64)
        file.write(b"1234567")
        file.flush()
        assert transport.changed_argument(file, raw, forms) == "validation"
    assert repr(fit).startswith("WsabieFit(prototypes=np.array([[4., 5.]")
    assert judge.described(None) == "None"

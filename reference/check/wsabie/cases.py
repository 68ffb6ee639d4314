"""Instances of scores of prototypes, of fits side by side, and of fit_wsabie, whose training is a walk of random steps.

To replay a walk, the instance holds the random numbers (`draws`), so it does not matter how an implementation draws
its own. `start` sets prototypes, last violators and the sums of adagrad.
"""

from itertools import cycle, product

import numpy as np

from ...datasets import load_digits
from ..judging.case import HUGE, TINY, Case
from .data import Planted, in_columns, kinds_of_data, numbers, of_dtype, problem, random_fit, refused, wrong_X
from .replay import is_sound

CHOICES = (("linear", "euclidean"), ("auc", "warp"), ("harmonic", "uniform"), ("constant", "adagrad"), (None, 3))
NAMES = ("discriminant", "sampling", "weighting", "step", "embedding_dim")
LINKS = (0, 1, 2, 10, 100)


def fit_wsabie(rng, quick):
    """Yields instances of fit_wsabie, without the walks in which rounding decides about a step or errors grow."""
    walks = (_all_options(rng, quick), _chains(rng, quick), _kinds_of_data(rng), _kinds_of_start(rng))
    yield from _ties(rng)
    yield from _links_by_hand(rng)
    yield from _late_violators()
    yield _frozen()
    for cases in walks:
        yield from (case for case in cases if is_sound(case.arguments))
    for seed, sampling, n_updates in ((1, "auc", 1), (2, "warp", 30), (3, "auc", 300)):
        X, Y = problem(rng, 6, 3, 4)
        ball = {"max_norm": 0.5} if n_updates > 1 else {}
        options = {"embedding_dim": 2, "sampling": sampling, **ball, "n_updates": n_updates, "seed": seed}
        yield Case("a seed", {"X": X, "Y": Y, **options})
    X, y = load_digits()
    options = {"embedding_dim": 8, "margin": 10.0, "step_size": 1.0, "last_violators": 1}
    n = 60 if quick else 200
    yield Case("digits", {"X": X[:n] / 16, "Y": y[:n], **options, **numbers(rng, n, 12, 64 * 8)})
    yield from _timed_walks(rng, quick)
    yield from _refused_walks()


def _all_options(rng, quick):
    """Yields every combination of the options: one step from a random start, and many steps from the usual one."""
    links, margins = cycle((0, 1, 2, 8)), cycle((1.0, 0.3, 3.0, 0.0, 10.0))
    norms = cycle((None, None, None, 1.0, 0.3))
    shapes = ((4, 2, 3), (6, 3, 5), (5, 4, 8))
    for i, chosen in enumerate(list(product(*CHOICES))[:: 3 if quick else 1]):
        options = dict(zip(NAMES, chosen, strict=True))
        n, d, m = shapes[i % 3]
        width = d if chosen[-1] is None else chosen[-1]
        for n_updates in (1, 25):
            X, Y = problem(rng, n, d, m, several=bool(i % 2))
            rest = {"last_violators": next(links), "margin": next(margins), "max_norm": next(norms)}
            start = {"start": random_fit(rng, m, d, chosen[-1], chosen[0], walked=True)} if n_updates == 1 else {}
            arguments = {"X": X, "Y": Y, "n_classes": m, **options, **rest, **start}
            yield Case("random", {**arguments, **numbers(rng, n_updates, m + 2, width * d)})


def _ties(rng):
    """Yields instances in which a margin is met exactly: nothing moves, and last violators are reset."""
    b, X = np.array([[2.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), np.array([[1.0, 0.0], [1.0, 1.0]])
    last = np.array([1, 2, 0])
    for kind, sampling, Q in product(CHOICES[0], CHOICES[1], (0, 2)):
        options = {
            "discriminant": kind,
            "sampling": sampling,
            "last_violators": Q,
            "step": "constant",
            "step_size": 0.5,
        }
        start = {"start": Planted(b, None, kind, last_violators=last), "n_classes": 3}
        yield Case("exact ties", {"X": X, "Y": np.zeros(2, int), **options, **start, **numbers(rng, 1, 5)})
        one = {**options, "margin": 0.0, "n_classes": 3}
        yield Case("margin 0, equal prototypes", {"X": X, "Y": np.array([0, 2]), **one, **numbers(rng, 6, 5)})
        zero = Planted(0 * b + (kind == "euclidean"), None, kind)  # all scores are 0, or they would swallow the margin
        tied = {**options, "margin": 1e-300, "n_classes": 3, "start": zero}
        walk = {"n_updates": 1, "draws": np.full(5, 0.3)}
        yield Case("margin 1e-300, scores of 0", {"X": np.ones((2, 2)), "Y": np.array([0, 2]), **tied, **walk})
        won = Planted(np.array([[9.0, 0.0], [-9.0, 0.0], [0.0, -9.0]]), None, kind, last_violators=last)
        yield Case(
            "nothing violates",
            {"X": X * 9, "Y": np.zeros(2, int), "n_classes": 3, **options, "start": won, **numbers(rng, 2, 5)},
        )
        on = Planted(np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 1.0]]), None, kind)
        one = {**options, "step": "adagrad", "margin": 2.0, "n_classes": 3, "start": on}
        yield Case("prototypes on the examples", {"X": X, "Y": np.array([0, 1]), **one, **numbers(rng, 1, 5)})


def _chains(rng, quick):
    """Yields chains of last violators: cycles, links to labels and to no class, with and without a violator."""
    for i, Q in enumerate(np.repeat(LINKS, 3 if quick else 8)):
        m, d = 6, 2
        kind, e = CHOICES[0][i % 2], (None, 3)[i // 2 % 2]
        start = random_fit(rng, m, d, e, kind, walked=True)
        rings = (np.roll(np.arange(m), -1), np.array([1, 2, 0, 4, 5, 3]), rng.integers(-1, m, size=m), np.arange(m))
        start = start._replace(last_violators=rings[i % 4])
        X, Y = problem(rng, 4, d, m, several=bool(i % 3))
        options = {"embedding_dim": e, "discriminant": kind, "last_violators": int(Q), "start": start, "n_classes": m}
        margin = (0.1, 1.0, 5.0)[i % 3]
        for n_updates in (1, 8):
            yield Case("chains", {"X": X, "Y": Y, **options, "margin": margin, **numbers(rng, n_updates, m + 2)})


def _links_by_hand(rng):
    """Yields chains through a label, to a label, in a ring and with a gap. All classes violate the large margin."""
    X, b = np.array([[1.0, 1.0]]), np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    for kind, Q in product(CHOICES[0], LINKS[1:]):
        for label, last in (
            ("a chain through a label", [1, 2, -1, -1]),
            ("a chain to a label", [1, -1, 0, 0]),
            ("a chain of labels", [1, 0, 3, 2]),
            ("a chain with a gap", [-1, 0, 0, 2]),
        ):
            start = Planted(b, None, kind, last_violators=np.array(last))
            options = {"discriminant": kind, "last_violators": Q, "margin": 4.0, "step": "constant", "start": start}
            for labels in ([1, 1, 0, 0], [1, 0, 0, 0]):
                walk = {"n_updates": 1, "draws": np.array([0.5, 0.25, *rng.random(4)])}
                yield Case(label, {"X": X, "Y": np.array([labels]), **options, **walk})


def _late_violators():
    """Yields steps whose only violator is drawn first, ..., last of all, when its rank would be 0; or among many."""
    for m, trials in (*product((4,), (1, 2, 3, 4)), *product((40,), (31, 32, 33, 40))):
        start = np.where(np.isin(np.arange(m), (0, m - 1)), 0.0, -5.0)[:, None]
        options = {"discriminant": "linear", "weighting": "harmonic", "start": Planted(start, None, "linear")}
        walk = {"step": "constant", "n_updates": 1, "draws": np.array([*[0.0] * (trials + 1), 0.99])}
        yield Case("a late violator", {"X": np.ones((1, 1)), "Y": np.array([0]), "n_classes": m, **options, **walk})


def _frozen():
    """Returns the step that makes 20 skipped examples in a row of the 19 of the start: its class is frozen."""
    start = Planted(np.zeros((2, 1)), None, "linear", last_violators=np.array([1, 0]), skipped=np.array([19, 0]))
    options = {"discriminant": "linear", "last_violators": 1, "start": start, "n_classes": 2}
    walk = {"X": np.ones((2, 1)), "Y": np.arange(2), "n_updates": 1, "draws": np.zeros(6)}
    return Case("a frozen class", {**walk, **options}, warns="ConvergenceWarning")


def _kinds_of_data(rng):
    for label, X, Y, unit in kinds_of_data(rng):
        m, e = int(Y.max()) + 1 if Y.ndim == 1 else Y.shape[1], 2
        for kind, power in (("linear", 1), ("euclidean", 2)):
            if unit == HUGE and kind == "euclidean":  # W x is so large that rounding would swallow the prototypes
                e = None
            options = {"embedding_dim": e, "discriminant": kind, "margin": unit**power, "last_violators": 1}
            options |= {"step_size": 0.1 * unit ** (power - 1), "sampling": "warp", "weighting": "harmonic"}
            yield Case(label, {"X": X, "Y": Y, **options, **numbers(rng, 12, m + 2, 2 * X.shape[1])})
    X, Y = problem(rng, 5, 3, 3)
    yield Case("scale 1e-9, margin 1", {"X": TINY * X, "Y": Y, "embedding_dim": 2, **numbers(rng, 12, 5, 6)})
    yield Case(
        "more classes than labels", {"X": X, "Y": Y, "n_classes": 6, "embedding_dim": 2, **numbers(rng, 12, 8, 6)}
    )
    yield Case("looks on the way", {"X": X, "Y": Y, "every": 5, **numbers(rng, 12, 5)})
    yield Case("one feature", {"X": X[:, :1], "Y": Y, "embedding_dim": 2, **numbers(rng, 12, 5, 2)})


def _kinds_of_start(rng):
    """Yields instances with a complete start and with one that has parameters only."""
    X, Y = problem(rng, 5, 3, 4)
    for kind, e, step in (("linear", None, "adagrad"), ("euclidean", 2, "adagrad"), ("euclidean", 3, "constant")):
        full = random_fit(rng, 4, 3, e, kind, walked=True)
        bare = full._replace(prototype_sums=None, embedding_sums=None, last_violators=None)
        options = {"embedding_dim": e, "discriminant": kind, "step": step, "n_classes": 4, "last_violators": 1}
        for label, start in (("all of it", full._replace(steps=7, updates=3)), ("parameters only", bare)):
            for norm in (None, 0.7):
                given = {"start": start, "max_norm": norm, **numbers(rng, 8, 6)}
                yield Case(f"a start, {label}", {"X": X, "Y": Y, **options, **given})


def _timed_walks(rng, quick):
    n, d, m, e = 200, 50, 30, 16
    X, Y = problem(rng, n, d, m)
    walks = (
        {"embedding_dim": e, "margin": 30.0, "step_size": 0.3, "last_violators": 2},
        {"discriminant": "linear", "step": "constant", "weighting": "harmonic", "last_violators": 0, "step_size": 0.01},
    )
    for options in walks:
        n_updates = 100 if quick else 400
        yield Case("random, timed", {"X": X, "Y": Y, **options, **numbers(rng, n_updates, m + 2, e * d)}, timed=True)


def _refused_walks():
    X, Y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0], [1.0, 1.0]]), np.array([0, 1, 2, 0])
    start, draws = Planted(np.ones((3, 2)), np.eye(2), "linear"), np.full(40, 0.3)
    wrong = {
        "X": wrong_X(X),
        "Y": (Y[:3], np.array([0, 1, -1, 0]), np.array([0.0, 1.5, 2.0, 0.0]), np.ones((4, 3)), 2.0 * np.eye(4)[:, :3],
              np.zeros((4, 3)), np.ones((4, 1)), np.eye(3)),
        "embedding_dim": (0, 1.5),
        "discriminant": ("cosine", None), "sampling": ("all", 1), "weighting": ("rank", None),
        "step": ("adam", 0.1), "last_violators": (-1, 1.5), "margin": (-1.0, np.nan), "step_size": (0.0, -1.0, np.inf),
        "n_updates": (0, 2.5), "max_norm": (0.0, -1.0, np.nan), "n_classes": (1, 2.5),
        "draws": (np.full(3, 0.3), np.full(40, 1.0), np.full(40, -0.1), np.full(40, np.nan), np.full((40, 2), 0.3)),
        "every": (0, 1.5), "callback": (1,), "patience": (1,),
        "start": (
            1.0, start._replace(discriminant="euclidean"), start._replace(embedding=None),
            start._replace(prototypes=np.ones((2, 2))), start._replace(embedding=np.ones((2, 3))),
            start._replace(prototypes=np.full((3, 2), np.nan)), start._replace(prototype_sums=-np.ones(3)),
            start._replace(prototype_sums=np.ones(2)), start._replace(embedding_sums=-np.ones(2)),
            start._replace(last_violators=np.array([1, 2, 3])), start._replace(last_violators=np.array([1, -2, 0])),
            start._replace(last_violators=np.zeros(2, int)), start._replace(last_violators=np.zeros(3)),
            start._replace(skipped=np.array([0, -1, 0])), start._replace(skipped=np.zeros(2, int)),
            start._replace(skipped=np.zeros(3)),
        ),
    }  # fmt: skip
    right = {"X": X, "Y": Y, "embedding_dim": 2, "discriminant": "linear", "n_classes": 3, "n_updates": 3}
    yield from refused({**right, "draws": draws, "start": start}, wrong)
    yield from refused(right, {"seed": (-1, 1.5, "one"), "draws": (np.full(3, 0.3),)})
    yield Case("n_classes = 2", {**right, "n_classes": 2}, refuses=("Y", "n_classes"))
    yield Case("n_classes = 4", {**right, "Y": np.eye(3)[Y], "n_classes": 4}, refuses=("Y", "n_classes"))
    yield Case("one class", {"X": X, "Y": 0 * Y, "n_updates": 3}, refuses=("Y",))
    huge = {"discriminant": "linear", "step": "constant", "step_size": 1e300, "draws": draws, "n_updates": 5}
    yield Case("steps that are too large", {"X": 1e10 * X, "Y": Y, **huge}, refuses=("step_size",))


def prototype_scores(rng, quick):
    """Yields instances of prototype_scores."""
    for (kind, e), (n, d, m) in product(product(CHOICES[0], CHOICES[4]), ((1, 1, 2), (3, 2, 4), (5, 6, 7))):
        X, fit = rng.normal(size=(n, d)), random_fit(rng, m, d, e, kind)
        yield Case("random", {"X": X, "fit": fit})
        if not quick or n == 3:
            yield Case("float32", {"X": X.astype(np.float32), "fit": of_dtype(fit, np.float32)})
            yield Case("scale 1e-9", {"X": TINY * X, "fit": fit})
            yield Case("scale 1e9", {"X": HUGE * X, "fit": fit})
            yield Case("prototypes of scale 1e9", {"X": X, "fit": fit._replace(prototypes=HUGE * fit.prototypes)})
            yield Case("integers", {"X": rng.integers(-3, 4, size=(n, d)), "fit": fit})
            yield Case("every second element", {"X": rng.normal(size=(2 * n, 2 * d))[::2, ::2], "fit": fit})
            yield Case("Fortran order", {"X": np.asfortranarray(X), "fit": in_columns(fit)})
            yield Case("rows of zeros", {"X": 0 * X, "fit": fit})
    n, d, m, e = (100, 50, 30, 16) if quick else (200, 64, 100, 16)
    for kind in CHOICES[0]:
        yield Case("random, timed", {"X": rng.normal(size=(n, d)), "fit": random_fit(rng, m, d, e, kind)}, timed=True)
    X, fit = rng.normal(size=(3, 2)), random_fit(rng, 3, 2, 2, "linear")
    bad = [None, "fit", 1.0, fit._replace(discriminant="cosine"), fit._replace(embedding=np.eye(3)[:, :2])]
    bad += [fit._replace(**{name: np.full((3, 2), np.nan)}) for name in ("prototypes", "embedding")]
    bad += [fit._replace(prototypes=np.zeros(2)), fit._replace(embedding=np.eye(2, 3))]
    yield from refused({"X": X, "fit": fit}, {"X": (*wrong_X(X), np.ones((3, 4))), "fit": bad})
    yield Case("out of range", {"X": 1e200 * X, "fit": fit}, refuses=("X",))


def concatenate_fits(rng, quick):
    """Yields instances of concatenate_fits."""
    for kind, widths in product(CHOICES[0], ((1,), (2, 1), (1, 3, 2), (2, 2, 2, 2))):
        fits = [random_fit(rng, 3, 2, e, kind) for e in widths]
        yield Case("random", {"fits": fits})
        yield Case("float32", {"fits": [of_dtype(fit, np.float32) for fit in fits]})
        yield Case("Fortran order", {"fits": [in_columns(fit) for fit in fits]})
    m, d = (300, 50) if quick else (2000, 200)
    yield Case("random, timed", {"fits": [random_fit(rng, m, d, 16, "linear") for _ in range(4)]}, timed=True)
    one = random_fit(rng, 3, 2, 2, "linear")
    others = (
        random_fit(rng, 3, 2, None, "linear"),
        random_fit(rng, 3, 2, 2, "euclidean"),
        random_fit(rng, 4, 2, 2, "linear"),
        random_fit(rng, 3, 3, 2, "linear"),
        of_dtype(one, np.float32),
    )
    yield from refused({"fits": [one]}, {"fits": ([], [1.0], *([one, other] for other in others))})

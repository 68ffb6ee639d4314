"""Assignment 09: the regularization is chosen on validation data, and a difference is measured over splits."""

import numpy as np
from scipy.special import stdtrit

from ...judging.case import Case
from ...judging.simplify import fewer, rounder
from ._base import task

LOW, HIGH = -6, 6  # the exponents of lambda that can be tried
EXPONENTS = np.arange(LOW, HIGH + 1)


# --- the regularization --------------------------------------------------------------------------------------------


def true_choice(validation, test, start):
    """Returns the exponent that the rule of the assignment chooses, and its test error."""
    tried, todo = set(), {int(v) for v in start}
    while todo:
        tried |= todo
        best = min(sorted(tried, reverse=True), key=lambda v: validation[v - LOW])
        todo = {v for v in (best - 1, best + 1) if LOW <= v <= HIGH} - tried
    return [float(best), float(test[best - LOW])]


def searches(rng, _):
    """Yields instances of chosen_regularization: made-up curves, and those of a classifier on digits."""
    for _ in range(8):
        best = int(rng.integers(-3, 4))
        yield Case("random", _curve(rng, best, np.arange(best - 2, best + 3)))
    for side in (-1, 1, -1, 1):
        best = int(rng.integers(-2, 3))
        yield Case("the best is not in the first grid", _curve(rng, best, best + side * np.arange(2, 5)))
    for start in ([-6, -3, 0, 3, 6], [0], [5, 6]):
        yield Case("a coarse grid", _curve(rng, int(rng.integers(-5, 6)), np.array(start)))
    for _ in range(4):
        curve = _curve(rng, int(rng.integers(-2, 3)), np.arange(-4, 5))
        yield Case("ties", {**curve, "validation": np.ceil(curve["validation"] / 8)})
    for _ in range(2):
        yield Case("digits", {**_errors_on_digits(rng), "start": np.arange(-2, 3)})


def tiny_searches(rng, _):
    """Yields small whole numbers."""
    for _ in range(30):
        best = int(rng.integers(-2, 3))
        validation, test = np.abs(EXPONENTS - best) + 1.0, np.abs(EXPONENTS - best + int(rng.integers(-1, 2))) + 1.0
        yield {"validation": validation, "test": test, "start": np.arange(-1, 2)}


def simpler_searches(arguments):
    """Yields searches that start with fewer exponents."""
    for kept in fewer(len(arguments["start"])):
        yield {**arguments, "start": arguments["start"][kept].copy()}
    yield from rounder(arguments, ("validation", "test"))


def _curve(rng, best, start):
    """Validation errors with one lowest point; test errors with another."""

    def errors(lowest):
        rise = np.cumsum(rng.integers(1, 9, size=(2, len(EXPONENTS))), axis=1)
        away = EXPONENTS - lowest
        return np.where(away > 0, rise[0][np.abs(away) - 1], rise[1][np.abs(away) - 1]) * (away != 0) + 10.0

    shifted = best + int(rng.choice([-1, 1]))
    return {"validation": errors(best), "test": errors(shifted) + 3.0, "start": np.clip(start, LOW, HIGH)}


def _errors_on_digits(rng):
    """Errors of a linear classifier, by least squares with a penalty, on parts of the digits that are drawn here."""
    from ....datasets import load_digits

    X, y = load_digits()
    train, validation, test = np.split(rng.permutation(len(y))[:360], (60, 210))
    targets, errors = np.eye(10)[y[train]], []
    for exponent in EXPONENTS:
        gram = X[train] @ X[train].T + 10.0**exponent * np.eye(len(train))
        W = X[train].T @ np.linalg.solve(gram, targets)
        errors.append([float(np.count_nonzero((X[part] @ W).argmax(axis=1) != y[part])) for part in (validation, test)])
    return dict(zip(("validation", "test"), np.array(errors).T.copy(), strict=True))


# --- the interval --------------------------------------------------------------------------------------------------


def true_interval(one, other, test_share, quantile):
    """Returns the ends of Nadeau and Bengio's interval."""
    n, mean = len(one), sum(one - other) / len(one)
    variance = sum((difference - mean) ** 2 for difference in one - other) / (n - 1)
    half = quantile * float(np.sqrt(variance * (1 / n + test_share)))
    return [float(mean - half), float(mean + half)]


def comparisons(rng, _):
    """Yields instances of paired_interval."""
    for n in (3, 4, 5, 7, 10, 10, 20):
        yield Case("random", _accuracies(rng, n))
    yield Case("two splits", _accuracies(rng, 2))
    yield Case(
        "the same difference on all splits", {**_accuracies(rng, 4), "one": np.full(4, 3.5), "other": np.full(4, 1.0)}
    )
    hard = _accuracies(rng, 6)
    yield Case("splits that differ much", {**hard, "one": hard["one"] + 1e6 * np.arange(6),
                                          "other": hard["other"] + 1e6 * np.arange(6)})  # fmt: skip
    yield Case("a test part of its own for each split", {**_accuracies(rng, 8), "test_share": 0.0})


def tiny_comparisons(rng, _):
    """Yields small whole numbers."""
    for n in (2, 2, 3, 3, 3, 4):
        one, other = rng.integers(0, 5, size=(2, n)).astype(float)
        yield {"one": one, "other": other, "test_share": 0.5, "quantile": 2.0}


def simpler_comparisons(arguments):
    """Yields comparisons on fewer splits, or of rounder numbers."""
    for kept in fewer(len(arguments["one"])):
        if len(kept) > 1:
            yield {**arguments, "one": arguments["one"][kept].copy(), "other": arguments["other"][kept].copy()}
    yield from rounder(arguments, ("one", "other", "quantile"))


def _accuracies(rng, n):
    easy = rng.normal(70.0, 3.0, size=n)  # how easy each split is, for both
    one, other = easy + rng.normal(1.0, 0.8, size=n), easy + rng.normal(0.0, 0.8, size=n)
    return {"one": one, "other": other, "test_share": float(rng.choice([0.25, 0.5, 0.5627])),
            "quantile": float(stdtrit(n - 1, 0.975))}  # fmt: skip


def _size(one, other, **_):
    return float(np.abs(np.concatenate([one, other])).max())


TASKS = {
    "chosen_regularization": task(searches, true_choice, tiny_searches, 3, "notebook 14, Six rows", simpler_searches),
    "paired_interval": task(
        comparisons,
        true_interval,
        tiny_comparisons,
        2,
        "notebook 14, How wide is the interval?",
        simpler_comparisons,
        lambda **arguments: 1e-3 * _size(**arguments),
    ),
}

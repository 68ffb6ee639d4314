"""Replays one-vs-all learners, like walks of `fit_wsabie`, and measures how much rounding may change their end."""

import numpy as np

from ...ground_truth import wsabie_baselines
from ...problems import checks
from ..proofs.rounding import answer_dtype, relative, tolerance
from ..wsabie.replay import ARRAYS, DOUBT, EPS, Replay, few_digits, size_of

MOST_DIFFERENCES = 20_000  # coordinates times looks at an example, up to which the slopes of the ground truth are used
BEST = 1e-9  # rounding may decide between two scores that are closer than this, relative


def replay(arguments, counts):
    """Returns the Replay for the best of the numbers of negatives."""
    best, doubtful = None, False
    for count in counts:
        one = _replay(arguments, count)
        score, unsure = _accuracy(arguments, one.fit)
        doubtful = doubtful or one.doubtful or unsure
        if best is None or score > best[0]:
            best = score, one
    return best[1]._replace(doubtful=doubtful)


def impossible(arguments, answer):
    """Returns "reason: explanation" if no draws lead to an answer, a dict of fields, or an empty text."""
    n_updates, longest = arguments["n_updates"], size_of(answer["prototypes"].astype(np.float64))
    if answer.get("steps", n_updates) != n_updates or not 0 <= answer.get("updates", 0) <= n_updates:
        return f"steps: {n_updates} were asked for; there can be no more updates than steps"
    if longest > (arguments.get("max_norm") or np.inf) * (1 + tolerance(answer["prototypes"].dtype, 1)):
        return "max_norm: prototypes are outside the ball"
    return ""


def used(arguments):
    """Returns how many numbers the learners draw at most. Raises ValueError if they are not enough."""
    most = int(np.max(arguments.get("negatives", 1)))
    for _ in _walk(arguments, most, _by_formula):
        pass
    return arguments["n_updates"] * (2 + most)


def _by_formula(b, x, sign, margin):
    return -sign * x


def _replay(arguments, count):
    """Returns the Replay for one number of negatives. A walk with other roundings runs beside it, step by step."""
    small = arguments["n_updates"] * (1 + count) * arguments["X"].shape[1] <= MOST_DIFFERENCES
    margin, moved, doubtful = arguments.get("margin", 1.0), [], False
    units, apart = dict.fromkeys(ARRAYS, 0.0), dict.fromkeys(ARRAYS, 0.0)
    steps = _walk(arguments, count, wsabie_baselines.slope if small else _by_formula)
    for (fit, looks), (other, _) in zip(steps, _walk(arguments, count, _rounded_otherwise()), strict=True):
        doubtful = doubtful or other.updates != fit.updates or any(_is_doubtful(look, margin) for look in looks)
        units["prototypes"] = max(units["prototypes"], size_of(fit.prototypes))
        moved.append({look.g for look in looks if look.moved})
    units["prototype_sums"] = fit.prototype_sums.max()
    for name in ("prototypes", "prototype_sums"):
        apart[name] = relative(np.abs(getattr(other, name) - getattr(fit, name)).max(), units[name])
    return Replay(fit, moved, apart, units, doubtful)


def _is_doubtful(look, margin):
    """True if rounding decides whether the margin is missed."""
    missed = abs(margin - look.sign * (look.b @ look.x))
    scale = margin + np.linalg.norm(look.b) * np.linalg.norm(look.x)
    return missed <= DOUBT * scale and not _exact(look, margin)


def _walk(arguments, count, gradient):
    X = checks.features(arguments["X"])
    sets = checks.label_sets(arguments["Y"], X.shape[0], arguments.get("n_classes"))
    defaults = {"step": "adagrad", "margin": 1.0, "step_size": 0.1, "max_norm": None}
    rule = checks.one_vs_all_rule(**{name: arguments.get(name, default) for name, default in defaults.items()})
    draws = checks.Draws(arguments.get("draws"), arguments.get("seed", 0))
    return wsabie_baselines.walk(X, sets, rule, arguments["n_updates"], count, draws, gradient)


def _rounded_otherwise():
    """Returns gradients with a few more roundings. Numbers of few digits are computed without rounding."""
    rng = np.random.default_rng(0)

    def noisy(b, x, sign, margin):
        share = 0.0 if few_digits(b, x) else 8 * EPS
        return -sign * x * (1 + share * rng.choice([-1, 1], size=len(x)))

    return noisy


def _exact(look, margin):
    """True if the hinge is computed without rounding: all terms are 0, or all numbers have few digits."""
    return not (look.b.any() and look.x.any()) or few_digits(look.b, look.x, margin)


def _accuracy(arguments, fit):
    """Returns (the accuracy on the validation set, or 0 without one; True if rounding decides about a prediction)."""
    if arguments.get("validation") is None:
        return 0.0, False
    X, Y = arguments["validation"]
    scores = X.astype(np.float64) @ fit.prototypes.astype(answer_dtype(arguments["X"])).astype(np.float64).T
    sets = checks.label_sets(Y, X.shape[0], len(fit.prototypes))
    two = np.sort(scores, axis=1)[:, -2:]
    close = two[:, 1] - two[:, 0] <= BEST * np.abs(scores).max()
    right = [best in sets.of(t) for t, best in enumerate(scores.argmax(axis=1))]
    return float(np.mean(right)), bool((close & scores.any(axis=1)).any())

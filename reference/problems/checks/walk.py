"""Walks of the Wsabie family: random numbers, records and early stopping, and the warning of frozen classes.

A walk is a sequence of stochastic gradient steps. A class is frozen if all of its examples are skipped.
"""

import time
from numbers import Real

import numpy as np

from .arguments import brief, count, finite_array, real_array
from .reporting import warn

MOST_UPDATES = 2**62  # the steps of a fit and of its continuation fit in an int64 together
RECORDS = 20  # of a walk that is watched: enough for a curve, and few enough to cost little
FEWEST_SKIPPED = 20  # a class with few examples is skipped a few times in a row by chance, too
NAMED = 10  # frozen classes, in the warning


class Draws:
    """A stream of numbers in [0, 1): those of the array `draws`, or random ones. `used` counts those taken so far."""

    def __init__(self, draws, seed):
        self.used, self.numbers = 0, None
        if draws is not None:
            self.numbers = finite_array(real_array(draws, "draws", (1,)), "draws").astype(np.float64)
            if not (self.numbers.min() >= 0 and self.numbers.max() < 1):
                raise ValueError(f"draws must hold numbers in [0, 1), got {self.numbers.min()}..{self.numbers.max()}")
        try:
            self.generator = np.random.default_rng(seed)
        except (TypeError, ValueError):
            raise ValueError(f"seed must be an integer >= 0 or a Generator, got {seed!r}") from None

    def take(self, size):
        """Take the next `size` numbers."""
        self.used += size
        if self.numbers is None:
            return self.generator.random(size)
        if self.used > len(self.numbers):
            raise ValueError(f"draws must hold enough numbers for all updates, got {len(self.numbers)}")
        return self.numbers[self.used - size : self.used]

    def below(self, m):
        """Take one number as an integer in 0..m-1. For random numbers all integers are equally likely."""
        return int(self.take(1)[0] * m)

    def coming(self, size):
        """The next `size` numbers, or all that are left in the array, without taking them."""
        if self.numbers is not None:
            return self.numbers[self.used : self.used + size]
        state = self.generator.bit_generator.state
        numbers = self.generator.random(size)
        self.generator.bit_generator.state = state
        return numbers

    def skip(self, size):
        """Take the next `size` numbers without returning them."""
        self.used += size
        if self.numbers is None:
            self.generator.random(size)


def stages(n_updates, every, watched):
    """The numbers of steps between records. By default a watched walk has about RECORDS of them, any other has one."""
    n_updates = count(n_updates, "n_updates", MOST_UPDATES)
    if every is None:
        every = max(1, n_updates // RECORDS) if watched else n_updates
    every = count(every, "every", MOST_UPDATES)
    return [min(every, n_updates - done) for done in range(0, n_updates, every)]


class Curve:
    """The history of a walk, and with `patience` its best fit."""

    def __init__(self, callback, patience):
        if callback is not None and not callable(callback):
            raise ValueError(f"callback must be a function of a fit, got {brief(callback)}")
        if patience is not None and callback is None:
            raise ValueError(f"patience must be given with a callback that returns a score, got {patience!r} without")
        self.callback, self.patience = callback, None if patience is None else count(patience, "patience")
        self.records, self.best, self.highest, self.since = [], None, -np.inf, 0
        self.began = time.perf_counter()

    def ends(self, fit):
        """Record the fit. Returns True if the last `patience` scores were not better than the best one before."""
        score = _score(None if self.callback is None else self.callback(fit))
        if self.patience is not None and np.isnan(score):
            raise ValueError(f"callback must return a score if patience is given, got {score}")
        self.records.append((fit.steps, fit.updates, score, time.perf_counter() - self.began))
        self.since += 1
        if self.patience is None or self.best is None or score > self.highest:
            self.best, self.highest, self.since = fit, score, 0
        return self.patience is not None and self.since >= self.patience

    def result(self):
        """The fit with the best score, or without `patience` the last one, with the whole history."""
        types = [("steps", np.int64), ("updates", np.int64), ("score", np.float64), ("seconds", np.float64)]
        return self.best._replace(history=np.rec.array(self.records, dtype=types))


def _score(value):
    """What a callback returned, as a float. None is NaN."""
    if value is None:
        return np.nan
    try:
        return float(value if isinstance(value, Real) and not isinstance(value, bool) else "no number")
    except (ValueError, OverflowError):
        raise ValueError(f"callback must return a number or None, got {brief(value)}") from None


def frozen_classes(fit, sets):
    """The classes whose last examples were all skipped: as many in a row as the class has, and at least FEWEST_SKIPPED.

    Examples with all labels do not count, since no step uses them.
    """
    sizes = np.diff(sets.starts)
    usable = np.repeat((sizes > 0) & (sizes < sets.n_classes), sizes)
    examples = np.bincount(sets.classes[usable], minlength=sets.n_classes)
    return np.flatnonzero((examples > 0) & (fit.skipped >= np.maximum(examples, FEWEST_SKIPPED)))


def warn_if_frozen(fit, sets, margin):
    """Warn if there are frozen classes, and name them and the remedies."""
    frozen = frozen_classes(fit, sets)
    if frozen.size:
        from sklearn.exceptions import ConvergenceWarning

        named = ", ".join(map(str, frozen[:NAMED])) + (", ..." if len(frozen) > NAMED else "")
        message = (
            f"{len(frozen)} of {sets.n_classes} classes are frozen (number {named}): their last "
            f"{fit.skipped[frozen].min()} examples or more were skipped, because a last violator still violated the "
            f"margin {margin:g}. They learn nothing. Set last_violators=0, or choose margin and step_size again"
        )
        warn(message, ConvergenceWarning)

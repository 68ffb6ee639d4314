"""Checks for the top-k SVM on parts: the parts, the rule of a round, visiting orders, and the history."""

from typing import NamedTuple

import numpy as np

from .arguments import LARGEST_INTEGER, brief, choice, count, finite_number, integers, positive

COMBINATIONS = ("adding", "line_search", "conjugate")
# By default, examples are gathered if they take at most GATHERED bytes, or as much as ARRAYS arrays of weights. The
# driver has about as many of these anyway, and a round without gathering exchanges more.
GATHERED, ARRAYS, NUMBER_BYTES = 2**26, 8, 8
REMEMBERED = 5  # sigma' is bounded by the couplings of so many passes: that of a single one may be a low exception


class PartsRule(NamedTuple):
    """The checked arguments of `fit_topk_svm_parts` that say how the changes of parts are made and combined."""

    max_rounds: int
    local_epochs: int
    sigma: float | None  # None: the number of parts, or what the passes measure (see `fit_topk_svm_parts`)
    combine: str
    gather: float | None  # bytes; None: see `most_gathered`
    seed: int

    def most_gathered(self, weights):
        """Returns the largest number of bytes of examples that are gathered, for a problem with so many weights."""
        return max(GATHERED, ARRAYS * NUMBER_BYTES * weights) if self.gather is None else self.gather

    def orders(self, size, number, step, part):
        """Yields the orders (size,) in which a part visits its `size` examples, in step `step` of round `number`.

        Passes are counted over the round, and rounds, steps and parts from 0. The first example of a part is its
        lowest-indexed one. So a part can draw its own orders.
        """
        for q in range(step * self.local_epochs, (step + 1) * self.local_epochs):
            yield np.random.default_rng([self.seed, number, q, part]).permutation(size)

    def stretch(self, couplings, n_parts):
        """Returns sigma' of the next pass, given the couplings of the passes that all parts have made so far.

        If sigma is not given, it is the largest of the last couplings, and that of no parts at all is their number. It
        is rounded up to a power of 2, so that a number that is multiplied by it is not rounded. To add the changes as
        they are is safe with the number of parts only.
        """
        if self.sigma is not None:
            return self.sigma
        if self.combine == "adding":
            return float(n_parts)
        largest = max([n_parts, *couplings][-REMEMBERED:])
        return min(float(2 ** np.ceil(np.log2(max(largest, 1.0)))), float(n_parts))


def parts_rule(max_rounds, local_epochs, sigma, combine, gather, seed):
    """Returns the checked rule of the rounds."""
    return PartsRule(
        count(max_rounds, "max_rounds"),
        count(local_epochs, "local_epochs"),
        None if sigma is None else positive(sigma, "sigma"),
        choice(combine, "combine", COMBINATIONS),
        None if gather is None else _bytes(gather, "gather"),
        count(seed, "seed", LARGEST_INTEGER, smallest=0),
    )


def parts_of(parts, n, seed):
    """Returns the parts of n examples: a list of int64 arrays of indices, each ascending.

    A number of parts deals the examples out at random. Otherwise each example must be in one of the given parts.
    """
    if not isinstance(parts, (list, tuple)):
        order = np.random.default_rng(count(seed, "seed", LARGEST_INTEGER, smallest=0)).permutation(n)
        return [np.sort(part) for part in np.array_split(order, count(parts, "parts", n))]
    arrays = [_part(part, p, n) for p, part in enumerate(parts)]
    times = np.bincount(np.concatenate([np.zeros(0, np.int64), *arrays]), minlength=n)
    if (times != 1).any():
        i = int(np.argmax(times != 1))
        raise ValueError(f"parts must hold each of the {n} examples once, got example {i} {times[i]} times")
    return [np.sort(part) for part in arrays]


def _part(part, p, n):
    array = integers(part, f"parts must be a number, or a list of integer arrays: part {p}")
    if array.ndim != 1 or not array.size:
        raise ValueError(f"parts must be arrays with one dimension and an example or more, got {brief(array)} at {p}")
    if array.min() < 0 or array.max() >= n:
        raise ValueError(f"parts must hold indices in 0..{n - 1}, got {array.min()}..{array.max()} at part {p}")
    return array.astype(np.int64)


def _bytes(value, name):
    """Returns a number of bytes, >= 0 or inf, as a float."""
    if isinstance(value, float) and value == np.inf:
        return value
    number = finite_number(value, name)
    if number < 0:
        raise ValueError(f"{name} must be a number of bytes >= 0, got {value!r}")
    return number


def parts_history(records, more=()):
    """Returns the history of a fit on parts as a record array, from one tuple a round."""
    numbers = [(name, np.float64) for name in ("primal", "dual", "gap", "seconds")]
    return np.rec.array(
        records, dtype=[*numbers, ("communications", np.int64), ("sigma", np.float64), ("gathered", np.int64), *more]
    )

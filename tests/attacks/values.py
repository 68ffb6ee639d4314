"""Certificates of functions with one right answer: it is known exactly, and wrong answers are moved away from it."""

import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import numpy as np

import fast
import reference
from reference.check import certify

from .families import CRASHES, TRIES
from .judging import Verdict

FAR = 1e3  # roundings: an answer that is farther from the right one must be refused
NEAR = 4.0  # roundings: an answer of a solver that is nearer must pass
TINY = 5e-324  # the smallest number above 0


class Value(NamedTuple):
    """A function, its problems, its right answer, and what errors are relative to.

    An answer is a list of arrays; `given_as` makes of it what `certify` takes. `limit` returns the largest error of an
    answer that passes, from the problem, the certificate and the rounding of the answer.
    """

    name: str
    draw: Callable  # rng -> arguments
    truth: Callable  # arguments -> list of arrays, of fractions or integers
    unit: Callable  # (arguments, truth) -> float
    limit: Callable = lambda problem, certificate, eps: FAR * eps
    parts: Callable = lambda answer: [answer]  # of what the function returns
    given_as: Callable = lambda arrays: arrays[0]
    right_limit: Callable = lambda problem: NEAR

    def attack(self, rng):
        """Yields (is_wrong, problem, answer, Verdict)."""
        problem = self.draw(rng)
        truth = [np.array(part, dtype=object) for part in self.truth(problem)]
        unit = float(self.unit(problem, truth))
        for arrays in self._of_solvers(problem, truth):
            yield False, problem, {"answer": arrays}, self._judged(problem, truth, unit, arrays, True)
        for _ in range(TRIES):
            arrays = _moved(rng, truth, unit)
            yield True, problem, {"answer": arrays}, self._judged(problem, truth, unit, arrays, False)

    def _of_solvers(self, problem, truth):
        """Yields right answers: of both packages, and the truth, rounded."""
        for package in (fast, reference):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    yield [np.asarray(part) for part in self.parts(getattr(package, self.name)(**problem))]
            except (ValueError, ArithmeticError) as trouble:
                CRASHES.append((package.__name__, self.name, repr(trouble)[:200], problem))
        dtype = next((a.dtype for a in problem.values() if getattr(a, "dtype", None) == np.float32), np.float64)
        yield [_rounded(part, dtype) for part in truth]

    def _judged(self, problem, truth, unit, arrays, is_right):
        eps = max((float(np.finfo(part.dtype).eps) for part in arrays if part.dtype.kind == "f"), default=0.0)
        error = max(_apart(part, right) for part, right in zip(arrays, truth, strict=True))
        found = certify(self.name, self.given_as(arrays), **problem)
        if is_right and error <= max(self.right_limit(problem) * eps * unit, TINY * bool(eps)):
            return Verdict("" if found.ok else "false alarm", 0.0, found.what)
        if found.ok and error > self.limit(problem, found, eps) * unit + FAR * TINY * bool(eps):
            return Verdict("false proof", 0.0, f"the value is {found.value:.3g}, the error {float(error):.3g}", True)
        return Verdict("")


def _apart(part, right):
    if part.shape != right.shape:
        return float("inf")
    return max((abs(_exactly(a) - b) for a, b in zip(part.ravel().tolist(), right.ravel(), strict=True)), default=0)


def _exactly(a):
    return Fraction(a) if np.isfinite(a) else float("inf")


def _rounded(part, dtype):
    whole = part.size and all(isinstance(value, (int, np.integer)) for value in part.ravel())
    return part.astype(np.int64 if whole else np.float64).astype(np.int64 if whole else dtype)


def _moved(rng, truth, unit):
    """Returns the right answer with some entries moved, exchanged, or all of them set to 0 or scaled."""
    arrays = [_rounded(part, np.float32 if rng.random() < 0.2 else np.float64) for part in truth]
    array, kind = arrays[rng.integers(len(arrays))], rng.integers(5)
    if array.dtype.kind in "iu":
        array[...] = np.where(rng.random(array.shape) < 0.5, array + rng.integers(-1, 2, array.shape), array)
    elif kind == 0:
        array[...] = rng.permutation(array.ravel()).reshape(array.shape)
    elif kind == 1:
        array *= array.dtype.type(rng.choice([0.0, 1 + 10.0 ** rng.uniform(-14, 0)]))
    else:
        step = (unit or 1.0) * 10.0 ** rng.uniform(-15, 0) * rng.normal(size=array.shape)
        array += (step * (rng.random(array.shape) < 0.5)).astype(array.dtype)
        if kind == 2 and array.size:  # the sum stays
            array.flat[0] += (
                array.dtype.type(float(sum(truth[0].ravel())) - float(array.sum())) if array is arrays[0] else 0
            )
    return arrays

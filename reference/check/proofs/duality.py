"""Proved bounds of a regularised mean loss: the objective from above, its minimum from below. NumPy only.

The objective is ``P(W) = lambda/2 |W|^2 + 1/n sum_i s_i loss_i(W' x_i)``. A dual point A has a row for each example. In
units of ``r_i = s_i / (lambda n)``, a row stands for shares p_i. If all p_i are in the domain of the loss, then::

    D(A) = 1/n sum_i s_i value(p_i) - lambda/2 |X'A|^2  <=  P(W)  for all W.

The bounds hold for the numbers as they are stored: each of them includes what rounding may have changed on the way. A
sum of n rounded products is off by at most n u / (1 - n u) times the sum of their sizes, in any order, with u = 2^-53.
Only overflow and underflow are not covered. CERTIFICATES.md has the proofs.
"""

import math
from typing import NamedTuple

import numpy as np

from .rounding import answer_dtype, tolerance

UNIT = 2.0**-53
ELEMENTARY = 16  # units by which NumPy's exp, log and log1p, and a few operations with their results, may be off
LARGEST = 1e9  # share: those in a domain are at most 1
CHUNK = 2**20  # the most numbers of X of which the sizes are held at once


def rounding(terms):
    """Returns the largest relative error of a sum of so many rounded products, relative to the sum of their sizes."""
    return terms * UNIT / (1 - terms * UNIT)


def exact_sum(terms):
    """Returns the sum, rounded once; inf if it overflows, and NaN for infinities of both signs."""
    try:
        return math.fsum(np.ravel(terms).tolist())
    except OverflowError:
        return np.inf
    except ValueError:
        return np.nan


class Bounds(NamedTuple):
    """What weights and duals prove: the objective of the weights, and its relative distance from the minimum."""

    value: float  # (objective - minimum) / objective is at most this
    primal: float  # upper bound of the objective
    dual: float  # lower bound of the minimum
    given: float  # the dual objective at the duals as they are, in their domain or not, up to rounding
    objective: float  # that of the weights, up to rounding
    repaired: float  # the dual objective at the duals in their domain, up to rounding

    @property
    def causes(self):
        """Returns what of the value the way into the domain costs, and what the bounds of rounding do."""
        rounding = self.primal - self.objective + self.repaired - self.dual
        return tuple(max(0.0, part / self.primal) for part in (self.given - self.repaired, rounding))


WORTHLESS = Bounds(np.inf, np.inf, 0.0, 0.0, np.inf, 0.0)  # what arrays with NaN, or of a wrong shape, prove


def bounds(primal, dual, given=None, objective=None, repaired=None):
    """Returns the Bounds for an upper bound of the objective and a lower bound of the minimum. No loss is negative."""
    dual = float(dual) if dual > 0 else 0.0  # also where it is NaN
    value = 0.0 if primal == 0 else min(1.0, max(0.0, (primal - dual) / primal) * (1 + 4 * UNIT))
    others = dual if given is None else given, primal if objective is None else objective
    others = *others, dual if repaired is None else repaired
    found = Bounds(float(value), float(primal), dual, *map(float, others))
    return found if np.isfinite(primal) else WORTHLESS


class Linear:
    """Features X, dense or sparse, and the weights W (d, ...) of linear scores X W."""

    def __init__(self, X):
        self.X = X if X.dtype == np.float64 else X.astype(np.float64)

    def sizes(self, B):
        """Returns ``|X| B`` for an array B, in chunks of rows."""
        if hasattr(self.X, "tocsr"):
            return abs(self.X) @ B
        return np.concatenate([np.abs(rows) @ B for _, rows in self._chunks()])

    def transposed_sizes(self, B):
        """Returns ``|X|' B``."""
        if hasattr(self.X, "tocsr"):
            return abs(self.X).T @ B
        return sum(np.abs(rows).T @ B[first : first + len(rows)] for first, rows in self._chunks())

    def _chunks(self):
        step = max(1, CHUNK // self.X.shape[1])
        return ((first, self.X[first : first + step]) for first in range(0, self.X.shape[0], step))

    def lengths(self):
        """Returns the norms of the examples (n,)."""
        squares = self.X.multiply(self.X).sum(axis=1) if hasattr(self.X, "tocsr") else (self.X**2).sum(axis=1)
        return np.sqrt(np.ravel(squares))

    def longest(self):
        """Returns the largest norm of an example."""
        return float(self.lengths().max())

    def at(self, W, unsure=0.0):
        """Returns (scores, by how much each may be off, a bound of ``|W|^2``) of weights within `unsure` of W."""
        off = self.sizes(rounding(self.X.shape[1] + 4) * np.abs(W) + 2 * unsure)
        underflow = np.count_nonzero(W) * np.finfo(np.float64).tiny
        return self.X @ W, off, exact_sum((np.abs(W) + unsure) ** 2) * (1 + 8 * UNIT) + underflow

    def weights(self, A, unsure=0.0):
        """Returns (X'A, by how much it may be off) for duals that are within `unsure` of A."""
        return self.X.T @ A, self.transposed_sizes(rounding(self.X.shape[0] + 4) * np.abs(A) + 2 * unsure)

    def at_duals(self, A):
        """Returns the same as `at` for the weights X'A."""
        return self.at(*self.weights(A))

    def squared(self, A, unsure):
        """Returns (X'A, an upper bound of ``|X'B|^2`` for all B within `unsure` of A)."""
        W, off = self.weights(A, unsure)
        return W, exact_sum((np.abs(W) + off) ** 2) * (1 + 8 * UNIT)

    def plainly_squared(self, A):
        """Returns ``|X'A|^2`` up to rounding."""
        return exact_sum((self.X.T @ A) ** 2)


class Gram:
    """Inner products K of the examples, which are all that is known of them: the weights X'A have the scores K A."""

    def __init__(self, K):
        self.K, self.jitter = np.asarray(K, dtype=np.float64), tolerance(answer_dtype(K), len(K)) * len(K)

    def is_semidefinite(self):
        """Returns whether K has no eigenvalue below 0, up to the rounding of each entry. O(n^3), by Cholesky.

        The entries are divided by the lengths of both examples, since a rounding error is relative to these.
        """
        lengths = np.sqrt(np.maximum(np.diagonal(self.K), 0))
        inverse = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        cosines = self.K * inverse[:, None] * inverse
        if np.any(self.K[lengths == 0]) or np.any(self.K[:, lengths == 0]):
            return False
        if not np.abs(cosines - cosines.T).max(initial=0.0) <= self.jitter:
            return False
        try:
            np.linalg.cholesky((cosines + cosines.T) / 2 + self.jitter * np.eye(len(self.K)))
        except np.linalg.LinAlgError:
            return not self.K.any()
        return True

    def at_duals(self, A, unsure=0.0):
        """Returns the same as `Linear.at` for the weights X'B of all duals B within `unsure` of A."""
        scores = self.K @ A
        off = np.abs(self.K) @ (rounding(len(self.K) + 4) * np.abs(A) + 2 * unsure)
        terms = A * scores, np.abs(A) * off + unsure * (np.abs(scores) + off)
        return scores, off, max(0.0, exact_sum(terms[0])) + exact_sum(terms[1] + 4 * UNIT * np.abs(terms[0]))

    def plainly_squared(self, A):
        """Returns ``|X'A|^2`` up to rounding."""
        return exact_sum(A * (self.K @ A))

    def squared(self, A, unsure):
        """Returns (None, an upper bound of ``|X'B|^2`` for all B within `unsure` of A)."""
        return None, self.at_duals(A, unsure)[2]


class Objective:
    """P(W) of examples with the weights s, for one of the losses, and its dual."""

    def __init__(self, features, loss, regularization, sample_weight=None):
        self.features, self.loss, self.regularization = features, loss, regularization
        n = loss.n
        self.s = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        self.radius = self.s / (regularization * n)

    def primal(self, point):
        """Returns (lower bound, upper bound) of P at a point, as `Linear.at` and `Gram.at_duals` return it.

        The first number is P up to rounding, and no bound, for a loss that does not bound itself from below.
        """
        scores, off, squared = point
        penalty = self.regularization / 2 * squared
        losses = (exact_sum(self.s * one) / len(self.s) for one in self.loss.bounds(scores, off))
        low, high = (penalty + mean for mean in losses)
        return float(low * (1 - 32 * UNIT)), float(high * (1 + 32 * UNIT))

    def differences(self, weights):
        """Returns the differences of the scores that the loss depends on."""
        return self.loss.differences(self.features.X @ weights)

    def proof(self, duals, point):
        """Returns the Bounds of weights, whose `point` is that of `Linear.at`, from duals that may be anything."""
        low, high = self.primal(point)
        shares = self.shares(duals)
        repaired = self.loss.repaired(shares)
        plain = self._plain(repaired)
        given = plain if np.array_equal(shares, repaired) else self._plain(shares)
        plainly = low if not self.loss.bounds_below else (low + high) / 2 if low > 0 else high
        return bounds(high, self.dual(repaired)[0], given, plainly, plain)

    def _plain(self, shares):
        """Returns D at shares as they are, in their domain or not, up to rounding."""
        gain = exact_sum(self.s * self.loss.plain(shares)) / len(self.s)
        return gain - self.regularization / 2 * self.features.plainly_squared(self.duals(shares))

    def shares(self, duals):
        """Returns the shares of given duals."""
        radius = self.radius[:, None]
        shares = np.divide(duals, radius, out=np.zeros(duals.shape), where=radius > 0)
        return self.loss.shares(np.clip(np.nan_to_num(shares), -LARGEST, LARGEST))

    def duals(self, shares):
        """Returns the duals (n, m) that the shares stand for."""
        return self.radius[:, None] * self.loss.rows(shares)

    def dual(self, shares):
        """Returns (a lower bound of the minimum, the weights X' duals, the shares) for shares that are repaired.

        If multiples of the shares are in the domain, too, the best multiple is returned.
        """
        gain, bend, weights = self._value(shares)
        scale = min(1.0, gain / (2 * bend)) if self.loss.scalable and bend > 0 else 1.0
        if not scale > 0:
            return 0.0, None if weights is None else np.zeros_like(weights), np.zeros_like(shares)
        bound = scale * gain - scale**2 * bend - 8 * UNIT * (abs(gain) + bend)
        return float(max(bound, 0.0)), None if weights is None else scale * weights, scale * shares

    def _value(self, shares):
        """Returns (a lower bound of the mean value, an upper bound of the penalty, the weights).

        They belong to the point of the domain that is closest to the shares. It is `apart` from them, in the 1-norm of
        each row, so no entry of a row of duals differs by more than r times that.
        """
        values, apart = self.loss.values(shares)
        duals, m = self.duals(shares), self.loss.m
        off = self.radius[:, None] * apart[:, None] + rounding(m + 4) * np.abs(duals)
        weights, squared = self.features.squared(duals, off)
        gain = exact_sum(self.s * values) / len(self.s)
        return gain - 8 * UNIT * abs(gain), self.regularization / 2 * squared * (1 + 8 * UNIT), weights

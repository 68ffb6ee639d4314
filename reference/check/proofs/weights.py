"""The result of `certify_weights`, and the search for it: the best bounds so far, and when they are tight enough."""

from __future__ import annotations

from time import perf_counter
from typing import NamedTuple

import numpy as np

from ...problems.checks import finite_objective
from ...problems.checks.types import Floats

LAST = 2.0**-51  # what rounding may change in one minus a ratio
TIGHT = 0.1  # the bound is tight if it is proved to exceed the suboptimality by no more than this share of the bound


class WeightsCertificate(NamedTuple):
    """Bounds of the suboptimality (P(W) - minimum) / P(W) of weights W. It is true if `ok` is.

    Attributes
    ----------
    value : float
        The suboptimality is at most this.
    bound : float
        What was asked for: `tol`.
    ok : bool
        Whether value <= bound.
    what : str
        The same in a sentence.
    at_least : float
        The suboptimality is at least this.
    settled : bool
        Whether value <= bound, or value - at_least is at most a tenth of value.
    primal : float
        The objective P(W).
    dual : float
        A lower bound of the minimum.
    better : array, of the shape of W
        The best weights that were found, or W itself if there are none better.
    better_primal : float
        Their objective, an upper bound of the minimum.
    epochs : int
        The epochs of the ascent, or its iterations.
    seconds : float
    """

    value: float
    bound: float
    ok: bool
    what: str
    at_least: float
    settled: bool
    primal: float
    dual: float
    better: Floats
    better_primal: float
    epochs: int
    seconds: float

    def __bool__(self) -> bool:
        return self.ok


class Search:
    """The best bounds so far. `primal(weights)` returns (lower bound, upper bound) of the objective at weights."""

    def __init__(self, primal, weights, tol):
        self.primal, self.weights, self.tol = primal, weights, tol
        self.started, self.epochs, self.dual = perf_counter(), 0, 0.0  # no loss is negative
        with np.errstate(over="ignore", invalid="ignore"):  # finite_objective refuses it
            self.low, self.high = finite_objective(np.array(primal(weights))).tolist()
        self.better, self.better_high = weights, self.high

    @property
    def value(self):
        return min(1.0, max(0.0, 1 - self.dual / self.high) + LAST)

    @property
    def at_least(self):
        return max(0.0, 1 - self.better_high / self.low - LAST)

    @property
    def settled(self):
        return self.value <= self.tol or self.value - self.at_least <= TIGHT * self.value

    @property
    def wanted(self):
        """Returns a relative gap of the ascent at which the bounds are settled."""
        return TIGHT * max(self.at_least, self.tol) * self.high / self.better_high

    def offer_dual(self, dual):
        """Take a lower bound of the minimum. Returns whether it is better than those before."""
        is_better, self.dual = dual > self.dual, max(self.dual, dual)
        return is_better

    def offer_weights(self, weights):
        """Take weights, whose objective is an upper bound of the minimum."""
        high = self.primal(weights)[1]
        if high < self.better_high:
            self.better, self.better_high = weights, high

    def certificate(self):
        """Returns the WeightsCertificate."""
        value, ok = self.value, self.value <= self.tol
        return WeightsCertificate(
            value, self.tol, ok, self._what(value, ok), self.at_least, self.settled, self.high, self.dual,
            self.better, self.better_high, self.epochs, perf_counter() - self.started,
        )  # fmt: skip

    def _what(self, value, ok):
        asked = f"at most {self.tol:.1e} asked"
        if ok or not self.settled:
            known = f"the objective exceeds the minimum by at most {value:.2e} of itself, {asked}"
            return known if ok else f"{known}; the bound may be loose, a longer ascent (max_epochs) can improve it"
        return f"the objective exceeds the minimum by {self.at_least:.2e} to {value:.2e} of itself, {asked}"

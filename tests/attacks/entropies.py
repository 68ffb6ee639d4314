"""Oracles of the entropy fits: 60 digits, and a Newton method whose steps are computed in floating point.

The gradient of a loss is the best u of its definition, <u, scores> + entropy. So the duals of the gradients at any
weights are in the domain, and the gap is the square of the distance of those weights from X' duals: it is soon tiny.
"""

from fractions import Fraction

import mpmath
import numpy as np

from .duals import DualFit

DIGITS, STEPS, SMALL = 60, 30, Fraction(1, 10**24)
mpmath.mp.dps = DIGITS


def rational(x):
    """Returns a number of mpmath as a fraction."""
    sign, mantissa, exponent, _ = mpmath.mpf(x)._mpf_
    return Fraction((-1) ** sign * int(mantissa)) * Fraction(2) ** exponent


def number(x):
    """Returns a fraction as a number of mpmath."""
    return mpmath.mpf(x.numerator) / x.denominator if isinstance(x, Fraction) else x


def topk_shares(h, k):
    """Returns argmax <h, p> - sum p log p over 0 <= p <= 1/k, sum p = 1: the largest are 1/k, the others like exp(h)."""
    order = sorted(range(len(h)), key=lambda j: -h[j])
    for capped in range(k):
        rest = order[capped:]
        powers = [mpmath.exp(h[j] - h[rest[0]]) for j in rest]
        if powers[0] * (k - capped) <= sum(powers) or capped == k - 1:  # (1 - capped/k) * powers/sum <= 1/k
            p = dict.fromkeys(order[:capped], (h[0] * 0 + 1) / k)
            return p | {j: power / sum(powers) * (k - capped) / k for j, power in zip(rest, powers, strict=True)}
    raise AssertionError("the last number of capped shares is always right")


class TopKEntropy:
    """log(1 + e^V), V = max <h, p> + entropy(p), of the differences h of the scores of the rivals and the true class."""

    def __init__(self, m, y, k):
        self.m, self.y, self.k = m, y, k

    def slope(self, scores):
        """Returns the gradient in the scores."""
        rivals = [j for j in range(self.m) if j != self.y]
        h = [scores[j] - scores[self.y] for j in rivals]
        p = topk_shares(h, self.k)
        value = sum(share * (h[j] - mpmath.log(share)) for j, share in p.items() if share > 0)
        total = 1 / (1 + mpmath.exp(-value))
        found = {rival: total * p[place] for place, rival in enumerate(rivals)}
        return [-total if j == self.y else found[j] for j in range(self.m)]

    def value(self, scores):
        h = [scores[j] - scores[self.y] for j in range(self.m) if j != self.y]
        p = topk_shares(h, self.k)
        value = sum(share * (h[j] - mpmath.log(share)) for j, share in p.items() if share > 0)
        return max(value, 0) + mpmath.log1p(mpmath.exp(-abs(value)))

    def entropy(self, point):
        shares = [point.get(j, Fraction(0)) for j in range(self.m) if j != self.y]
        return entropy([*shares, 1 - sum(shares)])


class MultilabelEntropy:
    """log sum exp scores - the mean of the positive scores. Its gradient is the softmax less the uniform tau."""

    def __init__(self, flags):
        positives = sum(bool(flag) for flag in flags)
        self.tau = [Fraction(int(bool(flag)), positives) for flag in flags]

    def corners(self):
        """Returns the corners of the dual domain, as pieces of offset 0."""
        m = range(len(self.tau))
        return [(Fraction(0), {j: int(i == j) - t for j, t in enumerate(self.tau)}) for i in m]

    def slope(self, scores):
        powers = [mpmath.exp(score - max(scores)) for score in scores]
        return [power / sum(powers) - number(t) for power, t in zip(powers, self.tau, strict=True)]

    def value(self, scores):
        most = max(scores)
        total = mpmath.log(sum(mpmath.exp(score - most) for score in scores))
        return total + sum(number(t) * (most - score) for score, t in zip(scores, self.tau, strict=True))

    def entropy(self, point):
        return entropy([t + point.get(j, Fraction(0)) for j, t in enumerate(self.tau)])


def entropy(shares):
    return -sum(number(share) * mpmath.log(number(share)) for share in shares if share > 0)


class EntropyFit(DualFit):
    """The problem of DualFit with an entropy loss for each example. The pieces are the corners of the dual domain."""

    def __init__(self, K, m, regularization, shares, corners, losses):
        super().__init__(K, m, regularization, shares, corners)
        self.losses = losses

    def minimum(self):
        A, best = np.full((self.n, self.m), Fraction(0)), (Fraction(0), None)
        for _ in range(STEPS):
            scores, square = self.of_duals(A)
            right = np.array([self._row(i, scores[i]) for i in range(self.n)])
            high, low = self.objective(scores, square), self.repaired(right)[1]
            best = max(low, best[0]), high if best[1] is None else min(high, best[1])
            if best[1] - best[0] <= SMALL * best[1]:
                break
            A = self._step(A, right - A, scores, high)
        return *best, right.astype(np.float64)

    def corner(self, rng):
        """Returns the duals at scores of 0, or at random scores."""
        size = rng.choice([0.0, 0.0, 1.0])
        scores = [[Fraction(float(size * rng.normal())) for _ in range(self.m)] for _ in range(self.n)]
        return np.array([self._row(i, row) for i, row in enumerate(scores)], dtype=np.float64)

    def _row(self, i, scores):
        """Returns the duals of the gradient at these scores."""
        if not self.shares[i]:
            return [Fraction(0)] * self.m
        slope = self.losses[i].slope([number(score) for score in scores])
        return [-self.shares[i] / self.regularization * rational(a) for a in slope]

    def _step(self, A, towards, scores, high):
        """Returns the duals after a damped step of Newton's method for A = duals of the gradient at K A."""
        bends = [float(self.shares[i] / self.regularization) * self._bend(i, scores[i]) for i in range(self.n)]
        K = np.array(self.K, dtype=np.float64)
        system = np.array([[bends[i] * K[i, j] for j in range(self.n)] for i in range(self.n)])
        system = np.eye(A.size) + system.transpose(0, 2, 1, 3).reshape(A.size, A.size)
        step = np.linalg.lstsq(system, towards.astype(np.float64).ravel(), rcond=None)[0].reshape(A.shape)
        for halvings in range(40):
            moved = A + np.vectorize(Fraction)(step * 0.5**halvings)
            if self.objective(*self.of_duals(moved)) < high:
                return moved
        return A

    def _bend(self, i, scores):
        """Returns the Jacobian of the gradient of a loss in the scores, by differences."""
        if not self.shares[i]:
            return np.zeros((self.m, self.m))
        at, step = [number(score) for score in scores], mpmath.mpf(10) ** -15
        here, rows = self.losses[i].slope(at), []
        for j in range(self.m):
            there = self.losses[i].slope([score + step * (j == c) for c, score in enumerate(at)])
            rows.append([float((b - a) / step) for a, b in zip(here, there, strict=True)])
        return np.array(rows).T

    def _loss(self, i, scores):
        return self.shares[i] * rational(self.losses[i].value([number(score) for score in scores]))

    def _gain(self, i, point):
        return rational(self.losses[i].entropy(point))

"""Oracles of the entropy fits: 60 digits, and a Newton method whose steps are computed in floating point.

The gradient of a loss is the best u of its definition, <u, scores> + entropy. So the duals of the gradients at any
weights are in the domain, and the gap is the square of the distance of those weights from X' duals: it is soon tiny.
"""

from fractions import Fraction

import mpmath
import numpy as np

from .duals import DualFit

DIGITS, STEPS, SMALL = 60, 150, Fraction(1, 10**24)
LEAST = -4000  # of exponents
mpmath.mp.dps = DIGITS


def rational(x):
    """Returns a number of mpmath as a fraction, and 0 for what is far below all that matters."""
    sign, mantissa, exponent, _ = mpmath.mpf(x)._mpf_
    return Fraction((-1) ** sign * int(mantissa)) * Fraction(2) ** exponent if exponent > LEAST else Fraction(0)


def number(x):
    """Returns a fraction as a number of mpmath."""
    return mpmath.mpf(x.numerator) / x.denominator if isinstance(x, Fraction) else x


def topk_shares(h, k):
    """Returns argmax <h, p> - sum p log p over 0 <= p <= 1/k, sum p = 1: the largest are 1/k, the rest like exp(h)."""
    order = sorted(range(len(h)), key=lambda j: -h[j])
    for capped in range(k):
        rest = order[capped:]
        powers = [mpmath.exp(h[j] - h[rest[0]]) for j in rest]
        if powers[0] * (k - capped) <= sum(powers) or capped == k - 1:  # (1 - capped/k) * powers/sum <= 1/k
            p = dict.fromkeys(order[:capped], (h[0] * 0 + 1) / k)
            return p | {j: power / sum(powers) * (k - capped) / k for j, power in zip(rest, powers, strict=True)}
    raise AssertionError("the last number of capped shares is always right")


class TopKEntropy:
    """log(1 + e^V), V = max <h, p> + entropy(p), of the differences h of the scores of rivals and the true class."""

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

    def minimum(self, hint=None):
        """Returns the bounds of the minimum, and the duals. The method starts at the hint, if it is better than 0."""
        starts = [
            np.full((self.n, self.m), Fraction(0)),
            *([] if hint is None else [np.vectorize(Fraction, otypes=[object])(hint.astype(np.float64))]),
        ]
        A, best, solve = min(starts, key=lambda A: self.objective(*self.of_duals(A))), (Fraction(0), None), _in_floats
        for _ in range(STEPS):
            scores, square = self.of_duals(A)
            right = np.array([self._row(i, scores[i]) for i in range(self.n)])
            high, low = self.objective(scores, square), self.repaired(right)[1]
            best = max(low, best[0]), high if best[1] is None else min(high, best[1])
            if best[1] - best[0] <= SMALL * best[1]:
                break
            moved = self._step(A, right - A, scores, high, solve)
            if moved is None and solve is _in_digits:
                break
            A, solve = (A, _in_digits) if moved is None else (moved, solve)
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

    def _step(self, A, towards, scores, high, solve):
        """Returns the duals after a damped step of Newton's method for A = duals of the gradient at K A, or None."""
        rows, last = [i for i in range(self.n) if self.shares[i]], self.m - 1
        bends = {i: self._bend(i, scores[i]) for i in rows}
        places = [(i, j) for i in rows for j in range(last)]  # rows sum to 0, so that the last class is not needed
        system = [
            [int((i, j) == (o, l)) + (bends[i][j][l] - bends[i][j][last]) * number(self.K[i][o]) for o, l in places]
            for i, j in places
        ]
        step = np.full(A.shape, Fraction(0))
        for place, value in zip(places, solve(system, [number(towards[place]) for place in places]), strict=True):
            step[place] = rational(value)
        step[:, last] = -step.sum(axis=1)
        for halvings in range(40):
            moved = A + step / 2**halvings
            if self.objective(*self.of_duals(moved)) < high:
                return moved
        return None

    def _bend(self, i, scores):
        """Returns the Jacobian of the duals of an example in its scores, by differences, with the sign changed."""
        at, step = [number(score) for score in scores], mpmath.mpf(10) ** -15
        here, share = self.losses[i].slope(at), number(self.shares[i] / self.regularization) / step
        columns = [self.losses[i].slope([s + step * (j == c) for c, s in enumerate(at)]) for j in range(self.m)]
        return [[share * (column[j] - here[j]) for column in columns] for j in range(self.m)]

    def _loss(self, i, scores):
        return self.shares[i] * rational(self.losses[i].value([number(score) for score in scores]))

    def _gain(self, i, point):
        return rational(self.losses[i].entropy(point))


def _in_floats(system, right):
    system, right = np.array(system, dtype=np.float64), np.array(right, dtype=np.float64)
    return [mpmath.mpf(float(x)) for x in np.linalg.lstsq(system, right, rcond=1e-18)[0]]


def _in_digits(system, right):
    return list(mpmath.lu_solve(mpmath.matrix(system), mpmath.matrix(right)))

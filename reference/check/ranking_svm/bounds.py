"""The certificate of a ranking SVM, for any size: it recomputes the dual from the planes that prove it. NumPy only.

The mean hinge h(w) is convex. A ranking of all groups that attains the hinge at a point u gives a plane: a linear
function of w that is nowhere above h and touches it at u. A convex combination b + <a, w> of such planes is nowhere
above h, either. Its minimum with the penalty, ``b - |a|^2 / (2 lambda)``, is therefore a lower bound of the objective.

A fit names the points u and the shares of their planes. This module builds the planes with an inference of its own. The
bound is valid for all points and shares, even for wrong ones. It proves that the primal, which is also recomputed, is
optimal up to the difference. It does not prove that there is no better bound, and says nothing about rounding.

If two rankings tie at a point up to rounding, there are several planes, and the fit may have used another one than this
module. Then the bound can be lower than that of the fit. To close this difference, the module adds a few more planes,
each at the minimum of the planes so far. They are valid, too.
"""

import numpy as np

from ..proofs.duality import ELEMENTARY, WORTHLESS, Linear, bounds, rounding
from ..proofs.shares import strongest_shares
from ..ranking.bounds import derivative_of, loss_of

MORE = 30  # the most planes to add to those of the fit
PROVED = 1e-9  # a dual that exceeds the bound by no more than this, relative, counts as proved
PAIRS = 10**6  # up to so many, the hinge is bounded by the best rank of each negative
REACHED = 1e-12  # no planes are added to a bound that is this close to the dual, relative
TIES = 2.0**-50  # a sum that is smaller than this share of its terms counts as 0
NEAR, TRIES = 1e-8, 4  # the relative distance from a point, and the number of tries, to look for another plane


def fit_ranking_svm(fit, X, relevant, *, groups=None, loss="ap", regularization, group_weight=None):
    """Returns an upper bound of the relative suboptimality (P(w) - min P) / P(w) of fit.weights, rounding included.

    The bound of the minimum is that of the planes at fit.points, with fit.shares. O(c (n d + n log n)) for c points.
    X may be CSR.
    """
    objective = RankingObjective(MeanHinge(X, relevant, groups, loss, group_weight), regularization)
    return objective.proof(fit.weights, fit.points, fit.shares, fit.dual).value


class RankingObjective:
    """The objective of a ranking SVM and its lower bounds, with what rounding may change.

    Let s bound the scores, and L the losses. The hinge of a group is the value of a ranking: its loss, plus a mean of
    differences of two scores, times 2. Its slopes sum to 4 at most, so that all terms have the size L + 4 s. In each
    halving of the negatives, the inference compares sums of as many terms as the group has positives: it finds the best
    ranking up to rounding(2 P + 8) of that size for each halving.
    """

    def __init__(self, hinge, regularization):
        self.hinge, self.regularization, self.d = hinge, regularization, hinge.d
        sums = sum(hinge.X.shape) + 2 * len(hinge.groups) + 2 * ELEMENTARY
        halvings = max((len(n).bit_length() * (2 * len(p) + 8) for p, n in hinge.groups), default=0)
        self.of_planes, self.of_values = rounding(sums), rounding(sums + halvings)
        self.pairs = sum(len(p) * len(n) for p, n in hinge.groups)
        self.length = float(np.sqrt((hinge.largest**2).sum()))  # no row of X is longer

    def primal(self, weights):
        """Returns (lower bound, upper bound) of the objective at the weights."""
        offset, slope = self.hinge.plane(weights)
        penalty, lost = self.regularization / 2 * (weights @ weights), offset + slope @ weights
        scores = self.hinge.largest @ np.abs(weights)  # the sum of the sizes of all products, too
        off = self.of_values * (self.hinge.highest + 4 * scores)
        # A QSLoss need not be suited for halving the negatives.
        is_sure = isinstance(self.hinge.loss, str) and self.pairs > PAIRS
        high = lost + off if is_sure else self.hinge.over_all_orders(weights)
        low, rounded = max(penalty + lost - off, np.finfo(np.float64).tiny), 1 + self.of_values
        return float(low), float((penalty + high) * rounded)

    def is_in_range(self, points):
        """Whether no sum of scores at these points can overflow."""
        with np.errstate(over="ignore"):
            return bool(np.isfinite(4 * self.hinge.X.shape[0] * (np.abs(points) @ self.hinge.largest)).all())

    def dual(self, points, shares, claimed=-np.inf):
        """Returns a lower bound of the minimum, from the planes at these points.

        Shares below 0 are taken as 0. If the sum is above 1, all are divided by it; the rest belongs to the plane 0.
        """
        shares = np.maximum(shares, 0)
        shares = shares / max(1.0, shares.sum())
        offset, slope, sizes, total = combination(self.hinge, points, shares)
        share = self.of_planes + rounding(2 * len(points))
        squared = ((np.abs(slope) + share * sizes) ** 2).sum() / self.regularization
        scale = min(1.0, offset / squared) if squared > 0 else 1.0
        if not scale > 0:
            return 0.0
        bound = scale * offset - scale**2 * squared / 2
        certain = bound - share * scale * (total * self.hinge.highest + scale * squared)
        if bound >= claimed * (1 - REACHED):
            return float(certain)
        # Rankings tie, and these planes are not those of the fit. More planes may help. Their slope a is not known. But
        # if the bound is positive, |a|^2 <= 2 lambda L.
        bound = lower_bound(self.hinge, points, shares, self.regularization, claimed)
        most = np.sqrt(2 * self.regularization * self.hinge.highest)
        return float(max(certain, bound - self._rounding(len(points) + MORE, most)))

    def proof(self, weights, points, shares, claimed=np.inf):
        """Returns the Bounds of weights. Where rankings tie, planes are added until the bound reaches `claimed`."""
        if np.ndim(points) != 2 or np.shape(shares) != (len(points),) or not np.isfinite(shares).all():
            return WORTHLESS
        return bounds(self.primal(np.asarray(weights, dtype=np.float64))[1], self.dual(points, shares, claimed))

    def _rounding(self, n_planes, length):
        """Returns by how much the bound of planes of any shares may be off if their slope has this length."""
        share = self.of_planes + rounding(2 * n_planes)
        off = 4 * share * self.length
        return 2 * share * self.hinge.highest + (2 * length * off + off**2) / (2 * self.regularization)


def lower_bound(hinge, points, shares, regularization, claimed):
    """Returns the bound of the planes at the points. Adds planes if ties make it lower than `claimed`."""
    offset, slope = combination(hinge, points, shares)[:2]
    best = offset - slope @ slope / (2 * regularization)
    if best >= claimed * (1 - REACHED) or not doubt(hinge, points, shares).any():
        return float(best)
    planes = [(0.0, np.zeros(hinge.d)), *(hinge.plane(point) for point in points)]  # the hinge is never negative
    alpha = np.concatenate([[1 - np.sum(shares)], shares])
    for _ in range(MORE):
        offsets, slopes = (np.array(part) for part in zip(*planes, strict=True))
        alone = offsets - (slopes**2).sum(axis=1) / (2 * regularization)
        if alone.max() > best:  # one plane is better than the mean of those so far
            best, alpha = alone.max(), np.arange(len(planes)) == alone.argmax()
        alpha = strongest_shares(offsets, slopes, np.maximum(alpha, 0) / np.maximum(alpha, 0).sum(), regularization)
        alpha /= alpha.sum()  # each step moves a share from one to another, up to a rounding
        weights = -(alpha @ slopes) / regularization
        best = max(best, offsets @ alpha - regularization / 2 * (weights @ weights))
        if best >= claimed * (1 - REACHED):
            break
        planes, alpha = [*planes, hinge.plane(weights)], np.append(alpha, 0.0)
    return float(best)


def is_combination(points, shares):
    """True if each point has a share >= 0 and the shares sum to 1. No points at all mean the plane 0."""
    if np.ndim(points) != 2 or np.shape(shares) != (len(points),) or not np.isfinite(shares).all():
        return False
    return len(points) == 0 or (np.min(shares) >= 0 and abs(np.sum(shares) - 1) <= PROVED)


def combination(hinge, points, shares):
    """Returns (offset, slope, sizes of its products, sum of the shares) of the planes that are not exactly 0."""
    offset, by_score, sizes, total = 0.0, np.zeros(hinge.X.shape[0]), np.zeros(hinge.X.shape[0]), 0.0
    for point, share in zip(points, shares, strict=True):
        lost, slopes = hinge.touching(point)
        offset, by_score, sizes = offset + share * lost, by_score + share * slopes, sizes + share * np.abs(slopes)
        total += share * slopes.any()
    return float(offset), hinge.X.T @ by_score, Linear(hinge.X).transposed_sizes(sizes), float(total)


def doubt(hinge, points, shares):
    """Returns by how much ties between rankings at the points may change each coordinate of the slope.

    A slope is a mean of differences of two rows of X, times 2. For zero_one it is a mean of rows.
    """
    rng, size = np.random.default_rng(0), np.abs(points).max(initial=0.0) or 1.0
    tied = 0.0
    for point, share in zip(points, shares, strict=True):
        here = hinge.plane(point)
        others = (hinge.plane(point + NEAR * size * rng.normal(size=hinge.d)) for _ in range(TRIES))
        unit = np.abs(here[1]).max() + hinge.largest.max()
        tied += share * any(np.abs(other[1] - here[1]).max() > NEAR * unit for other in others)
    return 8 * tied * hinge.largest


class MeanHinge:
    """sum_g share_g max_R [loss(R) + F(R) - F(R*)]  as a function of the weights; X is dense or CSR."""

    def __init__(self, X, relevant, groups=None, loss="ap", group_weight=None):
        self.X = X if X.dtype == np.float64 else X.astype(np.float64)
        self.d, self.loss, self.groups = X.shape[1], loss, members(relevant, groups)
        weights = np.ones(X.shape[0]) if group_weight is None else np.asarray(group_weight, dtype=np.float64)
        shares = np.array([weights[p[0]] for p, _ in self.groups])
        self.shares = shares / shares.sum()
        size = abs(self.X).max(axis=0)
        self.largest = np.ravel(size.toarray() if hasattr(size, "toarray") else size)
        self.highest = max((_highest_loss(len(p), len(n), loss) for p, n in self.groups), default=1.0)

    def over_all_orders(self, weights):
        """Returns an upper bound of h, rounding included: each negative takes its best rank, and need not keep order.

        O(P N) for each group. A score is off by at most ``|x|' |w|`` times the rounding of d terms, to the worse side.
        What rounding changes in the gain of a rank is relative to the sizes of the steps up to this rank only.
        """
        weights = weights.astype(np.float64)
        off = rounding(self.d + 4) * (abs(self.X) @ np.abs(weights))
        scores, total = self.X @ weights, 0.0
        for (p, n), share in zip(self.groups, self.shares, strict=True):
            high, low = scores[p] - off[p], scores[n] + off[n]
            if self.loss == "zero_one":
                terms = (np.maximum(0, 1 - high).sum() + np.maximum(0, 1 + low).sum()) / (len(p) + len(n))
            else:
                terms = self._sum_of_best(-np.sort(-high), -np.sort(-low))
            total += share * terms
        return float(total) * (1 + rounding(len(scores) + 2 * len(self.groups) + ELEMENTARY))

    def _sum_of_best(self, p, n):
        """Returns an upper bound of the sum over negatives of their best gain, for scores that descend."""
        derivative, unit = derivative_of(self.loss, len(p), len(n)), rounding(len(p) + ELEMENTARY)
        total = 0.0
        for j in range(len(n)):
            gain = derivative(j + 1, np.arange(1, len(p) + 1))
            drop = 2 * (p - n[j]) / (len(p) * len(n))
            sizes = np.abs(gain) + 2 * (np.abs(p) + np.abs(n[j])) / (len(p) * len(n))
            total += max(0.0, (np.cumsum((gain - drop)[::-1]) + unit * np.cumsum(sizes[::-1])).max())
        return total

    def objective(self, weights, regularization):
        """Returns ``regularization/2 |w|^2 + h(w)``."""
        weights = weights.astype(np.float64)
        offset, slope = self.plane(weights)
        return float(regularization / 2 * (weights @ weights) + offset + slope @ weights)

    def plane(self, weights):
        """Returns (offset, slope) of a linear function that is nowhere above h and touches it at these weights."""
        offset, by_score = self.touching(weights)
        return offset, self.X.T @ by_score

    def touching(self, weights):
        """Returns (offset, slopes in the scores) of such a function."""
        scores, by_score, offset = self.X @ weights.astype(np.float64), np.zeros(self.X.shape[0]), 0.0
        for (p, n), share in zip(self.groups, self.shares, strict=True):
            lost, by_p, by_n = worst(scores[p], scores[n], self.loss)
            offset += share * lost if by_p.any() or by_n.any() else 0.0  # the ranking R* loses nothing
            by_score[p], by_score[n] = share * by_p, share * by_n
        return float(offset), by_score


def members(relevant, groups):
    """Returns [(rows of the positives, rows of the negatives), ...] of the groups with both classes, by number."""
    relevant = np.asarray(relevant).astype(bool)
    groups = np.zeros(len(relevant), int) if groups is None else np.asarray(groups)
    order = np.argsort(groups, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(groups[order])) + 1)
    kept = [(rows[relevant[rows]], rows[~relevant[rows]]) for rows in parts if 0 < relevant[rows].sum() < len(rows)]
    if not kept:
        raise ValueError("relevant must have both classes in at least one group")
    return kept


def _broken(p, n):
    """Returns (share of violated margins, slopes in p, slopes in n) for the hinge of each sample on its own."""
    size = len(p) + len(n)
    by_p, by_n = np.where(p < 1, -1 / size, 0.0), np.where(n > -1, 1 / size, 0.0)
    return by_n.sum() - by_p.sum(), by_p, by_n


def worst(p, n, loss):
    """Returns (the loss of the ranking that attains the hinge, slopes in p, slopes in n)."""
    if loss == "zero_one":
        return _broken(p, n)
    derivative = derivative_of(loss, len(p), len(n))
    return _slopes(p, n, worst_ranks(-np.sort(-p), -np.sort(-n), derivative), derivative, loss)


def as_scored(p, n, loss):
    """(loss, slopes in p, slopes in n) of the ranking that the scores make; a tie counts against the positive."""
    ranks = 1 + len(p) - np.searchsorted(np.sort(p), -np.sort(-n), side="right")
    return _slopes(p, n, ranks, derivative_of(loss, len(p), len(n)), loss)


def _slopes(p, n, ranks, derivative, loss):
    """The loss of the ranks, of the highest negative first, and the slopes of F(R) - F(R*)."""
    P, N, down, fall = len(p), len(n), np.argsort(-p, kind="stable"), np.argsort(-n, kind="stable")
    by_p, by_n = np.empty(P), np.empty(N)
    by_p[down] = -2 / (P * N) * np.searchsorted(ranks, np.arange(1, P + 1), side="right")
    by_n[fall] = 2 / (P * N) * (P + 1 - ranks)
    return loss_of(ranks, P, derivative, loss), by_p, by_n


def worst_ranks(p, n, derivative):
    """Returns the best ranks of negatives n for positives p, both descending. It ranks the median, then each half."""
    P, N = len(p), len(n)
    ranks, parts = np.empty(N, np.int64), [(0, N, 1, P + 1)]
    while parts:
        first, end, low, high = parts.pop()
        if first >= end or low == high:
            ranks[first:end] = low
            continue
        j = (first + end) // 2
        steps = _steps(p, n, j, low, high, derivative)
        sums, sizes = (np.append(np.cumsum(part[::-1])[::-1], 0.0) for part in (steps, np.abs(steps)))
        first_best = int(sums.argmax())  # what rounding may change is that of the steps from there
        ranks[j] = best = low + int(np.flatnonzero(sums >= sums.max() - TIES * (sizes[first_best] - sizes))[-1])
        parts += [(first, j, low, best), (j + 1, end, best, high)]
    return ranks


def _steps(p, n, j, low, high, derivative):
    """Returns what the j-th highest negative gains by passing each of the positives low..high - 1."""
    return derivative(j + 1, np.arange(low, high)) - 2 * (p[low - 1 : high - 1] - n[j]) / (len(p) * len(n))


def _highest_loss(P, N, loss):
    """Returns a bound of all losses, and of their parts: 1, or the sum of the sizes of the steps of a QSLoss."""
    if isinstance(loss, str):
        return 1.0
    derivative = derivative_of(loss, P, N)
    return max(1.0, sum(float(np.abs(derivative(j, np.arange(1, P + 1))).sum()) for j in range(1, N + 1)))

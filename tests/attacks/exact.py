"""The exact minimum of a quadratic function plus maxima of affine functions, in fractions.

    min_w  1/2 |w - z|^2  +  sum over blocks of h(w),   h(w) = max over the pieces of the block of  b + <a, w>

The norm is that of a metric, which is given by its inverse: `raise_index` turns a slope a into the vector of the
steepest rise. In the dual, each block has shares of its pieces, which sum to 1, and w = z - the risen sum of slopes.

Pieces enter one at a time, the worst one at w. While the share of a piece grows, all other pieces that have shares keep
equal values within their block. A piece whose share falls to 0 leaves. Pieces are finitely many and numbers are exact,
so the loop ends with values that no piece exceeds: primal = dual, which is the proof.
"""

from fractions import Fraction
from math import lcm
from typing import NamedTuple


class Minimum(NamedTuple):
    low: Fraction  # the dual at exactly feasible shares
    high: Fraction  # the primal at w; equal to low unless the loop was cut off
    w: dict
    shares: list  # for each block, pairs (share, piece)


class _Piece:
    def __init__(self, block, offset, slope, raise_index):
        self.block, self.offset, self.slope, self.risen = block, offset, slope, raise_index(slope)
        self.share = Fraction(0)

    def value(self, w):
        return self.offset + dot(self.slope, w)


def dot(slope, w):
    """Returns <a, w>, both sparse."""
    return sum((a * w[key] for key, a in slope.items() if key in w), Fraction(0))


def minimise(raise_index, blocks, centre, pivots=400):
    """Returns the Minimum. A block is a function of w that returns its largest (offset, slope) there."""
    w = dict(centre)
    sets = [[_Piece(i, *worst(w), raise_index)] for i, worst in enumerate(blocks)]
    for (piece,) in sets:
        _move(w, [(piece, Fraction(1))], Fraction(1))
    while True:
        found = [worst(w) for worst in blocks]
        excess = [b + dot(a, w) - group[0].value(w) for (b, a), group in zip(found, sets, strict=True)]
        first = max(range(len(blocks)), key=excess.__getitem__)
        pivots -= 1
        if excess[first] <= 0 or pivots < 0:
            return _result(w, sets, found, centre)
        _enter(w, sets, _Piece(first, *found[first], raise_index), excess[first])


def _enter(w, sets, new, rate):
    """Let the share of a new piece grow until its value is that of its block."""
    while rate > 0:
        base = [group[0] for group in sets]
        others = [piece for group in sets for piece in group[1:]]
        edges = [_edge(piece, base[piece.block]) for piece in others]
        entering = _edge(new, base[new.block])
        towards = [dot(edge[0], entering[1]) for edge in edges]
        shifts = solve([[dot(a[0], b[1]) for b in edges] for a in edges], [-t for t in towards])
        bend = dot(entering[0], entering[1]) + sum((t * s for t, s in zip(towards, shifts, strict=True)), Fraction(0))
        changes = [(new, Fraction(1)), *zip(others, shifts, strict=True)]
        for group in sets:
            change = -sum((s for piece, s in changes if piece.block == group[0].block), Fraction(0))
            changes.append((group[0], change))
        limits = [(-piece.share / s, number) for number, (piece, s) in enumerate(changes) if s < 0]
        most, number = min(limits)
        step = min(most, rate / bend) if bend > 0 else most
        _move(w, changes, step)
        rate -= step * bend
        if step == most:
            gone = changes[number][0]
            group = sets[gone.block]
            group.remove(gone)
            if not group:  # the new piece is alone in its block
                group.append(new)
                return
    sets[new.block].append(new)


def _edge(piece, base):
    """Returns (slope, risen slope) of a change of the share of a piece at the cost of the base of its block."""
    return _difference(piece.slope, base.slope), _difference(piece.risen, base.risen)


def _difference(a, b):
    return {key: a.get(key, 0) - b.get(key, 0) for key in {**a, **b}}


def _move(w, changes, step):
    for piece, change in changes:
        if change:
            piece.share += step * change
            for key, value in piece.risen.items():
                w[key] -= step * change * value


def _result(w, sets, found, centre):
    kept = [(piece.share, piece) for group in sets for piece in group]
    penalty = sum((share * (dot(piece.slope, centre) - dot(piece.slope, w)) for share, piece in kept), Fraction(0)) / 2
    dual = sum((share * (piece.offset + dot(piece.slope, centre)) for share, piece in kept), Fraction(0)) - penalty
    primal = penalty + sum((offset + dot(slope, w) for offset, slope in found), Fraction(0))
    return Minimum(dual, primal, w, [[(p.share, p) for p in group] for group in sets])


def solve(matrix, right):
    """Returns the solution of a positive definite system, by elimination in integers (Bareiss)."""
    rows, n = [], len(matrix)
    for row, value in zip(matrix, right, strict=True):
        numbers = [*row, value]
        unit = lcm(*(number.denominator for number in numbers))
        rows.append([int(number * unit) for number in numbers])
    before = 1
    for k in range(n):
        for i in range(k + 1, n):
            rows[i][k + 1 :] = [
                (rows[i][j] * rows[k][k] - rows[i][k] * rows[k][j]) // before for j in range(k + 1, n + 1)
            ]
        before = rows[k][k]
    solution = [Fraction(0)] * n
    for k in range(n - 1, -1, -1):
        rest = rows[k][n] - sum((rows[k][j] * solution[j] for j in range(k + 1, n)), Fraction(0))
        solution[k] = rest / rows[k][k]
    return solution


def exact(array):
    """Returns the nested lists of an array, with fractions for floats."""
    if hasattr(array, "toarray"):
        array = array.toarray()
    if getattr(array, "ndim", 0) or isinstance(array, (list, tuple)):
        return [exact(part) for part in array]
    return array if isinstance(array, Fraction) else Fraction(float(array))

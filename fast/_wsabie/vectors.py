"""Sums over one row: norms, inner products and squared distances; and the bounds of floating point that guard them.

A sparse vector is given by `columns` and `values`, of which the first `size` entries count, with ascending columns.
"""

from .._shared.jit import inlined_sum, kernel

# A row is stored with a scale. A scale outside of these bounds is multiplied into its row. Between them the square of
# a scale, and the product of a scale and a number of usual size, are normal floats.
SMALLEST_SCALE, LARGEST_SCALE = 1e-100, 1e100

# A squared distance is a difference, |b|^2 + |z|^2 - 2 <b, z>. If it is smaller than a share of |b|^2 + |z|^2, it has
# lost that many digits, and it is computed again from b - z. The share is the reciprocal of the largest growth of the
# relative rounding error. Scores that are returned lose at most three digits.
RECOMPUTED_IN_SCORES = 1e-3
# The scores of a walk are only compared with the margin, and may lose four digits. To compute one again takes O(d),
# where a sparse example otherwise takes one operation an entry. The same bound holds for the squared norm of a
# prototype, which each step changes by sums and differences.
RECOMPUTED_IN_WALKS = 1e-4


@inlined_sum
def squared_norm(a):
    """|a|^2."""
    total = 0.0
    for j in range(len(a)):
        total += a[j] * a[j]
    return total


@inlined_sum
def row_dot(rows, g, z):
    """<b_g, z>. The row is read in place: a view of it would take as long as half of the sum."""
    total = 0.0
    for j in range(len(z)):
        total += rows[g, j] * z[j]
    return total


@inlined_sum
def row_squared_distance(rows, g, z):
    """|b_g - z|^2."""
    total = 0.0
    for j in range(len(z)):
        difference = rows[g, j] - z[j]
        total += difference * difference
    return total


@inlined_sum
def sparse_dot(row, columns, values, size):
    """<row, x>."""
    total = 0.0
    for i in range(size):
        total += row[columns[i]] * values[i]
    return total


@kernel
def sparse_squared_distance(row, scale, columns, values, size):
    """|scale row - x|^2 in O(d), for pairs where the difference of squares and inner product cancels."""
    total, i = 0.0, 0
    for j in range(len(row)):
        difference = scale * row[j]
        if i < size and columns[i] == j:
            difference -= values[i]
            i += 1
        total += difference * difference
    return total

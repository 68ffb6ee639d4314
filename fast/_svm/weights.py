"""The weights of the top-k SVM in the layout that suits the examples, and the operations of a dual step on them.

The weights are (m, d), one row a class, if the examples are dense: the score of a class is a product of two contiguous
rows. They are (d, m), one row a feature, if the examples are CSR: an entry of an example needs one row, whose classes
are side by side in memory. In a kernel fit, the "features" of an example are its inner products with all examples, and
the "weights" are the transposed duals (m, n), so that a step changes a single entry of a row.
"""

from .._shared.examples import TOGETHER, add_products, dense_add, dense_dot, is_dense
from .._shared.jit import borrowing_inlined

# If at least one of so many classes moves, the weights of all classes are moved: contiguous memory is faster.
WHOLE_ROW = 4


@borrowing_inlined
def scores_of_classes(rows, i, weights, classes, out):
    """Write <x_i, w_j> to `out` for each class j in `classes`. If they are complete, the label comes first."""
    start, end, m = rows.starts[i], rows.starts[i + 1], len(classes)
    values = rows.values[start:end]
    if is_dense(rows):
        for c in range(m):
            out[c] = dense_dot(values, weights[classes[c]])
    else:
        columns = rows.columns[start:end]
        for c in range(m):
            out[c] = 0.0
        if m < weights.shape[1]:
            _add_listed_scores(values, columns, weights, classes, out)
        else:
            add_products(values, columns, weights, out)
            label = classes[0]
            own = out[label]
            for c in range(label, 0, -1):
                out[c] = out[c - 1]
            out[0] = own


@borrowing_inlined
def _add_listed_scores(values, columns, weights, classes, out):
    """out[c] += <x, w_j> for each class j = classes[c]."""
    last = len(values) - len(values) % TOGETHER
    for e in range(0, last, TOGETHER):
        x0, x1, x2, x3 = values[e], values[e + 1], values[e + 2], values[e + 3]
        w0, w1 = weights[columns[e]], weights[columns[e + 1]]
        w2, w3 = weights[columns[e + 2]], weights[columns[e + 3]]
        for c in range(len(classes)):
            j = classes[c]
            out[c] += (x0 * w0[j] + x1 * w1[j]) + (x2 * w2[j] + x3 * w3[j])
    for e in range(last, len(values)):
        x, w = values[e], weights[columns[e]]
        for c in range(len(classes)):
            out[c] += x * w[classes[c]]


@borrowing_inlined
def add_to_listed(rows, i, weights, classes, changes, size):
    """w_j += change x_i for the first `size` classes j, each with its change."""
    start, end = rows.starts[i], rows.starts[i + 1]
    values = rows.values[start:end]
    if is_dense(rows):
        for c in range(size):
            dense_add(values, weights[classes[c]], changes[c])
    else:
        columns = rows.columns[start:end]
        for e in range(len(values)):
            x, w = values[e], weights[columns[e]]
            for c in range(size):
                w[classes[c]] += changes[c] * x


@borrowing_inlined
def add_to_classes(rows, i, weights, classes, changes, size, row):
    """Do the same, and perhaps add 0 for other classes, so that no other thread may write to their weights.

    `row` is memory for a number a class.
    """
    m = len(row)
    if is_dense(rows) or size * WHOLE_ROW < m:
        add_to_listed(rows, i, weights, classes, changes, size)
    else:
        start, end = rows.starts[i], rows.starts[i + 1]
        values, columns = rows.values[start:end], rows.columns[start:end]
        for j in range(m):
            row[j] = 0.0
        for c in range(size):
            row[classes[c]] = changes[c]
        for e in range(len(values)):
            x, w = values[e], weights[columns[e]]
            for j in range(m):
                w[j] += row[j] * x


@borrowing_inlined
def move_weights(examples, i, weights, work, size):
    """Add the changes of the duals of example i in the first `size` classes to the weights of these classes.

    The classes and their changes are in `work`, and its scores are not needed any more.
    """
    if examples.by_inner_products:
        for c in range(size):
            weights[work.moved[c], i] += work.changes[c]
    else:
        add_to_classes(examples.rows, i, weights, work.moved, work.changes, size, work.scores)

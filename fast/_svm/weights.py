"""The weights of the top-k SVM in the layout that suits the examples, and the operations of a dual step on them.

The weights are (m, d), one row a class, if the examples are dense: the score of a class is a product of two contiguous
rows. They are (d, m), one row a feature, if the examples are CSR: an entry of an example needs one row, whose classes
are side by side in memory. In a kernel fit, the "features" of an example are its inner products with all examples, and
the "weights" are the transposed duals (m, n), so that a step changes a single entry of a row.
"""

from .._shared.examples import add_products, add_to_listed, is_dense, listed_scores
from .._shared.jit import borrowing_inlined

# If at least one of so many classes moves, the weights of all classes are moved: contiguous memory is faster.
WHOLE_ROW = 4


@borrowing_inlined
def scores_of_classes(rows, i, weights, classes, out):
    """Write <x_i, w_j> to `out` for each class j in `classes`. If they are complete, the label comes first."""
    m = len(classes)
    if is_dense(rows) or m < weights.shape[1]:
        listed_scores(rows, i, weights, classes, out)
    else:
        start, end = rows.starts[i], rows.starts[i + 1]
        for c in range(m):
            out[c] = 0.0
        add_products(rows.values[start:end], rows.columns[start:end], weights, out)
        label = classes[0]
        own = out[label]
        for c in range(label, 0, -1):
            out[c] = out[c - 1]
        out[0] = own


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

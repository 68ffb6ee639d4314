"""The weights of the top-k SVM in the layout that suits the examples, and the operations of a dual step on them.

The weights are (m, d), one row a class, if the examples are dense: the score of a class is a product of two contiguous
rows. They are (d, m), one row a feature, if the examples are CSR: an entry of an example needs one row, whose classes
are side by side in memory. In a kernel fit, the "features" of an example are its inner products with all examples, and
the "weights" are the transposed duals (m, n), so that a step changes a single entry of a row.
"""

from .._shared.examples import dense_add, dense_dot, is_dense
from .._shared.jit import borrowing_inlined


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
            for e in range(len(values)):
                x, w = values[e], weights[columns[e]]
                for c in range(m):
                    out[c] += x * w[classes[c]]
        else:
            for e in range(len(values)):
                x, w = values[e], weights[columns[e]]
                for j in range(m):
                    out[j] += x * w[j]
            label = classes[0]
            own = out[label]
            for c in range(label, 0, -1):
                out[c] = out[c - 1]
            out[0] = own


@borrowing_inlined
def add_to_classes(rows, i, weights, classes, changes, size):
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
def move_weights(examples, i, weights, classes, changes, size):
    """Add the changes of the duals of example i in the first `size` classes to the weights of these classes."""
    if examples.by_inner_products:
        for c in range(size):
            weights[classes[c], i] += changes[c]
    else:
        add_to_classes(examples.rows, i, weights, classes, changes, size)

"""Smoothed top-k hinge losses, their gradients and their curvature: the kernels of `newton`, in its units.

Consider one example of weight w. Let D be the dual domain of its loss, with radius w, and let z in D be the duals of
its rivals. Then a(z) = (-z, sum z) is its row of duals, where sum z belongs to the true class. The loss is the maximum
of <z, margins> over D. The smoothed loss with a centre c in D subtracts a squared distance:
    max over z in D of  <z, margins> - proximity / (2 w) |a(z) - a(c)|^2.
The maximiser is the gradient of the smoothed loss in the margins. It is the projection of `biased_projection`, with
b = (w / proximity) margins + c + sum c.

If the loss is smooth itself, then smoothing/(2w) |z|^2 is subtracted, too. In the projection, b is divided by
1 + smoothing/proximity, and the bias is proximity / (proximity + smoothing). The proximity may be 0 then.

The maximiser lies in some face of D. It moves linearly with the scores as long as it stays there, and its row of duals
has the derivative -(w / proximity) J. J is the orthogonal projection onto the directions of the face, as rows of duals:
 * the duals strictly between 0 and the cap, "the middle", may change while their sum stays the same;
 * if sum z may change, too, it takes with it the duals at a cap that is a share of sum z; the middle makes up the rest,
   each by the same amount. This is one direction, of unit length r, and it is orthogonal to the others.
So J is r r' plus, on the middle, the identity minus the mean. A vertex of D has neither, and J = 0.

With smoothing, the derivative is -(w / (proximity + smoothing)) J. The bend of z along r is that of its rivals, with a
share of 1 - r_y^2, so r r' is multiplied by (proximity + smoothing) / (proximity + (1 - r_y^2) smoothing).
"""

import numpy as np

from .._shared.jit import kernel, summing_kernel
from .biased_projection import candidates_within_reach, dual_thresholds, smooth_hinge
from .hinge import ALPHA_INCLUSIVE, BETA, hinge

AT_BOUND = 1e-12  # a dual, or a sum of duals, that is this close to its bound, relative to it, is at the bound


@summing_kernel
def write_smoothed_duals(scores, labels, weights, centre, proximity, smoothing, kind, k, out):
    """Write the rows a(z) of the maximisers to `out`, which may be `centre`: the rows a(c).

    Every array holds one row or entry for each example. Returns the sums over the examples of the loss, of the smoothed
    loss, and of sum z, less smoothing/(2w) |z|^2.
    """
    last, work = scores.shape[1] - 1, np.empty((4, scores.shape[1]))
    margins, b, old, candidates = work[0], work[1], work[2], work[3]
    loss, smoothed, sums, bias = 0.0, 0.0, 0.0, proximity / (proximity + smoothing)
    for p in range(len(scores)):
        label, radius = labels[p], weights[p]
        if radius == 0:
            continue
        steepness, own, old_sum = radius / proximity, scores[p, label], centre[p, label]
        for j in range(last + 1):
            margins[j] = 1.0 + (scores[p, j] - own)
            old[j] = centre[p, j]
            b[j] = steepness * margins[j] + (old_sum - old[j])
        if smoothing > 0:
            for j in range(last + 1):
                b[j] = radius / (proximity + smoothing) * margins[j] + bias * (old_sum - old[j])
        # The last class takes the place of the true class, so that the rivals are the first `last` entries.
        margins[label], b[label], old[label] = margins[last], b[last], old[last]
        if smoothing > 0:
            loss += radius * smooth_hinge(margins, last, kind, k, smoothing, candidates)
        else:
            loss += radius * hinge(margins, last, kind, k, candidates)
        size = candidates_within_reach(b, last, k, radius / k, candidates)
        reference, t, u = dual_thresholds(candidates, size, kind, k, radius, bias)
        gain, square, new_sum = 0.0, 0.0, 0.0
        for c in range(last):
            z = min(max(b[c] - reference - t, 0.0), u)
            new_sum += z
            gain += z * margins[c]
            square += (z + old[c]) ** 2
            out[p, c] = -z
        out[p, last] = out[p, label]
        out[p, label] = new_sum
        smoothed += gain - (square + (new_sum - old_sum) ** 2) / (2 * steepness)
        sums += new_sum
        if smoothing > 0:
            taken = smoothing * _half_square(out[p], label) / radius
            smoothed -= taken
            sums -= taken
    return loss, smoothed, sums


@kernel
def _half_square(row, label):
    """Returns 1/2 |z|^2 for a row a(z)."""
    total = 0.0
    for j in range(len(row)):
        total += 0.0 if j == label else row[j] ** 2
    return total / 2


@kernel
def total_loss(scores, labels, weights, factor, kind, k, smoothing):
    """Returns the sum over the examples of the loss of factor * scores, times the weight."""
    last, total = scores.shape[1] - 1, 0.0
    margins, work = np.empty(last + 1), np.empty(last + 1)
    for p in range(len(scores)):
        own = scores[p, labels[p]]
        for j in range(last + 1):
            margins[j] = 1.0 + factor * (scores[p, j] - own)
        margins[labels[p]] = margins[last]
        if smoothing > 0:
            total += weights[p] * smooth_hinge(margins, last, kind, k, smoothing, work)
        else:
            total += weights[p] * hinge(margins, last, kind, k, work)
    return total


@kernel
def add_curvature(X, labels, weights, duals, factor, proximity, smoothing, kind, k, packed):
    """Add sum_i factor w_i J_i (x) x_i x_i' to `packed`, for the examples in the rows of X.

    Row j (j + 1) / 2 + l of `packed`, for l <= j, holds the lower triangle of the block of classes j and l. Returns the
    sum of the weights of the examples whose duals are in no vertex.
    """
    d, m, movable = X.shape[1], duals.shape[1], 0.0
    classes, ray, square = np.empty(m, np.int64), np.empty(m), np.empty(d * (d + 1) // 2)
    for p in range(len(X)):
        size, middle = _directions_of_face(duals[p], labels[p], weights[p], kind, k, classes, ray)
        if size == 0:
            continue
        movable += weights[p]
        if smoothing > 0 and size > middle:
            stretch = np.sqrt((proximity + smoothing) / (proximity + (1 - ray[size - 1] ** 2) * smoothing))
            for a in range(size):
                ray[a] *= stretch
        e = 0
        for f in range(d):
            x = factor * weights[p] * X[p, f]
            for g in range(f + 1):
                square[e] = x * X[p, g]
                e += 1
        for a in range(size):
            for b in range(a + 1):
                entry = ray[a] * ray[b]
                if a < middle:
                    entry += (a == b) - 1.0 / middle
                j, l = max(classes[a], classes[b]), min(classes[a], classes[b])
                block = packed[j * (j + 1) // 2 + l]
                for e in range(len(square)):
                    block[e] += entry * square[e]
    return movable


@kernel
def unpack_curvature(packed, hessian):
    """Write the identity plus the packed sum to `hessian`, of shape (m, d, m, d), in its blocks with l <= j."""
    m, d = hessian.shape[0], hessian.shape[1]
    for j in range(m):
        for l in range(j + 1):
            block, e = packed[j * (j + 1) // 2 + l], 0
            for f in range(d):
                for g in range(f + 1):
                    hessian[j, f, l, g] = hessian[j, g, l, f] = block[e]
                    e += 1
        for f in range(d):
            hessian[j, f, j, f] += 1.0


@kernel
def _directions_of_face(row, label, radius, kind, k, classes, ray):
    """Write the classes whose duals may change within the face of a row of duals, and the vector r in their order.

    Returns (number of classes, number of the middle ones), which come first.
    """
    total, cap, share = row[label], radius / k, 0.0
    moves = total < radius * (1 - AT_BOUND)
    growing = 0 if kind == BETA or k == 1 else k - (kind == ALPHA_INCLUSIVE)  # below a corner, the cap is sum / growing
    if growing > 0:
        if total < growing * cap * (1 - AT_BOUND):
            cap, share = total / growing, 1.0 / growing
        elif total <= growing * cap * (1 + AT_BOUND):
            moves = False
    middle = 0
    for j in range(len(row)):
        if j != label and 0 < -row[j] < cap * (1 - AT_BOUND):
            classes[middle], ray[middle] = j, 0.0
            middle += 1
    size = middle
    if share > 0 and total > 0:
        for j in range(len(row)):
            if j != label and -row[j] >= cap * (1 - AT_BOUND):
                classes[size], ray[size] = j, 0.0
                size += 1
    rest = 1 - share * (size - middle)  # of a change of the sum, what the middle makes up
    if total <= 0 or not moves or (middle == 0 and rest > AT_BOUND):
        return middle, middle
    _write_ray(ray, middle, size, share, rest)
    classes[size] = label
    return size + 1, middle


@kernel
def _write_ray(ray, middle, size, share, rest):
    """Write the unit vector r: the duals of the middle, those at the cap, and that of the true class."""
    length = 1 + (size - middle) * share**2
    if middle > 0:
        length += rest**2 / middle
    length = np.sqrt(length)
    for a in range(middle):
        ray[a] = -rest / middle / length
    for a in range(middle, size):
        ray[a] = -share / length
    ray[size] = 1 / length

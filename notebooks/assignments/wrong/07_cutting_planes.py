# === negatives_subtracted
"""Subtracts the part of the negatives, because the score of a ranking has the difference p - n."""

import reference

LOSES = {"plane_of_query": 5}
FEEDBACK = "you subtract the part of the negatives"


def cutting_plane(positives, negatives, w, worst):
    p, n = positives @ w, negatives @ w
    ranks, loss = worst(p, n)
    by_p, by_n = reference.semigradient(p, n, ranks)
    return loss, by_p @ positives - by_n @ negatives


# === one_move
"""Moves share once, to the plane with the largest gradient, and does not go on until the gap is small."""

import numpy as np

LOSES = {"programme_in_the_fit": 5}
FEEDBACK = "NotSolved: the shares of"


def small_programme(offsets, G, shares, tolerance):
    shares = shares.copy()
    g = offsets - G @ shares
    high, used = g.argmax(), np.flatnonzero(shares > 0)
    low = used[g[used].argmin()]
    if g[high] > g[low]:
        move = min(shares[low], (g[high] - g[low]) / (G[high, high] - 2 * G[high, low] + G[low, low]))
        shares[high] += move
        shares[low] -= move
    return shares


# === penalty_forgotten
"""Subtracts |A' alpha|^2 / lambda: the value of the mixed plane at the minimum, without the penalty."""

LOSES = {"bound_of_planes": 4}
FEEDBACK = "you forget the penalty in the bound"


def lower_bound(offsets, slopes, shares, regularization):
    weights = -(shares @ slopes) / regularization
    return weights, shares @ (offsets + slopes @ weights)


# === slope_in_the_scores
"""Returns the derivative in the scores. The chain rule asks for that in the weights."""

import numpy as np

import reference

LOSES = {"plane_of_query": 5}
FEEDBACK = "you return the derivative in the scores"


def cutting_plane(positives, negatives, w, worst):
    p, n = positives @ w, negatives @ w
    ranks, loss = worst(p, n)
    return loss, np.concatenate(reference.semigradient(p, n, ranks))


# === value_for_offset
"""Takes the value of the hinge at w for the offset. The offset is the value of the plane at 0."""

import numpy as np

import reference

LOSES = {"plane_of_query": 5}
FEEDBACK = "you return the value of the hinge for the offset"


def cutting_plane(positives, negatives, w, worst):
    p, n = positives @ w, negatives @ w
    ranks, loss = worst(p, n)
    by_p, by_n = reference.semigradient(p, n, ranks)
    value = loss + np.dot(by_p, p) + np.dot(by_n, n)
    return value, positives.T @ by_p + negatives.T @ by_n


# === weights_uphill
"""Takes the mixed slope itself for the direction of the weights, and so walks uphill."""

LOSES = {"bound_of_planes": 4}
FEEDBACK = "the parabola is smallest where lambda w = -A' alpha"


def lower_bound(offsets, slopes, shares, regularization):
    slope = slopes.T @ shares
    return slope / regularization, offsets @ shares - slope @ slope / (2 * regularization)


# === without_the_sign
"""Solves the linear system of the optimum, and forgets that shares are not negative."""

import numpy as np

LOSES = {"programme_in_the_fit": 5}
FEEDBACK = "NotSolved: the shares of"


def small_programme(offsets, G, shares, tolerance):
    C = len(offsets)
    system = np.ones((C + 1, C + 1))
    system[:C, :C], system[C, C] = G, 0.0
    return np.linalg.lstsq(system, np.append(offsets, 1.0), rcond=None)[0][:C]

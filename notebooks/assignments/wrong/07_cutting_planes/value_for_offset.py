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

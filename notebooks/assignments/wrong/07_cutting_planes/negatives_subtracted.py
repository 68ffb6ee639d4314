"""Subtracts the part of the negatives, because the score of a ranking has the difference p - n."""

import reference

LOSES = {"plane_of_query": 5}
FEEDBACK = "you subtract the part of the negatives"


def cutting_plane(positives, negatives, w, worst):
    p, n = positives @ w, negatives @ w
    ranks, loss = worst(p, n)
    by_p, by_n = reference.semigradient(p, n, ranks)
    return loss, by_p @ positives - by_n @ negatives

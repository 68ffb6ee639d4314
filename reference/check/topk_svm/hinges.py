"""The top-k hinge losses by their definitions: how far losses and gradients are from them. NumPy only."""

import numpy as np

HALVINGS = 64  # of an interval of thresholds: it is then smaller than the rounding error of its ends


def topk_error(errors, scores, y, k=1):
    """Returns the largest difference from the definition: 1 if the k-th largest rival scores as much as y or more."""
    scores, own, rivals = _scores(scores, y)
    return _largest(errors - (-np.sort(-rivals, axis=1)[:, k - 1] >= own), 1.0)


def topk_hinge(losses, scores, y, k=1, kind="alpha", smoothing=0.0):
    """Returns the largest difference from the definition, relative to 1 or the largest score."""
    scores, own, rivals = _scores(scores, y)
    expected = _losses(1 + rivals - own[:, None], k, kind, smoothing)
    return _largest(losses - expected, max(1.0, float(np.abs(scores).max())))


def _scores(scores, y):
    """Returns scores, those of the true classes, and those of the rivals, with -inf for the true class."""
    scores, y = np.asarray(scores).astype(np.float64), np.asarray(y)
    true = np.arange(scores.shape[1]) == y[:, None]
    return scores, scores[true], np.where(true, -np.inf, scores)


def _largest(differences, unit):
    return float(np.abs(differences).max() / unit)


def _losses(margins, k, kind, smoothing=0.0):
    """Returns the loss of each row. The true class has margin -inf, so it ranks behind all rivals.

    The smooth loss is the smallest value of the hinge at z, plus |margins - z|^2 / (2 smoothing), over all z. Any z
    gives an upper bound, so the z of a rounded projection gives the loss up to rounding.
    """
    if smoothing > 0:
        p = _projection(margins, k, kind, smoothing)
        return _losses(margins - p, k, kind) + (p * (p / smoothing)).sum(axis=1) / 2
    descending = -np.sort(-margins, axis=1)
    top = descending[:, :k]
    if kind == "beta":
        return np.where(top > 0, top, 0).sum(axis=1) / k
    average = top.sum(axis=1) / k
    if kind == "alpha_inclusive":
        average = np.maximum(average, descending[:, : k - 1].sum(axis=1) / k)
    return np.maximum(average, 0)


def _projection(margins, k, kind, radius):
    """Returns the projection of each row onto the dual domain of this radius, without a bias: clip(margins - t, 0, u).

    The caps of alpha and of alpha_inclusive grow with the sum at first. The answer with such a cap alone is right if
    its sum is at most that at which the cap stops growing. Otherwise the cap is radius/k, and the sum is what clipping
    at t = 0 gives, brought into its bounds.
    """
    share, cap = k - (kind == "alpha_inclusive" and k > 1), radius / k
    least = 0.0 if kind == "beta" else radius * share / k
    p = np.clip(margins, 0, cap)
    total = np.clip(p.sum(axis=1), least, radius)
    p = np.where((p.sum(axis=1) == total)[:, None], p, _with_sum(margins, k, total, cap))
    if kind != "beta":
        below = _with_growing_cap(margins, share)
        p = np.where((below.sum(axis=1) <= least)[:, None], below, p)
    return p


def _with_sum(margins, k, total, cap):
    """Returns clip(margins - t, 0, cap) with the t at which each row has its sum, which is at most k cap."""
    kth = -np.sort(-margins, axis=1)[:, k - 1]
    t = _bisect(lambda t: np.clip(margins - t, 0, cap).sum(axis=1) >= total, kth - cap, margins.max(axis=1))
    return np.clip(margins - t, 0, cap)


def _with_growing_cap(margins, k):
    """Returns the projection of each row onto 0 <= x <= (sum x)/k.

    It is clip(margins - t, 0, u), with t = -1/k sum max(margins - w, 0) for w = t + u (004, Lemma 3). The difference of
    its sum and k u does not increase in w.
    """
    descending = -np.sort(-margins, axis=1)

    def threshold(w):
        return -np.maximum(margins - w, 0).sum(axis=1, keepdims=True) / k

    def is_too_large(w):
        t = threshold(w)
        return np.clip(margins - t, 0, w - t).sum(axis=1) >= k * (w - t)[:, 0]

    largest = np.maximum(descending[:, 0], np.maximum(margins, 0).sum(axis=1) / k)
    w = _bisect(is_too_large, descending[:, k - 1], largest)
    t = threshold(w)
    is_zero = descending[:, :k].sum(axis=1) <= 0
    return np.where(is_zero[:, None], 0.0, np.clip(margins - t, 0, np.maximum(w - t, 0)))


def _bisect(goes_on, low, high):
    """Returns for each row the last number (n, 1) in low..high at which `goes_on` is true, up to rounding."""
    low, high = low[:, None], high[:, None]
    for _ in range(HALVINGS):
        middle = low + (high - low) / 2
        up = goes_on(middle)[:, None]
        low, high = np.where(up, middle, low), np.where(up, high, middle)
    return low

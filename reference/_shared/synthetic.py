"""Synthetic data for `reference.datasets`: classes that overlap, classes in families, and documents."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..problems import checks
from ..problems.checks.types import Floats, Integers

# Overlapping classes: the spread along an axis, relative to the one before; styles of a class; means of features.
SPREAD_RATIO, STYLES, STYLE_DISTANCE, FEATURE_MEANS, FEATURE_SPREAD = 0.7, 8, 0.8, (0.13, 0.47), 0.15
TOPIC_WORDS = 100  # the number of words of a topic, or all words if there are fewer


def make_overlapping_classes(
    n_classes: int = 26, n_samples: int = 10_500, n_features: int = 16, *, distance: float = 1.4,
    levels: int = 16, seed: int = 0,
) -> tuple[Floats, Integers]:  # fmt: skip
    """Draw examples of classes that overlap in few dimensions, as letter recognition does (Frey and Slate 1991).

    A class is a mixture of 8 styles of equal covariance. A linear rule misclassifies about a third of the examples.

    Parameters
    ----------
    n_classes, n_samples, n_features : int, >= 2, >= n_classes, >= 1
        m, n and d. Each class has n // m examples or one more.
    distance : float, >= 0
        The spread of the means of the classes, relative to that of the examples of a style.
    levels, seed : int, >= 2, and int
        Features are integers from 0 to levels - 1, scaled to -1..1. Their means are not 0.

    Returns
    -------
    X, y : array (n, d), float64, and array (n,), int64
        Examples, and their classes 0..m-1, in random order.

    Raises
    ------
    ValueError : a number is out of range
    """
    m, d = checks.count(n_classes, "n_classes", smallest=2), checks.count(n_features, "n_features")
    n, distance = checks.count(n_samples, "n_samples", smallest=m), checks.nonnegative(distance, "distance")
    top, rng = checks.count(levels, "levels", smallest=2) - 1, np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % m)
    means = distance * (rng.normal(size=(m, 1, d)) + STYLE_DISTANCE * rng.normal(size=(m, STYLES, d)))
    spreads = SPREAD_RATIO ** np.arange(d)
    axes = np.linalg.qr(rng.normal(size=(d, d)))[0] * spreads * np.sqrt(d / (spreads**2).sum())
    Z = (means[y, rng.integers(0, STYLES, n)] + rng.normal(size=(n, d))) @ axes.T
    Z /= np.sqrt(1 + distance**2 * (1 + STYLE_DISTANCE**2))  # to a mean variance of 1
    X = np.round(top * (rng.uniform(*FEATURE_MEANS, size=d) + FEATURE_SPREAD * Z))
    return np.clip(X, 0, top) * (2 / top) - 1, y


def make_sibling_classes(
    n_classes: int = 10_000, n_samples: int = 100_000, n_features: int = 64, *, siblings: int = 4,
    distance: float = 0.5, noise: float = 1.0, seed: int = 0,
) -> tuple[Floats, Integers]:  # fmt: skip
    """Draw examples of classes in families. Classes of one family are close to each other, those of different ones far.

    Parameters
    ----------
    n_classes : int
        m, a multiple of `siblings`.
    n_samples : int, >= n_classes
        n. Each class has n // m examples or one more.
    n_features : int
        d.
    siblings : int
        The number of classes of a family.
    distance : float, >= 0
        The distance of the mean of a class from the centre of its family, in a random direction. With 0, the classes of
        a family are the same.
    noise : float, >= 0
        The standard deviation of an example around the mean of its class, in every direction. The centres of families
        have standard deviation 1 in every direction.
    seed : int

    Returns
    -------
    X : array, shape (n, d), float64
    y : array, shape (n,), int64
        The class, 0..m-1, in random order.
    family : array, shape (m,), int64
        The family of each class, 0..m/siblings-1.

    Raises
    ------
    ValueError
        A number is out of range, or `n_classes` is not a multiple of `siblings`.

    Examples
    --------
    >>> X, y, family = make_sibling_classes(6, 12, 3, siblings=2)
    >>> X.shape, np.bincount(y), family
    ((12, 3), array([2, 2, 2, 2, 2, 2]), array([0, 0, 1, 1, 2, 2]))
    """
    (m, n, family), d = _families(n_classes, n_samples, siblings), checks.count(n_features, "n_features")
    distance, noise = checks.nonnegative(distance, "distance"), checks.nonnegative(noise, "noise")
    rng = np.random.default_rng(seed)
    directions = rng.normal(size=(m, d))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    classes = rng.normal(size=(family[-1] + 1, d))[family] + distance * directions
    y = rng.permutation(np.arange(n) % m)
    return classes[y] + noise * rng.normal(size=(n, d)), y, family


def make_documents(
    n_classes: int = 50, n_samples: int = 5000, n_words: int = 20_000, *, siblings: int = 5, length: float = 60,
    common: float = 0.1, own: float = 0.05, seed: int = 0,
) -> tuple[Any, Integers]:  # fmt: skip
    """Draw documents as counts of words. Documents of one class share a topic, and so do those of one family.

    A word of a document is drawn from the topic of its class with probability `own`, from the topic of the family of
    its class with probability `common`, and otherwise from the background, which is the same for all documents. In the
    background, the frequency of a word is proportional to 1 / rank, as in text (Zipf's law). A topic has 100 words,
    drawn from all words with equal probability, and their frequencies follow the same law.

    Parameters
    ----------
    n_classes : int
        m, a multiple of `siblings`.
    n_samples : int, >= n_classes
        n. Each class has n // m documents or one more.
    n_words : int
        d.
    siblings : int
        The number of classes of a family.
    length : float, > 0
        The mean number of words of a document. Lengths have a Poisson distribution, and are at least 1.
    common, own : floats, >= 0
        Shares of the words, which add up to at most 1.
    seed : int

    Returns
    -------
    X : scipy CSR array, shape (n, d), float64
        How often each document has each word.
    y : array, shape (n,), int64
        The class, 0..m-1, in random order.
    family : array, shape (m,), int64
        The family of each class, 0..m/siblings-1.

    Raises
    ------
    ValueError
        A number is out of range, `n_classes` is not a multiple of `siblings`, or the shares add up to more than 1.

    Notes
    -----
    O(m d + n length log d).

    Examples
    --------
    >>> X, y, family = make_documents(4, 8, 1000, siblings=2)
    >>> X.shape, np.bincount(y), family
    ((8, 1000), array([2, 2, 2, 2]), array([0, 0, 1, 1]))
    """
    (m, n, family), d = _families(n_classes, n_samples, siblings), checks.count(n_words, "n_words")
    length = checks.positive(length, "length")
    common, own = checks.nonnegative(common, "common"), checks.nonnegative(own, "own")
    if common + own > 1:
        raise ValueError(f"common and own must add up to at most 1, got {common} + {own}")
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % m)
    documents = np.repeat(np.arange(n), np.maximum(rng.poisson(length, n), 1))
    words, sources = _zipf(d, len(documents), rng), rng.random(len(documents))
    topic_of = {"own": y[documents], "family": m + family[y[documents]]}
    topics = np.array([rng.permutation(d)[:TOPIC_WORDS] for _ in range(m + family[-1] + 1)])
    for name, low, high in (("own", 0.0, own), ("family", own, own + common)):
        drawn = (sources >= low) & (sources < high)
        words[drawn] = topics[topic_of[name][drawn], _zipf(topics.shape[1], np.count_nonzero(drawn), rng)]
    return _counts(documents, words, (n, d)), y, family


def _families(n_classes, n_samples, siblings):
    """Returns the checked numbers of classes and of samples, and the family of each class."""
    m = checks.count(n_classes, "n_classes", smallest=2)
    siblings = checks.count(siblings, "siblings", m)
    if m % siblings:
        raise ValueError(f"n_classes must be a multiple of siblings = {siblings}, got {m}")
    return m, checks.count(n_samples, "n_samples", smallest=m), np.arange(m) // siblings


def _zipf(size, count, rng):
    """Returns `count` random ranks 0..size-1, each with a probability proportional to 1 / (rank + 1)."""
    cumulative = np.cumsum(1 / np.arange(1, size + 1))
    return np.searchsorted(cumulative, cumulative[-1] * rng.random(count), side="right").clip(max=size - 1)


def _counts(documents, words, shape):
    """Returns the counts as CSR with 32-bit indices, which scikit-learn's linear models demand, if they suffice."""
    from scipy import sparse

    index = np.int32 if max(len(words), *shape) <= np.iinfo(np.int32).max else np.int64
    places = documents.astype(index), words.astype(index)
    return sparse.coo_array((np.ones(len(words)), places), shape=shape).tocsr()

"""Classes of which half are synonyms: the data of the study `wsabie_regime`, and what it measures on them.

A cloud is a normal distribution of examples. A separable class has a cloud of its own. The classes of a family, 2 to 8
synonyms, share one cloud, and an example of it carries one of their labels, drawn at random.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

# --- data ------------------------------------------------------------------------------------------------------------

FAMILY_SIZES = (2, 8)
VALIDATION, TEST = 10_000, 20_000  # examples
# The spread of the centres falls with the feature, as the variance of principal components does: feature j has the
# standard deviation (j + 1)^-DECAY, and an example lies NOISE from its centre in every direction, on average.
DECAY, NOISE = 0.5, 0.4


class Problem(NamedTuple):
    """Three parts (X, y), and the cloud of each class (m,). The classes from `first_synonym` on have synonyms."""

    train: tuple
    validation: tuple
    test: tuple
    cloud: np.ndarray
    first_synonym: int


@lru_cache(maxsize=1)
def problem(n_classes, d, per_class, seed):
    """A Problem with `per_class` training examples a class on average. Class sizes have an exponential distribution."""
    rng, half = np.random.default_rng(seed), n_classes // 2
    family_sizes = sizes_of_families(n_classes - half, rng)
    cloud = np.repeat(np.arange(half + len(family_sizes)), np.concatenate([np.ones(half, int), family_sizes]))
    share = np.bincount(cloud, rng.exponential(size=n_classes))
    spread = (1.0 + np.arange(d)) ** -DECAY
    centres = (rng.normal(size=(cloud[-1] + 1, d)) * spread).astype(np.float32)
    first, size = np.searchsorted(cloud, np.arange(cloud[-1] + 1)), np.bincount(cloud)
    parts = []
    for n in (per_class * n_classes, VALIDATION, TEST):
        drawn = rng.choice(len(share), size=n, p=share / share.sum())
        X = rng.standard_normal((n, d), dtype=np.float32)
        X *= np.float32(NOISE)
        X += centres[drawn]
        parts.append((X, first[drawn] + rng.integers(size[drawn])))
    scale = np.float32(1 / np.sqrt((parts[0][0][:20_000] ** 2).sum(axis=1).mean()))
    for X, _ in parts:
        X *= scale
    return Problem(*parts, cloud, half)


def sizes_of_families(total, rng):
    """Sizes of 2 to 8, drawn at random, that add up to `total`."""
    low, high = FAMILY_SIZES
    sizes = []
    while total > high + low:
        sizes.append(int(rng.integers(low, high + 1)))
        total -= sizes[-1]
    return sizes + ([total] if total <= high else [total - total // 2, total // 2])


# --- measures --------------------------------------------------------------------------------------------------------

AT_ONCE = 4000  # examples whose scores are in memory
MOST_SYNONYMS = FAMILY_SIZES[1]


class Answers(NamedTuple):
    """The best class of each half for each example, and by how much the second half's is better."""

    separable: np.ndarray
    synonym: np.ndarray
    lead: np.ndarray

    def classes(self, threshold=0.0):
        """The answers, if a synonym must lead by more than the threshold."""
        return np.where(self.lead > threshold, self.synonym, self.separable)


def answers_of(fit, X, h):
    """Answers for the examples X, where the synonyms are the classes from h on."""
    parts = []
    for i in range(0, len(X), AT_ONCE):
        scores = scores_of(fit, X[i : i + AT_ONCE])
        one, other = scores[:, :h].argmax(axis=1), h + scores[:, h:].argmax(axis=1)
        rows = np.arange(len(scores))
        parts.append((one, other, scores[rows, other] - scores[rows, one]))
    return Answers(*map(np.concatenate, zip(*parts, strict=True)))


def scores_of(fit, X):
    """Scores (n, m) but for |W x|^2, which is the same for all classes."""
    b = fit.prototypes.astype(X.dtype)
    return 2 * (X @ fit.embedding.T.astype(X.dtype)) @ b.T - (b**2).sum(axis=1)


def judged(data, fit, brief=False):
    """What is stored of a fit, on the test part; or, if `brief`, its accuracy on the validation part alone.

    `all`, `separable` and `synonym` are shares of right answers, where any synonym is right: for synonyms it is the
    accuracy of families. `corrected` are the same three after a shift of the prior: a constant is added to the scores
    of all synonyms, such that they are as many of the answers on the validation part as they are of its examples.
    `exact` is the share of all examples whose very label is the answer, and `label` that of the examples of synonyms.
    `precision` is sibling precision: the
    share of the family of an example among the k classes with the highest scores, for k = 2 and k = its size.
    """
    h = data.first_synonym
    X, y = data.validation
    answers = answers_of(fit, X, h)
    if brief:
        return {"all": round(float((data.cloud[answers.classes()] == data.cloud[y]).mean()), 5)}
    threshold = np.quantile(answers.lead, 1 - (y >= h).mean())
    X, y = data.test
    answers = answers_of(fit, X, h)
    plain, corrected = answers.classes(), answers.classes(threshold)
    row = dict(zip(("all", "separable", "synonym"), shares(data, plain, y), strict=True))
    return row | {
        "exact": rounded_mean(plain == y), "corrected": shares(data, corrected, y), "share": rounded_mean(plain >= h),
        "label": rounded_mean((plain == y)[y >= h]), "precision": sibling_precision(data, fit, X[y >= h], y[y >= h]),
        "unused": int(len(data.cloud) - h - len(np.unique(plain[plain >= h]))),
    }  # fmt: skip


def shares(data, answers, y):
    """Shares of right answers: among all examples, those of separable classes, and those of synonyms."""
    right, h = data.cloud[answers] == data.cloud[y], data.first_synonym
    return [rounded_mean(part) for part in (right, right[y < h], right[y >= h])]


def rounded_mean(values):
    return round(float(values.mean()), 5)


def sibling_precision(data, fit, X, y):
    """[at k = 2, at k = the size of the family]."""
    found = []
    for i in range(0, len(X), AT_ONCE):
        scores = scores_of(fit, X[i : i + AT_ONCE])
        top = np.argpartition(-scores, MOST_SYNONYMS, axis=1)[:, :MOST_SYNONYMS]
        order = np.argsort(-np.take_along_axis(scores, top, axis=1), axis=1)
        right = data.cloud[np.take_along_axis(top, order, axis=1)] == data.cloud[y[i : i + AT_ONCE], None]
        found.append(right.cumsum(axis=1))
    hits, size = np.concatenate(found), np.bincount(data.cloud)[data.cloud[y]]
    return [rounded_mean(hits[:, 1] / 2), rounded_mean(hits[np.arange(len(y)), size - 1] / size)]

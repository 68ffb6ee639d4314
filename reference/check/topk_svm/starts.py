"""What a fit may be given beside its data, right and wrong: weights of examples, and duals to start from."""

import numpy as np

from ..judging.case import Case

KINDS = ("alpha", "beta", "alpha_inclusive")
WEIGHTS = np.array([0.0, 1, 2.5, 0, 1, 3])  # of six examples


def shared_duals(y, regularization):
    """Returns duals in the domain of every loss: half of its radius, which the rivals share equally."""
    own = np.eye(y.max() + 1)[y]
    return (own - (1 - own) / y.max()) / (2 * regularization * len(y))


def refused_starts(right):
    """Yields duals outside of the domain of k = 2, and weights of examples whose domain is too large or too small."""
    own, radius = np.eye(3)[right["y"]], 1 / (right["regularization"] * 4)
    rivals = [[0.0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0]]
    one_rival = radius * (own - rivals)  # the cap of a rival is radius / 2
    for kind in KINDS:
        for duals in (radius * own, -one_rival, one_rival, 1.1 * radius * (own - (1 - own) / 2)):
            yield Case("duals beyond the domain", {**right, "kind": kind, "duals": duals}, refuses=("duals",))
    yield Case("duals beyond the cap of alpha", {**right, "duals": 0.2 * one_rival}, refuses=("duals",))
    weights = {"sample_weight": np.full(4, 1e-9), "duals": 1e-5 * one_rival.astype(np.float32)}
    yield Case("duals beyond the domain of small weights", {**right, "k": 1, **weights}, refuses=("duals",))
    weights = {"sample_weight": np.full(4, 1e140), "regularization": 1e-200}
    yield Case("weights too large", {**right, **weights}, refuses=("sample_weight",))

"""The types of results: one NamedTuple for each kind of fit."""

from typing import NamedTuple

import numpy as np


class TopKSVMFit(NamedTuple):
    """A fitted top-k SVM, with duals that bound its suboptimality (see `fit_topk_svm`)."""

    weights: np.ndarray | None  # (d, m); None for a kernel fit
    duals: np.ndarray  # (n, m), or a CSR array
    primal: float
    dual: float
    gap: float  # (primal - dual) / primal
    epochs: int
    history: np.recarray  # one record an epoch: primal, dual, gap, seconds


class TruncatedEntropyFit(NamedTuple):
    """Weights where the gradient of a loss that is not convex is small (see `fit_truncated_topk_entropy`)."""

    weights: np.ndarray  # (d, m)
    primal: float
    gradient_norm: float  # of the objective, relative to the mean of s_i |x_i|
    iterations: int


class PassiveAggressiveFit(NamedTuple):
    """Weights after some passes over the examples, and the mistakes on the way (see `fit_passive_aggressive`)."""

    weights: np.ndarray  # (m, d)
    averaged: np.ndarray | None  # (m, d), the mean of the weights after each step
    mistakes: np.ndarray  # (steps,) int64, cumulative
    updates: int  # the number of steps that changed the weights


class Inference(NamedTuple):
    """The ranking that maximises loss + score F (see `loss_augmented_inference`)."""

    interleaving: np.ndarray  # (N,) int64, 1..P+1, in the order of the given negatives
    objective: float  # loss + F
    loss: float


class RankingSVMFit(NamedTuple):
    """A fitted ranking SVM, with a lower bound of its problem (see `fit_ranking_svm`).

    The bound is a plane, offset + <slope, w>, that is nowhere above the mean hinge. It is a convex combination of p
    planes. Plane i has the share ``shares[i]`` and touches the mean hinge at the weights ``points[i]``.
    """

    weights: np.ndarray  # (d,)
    primal: float
    dual: float  # offset - |slope|^2 / (2 lambda)
    gap: float  # (primal - dual) / primal
    iterations: int
    history: np.recarray  # one record an iteration: primal, dual, gap, seconds
    slope: np.ndarray  # (d,) float64
    offset: float
    points: np.ndarray  # (p, d), of the dtype of the weights
    shares: np.ndarray  # (p,) float64, > 0, of sum 1; the plane 0 has p = 0


class TopRankFit(NamedTuple):
    """Weights that rank positives at the top, with duals that bound their suboptimality (see `fit_top_push`)."""

    weights: np.ndarray  # (d,), or (d, m) for the multiclass reduction
    duals: np.ndarray  # of the shape of the flags of the samples, (n,) or (n, m)
    primal: float
    dual: float
    gap: float  # (primal - dual) / primal
    iterations: int
    history: np.recarray  # one record an iteration: primal, dual, gap, seconds


class DirectLossFit(NamedTuple):
    """The best weights of direct loss minimisation, and the losses on the way (see `fit_direct_loss`)."""

    weights: np.ndarray  # (d,), those with the smallest loss
    losses: np.ndarray  # (iterations + 1,), before each step and after the last one


class LatentRankingFit(NamedTuple):
    """A latent ranking SVM (see `fit_latent_ranking_svm`)."""

    weights: np.ndarray  # (d,)
    chosen: np.ndarray  # (positive bags,) the row of X that represents each bag, in ascending order of the bags
    objectives: np.ndarray  # (rounds,) the primal of each round, which does not increase
    gap: float  # of the convex problem of the last round
    last_fit: RankingSVMFit  # of the last round, with the bound that proves the gap


class WsabieFit(NamedTuple):
    """A prototype for each class, and the state from which a walk can continue (see `fit_wsabie`)."""

    prototypes: np.ndarray  # (m, e)
    embedding: np.ndarray | None = None  # W (e, d); None if the prototypes are compared with x itself
    discriminant: str = "euclidean"  # the score: "euclidean" or "linear"
    prototype_sums: np.ndarray | None = None  # (m,) float64, adagrad's sums of squared gradients
    embedding_sums: np.ndarray | None = None  # (e,) float64
    last_violators: np.ndarray | None = None  # (m,) int64, -1 for none
    steps: int = 0  # the number of examples drawn
    updates: int = 0  # the number of steps that moved something
    skipped: np.ndarray | None = None  # (m,) int64, how many of the last examples of each class were skipped in a row
    history: np.recarray | None = None  # records of steps, updates, score, seconds


class LayerwiseFit(NamedTuple):
    """A network trained layer by layer (see `fit_layerwise`)."""

    weights: tuple  # of arrays (inputs + 1, units), one a layer with weights; the last row is the intercept
    objectives: np.ndarray  # (updates + 1,), before the first update and after each; they never rise
    gap: float  # the largest relative gap of an update
    trail: tuple  # of arrays: the weights of the updated layer after each update
    history: np.recarray  # one record an update: layer, epochs, inferences, objective, primal, dual, gap, seconds

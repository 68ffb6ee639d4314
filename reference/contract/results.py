"""What the methods return: tuples with names; `contract` is the door through which both sides come to them."""

from typing import NamedTuple

import numpy as np


class TopKSVMFit(NamedTuple):
    """A fitted top-k SVM and the proof of how good it is (see `fit_topk_svm`)."""

    weights: np.ndarray | None  # (d, m); None for a kernel fit
    duals: np.ndarray  # (n, m)
    primal: float
    dual: float
    gap: float  # (primal - dual) / primal
    epochs: int
    history: np.recarray  # one record an epoch: primal, dual, gap, seconds


class PassiveAggressiveFit(NamedTuple):
    """Weights after some passes, and how often they were wrong on the way (see `fit_passive_aggressive`)."""

    weights: np.ndarray  # (m, d)
    averaged: np.ndarray | None  # (m, d), the mean of the weights after each step
    mistakes: np.ndarray  # (steps,) int64, cumulative
    updates: int  # how many steps changed the weights


class Inference(NamedTuple):
    """The ranking that maximises loss plus score (see `loss_augmented_inference`)."""

    interleaving: np.ndarray  # (N,) int64, 1..P+1, in the order in which the negatives came
    objective: float  # loss + F
    loss: float


class RankingSVMFit(NamedTuple):
    """A fitted ranking SVM and the proof of how good it is (see `fit_ranking_svm`).

    The proof is a plane offset + <slope, w> that lies nowhere above the mean hinge. It is a combination of c planes:
    the one with share shares[c] touches the mean hinge at the weights points[c].
    """

    weights: np.ndarray  # (d,)
    primal: float
    dual: float  # offset - |slope|^2 / (2 lambda)
    gap: float  # (primal - dual) / primal
    iterations: int
    history: np.recarray  # one record an iteration: primal, dual, gap, seconds
    slope: np.ndarray  # (d,) float64
    offset: float
    points: np.ndarray  # (c, d), of the dtype of the weights
    shares: np.ndarray  # (c,) float64, > 0, of sum 1; c = 0 for the plane 0


class TopRankFit(NamedTuple):
    """Weights that put positives at the top, and the proof of how good they are (see `fit_top_push`)."""

    weights: np.ndarray  # (d,), or (d, m) for the multiclass reduction
    duals: np.ndarray  # like the flags of the samples, (n,) or (n, m)
    primal: float
    dual: float
    gap: float  # (primal - dual) / primal
    iterations: int
    history: np.recarray  # one record an iteration: primal, dual, gap, seconds


class DirectLossFit(NamedTuple):
    """Weights after some steps of direct loss minimisation, and the loss on the way (see `fit_direct_loss`)."""

    weights: np.ndarray  # (d,), those of the smallest loss
    losses: np.ndarray  # (iterations + 1,), before each step and after the last


class LatentRankingFit(NamedTuple):
    """A latent ranking SVM (see `fit_latent_ranking_svm`)."""

    weights: np.ndarray  # (d,)
    chosen: np.ndarray  # (positive bags,) the row of X that stands for each, in the order of their numbers
    objectives: np.ndarray  # (rounds,) the primal of each, which does not rise
    gap: float  # of the last convex problem
    last_fit: RankingSVMFit  # of the last round: weights, the last of the objectives, and what proves the gap


class WsabieFit(NamedTuple):
    """A point for each class, and what it takes to go on from there (see `fit_wsabie`)."""

    prototypes: np.ndarray  # (m, e)
    embedding: np.ndarray | None = None  # (e, d); None where the prototypes are compared with x itself
    discriminant: str = "euclidean"  # how they are compared: "euclidean" or "linear"
    prototype_sums: np.ndarray | None = None  # (m,) float64, adagrad's sums of squared gradients
    embedding_sums: np.ndarray | None = None  # (e,) float64
    last_violators: np.ndarray | None = None  # (m,) int64, -1 for none
    steps: int = 0  # how many examples were drawn
    updates: int = 0  # and for how many of them a margin was violated
    skipped: np.ndarray | None = None  # (m,) int64, how many examples of a class in a row were skipped up to now
    history: np.recarray | None = None  # one record a look: steps, updates, score, seconds

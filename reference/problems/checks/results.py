"""The types of results: one NamedTuple for each kind of fit."""

from __future__ import annotations

from typing import Any, NamedTuple

from .types import Floats, History, Integers

__all__ = [
    "TopKSVMFit",
    "TruncatedEntropyFit",
    "PassiveAggressiveFit",
    "Inference",
    "RankingSVMFit",
    "TopRankFit",
    "DirectLossFit",
    "LatentRankingFit",
    "WsabieFit",
    "LayerwiseFit",
]


class TopKSVMFit(NamedTuple):
    """A fitted top-k SVM, with duals that bound its suboptimality (see `fit_topk_svm`).

    Attributes
    ----------
    weights : array, shape (d, m), or None
        None for a kernel fit.
    duals : array or CSR array, shape (n, m)
    primal : float
        The objective at the weights.
    dual : float
        A lower bound of the minimum.
    gap : float
        ``(primal - dual) / primal``, a bound on the relative distance from the optimum.
    epochs : int
    history : recarray
        One record an epoch: primal, dual, gap and seconds.
    """

    weights: Floats | Any  # Any, since whoever fitted features need not ask whether it is None
    duals: Floats | Any  # whether they are CSR is the caller's choice, too
    primal: float
    dual: float
    gap: float
    epochs: int
    history: History


class TruncatedEntropyFit(NamedTuple):
    r"""Weights where the gradient of a loss that is not convex is small (see `fit_truncated_topk_entropy`).

    Attributes
    ----------
    weights : array, shape (d, m)
    primal : float
        The objective at the weights.
    gradient_norm : float
        The norm of the gradient of the objective, relative to the mean of :math:`s_i \|x_i\|`.
    iterations : int
    """

    weights: Floats
    primal: float
    gradient_norm: float
    iterations: int


class PassiveAggressiveFit(NamedTuple):
    """Weights after some passes over the examples, and the mistakes on the way (see `fit_passive_aggressive`).

    Attributes
    ----------
    weights : array, shape (m, d)
    averaged : array, shape (m, d), or None
        The mean of the weights after each step.
    mistakes : int64 array, shape (steps,)
        The number of mistakes up to and including each step.
    updates : int
        The number of steps that changed the weights.
    """

    weights: Floats
    averaged: Floats | None
    mistakes: Integers
    updates: int


class Inference(NamedTuple):
    """The ranking that maximises loss + score F (see `loss_augmented_inference`).

    Attributes
    ----------
    interleaving : int64 array, shape (N,)
        The ranks of the negatives, 1..P+1, in the order of the given negatives.
    objective : float
        loss + F.
    loss : float
    """

    interleaving: Integers
    objective: float
    loss: float


class RankingSVMFit(NamedTuple):
    r"""A fitted ranking SVM, with a lower bound of its problem (see `fit_ranking_svm`).

    The bound is a plane, offset + <slope, w>, that is nowhere above the mean hinge. It is a convex combination of p
    planes. Plane i has the share ``shares[i]`` and touches the mean hinge at the weights ``points[i]``.

    Attributes
    ----------
    weights : array, shape (d,)
    primal : float
        The objective at the weights.
    dual : float
        A lower bound of the minimum: offset :math:`- \|\text{slope}\|^2 / (2 \lambda)`.
    gap : float
        ``(primal - dual) / primal``, a bound on the relative distance from the optimum.
    iterations : int
    history : recarray
        One record an iteration: primal, dual, gap and seconds.
    slope : float64 array, shape (d,)
        The slope of the plane.
    offset : float
        The value of the plane at 0.
    points : array, shape (p, d), of the dtype of the weights
        Where the planes touch the mean hinge. The plane 0 has p = 0.
    shares : float64 array, shape (p,)
        The shares of the planes, above 0 and of sum 1.
    """

    weights: Floats
    primal: float
    dual: float
    gap: float
    iterations: int
    history: History
    slope: Floats
    offset: float
    points: Floats
    shares: Floats


class TopRankFit(NamedTuple):
    """Weights that rank positives at the top, with duals that bound their suboptimality (see `fit_top_push`).

    Attributes
    ----------
    weights : array, shape (d,) or (d, m)
        (d, m) for the multiclass reduction.
    duals : float64 array, shape (n,) or (n, m)
        Of the shape of the flags of the samples. Rounded to float32, they would prove less where features are large.
    primal : float
        The objective at the weights.
    dual : float
        A lower bound of the minimum.
    gap : float
        ``(primal - dual) / primal``, a bound on the relative distance from the optimum.
    iterations : int
    history : recarray
        One record an iteration: primal, dual, gap and seconds.
    """

    weights: Floats
    duals: Floats
    primal: float
    dual: float
    gap: float
    iterations: int
    history: History


class DirectLossFit(NamedTuple):
    """The best weights of direct loss minimisation, and the losses on the way (see `fit_direct_loss`).

    Attributes
    ----------
    weights : array, shape (d,)
        Those with the smallest loss.
    losses : array, shape (iterations + 1,)
        The losses before each step and after the last one.
    """

    weights: Floats
    losses: Floats


class LatentRankingFit(NamedTuple):
    """A latent ranking SVM (see `fit_latent_ranking_svm`).

    Attributes
    ----------
    weights : array, shape (d,)
    chosen : int array, shape (positive bags,)
        The row of X that represents each bag, in ascending order of the bags.
    objectives : array, shape (rounds,)
        The primal of each round. It can rise by at most the gap of the later fit times the primal of that fit.
    gap : float
        Of the convex problem of the last round.
    last_fit : RankingSVMFit
        Of the last round, with the bound that proves the gap.
    """

    weights: Floats
    chosen: Integers
    objectives: Floats
    gap: float
    last_fit: RankingSVMFit


class WsabieFit(NamedTuple):
    """A prototype for each class, and the state from which a walk can continue (see `fit_wsabie`).

    Attributes
    ----------
    prototypes : array, shape (m, e)
    embedding : array, shape (e, d), or None
        W. None if the prototypes are compared with the examples themselves.
    discriminant : {"euclidean", "linear"}
        The score.
    prototype_sums : float64 array, shape (m,), or None
        Adagrad's sums of squared gradients.
    embedding_sums : float64 array, shape (e,), or None
        The same for the rows of W.
    last_violators : int64 array, shape (m,), or None
        -1 for a class without one.
    steps : int
        The number of examples drawn.
    updates : int
        The number of steps that moved something.
    skipped : int64 array, shape (m,), or None
        How many of the last examples of each class were skipped in a row.
    history : recarray or None
        Records of steps, updates, score and seconds.
    """

    prototypes: Floats
    embedding: Floats | None = None
    discriminant: str = "euclidean"
    prototype_sums: Floats | None = None
    embedding_sums: Floats | None = None
    last_violators: Integers | None = None
    steps: int = 0
    updates: int = 0
    skipped: Integers | None = None
    history: History | None = None


class LayerwiseFit(NamedTuple):
    """A network trained layer by layer (see `fit_layerwise`).

    Attributes
    ----------
    weights : tuple of arrays, shapes (inputs + 1, units)
        One for each layer with weights. The last row is the intercept.
    objectives : array, shape (updates + 1,)
        The objective before the first update and after each. It never rises.
    gap : float
        The largest relative gap of an update.
    trail : tuple of arrays
        The weights of the updated layer after each update.
    history : recarray
        One record an update: layer, epochs, inferences, objective, primal, dual, gap and seconds.
    """

    weights: tuple[Floats, ...]
    objectives: Floats
    gap: float
    trail: tuple[Floats, ...]
    history: History

"""Notebook 07: the highest negative is lifted through a ranking, one positive at a time; its best rank maximises."""

import numpy as np
from _style import ACCENT, INK, SET

import reference.ranking

from . import traces
from .panel import Panel
from .slider import Frame, SliderFigure

POSITIVES = np.array([2.3, 1.9, 1.6, 1.3, 1.0, 0.9, 0.2, 0.0, -0.5, -0.7])
NEGATIVES = np.array([0.8, 0.4, 0.1, -0.2, -0.3, -0.6])
LOSSES = {"AP": reference.ranking.ap_loss, "NDCG": reference.ranking.ndcg_loss}


def score(ranks):
    """F(R): the scores, weighted by their slopes, and the score of the perfect ranking that the slopes leave out."""
    of_positives, of_negatives = reference.ranking.semigradient(POSITIVES, NEGATIVES, ranks)
    return of_positives @ POSITIVES + of_negatives @ NEGATIVES + POSITIVES.mean() - NEGATIVES.mean()


def gains(rank, loss):
    """Returns how much the loss and F change if the highest negative moves from its sorted rank to `rank`."""
    by_score = reference.ranking.interleaving_ranks(POSITIVES, NEGATIVES)
    lifted = np.append(rank, by_score[1:])
    P = len(POSITIVES)
    return LOSSES[loss](lifted, P) - LOSSES[loss](by_score, P), score(lifted) - score(by_score)


def figure():
    """Returns the figure: a slider over the ranks of the highest negative, and a menu of the two losses."""
    last = int(reference.ranking.interleaving_ranks(POSITIVES, NEGATIVES)[0])
    frames = [_frame(rank, last) for rank in range(1, last + 1)]
    places = len(POSITIVES) + len(NEGATIVES)
    panels = (
        Panel("place in the list", "score of the image", (0.3, places + 0.7), (-1.0, 2.7)),
        Panel("rank r of the highest negative", "gain over the sorted list", (0.7, last + 0.3), (-0.17, 0.17)),
    )
    alt = f"""A slider lifts the highest negative from rank {last} to rank 1. In the upper panel, positives and
        negatives stand in the order of the list, at the height of their scores. In the lower panel, the loss grows and
        F falls while the negative rises. Their sum is largest at rank {best_rank("AP")} for AP, and at rank
        {best_rank("NDCG")} for NDCG."""
    options = {"start": last - 1, "stills": ((6, 0), (3, 0), (0, 1)), "choices": tuple(LOSSES)}
    return SliderFigure(panels, frames, slider="rank r", alt=alt, **options)


def best_rank(loss):
    """The rank of the highest negative in the ranking that maximises loss + F."""
    return int(reference.ranking.loss_augmented_inference(POSITIVES, NEGATIVES, loss.lower()).interleaving[0])


def _frame(rank, last):
    ranks, curves = np.arange(1, last + 1), []
    for number, loss in enumerate(LOSSES):
        of_loss, of_score = np.transpose([gains(r, loss) for r in ranks])
        total, now = of_loss + of_score, rank - 1
        mine = [
            traces.line(ranks, of_loss, ACCENT, "loss", panel=2, dash="dash"),
            traces.line(ranks, of_score, SET, "F", panel=2, dash="dot"),
            traces.line(ranks, total, INK, "loss + F", panel=2),
            traces.points([rank] * 3, [of_loss[now], of_score[now], total[now]], INK, panel=2),
        ]
        curves += traces.choice(mine, number)
    totals = ", ".join(f"{loss} {sum(gains(rank, loss)):+.3f}" for loss in LOSSES)
    best = " and ".join(loss for loss in LOSSES if best_rank(loss) == rank)
    note = f"loss + F: {totals}" + (f"<br>This is the best rank for {best}." if best else "")
    return Frame(str(rank), _list(rank) + curves, note)


def _list(rank):
    """The list as it is: positives and negatives at their places, with their scores, and the lifted one marked."""
    ranks = np.append(rank, reference.ranking.interleaving_ranks(POSITIVES, NEGATIVES)[1:])
    before = np.arange(len(POSITIVES))  # a positive's place: those before it, and the negatives of a rank up to its own
    places = before + 1 + (ranks[:, None] <= before + 1).sum(axis=0)
    others = np.setdiff1d(np.arange(1, len(POSITIVES) + len(NEGATIVES) + 1), places)
    return [
        traces.points(places, POSITIVES, SET, "positive", size=11),
        traces.points(others[1:], NEGATIVES[1:], ACCENT, "negative", size=10, symbol="square"),
        traces.points(others[:1], NEGATIVES[:1], ACCENT, "lifted", size=15, symbol="square", edge=INK),
    ]

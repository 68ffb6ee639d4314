"""Losses, gradients and rankings: their exact values, from the definitions."""

from fractions import Fraction

import mpmath
import numpy as np

from .duals import DualFit, multilabel_pieces, topk_pieces
from .entropies import MultilabelEntropy, TopKEntropy, number, rational
from .exact import exact
from .rankings import STEEP, loss_of, rankings
from .values import Value

KINDS = ("alpha", "beta", "alpha_inclusive")


# --- losses of scores --------------------------------------------------------------------------------------------


def draw_scores(*names, multilabel=False):
    """Returns the function that draws scores, labels and these options."""

    def draw(rng):
        n, m = int(rng.integers(1, 4)), int(rng.integers(2, 6))
        scores = rng.normal(size=(n, m)) if rng.random() < 0.6 else rng.integers(-2, 3, (n, m)).astype(float)
        scores = (scores * rng.choice([1.0, 1.0, 1e-9, 30.0, 1e4])).astype(np.float32 if rng.random() < 0.3 else float)
        options = {"k": int(rng.integers(1, m)), "kind": str(rng.choice(KINDS))}
        options["smoothing"] = float(rng.choice([0.5, 1.0, 1e-3, 10.0]))
        labels = {"Y": rng.random((n, m)) < 0.5} if multilabel else {"y": rng.integers(0, m, n)}
        return {"scores": scores, **labels, **{name: options[name] for name in names}}

    return draw


def rows(problem):
    """Yields (scores of an example, its label or its flags)."""
    labels = problem["y"].tolist() if "y" in problem else problem["Y"].tolist()
    yield from zip(exact(problem["scores"]), labels, strict=True)


def topk_error(problem):
    k = problem["k"]
    return [[int(sum(s >= row[y] for j, s in enumerate(row) if j != y) >= k) for row, y in rows(problem)]]


def multilabel_error(problem):
    pairs = (
        [(p, n) for p, f in zip(row, Y, strict=True) for n, g in zip(row, Y, strict=True) if f and not g]
        for row, Y in rows(problem)
    )
    return [[int(any(n >= p for p, n in found)) for found in pairs]]


def hinge(problem):
    """Returns the DualFit whose losses are those of the rows, each with the share 1."""
    n, m = problem["scores"].shape
    if "Y" in problem:
        pieces, smoothed = [multilabel_pieces(Y) for _, Y in rows(problem)], [list(range(m))] * n
    else:
        pieces = [topk_pieces(m, y, problem["k"], problem["kind"]) for _, y in rows(problem)]
        smoothed = [[j for j in range(m) if j != y] for _, y in rows(problem)]
    return DualFit([[Fraction(0)] * n] * n, m, 1.0, [Fraction(1)] * n, pieces, problem.get("smoothing", 0.0), smoothed)


def hinge_losses(problem):
    fit = hinge(problem)
    return [[fit._loss(i, row) for i, (row, _) in enumerate(rows(problem))]]


def hinge_slopes(problem):
    fit = hinge(problem)
    return [[fit.slope(i, row) for i, (row, _) in enumerate(rows(problem))]]


def entropy_of(problem, label):
    m = problem["scores"].shape[1]
    return TopKEntropy(m, label, problem["k"]) if "y" in problem else MultilabelEntropy(label)


def entropies(what):
    """Returns the function of a problem that returns the values or the slopes of an entropy."""

    def truth(problem):
        found = []
        for row, label in rows(problem):
            zero = "Y" in problem and len(set(label)) == 1
            result = [0] * len(row) if zero else getattr(entropy_of(problem, label), what)([number(s) for s in row])
            found.append(
                [rational(x) for x in result] if what == "slope" else Fraction(0) if zero else rational(result)
            )
        return [found]

    return truth


def truncated(what):
    """Returns log(1 + sum of exp(h)) without the k - 1 largest h, the first ones of equals, or its slopes."""

    def truth(problem):
        found = []
        for row, y in rows(problem):
            order = sorted((j for j in range(len(row)) if j != y), key=lambda j: -row[j])[problem["k"] - 1 :]
            kept = {j: number(row[j]) for j in [*order, y]}
            most = max(kept.values())
            powers = {j: mpmath.exp(s - most) for j, s in kept.items()}
            total = sum(powers.values())
            if what == "value":
                found.append(rational(most + mpmath.log(total) - kept[y]))
            else:
                found.append([rational(powers.get(j, mpmath.mpf(0)) / total) - (j == y) for j in range(len(row))])
        return [found]

    return truth


def of_scores(problem, truth):
    return max(1.0, float(np.abs(problem["scores"]).max()))


def of_smooth_slopes(problem, truth):
    return max(1.0, of_scores(problem, truth) / problem["smoothing"])


# --- rankings -----------------------------------------------------------------------------------------------------


def draw_ranking(*names):
    """Returns the function that draws a ranking of up to 3 positives and 3 negatives, and what else is named."""

    def draw(rng):
        P, N = (int(size) for size in rng.integers(1, 4, 2))
        unit = rng.choice([1.0, 0.3, 1e-3, 100.0])
        p, n = ((rng.normal(size=size) if rng.random() < 0.6 else rng.integers(-2, 3, size)) * unit for size in (P, N))
        found = {"positive_scores": p, "negative_scores": n, "interleaving": rng.integers(1, P + 2, N), "n_positive": P}
        return {name: found[name] for name in names if name in found} | (
            {"loss": ["ap", "ndcg", "auc", STEEP][rng.integers(4)]} if "loss" in names else {}
        )

    return draw


def ranking_loss(name=None):
    return lambda problem: [
        loss_of(sorted(problem["interleaving"].tolist()), problem["n_positive"], name or problem["loss"])
    ]


def ranks_by_scores(problem):
    return [[1 + sum(p > n for p in problem["positive_scores"].tolist()) for n in problem["negative_scores"].tolist()]]


def semigradient(problem):
    ranks, p = problem["interleaving"].tolist(), problem["positive_scores"].tolist()
    P, N = len(p), len(ranks)
    order = sorted(range(P), key=lambda i: -p[i])
    before = [sum(r <= order.index(i) + 1 for r in ranks) for i in range(P)]
    return [[Fraction(-2 * b, P * N) for b in before], [Fraction(2 * (P + 1 - r), P * N) for r in ranks]]


def inference(problem):
    """Returns the best ranks: of all rankings with the largest loss plus score, the one with the highest ranks."""
    p, n = exact(problem["positive_scores"]), exact(problem["negative_scores"])
    down, fall = sorted(p, reverse=True), sorted(range(len(n)), key=lambda j: -n[j])
    best, found = None, None
    for lost, by_p, by_n in rankings(len(p), len(n), problem["loss"]):
        value = lost + sum(a * s for a, s in zip([*by_p, *by_n], [*down, *(n[j] for j in fall)], strict=True))
        ranks = [len(p) + 1 - a * len(p) * len(n) / 2 for a in by_n]
        if best is None or (value, ranks) > (best, found):
            best, found = value, ranks
    answer = [0] * len(n)
    for j, rank in zip(fall, found, strict=True):
        answer[j] = int(rank)
    return [answer]


def draw_groups(rng):
    flags = np.array([True, False, True, False, True, False, False][: int(rng.integers(2, 8))])
    groups = np.sort(rng.integers(0, 2, len(flags)))
    groups[:2] = 0
    scores = rng.normal(size=len(flags)) * rng.choice([1.0, 0.1, 10.0])
    return {"scores": scores, "relevant": flags, "groups": groups, "loss": str(rng.choice(["ap", "ndcg", "auc"]))}


def by_groups(problem):
    flags, found = problem["relevant"], np.zeros(len(problem["relevant"]), int)
    for group in set(problem["groups"].tolist()):
        p, n = (np.flatnonzero((problem["groups"] == group) & kind) for kind in (flags, ~flags))
        if len(p) and len(n):
            scores = {"positive_scores": problem["scores"][p], "negative_scores": problem["scores"][n]}
            found[n] = inference({**scores, "loss": problem["loss"]})[0]
    return [found.tolist()]


def one(problem, truth):
    return 1.0


def of_value(problem, truth):
    return max(1.0, *(float(abs(value)) for part in truth for value in part.ravel()))


def number_of(arrays):
    return float(arrays[0]) if arrays[0].dtype.kind == "f" else int(arrays[0])


def ranks_of(found):
    return [found.interleaving]


TOPK, SMOOTH = ("k", "kind", "smoothing"), ("smoothing",)
LOSSES = (
    Value("topk_error", draw_scores("k"), topk_error, one),
    Value("topk_hinge", draw_scores(*TOPK), hinge_losses, of_scores),
    Value("topk_hinge_gradient", draw_scores(*TOPK), hinge_slopes, of_smooth_slopes),
    Value("topk_entropy", draw_scores("k"), entropies("value"), of_scores),
    Value("topk_entropy_gradient", draw_scores("k"), entropies("slope"), of_scores),
    Value("truncated_topk_entropy", draw_scores("k"), truncated("value"), of_scores),
    Value("truncated_topk_entropy_gradient", draw_scores("k"), truncated("slope"), of_scores),
    Value("multilabel_error", draw_scores(multilabel=True), multilabel_error, one),
    Value("multilabel_hinge", draw_scores(*SMOOTH, multilabel=True), hinge_losses, of_scores),
    Value("multilabel_hinge_gradient", draw_scores(*SMOOTH, multilabel=True), hinge_slopes, of_smooth_slopes),
    Value("multilabel_entropy", draw_scores(multilabel=True), entropies("value"), of_scores),
    Value("multilabel_entropy_gradient", draw_scores(multilabel=True), entropies("slope"), of_scores),
    Value("ap_loss", draw_ranking("interleaving", "n_positive"), ranking_loss("ap"), one, given_as=number_of),
    Value("ndcg_loss", draw_ranking("interleaving", "n_positive"), ranking_loss("ndcg"), one, given_as=number_of),
    Value(
        "rank_loss", draw_ranking("interleaving", "n_positive", "loss"), ranking_loss(), of_value, given_as=number_of
    ),
    Value("interleaving_ranks", draw_ranking("positive_scores", "negative_scores"), ranks_by_scores, one),
    Value(
        "semigradient",
        draw_ranking("positive_scores", "negative_scores", "interleaving"),
        semigradient,
        one,
        parts=list,
        given_as=tuple,
    ),
    Value(
        "loss_augmented_inference",
        draw_ranking("positive_scores", "negative_scores", "loss"),
        inference,
        one,
        parts=ranks_of,
    ),
    Value("grouped_inference", draw_groups, by_groups, one, parts=ranks_of),
)

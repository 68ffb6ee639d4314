"""Rankings. Beside this: instances (`cases`), `conditions` of a right answer, `truth`, and `bounds` of the best one."""

from functools import partial

import numpy as np

from ..judging.spec import Spec

SCORES = {"positive_scores": "p", "negative_scores": "n"}
RANKS = {"interleaving": "n of r"}  # in 1..P+1: r is one more than the highest rank
INFERENCE = {"interleaving": "n int64", "objective": "number", "loss": "number"}
Ranking = partial(Spec, family=__name__)


def fewer_positives(arguments):
    """Yields the ranks among fewer positives, which no array has. Ranks beyond the last one become the last."""
    ranks, P = arguments["interleaving"], arguments["n_positive"]
    for fewer in {P // 2, P - 1} - {0}:
        yield {**arguments, "interleaving": np.minimum(ranks, fewer + 1).astype(ranks.dtype), "n_positive": fewer}


def tiny_ranks(rng, sizes, arguments):
    """Ranks that begin with 1 and end with the number of positives plus 1."""
    P = sizes.get("p", int(rng.integers(1, sizes["main"] + 1)))
    ranks = rng.integers(1, P + 2, size=sizes["n"]).astype(arguments["interleaving"].dtype)
    return {"interleaving": ranks, "n_positive": P}


Loss = partial(Ranking, arguments=RANKS, answer={"loss": "number"}, leading=2, simpler=fewer_positives, tiny=tiny_ranks)
SPECS = [
    Loss("ap_loss", place="002, section 2.2, AP loss"),
    Loss("ndcg_loss", place="002, section 2.2, NDCG loss; the discount is that of the text, not of [6]"),
    Loss("rank_loss", place="002, supplement, section 1, condition (C1)"),
    Ranking(
        "interleaving_ranks", arguments=SCORES, answer={"ranks": "n int64"},
        place="002, section 3, the definition of the interleaving rank; a tie counts against the positive",
    ),
    Ranking(
        "loss_augmented_inference", arguments=SCORES, answer=INFERENCE, needs=("interleaving",),
        reads=("objective", "loss"),
        place="002, problem (6), Observation 2 and algorithm 1; supplement, Observation 3",
    ),
    Ranking(
        "semigradient", arguments=SCORES | RANKS, answer={"by_positive": "p", "by_negative": "n"}, tiny=tiny_ranks,
        place="002, eq. (5)",
    ),
]  # fmt: skip

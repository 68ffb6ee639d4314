"""The table of all attacks: one row a function."""

import time
import warnings
import zlib
from typing import NamedTuple

import numpy as np

from .layers import Layerwise
from .losses import LOSSES
from .multiclass import Multilabel, TopK
from .projecting import PROJECTIONS
from .prototypes import PROTOTYPES
from .rankings import Latent, Ranking
from .replays import REPLAYS
from .samples import TopRank

FAMILIES = (
    TopK("fit_topk_svm"),
    TopK("fit_topk_svm_kernel"),
    TopK("fit_topk_svm_parts", "max_rounds"),
    TopK("fit_topk_entropy"),
    TopK("fit_topk_entropy_kernel"),
    Multilabel("fit_multilabel"),
    TopRank("fit_top_push", "max_iterations"),
    TopRank("fit_svm_perf", "max_iterations"),
    Ranking("fit_ranking_svm", "max_iterations"),
    Latent("fit_latent_ranking_svm", "max_iterations"),
    Layerwise("fit_layerwise"),
    *PROJECTIONS,
    *LOSSES,
    *PROTOTYPES,
    *REPLAYS,
)


class Row(NamedTuple):
    """What was found about one function."""

    function: str
    problems: int
    adversarial: int
    false_proofs: int
    right: int
    false_alarms: int
    undecided: int
    beyond_float64: int
    seconds: float


class Failure(NamedTuple):
    """An answer that was judged wrongly."""

    function: str
    problem: dict
    answer: dict
    verdict: tuple


def attack(family, number, seed):
    """Returns an iterator of (whether the answer was made to be wrong, problem, answer, verdict) for a problem."""
    return family.attack(np.random.default_rng([seed, number, zlib.crc32(family.name.encode())]))


def attack_family(family, problems, seed):
    """Returns (Row, list of Failures)."""
    start, failures, counts = time.process_time(), [], {}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for number in range(problems):
            for is_wrong, problem, answer, verdict in attack(family, number, seed):
                for key in (is_wrong, verdict.kind):
                    counts[key] = counts.get(key, 0) + 1
                if verdict.kind in ("false proof", "false alarm"):
                    failures.append(Failure(family.name, problem, answer, verdict))
    names = (True, "false proof", False, "false alarm", "undecided", "beyond float64")
    found = (counts.get(name, 0) for name in names)
    return Row(family.name, problems, *found, round(time.process_time() - start, 1)), failures


def table(rows):
    """Returns the rows as text."""
    heads = [name.replace("_", " ") for name in Row._fields]
    lines = [heads, *([str(value) for value in row] for row in rows)]
    wide = [max(len(line[i]) for line in lines) for i in range(len(heads))]
    return "\n".join("  ".join([line[0].ljust(wide[0]), *map(str.rjust, line[1:], wide[1:])]) for line in lines)

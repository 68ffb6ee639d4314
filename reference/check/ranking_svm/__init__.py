"""Rankings of groups. Beside this: instances (`cases`), `conditions` of a right answer, `truth`, `bounds` of a fit."""

from functools import partial

import numpy as np

from ..judging.spec import Spec
from ..ranking import INFERENCE
from .bounds import members

BOUNDS = dict.fromkeys(("primal", "dual", "gap", "iterations", "offset"), "number")
FIT = {"weights": "d", "slope": "d float64", "points": "c d", "shares": "c float64"} | BOUNDS | {"history": "any"}
SAMPLES = {"relevant": "n of 2", "groups": "n of g"}
TINY_GROUPS = {1: (2,), 2: (3,), 3: (2, 2), 4: (2, 3)}  # samples of each


def inference_of(problem):
    """Returns the axes of an inference: there is an objective and a loss of each group with both classes."""
    each = f"{len(members(problem.relevant, problem.groups))} float64"
    return INFERENCE | {"objective": each, "loss": each}


def has_both_classes(arguments):
    """Whether every group has both classes: others come with a warning, which is no simpler."""
    groups = arguments.get("groups")
    return len(members(arguments["relevant"], groups)) == (1 if groups is None else len(np.unique(groups)))


def fewer_groups(arguments):
    """Yields the samples of all groups but one: half of the samples, or all but one, may leave a group one class."""
    groups = arguments.get("groups")
    for number in [] if groups is None else np.unique(groups)[::-1]:
        yield {name: value[groups != number] if np.shape(value)[:1] == groups.shape else value
               for name, value in arguments.items()}  # fmt: skip


def tiny_samples(rng, sizes, arguments):
    """One or two groups of both classes, with weights of their own."""
    of_groups = TINY_GROUPS[sizes["main"]]
    n, numbers = sum(of_groups), np.repeat(np.arange(len(of_groups)), of_groups)
    relevant = np.concatenate([np.arange(size) < rng.integers(1, size) for size in of_groups])
    drawn = {"relevant": relevant, "groups": numbers if len(of_groups) > 1 else None, "group_weight": 1.0 + numbers}
    drawn |= {name: rng.integers(-2, 3, size=(n, int(rng.integers(1, 3)))[: arguments[name].ndim]).astype(
        arguments[name].dtype) for name in ("X", "scores") if name in arguments}  # fmt: skip
    return drawn | {"regularization": arguments.get("regularization")}


Ranked = partial(Spec, family=__name__, leading=2, simpler=fewer_groups, tiny=tiny_samples, is_sound=has_both_classes)
SPECS = [
    Ranked(
        "grouped_inference", arguments={"scores": "n"} | SAMPLES, answer=inference_of, needs=("interleaving",),
        place="002, eq. (6), group by group",
    ),
    Ranked(
        "fit_ranking_svm", arguments={"X": "n d"} | SAMPLES | {"regularization": "number", "group_weight": "n"},
        answer=FIT, needs=("weights", "points", "shares"), csr={},
        place="002, problem (4); Joachims, Finley and Yu 2009 for the planes",
    ),
]  # fmt: skip

"""Direct loss minimisation and latent ranking: `cases`, `conditions`, `truth`; what can be replayed: `steps`, `rounds`.

Neither problem is convex, so there is no certificate of the whole. The steps of direct loss minimisation are replayed.
A latent ranking SVM ends with a convex problem, whose fit has a certificate (`last_fit`).
"""

from functools import partial

import numpy as np

from ..judging.spec import Spec

Learner = partial(Spec, family=__name__, csr={})
STEPS = {"X": "n d", "relevant": "n of 2", "groups": "n of g", "weights": "d"}
STEPS |= {"epsilon": "number", "step_size": "number"}
ROUNDS = {"X": "n d", "bags": "n of b", "relevant": "n of 2", "regularization": "number", "weights": "d"}


def parts_of_steps(problem):
    """Returns the axes of a DirectLossFit."""
    return {"weights": "d", "losses": f"{problem.max_iterations + 1} float64"}


def parts_of_rounds(problem):
    """Returns the axes of a LatentRankingFit: a window for each positive bag, and an objective for each of r rounds."""
    bags = len(np.unique(np.asarray(problem.bags)[np.asarray(problem.relevant).astype(bool)]))
    windows = {"chosen": f"{bags} int64", "objectives": "r float64"}
    return {"weights": "d"} | windows | {"gap": "number", "last_fit": "any"}


def fewer_steps(arguments):
    """Yields walks of fewer steps: no array has as many entries."""
    count = arguments["max_iterations"]
    yield from ({**arguments, "max_iterations": fewer} for fewer in sorted({1, count // 2, count - 1} - {0, count}))


def one_round(arguments):
    """Yields the first round alone. The last of several may end them while other windows of a bag score higher."""
    yield {**arguments, "max_rounds": 1}


def is_given(name, arguments):
    """Whether this count is given: few steps or rounds are simpler than the many that there are by default."""
    return name in arguments


SPECS = [
    Learner(
        "fit_direct_loss", arguments=STEPS, answer=parts_of_steps, needs=("weights", "losses"), leading=2,
        simpler=fewer_steps, is_sound=partial(is_given, "max_iterations"),
        place="002, section 2.1; Song et al. 2016 and Hazan et al. 2010 for the step",
    ),
    Learner(
        "fit_latent_ranking_svm", arguments=ROUNDS, answer=parts_of_rounds, needs=("chosen", "last_fit"),
        simpler=one_round, is_sound=partial(is_given, "max_rounds"),
        place="002, section 4.2; Behl et al. 2014 for the rounds",
    ),
]  # fmt: skip

"""Class means and one-vs-all learners.

Beside this: instances (`cases`), `conditions` of a right answer, the right means (`truth`), and a `replay` of learners.
"""

from functools import partial

from ..judging.spec import Spec
from ..wsabie import CLAIMS, CSR, LABELS, NO_MEMORY, simpler
from ..wsabie.replay import classes
from . import replay


def means(problem):
    """Returns the axes of the fit of class means. It does not remember any walk."""
    return {"prototypes": f"{classes(vars(problem))} d", "embedding": "None"} | NO_MEMORY


def learners(problem):
    """Returns the axes of the fit of one-vs-all learners."""
    m = classes(vars(problem))
    arrays = {"prototypes": f"{m} d", "embedding": "None", "prototype_sums": f"{m} float64"}
    counts = {"steps": "integer", "updates": "integer"}
    return arrays | {"embedding_sums": "any", "last_violators": "any"} | counts | CLAIMS


def fewer_classes(arguments):
    """Yields the means in which the last two classes are one: a class without examples has no mean."""
    m, Y = classes(arguments), arguments["Y"]
    yield {**arguments, "n_classes": m - 1, "Y": Y[:, :-1].copy() if Y.ndim == 2 else Y.clip(max=m - 2)}


def tiny_means(rng, sizes, arguments):
    """Two classes, each with an example."""
    n, like = max(sizes["n"], 2), arguments["Y"]
    Y = rng.permutation(n) % 2
    Y = (Y if like.ndim == 1 else Y[:, None] == (0, 1)).astype(like.dtype)
    X = rng.integers(-1, 4, size=(n, sizes["d"])).astype(arguments["X"].dtype)
    return {"X": X, "Y": Y, "sample_weight": rng.integers(1, 4, size=n).astype(float), "n_classes": 2}


Baseline = partial(Spec, family=__name__, leading=2, csr=CSR)
SPECS = [
    Baseline(
        "fit_nearest_means", arguments=LABELS | {"sample_weight": "n"}, answer=means, needs=("prototypes",),
        simpler=fewer_classes, tiny=tiny_means, place="003, section 2, nearest means",
    ),
    Baseline(
        # No tuple is a fit with memory: a list of two prototypes is no pair.
        "fit_one_vs_all", arguments=LABELS | {"margin": "unit"}, answer=learners, needs=("prototypes", "embedding"),
        reads=("steps", "updates", "last_violators"), plain=simpler.PLAIN, tiny=simpler.tiny_walk,
        simpler=partial(simpler.walk, used=replay.used), is_sound=partial(simpler.is_walked, used=replay.used),
        place="003, section 8.3; adagrad: section 7, eq. (16)",
    ),
]  # fmt: skip

"""Fits of prototypes: scores, ensembles, and the walks of `fit_wsabie`.

Beside this: instances (`cases`, made of `data`), `conditions` of a right answer, the right answer (`truth`) or a
`replay` of a walk, `bounds` that prove scores and steps, and `simpler` instances.
"""

from functools import partial

from ..judging.spec import Spec
from ..proofs.rounding import answer_dtype
from . import replay, simpler

LABELS = {"X": "n d", "Y": "n of m | n m of 2"}
CLAIMS = {"discriminant": "any", "history": "any"}
MEMORY = ("prototype_sums", "embedding_sums", "last_violators", "skipped", "steps", "updates")
NO_MEMORY = dict.fromkeys(MEMORY, "any") | CLAIMS
CSR = {"names": ("X", "Y")}


def scores(problem):
    """Returns the axes of the scores of all classes."""
    return {"scores": f"n {len(problem.fit.prototypes)}"}


def ensemble(problem):
    """Returns the axes of the fit that has all embeddings. It does not remember any walk."""
    one, e = problem.fits[0], sum(len(fit.embedding) for fit in problem.fits)
    dtype, d = answer_dtype(one.prototypes), one.embedding.shape[1]
    return {"prototypes": f"{len(one.prototypes)} {e} {dtype}", "embedding": f"{e} {d} {dtype}"} | NO_MEMORY


def end_of_walk(problem):
    """Returns the axes of the fit at the end of a walk."""
    m, e = replay.classes(vars(problem)), problem.embedding_dim
    arrays = {"prototypes": f"{m} {e or 'd'}", "embedding": f"{e} d" if e else "None", "prototype_sums": f"{m} float64"}
    memory = {"embedding_sums": f"{e} float64" if e else "any"}
    memory |= dict.fromkeys(("last_violators", "skipped"), f"{m} int64")
    return arrays | memory | {"steps": "integer", "updates": "integer"} | CLAIMS


Wsabie = partial(Spec, family=__name__)
SPECS = [
    # The axes of arrays say nothing about a fit among the arguments, nor about steps and the numbers that they draw.
    Wsabie(
        "prototype_scores", arguments={"X": "n d"}, answer=scores, leading=2, csr={},
        simpler=simpler.scores, tiny=simpler.tiny_scores, place="003, section 2, the two discriminants",
    ),
    Wsabie(
        "concatenate_fits", arguments={"fits": "any"}, answer=ensemble, leading=1, needs=("prototypes", "embedding"),
        reads=("discriminant",), simpler=simpler.fits, tiny=simpler.tiny_fits,
        place="003, section 8.3 and Table 8, the ensembles",
    ),
    Wsabie(
        "fit_wsabie", arguments=LABELS | {"margin": "unit"}, answer=end_of_walk, needs=("prototypes", "embedding"),
        reads=("steps", "updates"), plain=simpler.PLAIN, simpler=simpler.walk, tiny=simpler.tiny_walk,
        is_sound=simpler.is_walked, csr=CSR | {"is_sound": lambda given: "seed" in given or replay.is_sound(given)},
        place="003, Table 3 (with 2 (b_- - b_+) x' for the gradient in W), eq. (13) for weights, eq. (16) for adagrad",
    ),
]  # fmt: skip

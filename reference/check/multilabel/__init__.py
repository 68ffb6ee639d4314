"""Label sets. Beside this: instances (`cases`), `conditions` of a right answer, `truth`, and the `bounds` of fits."""

from functools import partial

from ..judging.spec import Spec
from ..topk_svm import FIT

PAPER = "Lapin, Hein and Schiele 2018, the multilabel losses"
SCORES, SMOOTHING = {"scores": "n m", "Y": "n m of 2"}, {"smoothing": "number"}
ASCENT = {"regularization": "number", "order": "n of n", "sample_weight": "n", "duals": "n m"}
Multilabel = partial(Spec, family=__name__, place=PAPER)
Loss = partial(Multilabel, arguments=SCORES, csr={"names": ("Y",)})


def tiny_fit(rng, sizes, arguments):
    """Examples of -1, 0 and 1, and neither order nor duals nor weights."""
    n, d, m = sizes["main"], int(rng.integers(1, 3)), int(rng.integers(2, 4))
    drawn = {name: rng.integers(low, 2, size=shape).astype(arguments[name].dtype)
             for name, low, shape in (("X", -1, (n, d)), ("Y", 0, (n, m)))}  # fmt: skip
    same = {name: arguments.get(name) for name in ("regularization", "smoothing")}
    return drawn | same | {"order": None, "duals": None, "sample_weight": None}


SPECS = [
    Loss("multilabel_error", answer={"errors": "n"}, place=f"{PAPER}; a tie counts against the example"),
    Loss("multilabel_hinge", arguments=SCORES | SMOOTHING, answer={"losses": "n"}),
    Loss("multilabel_hinge_gradient", arguments=SCORES | SMOOTHING, answer={"gradient": "n m"}),
    Loss("multilabel_entropy", answer={"losses": "n"}),
    Loss("multilabel_entropy_gradient", answer={"gradient": "n m"}),
    Multilabel(
        "fit_multilabel", arguments={"X": "n d", "Y": "n m of 2"} | SMOOTHING | ASCENT, answer=FIT, needs=("duals",),
        place=f"{PAPER}, and their duals", tiny=tiny_fit, csr={"names": ("X", "Y")},
    ),
]  # fmt: skip

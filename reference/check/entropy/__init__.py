"""The top-k entropy and its truncated relative: `cases`, `conditions`, `truth`; `bounds` is what fits prove."""

from functools import partial

from ..judging.spec import Spec
from ..topk_svm import FIT, fewer_classes, is_positive_semidefinite, tiny_fit

PAPER = "Lapin, Hein and Schiele 2016"
Entropy = partial(Spec, family=__name__)
Loss = partial(Entropy, arguments={"scores": "n m", "y": "n of m", "k": "1..m-1"})
OPTIONS = {"k": "1..m-1", "regularization": "number", "sample_weight": "n"}
ASCENT = OPTIONS | {"duals": "n m", "order": "n of n"}
STATIONARY = {"weights": "d m", "primal": "number", "gradient_norm": "number", "iterations": "integer"}
Fit = partial(Entropy, needs=("duals",), simpler=fewer_classes, tiny=tiny_fit)
SPECS = [
    Loss("topk_entropy", answer={"losses": "n"}, place=f"{PAPER}, section 2.3"),
    Loss("topk_entropy_gradient", answer={"gradient": "n m"}, place=f"{PAPER}, section 2.3"),
    Loss("truncated_topk_entropy", answer={"losses": "n"}, place=f"{PAPER}, section 2.4"),
    Loss("truncated_topk_entropy_gradient", answer={"gradient": "n m"}, place=f"{PAPER}, section 2.4"),
    Fit(
        "fit_topk_entropy", arguments={"X": "n d", "y": "n of m"} | ASCENT, answer=FIT, csr={},
        place=f"{PAPER}, section 3, with |U|/k in the second equation of the step",
    ),
    Fit(
        "fit_topk_entropy_kernel", arguments={"K": "n n", "y": "n of m"} | ASCENT,
        answer=FIT | {"weights": "None"}, place=f"{PAPER}, section 3 (W' x_i = A K_i)",
        is_sound=is_positive_semidefinite,
    ),
    Entropy(
        "fit_truncated_topk_entropy", csr={}, needs=("weights",), leading=2,
        arguments={"X": "n d", "y": "n of m", "weights": "d m"} | OPTIONS,
        answer=STATIONARY, place=f"{PAPER}, section 2.4", simpler=fewer_classes, tiny=tiny_fit,
    ),
]  # fmt: skip

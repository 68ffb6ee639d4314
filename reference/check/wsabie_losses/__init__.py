"""Losses of class confusion, of pairs, and of WARP. Beside this: instances (`cases`), `conditions`, and the `truth`."""

from functools import partial

from ..judging.spec import Spec

Loss = partial(Spec, family=__name__, answer={"loss": "float"})
OfScores = partial(Loss, arguments={"scores": "n m", "Y": "n of m | n m of 2", "margin": "unit"}, csr={"names": ("Y",)})
SPECS = [
    Loss(
        "class_confusion_loss", arguments={"predicted": "n of m", "y": "n of m"},
        place="003, section 6, eq. (6) and (7)",
    ),
    OfScores("pairwise_loss", place="003, section 4, eq. (8), divided by n"),
    OfScores("warp_loss", place="003, eq. (11) to (13); (14) and (15) with last violators; divided by n"),
]  # fmt: skip

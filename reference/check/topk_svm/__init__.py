"""The top-k losses and SVMs. Beside this: instances (`cases`), `conditions` of a right answer, and the `truth`.

`hinges` has the definitions of the losses, and `bounds` what weights and duals prove about a fit.
"""

from functools import partial

import numpy as np

from ..judging.spec import Spec

TopK = partial(Spec, family=__name__)
SCORES, COUNT, SMOOTHING = {"scores": "n m", "y": "n of m"}, {"k": "1..m-1"}, {"smoothing": "number"}
LOSS = SCORES | COUNT | SMOOTHING
ROUNDS = COUNT | {"regularization": "number", "sample_weight": "n", "duals": "n m"}
ASCENT = ROUNDS | SMOOTHING | {"order": "n of n"}
CLAIMS = {"primal": "number", "dual": "number", "gap": "number", "epochs": "number", "history": "any"}
FIT = {"weights": "d m", "duals": "n m"} | CLAIMS


def fewer_classes(arguments):
    """Yields the fit in which the last two classes are one."""
    y = arguments["y"]
    if y.max() > 1:
        yield {**arguments, "y": np.minimum(y, y.max() - 1)}


def tiny_fit(rng, sizes, arguments):
    """Examples of -1, 0 and 1, at least two classes, and neither order nor duals."""
    n = sizes["main"] + 1
    dtype = arguments["K" if "K" in arguments else "X"].dtype
    X, y = rng.integers(-1, 2, size=(n, int(rng.integers(1, 3)))).astype(dtype), rng.permutation(n) % min(n, 2 + n // 3)
    drawn = {"X": X, "K": X @ X.T, "y": y, "parts": min(n, 2), "order": None, "duals": None, "sample_weight": None}
    same = {name: arguments.get(name) for name in ("regularization", "smoothing")}
    return drawn | same | {"k": min(arguments.get("k", 1), int(y.max()))}


def is_positive_semidefinite(arguments):
    """Whether K is, as it must be."""
    return np.linalg.eigvalsh(arguments["K"])[0] >= 0


Fit = partial(TopK, answer=FIT, needs=("duals",), simpler=fewer_classes, tiny=tiny_fit)
SPECS = [
    TopK(
        "topk_error", arguments=SCORES | {"k": "1..m"}, answer={"errors": "n"},
        place="004, section 2, the definition of err_k; a tie counts against the example",
    ),
    TopK(
        "topk_hinge", arguments=LOSS, answer={"losses": "n"},
        place="004, eq. (3) and (5); alpha ranks the rivals only, so that Proposition 3 holds",
    ),
    TopK(
        "topk_hinge_gradient", arguments=LOSS, answer={"gradient": "n m"},
        place="004, section 2; with smoothing, Lapin, Hein and Schiele 2016, section 2",
    ),
    Fit(
        "fit_topk_svm", arguments={"X": "n d", "y": "n of m"} | ASCENT, csr={},
        place="004, Theorem 1, algorithm 1 and Proposition 4",
    ),
    Fit(
        "fit_topk_svm_kernel", arguments={"K": "n n", "y": "n of m"} | ASCENT, answer=FIT | {"weights": "None"},
        place="004, Theorem 1 (W' x_i = A K_i) and algorithm 1", is_sound=is_positive_semidefinite,
    ),
    Fit(
        "fit_topk_svm_parts", arguments={"X": "n d", "y": "n of m", "parts": "parts of n"} | ROUNDS, csr={}, leading=3,
        place="004, Theorem 1 and algorithm 1; Ma et al. 2015, algorithm 1, for the parts",
    ),
]  # fmt: skip

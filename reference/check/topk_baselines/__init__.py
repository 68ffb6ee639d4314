"""TopPush and SVMperf. Beside this: `cases`, `conditions` of a right answer, `truth`; `bounds` is what fits prove."""

from functools import partial

import numpy as np

from ..judging.spec import Spec

SAMPLES = {"X": "n d", "relevant": "n (m) of 2"}
OPTIONS = {"regularization": "number", "sample_weight": "n", "duals": "n (m)"}
CLAIMS = {"primal": "number", "dual": "number", "gap": "number", "iterations": "number", "history": "any"}


def _largest_count(relevant, sample_weight=None):
    """Returns the largest k: the number of all samples, or their weight."""
    if sample_weight is None:
        return relevant.size
    return float(relevant.size // len(relevant) * np.sum(sample_weight))


def _whole_count(arguments):
    """Yields the instance without weights. Then k is an integer."""
    if "k" in arguments and arguments.get("sample_weight") is not None:
        k = int(np.clip(round(arguments["k"]), 1, arguments["relevant"].size))
        yield {name: value for name, value in arguments.items() if name != "sample_weight"} | {"k": k}


def _tiny_samples(rng, sizes, arguments):
    """Features of -1, 0 and 1, weights of 0, 1 and 2, a k that they allow, and no duals."""
    n, X, flags = sizes["main"] + 1, arguments["X"], arguments["relevant"]
    relevant = rng.integers(0, 2, size=(n,) if flags.ndim == 1 or n > 3 else (n, 2)).astype(flags.dtype)
    drawn = {"X": rng.integers(-1, 2, size=(n, int(rng.integers(1, 3)))).astype(X.dtype), "relevant": relevant}
    weights = None if arguments.get("sample_weight") is None else rng.integers(0, 3, size=n)
    same = {"regularization": arguments["regularization"], "duals": None, "sample_weight": weights}
    return drawn | same | {"k": min(arguments.get("k", 1), _largest_count(relevant, weights))}


TopRank = partial(
    Spec, family=__name__, answer={"weights": "d (m)", "duals": "n (m) float64"} | CLAIMS, needs=("weights", "duals"),
    tiny=_tiny_samples, csr={},
)  # fmt: skip
SPECS = [
    TopRank(
        "fit_top_push", arguments=SAMPLES | OPTIONS, place="004, sections 2.3 and 6.2; Li, Jin and Zhou 2014",
    ),
    TopRank(
        "fit_svm_perf", arguments=SAMPLES | {"k": "1..n"} | OPTIONS,  # with classes or weights, k may be more than n
        place="004, sections 2.3 and 6.2; Joachims 2005", simpler=_whole_count,
    ),
]  # fmt: skip

"""Passive-aggressive updates. Beside this: instances (`cases`), `conditions` of a right answer, and the `truth`.

`bounds` measures the optimality conditions of one update, and `passes` replays many.
"""

from functools import partial

import numpy as np

from ..judging.simplify import unit_of
from ..judging.spec import Spec

RULE = {"margin": "number", "aggressiveness": "number", "k": "1..m-1"}
PassiveAggressive = partial(Spec, family=__name__)


def _fit(problem):
    """What a fit to some classes returns: `mistakes` has a number a step, and `averaged` is only there if asked for."""
    size, steps = "{} {}".format(*problem.weights.shape), len(problem.y) * problem.epochs
    averaged = size if problem.averaged else f"None {size}"
    return {"weights": size, "averaged": averaged, "mistakes": f"{steps} int64", "updates": "integer"}


def _tiny_update(rng, sizes, arguments):
    """One or two features, and the same margin and aggressiveness: the latter must not be 0."""
    m, d, A, x = sizes["m"], int(rng.integers(1, 3)), arguments["A"], arguments["x"]
    A = (unit_of(A) * rng.integers(-1, 2, size=(m, d))).astype(A.dtype)
    x = (unit_of(x) * rng.integers(-1, 3, size=d)).astype(x.dtype)
    return {"A": A, "x": x} | {name: arguments.get(name) for name in ("margin", "aggressiveness")}


def _tiny_stream(rng, sizes, arguments):
    """Examples in their order, as each comes once, and one or two classes more than k, each of which has weights."""
    n, m, d = sizes["main"] - 1, arguments.get("k", 1) + int(rng.integers(1, 3)), int(rng.integers(1, 3))
    X = (sizes["unit"] * rng.integers(-1, 3, size=(n, d))).astype(arguments["X"].dtype)
    weights, shares = rng.integers(-1, 2, size=(m, d)).astype(float), rng.integers(0, 3, size=n).astype(float)
    drawn = {"X": X, "y": rng.integers(m, size=n), "n_classes": m, "order": np.arange(n)}
    same = {name: arguments.get(name) for name in RULE}
    return drawn | {"weights": weights, "sample_weight": shares} | same


SPECS = [
    PassiveAggressive(
        "squish_column", arguments={"z": "(n) d", "lower": "unit", "upper": "unit"}, answer={"x": "(n) d"},
        place="001, column squishing; Bittorf et al. 2012, Algorithm 5",
    ),
    PassiveAggressive(
        "multiclass_update", arguments={"A": "m d", "x": "d float64", "y": "0..m-1"} | RULE, leading=3,
        answer={"weights": "m d"}, tiny=_tiny_update,
        place="001, the exact update; Crammer et al. 2006 for pa1 and pa2; 004, section 4, for k > 1",
    ),
    PassiveAggressive(
        "fit_passive_aggressive", csr={}, needs=("weights",), reads=("updates",), leading=2,
        arguments={"X": "n d", "y": "n of m", "n_classes": "1..m", "order": "(e) n of n", "weights": "m d",
                   "sample_weight": "n"} | RULE,
        answer=_fit, tiny=_tiny_stream, place="001; Crammer et al. 2006, Figure 1, with the exact update of 001",
    ),
]  # fmt: skip

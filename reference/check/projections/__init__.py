"""The projections. Beside this: instances (`cases`), `conditions` of a right answer, and the right answer (`truth`)."""

from functools import partial

from ..judging.spec import Spec

POINT, SUM, BIAS = {"a": "(n) d"}, {"radius": "unit"}, {"bias": "number"}
BETWEEN = {"total": "unit", "lower": "d?", "upper": "d?", "weights": "d?"}
Projection = partial(Spec, family=__name__, answer={"x": "(n) d"})


def _tiny_knapsack(rng, sizes, arguments):
    """A total that can be reached."""
    unit = sizes["unit"]
    return {"lower": 0.0, "upper": 2 * unit, "total": unit * float(rng.integers(0, sizes["d"] + 2))}


SPECS = [
    Projection("project_simplex", arguments=POINT | SUM, place="004, section 4.1"),
    Projection(
        "project_knapsack", arguments=POINT | BETWEEN, tiny=_tiny_knapsack,
        place="004, section 4.1, and Kiwiel's algorithm cited there",
    ),
    Projection(
        "project_capped_simplex", arguments=POINT | {"cap": "unit"} | SUM | BIAS,
        place="004, section 5, eq. (10) and the text after it",
    ),
    Projection(
        "project_topk_cone", arguments=POINT | {"k": "1..d"} | BIAS,
        place="004, section 4.2, Lemma 3, eq. (7) and (8), and Lemma 4",
    ),
    Projection(
        "project_topk_simplex", arguments=POINT | {"k": "1..d"} | SUM | BIAS,
        place="004, section 4.3, Lemma 5; then Lemma 3, eq. (7)",
    ),
    Projection(
        "project_bipartite_simplex", arguments={"b": "(n) d", "c": "(n) e"} | SUM,
        answer={"u": "(n) d", "v": "(n) e"},
        place="Lapin, Hein and Schiele 2018, the multilabel SVM: sum u = sum v <= radius",
    ),
]  # fmt: skip

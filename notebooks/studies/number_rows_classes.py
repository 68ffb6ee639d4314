"""The rows of `numbers` for the papers 003 (highly multiclass) and 004 (top-k SVM)."""

import re

import numpy as np

from . import inference_sweeps as sweeps
from . import wsabie_regime as study
from .image_classification import SIZES, TEST_TO_TRAIN
from .number_rules import (
    FROM_SIZE,
    TWICE,
    Row,
    cannot,
    has_inner_best,
    in_band,
    is_linear,
    missing,
    numbers_of,
    or_undecided,
    same_digits,
    same_sign,
)
from .paired import INDEPENDENT, difference

PRIVATE = "its images are private, or features of ImageNet that are not published with it"
LADDERS = {"Caltech-101": "caltech ladder", "near siblings": "siblings near", "identical siblings": "siblings the same"}
CLAIMS = {  # what Table 6 says of an ingredient: (with it, without it)
    "last violators": [("+ 10 last violators", "Wsabie"), ("+ adagrad + 10 LV", "+ adagrad"),
                       *((f"+ adagrad + w = 1 + {links} LV", "+ adagrad + w = 1") for links in (1, 10, 100))],
    "adagrad": [("+ adagrad", "Wsabie")],
    "w = 1": [("+ w = 1", "Wsabie"), ("+ adagrad + w = 1", "+ adagrad")],
    "all together": [("+ adagrad + w = 1 + 10 LV", "Wsabie")],
}  # fmt: skip
RIVALS = {  # Table 8, and the rows of our study
    "Nearest means": "nearest means", "One-vs-all SVMs 1+:1-": "one-vs-all 1+:1-", "One-vs-all SVMs": "one-vs-all",
    "AUC sampling": "AUC", "Wsabie": "Wsabie",
}  # fmt: skip
METRICS = {"all": "any synonym is right", "exact": "the very label is right"}
CHAINS = [(0.1, 0.3), (0.5, 0.5), (0.9, 0.2), (0.99, 0.01)]  # (p_g, p_h) at which Figure 3 is checked
SAME_AS = {"top-1 beta": "top-1 alpha"}  # the same problem, and so computed once
NO_FEATURES = "its features, of a convolutional network, are not published; `make study DATA=FILE.npz` would take them"


# --- 003 -----------------------------------------------------------------------------------------------------------


def wsabie_rows(paper, results):
    """The rows of 003."""
    yield figure_3()
    for place, what in {"Table 4": "sizes of the data sets", "Table 9": "chosen parameters of Wsabie++"}.items():
        rows = "; ".join(f"{name}: {numbers_of(values)}" for name, values in paper.rows("003", place).items())
        yield cannot(place, what, rows, PRIVATE)
    yield from table_6(paper, results.get("wsabie_ladder"))
    yield from regime(results.get("wsabie_regime"))
    yield from dimensions(paper, results.get("wsabie_ladder"))
    yield from table_8(paper, results.get("wsabie_ladder"))


def figure_3():
    """The stationary distribution of the last violator, by the printed formula and from the chain."""
    formula = [stationary(*pair) for pair in CHAINS]
    power = [np.linalg.matrix_power(transitions(*pair), 10_000)[0] for pair in CHAINS]
    texts = ("; ".join(numbers_of(parts, "{:.4f}") for parts in found) for found in (formula, power))
    holds = tuple(all(same_digits(a, b, 4)) for a, b in zip(formula, power, strict=True))
    what = "shares of no last violator, g and h, for (p_g, p_h) = " + ", ".join(map(str, CHAINS))
    return Row("Figure 3", what, *texts, "digits", holds)


def stationary(g, h):
    """(none, g, h), by the paper's formula."""
    parts = [1.0] + [p * (2 + q - g * h) / (2 * (p - 1) * (g * h - 1)) for p, q in ((g, h), (h, g))]
    return np.array(parts) / sum(parts)


def transitions(g, h):
    """From none, g and h, in rows: of two violators, each is drawn with probability one half."""
    P = np.array([[0, g * (1 - h) + g * h / 2, h * (1 - g) + g * h / 2], [0, g, (1 - g) * h], [0, (1 - h) * g, h]])
    P[:, 0] = 1 - P.sum(axis=1)
    return P


def gain(found, key, one, other, comparisons):
    """The difference of two rows of the ladder in points, walk by walk; None if one is not stored."""
    rows = [found.get(f"{key}: {name}") for name in (one, other)]
    return difference(*(100 * np.array(row["test"]) for row in rows), INDEPENDENT, comparisons) if all(rows) else None


def table_6(paper, found):
    """What each ingredient of Wsabie++ is worth: one row a claim."""
    accuracy = {name: value for name, (value,) in paper.rows("003", "Table 6").items()}
    yield cannot("Table 6", "test accuracy, %", "; ".join(f"{k}: {v:g}" for k, v in accuracy.items()), PRIVATE)
    for name, pairs in CLAIMS.items():
        expected = ", ".join(f"{accuracy[one] - accuracy[other]:+.1f}" for one, other in pairs)
        what = f"the same claim on our data: gain of {name}, points"
        if found is None:
            yield missing("Table 6", what, expected, "wsabie_ladder")
            continue
        there = {data: [pair for pair in pairs if gain(found, key, *pair, 1)] for data, key in LADDERS.items()}
        number = sum(map(len, there.values()))
        ours = {data: [gain(found, LADDERS[data], *pair, number) for pair in some] for data, some in there.items()}
        text = "; ".join(f"{data} {', '.join(map(str, gains))}" for data, gains in ours.items() if gains)
        holds = tuple(same_sign(1, each) for gains in ours.values() for each in gains)
        yield Row("Table 6", what, expected, text, "sign", holds)


def regime(found):
    """Last violators where the paper expects them to help, on average over the settings: one row for one claim."""
    what = "gain of last violators on classes with synonyms and a narrow embedding, points"
    if found is None:
        yield missing("Table 6", what, "above 0", "wsabie_regime")
        return
    at = list(dict.fromkeys((setting, name, looks) for setting, names, looks in study.PLAN
                            if looks != study.LONGEST_LOOKS  # the same setting once more, as in notebook 12
                            for name in names if name in ("Q = 1", "Q = 8", "Q = 32")))  # fmt: skip
    at = [one for one in at if study.gain(found, *one[:2], "all", looks=one[2]) is not None]
    ours = {}
    for metric, text in METRICS.items():
        gains = [study.gain(found, setting, name, metric, looks=looks) for setting, name, looks in at]
        ours[text] = difference(np.mean(gains, axis=0), 0.0, INDEPENDENT, len(METRICS))
    text = "; ".join(f"{metric} {value}" for metric, value in ours.items())
    text += f" (mean of {len(at)} settings, {len(study.SEEDS)} data sets each; Bonferroni over these {len(METRICS)})"
    yield Row("Table 6", what, "above 0", text, "sign", tuple(same_sign(1, value) for value in ours.values()))


def dimensions(paper, found):
    """Accuracy against the dimension of the embedding."""
    place = "section 9.1"
    ((name, values),) = paper.rows("003", place).items()
    curve = dict(zip(paper.column_names("003", place), values, strict=True))
    yield cannot(place, f"{name}, %", "; ".join(f"{dim}: {value:g}" for dim, value in curve.items()), PRIVATE)
    what, claim = "the same claim on Caltech-101: a dimension in between is best", "256 of 128 to 1024"
    if found is None:
        yield missing(place, what, claim, "wsabie_ladder")
    else:
        curves = {f"{queue} last violators": curve_of(found, queue) for queue in (0, 8)}
        shown = ("; ".join(f"{dim}: {draws.mean():.1f}" for dim, draws in curve.items()) for curve in curves.values())
        text = "; ".join(f"{name} {points}" for name, points in zip(curves, shown, strict=True))
        holds = tuple(has_inner_best(list(curve.values()), 2 * len(curves)) for curve in curves.values())
        yield Row(place, what, claim, text, "inner best", holds)


def curve_of(found, queue):
    """{dimension: accuracies of the walks in %} for a number of last violators."""
    dims = sorted(int(m[1]) for key in found if (m := re.fullmatch(rf"caltech dim (\d+), {queue} LV", key)))
    return {dim: 100 * np.array(found[f"caltech dim {dim}, {queue} LV"]["test"]) for dim in dims}


def table_8(paper, found):
    """Wsabie++ beside the other classifiers: it is the best, says the table."""
    rows = paper.rows("003", "Table 8")
    printed = "; ".join(f"{name}: {numbers_of(values)}" for name, values in rows.items())
    yield cannot("Table 8", "test accuracy on four data sets, %", printed, PRIVATE)
    gains = {name: np.subtract(rows["Wsabie++"], rows[name]) for name in RIVALS}
    text = "; ".join(f"{name} {numbers_of(values, '{:+.1f}')}" for name, values in gains.items())
    what = "the same claim on Caltech-101: gain of Wsabie++ over each other classifier, points"
    if found is None:
        yield missing("Table 8", what, text, "wsabie_ladder")
        return
    ours = {name: gain(found, "caltech", "Wsabie++", row, len(RIVALS)) for name, row in RIVALS.items()}
    holds = tuple(same_sign(gains[name].min(), value) for name, value in ours.items())
    yield Row("Table 8", what, text, "; ".join(f"{name} {value}" for name, value in ours.items()), "sign", holds)


# --- 004 -----------------------------------------------------------------------------------------------------------


def topk_rows(paper, results):
    """The rows of 004."""
    yield from scaling(results.get("benchmarks"))
    found = accuracies(results.get("image_classification"))
    yield from caltech(paper, found)
    yield from gains_of_topk(paper, found)
    for data, (classes, examples, features) in list(paper.rows("004", "6.2", data="data").items())[1:]:
        place = "Table 1" if data == "MIT Indoor 67" else "Table 2"
        rows = paper.rows("004", place, data=data)
        ends = f"top-1 {min(v[0] for v in rows.values()):g} to {max(v[0] for v in rows.values()):g}"
        size = f"{classes} classes, {examples} examples, {features} features"
        yield cannot(place, f"{data} ({size}): {len(rows)} methods, six columns, %", ends, NO_FEATURES)


def scaling(found):
    """Figure 3: the time of the projections against the dimension."""
    names = {"the knapsack polytope": "project_knapsack"}
    names |= {f"the top-{k} simplex": f"project_topk_simplex, k = {k}" for k in (1, 5, 10)}
    if found is None:
        yield Row("Figure 3", "time against the dimension", "linear", why="not computed yet: `make bench`")
        return
    times = {what: {row["size"]: row["ours"] for row in found if row.get("series") == series and row["along"] == "d"}
             for what, series in names.items()}  # fmt: skip
    growths = {what: sweeps.growth(list(points), list(points.values())) for what, points in times.items()}
    text = "exponents " + "; ".join(f"{what} {power:.2f} ± {error:.2f}" for what, (power, error) in growths.items())
    yield Row("Figure 3", "time of the projections, against d", "linear (no numbers)", text, "linear",
              tuple(is_linear(power) for power, _ in growths.values()))  # fmt: skip
    sizes = [d for d in min(times.values(), key=len) if d >= FROM_SIZE]
    ratios = [max(points[d] for points in times.values()) / min(points[d] for points in times.values()) for d in sizes]
    yield Row("Figure 3", f"the slowest of these over the quickest, d = {min(sizes)} to {max(sizes)}",
              "essentially the same", f"{min(ratios):.2f} to {max(ratios):.2f}", "same time",
              or_undecided(ratio <= TWICE for ratio in ratios))  # fmt: skip


def accuracies(found):
    """{method: (splits, columns)} of the test accuracies in %, of splits that have been computed; None if none are."""
    if found is None:
        return None
    rows = {}
    for key, row in found.items():
        split, _, name = key.partition(": ")
        if split.isdigit():
            rows.setdefault(name, {})[int(split)] = 100 * np.array(row["test"]) / SIZES["test"]
    return {name: draws for name, draws in rows.items() if len(draws) > 1}


def caltech(paper, found):
    """Table 1, the first data set: one row a method, with six columns."""
    place, columns = "Table 1", paper.column_names("004", "Table 1", data="Caltech")
    for name, values in paper.rows("004", "Table 1, top section").items():
        yield cannot("Table 1, top section", name, numbers_of(values), "a method of others, not part of this project")
    for name, values in paper.rows("004", place, data="Caltech").items():
        what, text = f"{name}: {', '.join(columns)}, %", numbers_of(values, "{:.1f}")
        draws = found and found.get(SAME_AS.get(name, name))
        if not draws:
            yield missing(place, what, text, "image_classification")
            continue
        draws = np.array(list(draws.values()))
        pairs = zip(draws.mean(axis=0), draws.std(axis=0, ddof=1), strict=True)
        ours = ", ".join(f"{mean:.1f} ± {deviation:.1f}" for mean, deviation in pairs)
        holds = tuple(in_band(value, column) for value, column in zip(values, draws.T, strict=True))
        yield Row(place, what, text, f"{ours}; {len(draws)} splits", "band", holds)


def gains_of_topk(paper, found):
    """Section 6.2: training for k guesses gains accuracy with k guesses. One row for each loss, and the example."""
    rows, columns = paper.rows("004", "Table 1", data="Caltech"), {1: 0, 2: 1, 3: 2, 4: 3, 5: 4, 10: 5}
    ((stated, *_),) = paper.rows("004", "6.2", data="top-5").values()
    claims = {f"top-k {kind} over top-1 alpha in top-k accuracy, k = 2, 3, 4, 5, 10":
              [(f"top-{k} {kind}", k) for k in (2, 3, 4, 5, 10)] for kind in ("alpha", "beta")}  # fmt: skip
    claims["top-10 alpha over top-1 alpha in top-5 accuracy"] = [("top-10 alpha", 5)]
    for claim, pairs in claims.items():
        expected = [rows[name][columns[k]] - rows["top-1 alpha"][columns[k]] for name, k in pairs]
        what, text = f"Caltech-101: gain of {claim}, points", numbers_of(expected, "{:+.1f}")
        text += f" (the text says +{stated:g})" if len(pairs) == 1 else ""
        methods = {name for name, _ in pairs} | {"top-1 alpha"}
        splits = sorted(set.intersection(*(set((found or {}).get(name, ())) for name in methods)))
        if len(splits) < 2:
            yield missing("6.2", what, text, "image_classification")
            continue
        draws = {name: np.array([found[name][split] for split in splits]) for name in methods}
        ours = [difference(draws[name][:, columns[k]], draws["top-1 alpha"][:, columns[k]], TEST_TO_TRAIN, len(pairs))
                for name, k in pairs]  # fmt: skip
        holds = tuple(same_sign(gain, found_) for gain, found_ in zip(expected, ours, strict=True))
        yield Row("6.2", what, text, ", ".join(map(str, ours)), "sign", holds)

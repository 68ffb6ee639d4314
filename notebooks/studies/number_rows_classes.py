"""The rows of `numbers` for the papers 003 (highly multiclass) and 004 (top-k SVM)."""

import re

import numpy as np

from . import inference_sweeps as sweeps
from .number_rules import (
    FROM_SIZE,
    TWICE,
    Row,
    cannot,
    has_inner_best,
    in_band,
    interval,
    is_linear,
    missing,
    numbers_of,
    same_digits,
    same_sign,
)

PRIVATE = "its images are private, or features of ImageNet that are not published with it"
LADDERS = {"Caltech-101": "caltech ladder", "near siblings": "siblings near", "identical siblings": "siblings the same"}
STEPS = {  # what Table 6 says of one ingredient: (with it, without it)
    "10 last violators": ("+ 10 last violators", "Wsabie"),
    "adagrad": ("+ adagrad", "Wsabie"),
    "w = 1": ("+ w = 1", "Wsabie"),
    "10 last violators, with adagrad": ("+ adagrad + 10 LV", "+ adagrad"),
    "w = 1, with adagrad": ("+ adagrad + w = 1", "+ adagrad"),
    "1 last violator, with adagrad, w = 1": ("+ adagrad + w = 1 + 1 LV", "+ adagrad + w = 1"),
    "10 last violators, with adagrad, w = 1": ("+ adagrad + w = 1 + 10 LV", "+ adagrad + w = 1"),
    "100 last violators, with adagrad, w = 1": ("+ adagrad + w = 1 + 100 LV", "+ adagrad + w = 1"),
    "all together": ("+ adagrad + w = 1 + 10 LV", "Wsabie"),
}
RIVALS = {  # Table 8, and the rows of our study
    "Nearest means": "nearest means", "One-vs-all SVMs 1+:1-": "one-vs-all 1+:1-", "One-vs-all SVMs": "one-vs-all",
    "AUC sampling": "AUC", "Wsabie": "Wsabie",
}  # fmt: skip
REGIME = re.compile(r"(?P<data>.* classes, d = .*, e = .*, (?P<passes>\d+) passes): (?P<rung>.*), seed (?P<seed>\d+)")
MEASURES = {"all": "all classes", "separable": "separable classes", "synonym": "classes with synonyms"}
CHAINS = [(0.1, 0.3), (0.5, 0.5), (0.9, 0.2), (0.99, 0.01)]  # (p_g, p_h) at which Figure 3 is checked
TEST_IMAGES, TRAINING_IMAGES = 2307, 4100
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


def gain(found, key, one, other):
    """The difference of two rows of the ladder in points, walk by walk; None if one is not stored."""
    if f"{key}: {one}" not in found or f"{key}: {other}" not in found:
        return None
    return interval(100 * np.subtract(found[f"{key}: {one}"]["test"], found[f"{key}: {other}"]["test"]))


def table_6(paper, found):
    """What each ingredient of Wsabie++ is worth."""
    accuracy = {name: value for name, (value,) in paper.rows("003", "Table 6").items()}
    yield cannot("Table 6", "test accuracy, %", "; ".join(f"{k}: {v:g}" for k, v in accuracy.items()), PRIVATE)
    for name, (one, other) in STEPS.items():
        expected, what = accuracy[one] - accuracy[other], f"the same claim on our data: gain of {name}, points"
        if found is None:
            yield missing("Table 6", what, f"{expected:+.1f}", "wsabie_ladder")
            continue
        ours = {data: gain(found, key, one, other) for data, key in LADDERS.items()}
        ours = {data: value for data, value in ours.items() if value}
        text = "; ".join(f"{data} {value}" for data, value in ours.items())
        holds = tuple(same_sign(expected, value) for value in ours.values())
        yield Row("Table 6", what, f"{expected:+.1f}", text, "sign", holds)


def regime(found):
    """Last violators where the paper expects them to help: many classes with synonyms, and few dimensions."""
    what = "gain of last violators on classes with synonyms and a narrow embedding, points"
    if found is None:
        yield missing("Table 6", what, "above 0", "wsabie_regime")
        return
    walks = {}
    for key, row in found.items():
        if match := REGIME.fullmatch(key):
            looks = row["looks"][match["passes"]]
            walks.setdefault(match["data"], {}).setdefault(match["rung"], {})[match["seed"]] = looks
    for data, rungs in walks.items():
        for rung in ("Q = 1", "Q = 8", "Q = 32"):
            seeds = sorted(set(rungs.get(rung, ())) & set(rungs.get("Q = 0", ())))
            if len(seeds) < 2:
                continue
            gains = {m: interval([100 * (rungs[rung][s][m] - rungs["Q = 0"][s][m]) for s in seeds]) for m in MEASURES}
            text = "; ".join(f"{MEASURES[m]} {value}" for m, value in gains.items())
            holds = (same_sign(1, gains["all"]),)
            yield Row("Table 6", f"{what}: {data}, {rung}", "above 0", f"{text} ({len(seeds)} seeds)", "sign", holds)


def dimensions(paper, found):
    """Accuracy against the dimension of the embedding."""
    place = "section 9.1"
    (name, values), = paper.rows("003", place).items()
    curve = dict(zip(paper.column_names("003", place), values, strict=True))
    yield cannot(place, f"{name}, %", "; ".join(f"{dim}: {value:g}" for dim, value in curve.items()), PRIVATE)
    for queue in (0, 8):
        what = f"the same claim on Caltech-101: a dimension in between is best, {queue} last violators"
        if found is None:
            yield missing(place, what, "256 of 128 to 1024", "wsabie_ladder")
            continue
        dims = sorted(int(m[1]) for key in found if (m := re.fullmatch(rf"caltech dim (\d+), {queue} LV", key)))
        draws = [100 * np.array(found[f"caltech dim {dim}, {queue} LV"]["test"]) for dim in dims]
        text = "; ".join(f"{dim}: {values.mean():.1f}" for dim, values in zip(dims, draws, strict=True))
        yield Row(place, what, "256 of 128 to 1024", text, "inner best", (has_inner_best(draws),))


def table_8(paper, found):
    """Wsabie++ beside the other classifiers."""
    rows = paper.rows("003", "Table 8")
    for name, values in rows.items():
        yield cannot("Table 8", f"{name}: test accuracy on four data sets, %", numbers_of(values), PRIVATE)
    for name, ours in RIVALS.items():
        gains = np.subtract(rows["Wsabie++"], rows[name])
        what = f"the same claim on Caltech-101: gain of Wsabie++ over {name}, points"
        text = numbers_of(gains, "{:+.1f}")
        if found is None:
            yield missing("Table 8", what, text, "wsabie_ladder")
            continue
        difference = gain(found, "caltech", "Wsabie++", ours)
        yield Row("Table 8", what, text, str(difference), "sign", (same_sign(gains.min(), difference),))


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
    for what, points in times.items():
        exponent, error = sweeps.growth(list(points), list(points.values()))
        text = f"exponent {exponent:.2f} ± {error:.2f}"
        yield Row("Figure 3", f"time of projecting onto {what}, against d", "linear (no numbers)", text, "linear",
                  (is_linear(exponent),))  # fmt: skip
    sizes = [d for d in min(times.values(), key=len) if d >= FROM_SIZE]
    ratios = [max(points[d] for points in times.values()) / min(points[d] for points in times.values()) for d in sizes]
    yield Row("Figure 3", f"the slowest of these over the quickest, d = {min(sizes)} to {max(sizes)}",
              "essentially the same", f"{min(ratios):.2f} to {max(ratios):.2f}", "same time",
              tuple(ratio <= TWICE for ratio in ratios))  # fmt: skip


def accuracies(found):
    """{method: (splits, columns)} of the test accuracies in %, of splits that have been computed; None if none are."""
    if found is None:
        return None
    rows = {}
    for key, row in found.items():
        split, _, name = key.partition(": ")
        if split.isdigit():
            rows.setdefault(name, {})[int(split)] = 100 * np.array(row["test"]) / TEST_IMAGES
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
    """Section 6.2: training for k guesses gains accuracy with k guesses."""
    rows = paper.rows("004", "Table 1", data="Caltech")
    (stated, *_), = paper.rows("004", "6.2", data="top-5").values()
    pairs = [(k, column, f"top-{k} {kind}") for kind in ("alpha", "beta") for column, k in
             zip(range(1, 6), (2, 3, 4, 5, 10), strict=True)]  # fmt: skip
    pairs.append((5, 4, "top-10 alpha"))
    for k, column, name in pairs:
        expected = rows[name][column] - rows["top-1 alpha"][column]
        what = f"Caltech-101: gain of {name} over top-1 alpha in top-{k} accuracy, points"
        text = f"{expected:+.1f}" + (f" (the text says +{stated:g})" if name == "top-10 alpha" and k == 5 else "")
        one, other = ((found or {}).get(method) for method in (name, "top-1 alpha"))
        splits = sorted(set(one or ()) & set(other or ()))
        if len(splits) < 2:
            yield missing("6.2", what, text, "image_classification")
            continue
        ours = interval([one[s][column] - other[s][column] for s in splits], TEST_IMAGES / TRAINING_IMAGES)
        yield Row("6.2", what, text, str(ours), "sign", (same_sign(expected, ours),))



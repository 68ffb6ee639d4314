"""What is each ingredient of Wsabie++ worth? The numbers behind the tables of notebook 12 (003, Tables 6 and 8).

Run from the top of the checkout, with MARGINALIA_DATA set (see `reference.datasets.load_caltech101_silhouettes`):

    python -m notebooks.studies.wsabie_ladder

Caltech-101 silhouettes, in the parts of `caltech101_split(y, seed=0, stratified=True)`, less the mean of the training
part and divided by one number, such that |x|^2 is 1 on average. Made-up siblings: 20 examples a class, 12 to train, 4
to validate, 4 to test, divided likewise; each of the five seeds makes data of its own. Margin and step size (and what
else a row says was chosen) are powers of ten, chosen on the validation part by one walk with seed 0; while the best is
at the border of the grid, the grid grows (not for the curve of dimensions). Then five walks, with seeds 1 to 5, are
judged on the test part. With 10 000 classes the options are those chosen with 1000; two rungs are judged with the
other's margin, too, and after four times as many steps. Each row is stored when it is done, and is not computed again.
Half an hour on two cores.
"""

import json
import sys
import time
from functools import cache
from itertools import product
from multiprocessing import Pool
from pathlib import Path

import numpy as np

import fast
from reference import datasets

RESULTS = Path(__file__).parents[1] / "results" / "wsabie_ladder.json"
SEEDS, CALTECH_UPDATES, CALTECH_DIM = (1, 2, 3, 4, 5), 80_000, 100
SIBLING_UPDATES, SIBLING_DIM = {1000: 120_000, 10_000: 120_000}, 16
LIMITS = {"margin": (-3, 5), "step_size": (-6, 3)}  # to which the grid of exponents may grow

PLAIN = {"discriminant": "euclidean", "weighting": "harmonic", "step": "constant", "last_violators": 0}
ADAGRAD, UNIFORM = {"step": "adagrad"}, {"weighting": "uniform"}
LADDER = {
    "AUC sampling": {**PLAIN, **UNIFORM, "sampling": "auc"},
    "Wsabie": PLAIN,
    "+ 10 last violators": {**PLAIN, "last_violators": 10},
    "+ adagrad": {**PLAIN, **ADAGRAD},
    "+ w = 1": {**PLAIN, **UNIFORM},
    "+ adagrad + 10 LV": {**PLAIN, **ADAGRAD, "last_violators": 10},
    "+ adagrad + w = 1": {**PLAIN, **ADAGRAD, **UNIFORM},
    "+ adagrad + w = 1 + 1 LV": {**PLAIN, **ADAGRAD, **UNIFORM, "last_violators": 1},
    "+ adagrad + w = 1 + 10 LV": {**PLAIN, **ADAGRAD, **UNIFORM, "last_violators": 10},
    "+ adagrad + w = 1 + 100 LV": {**PLAIN, **ADAGRAD, **UNIFORM, "last_violators": 100},
}
SHORT = ["Wsabie", "+ 10 last violators", "+ adagrad + w = 1", "+ adagrad + w = 1 + 10 LV"]
DISTANCES = {"the same": 0.0, "near": 1.5, "far": 4.0}  # how far a class is from the centre of its family
DIMS = (8, 16, 32, 64, 128, 256, 512)
PLUS_PLUS = {**PLAIN, **ADAGRAD, **UNIFORM}


# --- data: (X, y) of three parts, and the family of each class -------------------------------------------------------


@cache
def caltech():
    X, y = datasets.load_caltech101_silhouettes()
    train, *others = datasets.caltech101_split(y, seed=0, stratified=True)
    mean = X[train].mean(axis=0)
    scale = np.sqrt(((X[train] - mean) ** 2).sum(axis=1).mean())
    return [((X[part] - mean) / scale, y[part]) for part in (train, *others)], np.arange(101)


def caltech_names():
    """What the classes of Caltech-101 are called."""
    from scipy.io import loadmat

    names = loadmat(datasets.data_folder() / datasets.CALTECH_FULL)["classnames"]
    return [str(name[0]) for name in names.ravel()]


@cache
def siblings(n_classes, distance, seed):
    X, y, family = datasets.make_sibling_classes(n_classes, 20 * n_classes, SIBLING_DIM, distance=distance, seed=seed)
    members = np.argsort(y, kind="stable").reshape(n_classes, 20)
    parts = [members[:, a:b].ravel() for a, b in ((0, 12), (12, 16), (16, 20))]
    scale = np.sqrt((X[parts[0]] ** 2).sum(axis=1).mean())
    return [(X[part] / scale, y[part]) for part in parts], family


def with_constant(data):
    """The same with a feature that is 1: scores that are inner products need a threshold."""
    return [(np.column_stack([X, np.ones(len(X))]), y) for X, y in data]


# --- a fit and its judge -------------------------------------------------------------------------------------------


def fit(data, options, margin, step_size, seed):
    """A walk on the training part."""
    return fast.fit_wsabie(*data[0], margin=10.0**margin, step_size=10.0**step_size, seed=seed, **options)


def predict(fitted, X):
    """The class with the highest score, for a thousand examples at a time."""
    parts = (X[i : i + 1000] for i in range(0, len(X), 1000))
    return np.concatenate([fast.prototype_scores(part, fitted).argmax(axis=1) for part in parts])


def accuracy(fitted, part):
    return float(np.mean(predict(fitted, part[0]) == part[1]))


def validated(data, options, margin, step_size):
    """The accuracy of a walk on the validation part; 0 if it runs away."""
    try:
        return accuracy(fit(data, options, margin, step_size, 0), data[1])
    except ValueError as error:
        if "must stay within the range" in str(error):
            return 0.0
        raise


def choose(score, exponents):
    """(exponents with the best score, all scores): a grid of powers of ten that grows while the best is at its border.

    `exponents` names the options and says where to start: {"margin": [0, 1, 2], "step_size": [-1, 0]}.
    """
    axes, tried = {name: sorted(values) for name, values in exponents.items()}, {}
    while True:
        grid = [(a, b) for a in axes["margin"] for b in axes["step_size"] if (a, b) not in tried]
        tried |= {point: score(*point) for point in grid}
        best = max(sorted(tried), key=tried.get)
        grown = False
        for (name, values), at in zip(axes.items(), best, strict=True):
            for end, step in ((values[0], -1), (values[-1], 1)):
                if at == end and LIMITS[name][0] <= end + step <= LIMITS[name][1]:
                    axes[name], grown = sorted({*values, end + step}), True
        if not grown:
            return best, {f"{a} {b}": round(value, 4) for (a, b), value in sorted(tried.items())}


def start_of_grid(options):
    return {"margin": [0, 1, 2], "step_size": [-1, 0] if options["step"] == "adagrad" else [-3, -2]}


def sibling_share(data, family, options, margin, step_size, looks=5, steps=300):
    """The share of siblings among the pairs that a walk moves, seen in some steps at five places on the way."""
    random, fitted, pairs = np.random.default_rng(0), None, []
    rest = {name: value for name, value in options.items() if name != "n_updates"}
    rest |= {"margin": 10.0**margin, "step_size": 10.0**step_size, "seed": random}
    for _ in range(looks):
        n_updates = options["n_updates"] // looks - steps
        states = [fast.fit_wsabie(*data[0], start=fitted, n_updates=n_updates, **rest)]
        fitted = fast.fit_wsabie(*data[0], start=states[0], n_updates=steps, every=1, callback=states.append, **rest)
        for before, after in zip(states, states[1:], strict=False):
            moved = np.flatnonzero((before.prototypes != after.prototypes).any(axis=1))
            pairs += [family[moved[0]] == family[moved[1]]] if len(moved) == 2 else []
    return round(float(np.mean(pairs)), 4) if pairs else None


# --- rows ----------------------------------------------------------------------------------------------------------


def judged(fits, data, family=None):
    """What is stored of five fits: accuracy and steps that moved something; of families too, or else image by image."""
    predicted = [predict(fitted, data[2][0]) for fitted in fits]
    row = {"test": [round(float(np.mean(p == data[2][1])), 5) for p in predicted]}
    if family is None:
        row["right"] = "".join(map(str, np.sum([p == data[2][1] for p in predicted], axis=0)))
    else:
        row["family"] = [round(float(np.mean(family[p] == family[data[2][1]])), 5) for p in predicted]
    return row | {"updates": [int(fitted.updates) for fitted in fits]}


def caltech_rung(name):
    """A rung on Caltech: margin and step size chosen, five walks judged."""
    data, options = caltech()[0], {**LADDER[name], "embedding_dim": CALTECH_DIM, "n_updates": CALTECH_UPDATES}
    best, tried = choose(lambda *at: validated(data, options, *at), start_of_grid(options))
    row = judged([fit(data, options, *best, seed) for seed in SEEDS], data)
    return row | {"margin": best[0], "step_size": best[1], "options": options, "validation": tried}


def caltech_dim(dim, last_violators):
    """Another number of dimensions; margin and step size out of four pairs."""
    data, grid = caltech()[0], product((1, 2), (-1, 0))
    options = {**PLUS_PLUS, "last_violators": last_violators, "embedding_dim": dim, "n_updates": CALTECH_UPDATES}
    tried = {at: validated(data, options, *at) for at in grid}
    best = max(sorted(tried), key=tried.get)
    row = judged([fit(data, options, *best, seed) for seed in SEEDS], data)
    tried = {f"{a} {b}": round(value, 4) for (a, b), value in tried.items()}
    return row | {"margin": best[0], "step_size": best[1], "options": options, "validation": tried}


def caltech_longer(name):
    """A rung with four times as many steps, options as chosen before."""
    data, row = caltech()[0], stored()[f"caltech ladder: {name}"]
    options = {**row["options"], "n_updates": 4 * CALTECH_UPDATES}
    return judged([fit(data, options, row["margin"], row["step_size"], seed) for seed in SEEDS], data)


def caltech_training(name):
    """The first walk of a rung: [steps, accuracy in training, in the test], and so with four times as many steps."""
    data, row, curve = caltech()[0], stored()[f"caltech ladder: {name}"], []
    for n_updates in (CALTECH_UPDATES, 4 * CALTECH_UPDATES):
        walk = fit(data, {**row["options"], "n_updates": n_updates}, row["margin"], row["step_size"], SEEDS[0])
        curve.append([n_updates, *(round(accuracy(walk, data[part]), 5) for part in (0, 2))])
    return {"curve": curve}


def caltech_given_up(name):
    """How many classes the five walks never predict; and [Faces 2 as 2, as 3, Faces 3 as 2, as 3] on the test part."""
    data, row = caltech()[0], stored()[f"caltech ladder: {name}"]
    fits = [fit(data, row["options"], row["margin"], row["step_size"], seed) for seed in SEEDS]
    predicted, y = [predict(fitted, data[2][0]) for fitted in fits], data[2][1]
    faces = [[int(np.sum((y == g) & (p == c))) for g in (1, 2) for c in (1, 2)] for p in predicted]
    return {"never": [101 - len(np.unique(p)) for p in predicted], "faces": faces, "test": row["test"]}


def siblings_rung(distance, name):
    """A rung on 1000 made-up classes."""
    options = {**LADDER[name], "embedding_dim": SIBLING_DIM, "n_updates": SIBLING_UPDATES[1000]}
    data, family = siblings(1000, DISTANCES[distance], 0)
    best, tried = choose(lambda *at: validated(data, options, *at), start_of_grid(options))
    row = {"margin": best[0], "step_size": best[1], "validation": tried, "options": options}
    row["siblings"] = sibling_share(data, family, options, *best)
    return row | siblings_judged(1000, distance, options, best)


def siblings_judged(n_classes, distance, options, best):
    rows = []
    for seed in SEEDS:
        data, family = siblings.__wrapped__(n_classes, DISTANCES[distance], seed)
        rows.append(judged([fit(data, options, *best, seed)], data, family))
    return {name: [row[name][0] for row in rows] for name in rows[0]}


def siblings_large(name, as_for=None, times=1):
    """The same rung on 10 000 classes, options as chosen on 1000, for this rung or another one."""
    row, chosen = (stored()[f"siblings near: {rung}"] for rung in (name, as_for or name))
    options = {**row["options"], "n_updates": times * SIBLING_UPDATES[10_000]}
    best = chosen["margin"], chosen["step_size"]
    row = siblings_judged(10_000, "near", options, best)
    return row | {"margin": best[0], "step_size": best[1], "options": options}


def siblings_means(n_classes, distance):
    """Nearest means."""
    rows = []
    for seed in SEEDS:
        data, family = siblings.__wrapped__(n_classes, DISTANCES[distance], seed)
        rows.append(judged([fast.fit_nearest_means(*data[0])], data, family))
    return {name: [row[name][0] for row in rows] for name in rows[0]}


def caltech_means():
    data = caltech()[0]
    return judged([fast.fit_nearest_means(*data[0])] * len(SEEDS), data)


def one_vs_all(negatives):
    """Margin, step size and, of several, the number of negatives are chosen."""
    data, found = with_constant(caltech()[0]), {}

    def learn(count, margin, step_size, seed):
        options = {"negatives": count, "margin": 10.0**margin, "step_size": 10.0**step_size, "seed": seed}
        return fast.fit_one_vs_all(*data[0], n_updates=CALTECH_UPDATES, **options)

    for count in negatives:
        start = {"margin": [-1, 0, 1], "step_size": [-2, -1]}
        best, tried = choose(lambda *at, n=count: accuracy(learn(n, *at, 0), data[1]), start)
        found[count] = max(tried.values()), best
    count = max(found, key=found.get)
    best = found[count][1]
    row = judged([learn(count, *best, seed) for seed in SEEDS], data)
    tried = {n: value for n, (value, _) in found.items()}
    return row | {"margin": best[0], "step_size": best[1], "negatives": count, "validation": tried}


def linear_row(options, dims):
    """AUC or Wsabie with inner products: the longest allowed norm and the embedding are chosen, too."""
    data, rows = with_constant(caltech()[0]), []
    for dim in dims:
        for max_norm in (1.0, 10.0):
            o = {**options, "embedding_dim": dim, "max_norm": max_norm, "n_updates": CALTECH_UPDATES}
            start = {"margin": [-1, 0, 1], "step_size": [-1, 0] if o["step"] == "adagrad" else [-3, -2]}
            best, tried = choose(lambda *at, o=o: validated(data, o, *at), start)
            rows.append((max(tried.values()), best, o))
    value, best, o = max(rows, key=lambda row: row[0])
    row = with_ensembles(data, o, best) if o["embedding_dim"] else judged([fit(data, o, *best, s) for s in SEEDS], data)
    return row | {"margin": best[0], "step_size": best[1], "options": o, "validation": value}


def with_ensembles(data, options, best):
    """Five walks, and five ensembles of four of them each."""
    fits = [fit(data, options, *best, seed) for seed in SEEDS]
    joined = [fast.concatenate_fits(fits[:i] + fits[i + 1 :]) for i in range(len(fits))]
    return judged(fits, data) | {"ensemble": judged(joined, data)["test"]}


def wsabie_pp(depths):
    """Of the curve of dimensions the best row, then the depth of the chain."""
    data, links = caltech()[0], 8 if 8 in depths else 0
    dims = [stored()[f"caltech dim {e}, {links} LV"] for e in DIMS]
    row = max(dims, key=lambda row: max(row["validation"].values()))
    best = row["margin"], row["step_size"]
    tried = {depth: validated(data, {**row["options"], "last_violators": depth}, *best) for depth in depths}
    options = {**row["options"], "last_violators": max(tried, key=tried.get)}
    tried = {depth: round(value, 4) for depth, value in tried.items()}
    return with_ensembles(data, options, best) | {
        "margin": best[0], "step_size": best[1], "options": options, "validation": tried
    }  # fmt: skip


JOBS = {f"caltech ladder: {name}": (caltech_rung, name) for name in LADDER}
JOBS |= {"caltech: nearest means": (caltech_means,), "caltech: one-vs-all 1+:1-": (one_vs_all, (1,))}
JOBS |= {"caltech: one-vs-all": (one_vs_all, (2, 4, 8, 16, 32, 64))}
JOBS |= {"caltech: AUC": (linear_row, {**LADDER["AUC sampling"], **ADAGRAD, "discriminant": "linear"}, (None,))}
JOBS |= {"caltech: Wsabie": (linear_row, {**PLAIN, "discriminant": "linear"}, (128,))}
JOBS |= {f"siblings near: {name}": (siblings_rung, "near", name) for name in LADDER}
JOBS |= {
    f"siblings the same: {name}": (siblings_rung, "the same", name)
    for name in ("+ adagrad", "+ adagrad + w = 1 + 1 LV")
}
JOBS |= {f"siblings {d}: nearest means": (siblings_means, 1000, d) for d in DISTANCES}
JOBS |= {f"caltech dim {e}, {q} LV": (caltech_dim, e, q) for q in (8, 0) for e in DIMS}
JOBS |= {f"siblings {d}: {name}": (siblings_rung, d, name) for d in ("the same", "far") for name in SHORT}
LATER = {"caltech: Wsabie++": (wsabie_pp, (1, 2, 4, 8, 16, 32, 64)), "caltech: Wsabie++ without LV": (wsabie_pp, (0,))}
LATER |= {f"siblings 10000: {name}": (siblings_large, name) for name in SHORT}
LATER |= {f"siblings 10000, 4 times: {name}": (siblings_large, name, SHORT[-1], 4) for name in SHORT[-2:]}
LATER |= {
    f"siblings 10000, the other margin: {name}": (siblings_large, name, other)
    for name, other in (SHORT[-2:], SHORT[:-3:-1])
}
LATER |= {f"caltech given up: {name}": (caltech_given_up, name) for name in LADDER}
LATER |= {f"caltech training: {name}": (caltech_training, name) for name in SHORT[-2:]}
LATER |= {"siblings 10000: nearest means": (siblings_means, 10_000, "near")}
LATER |= {f"caltech longer: {name}": (caltech_longer, name) for name in SHORT[-2:]}


def stored():
    return json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}


def by_margin():
    """{(has links, margin): test accuracies in % on five data sets of 10 000 classes}, of the last two of SHORT."""
    keys = [f"siblings 10000{end}: {name}" for name in SHORT[-2:] for end in ("", ", the other margin")]
    rows = [stored()[key] for key in keys]
    return {(row["options"]["last_violators"] > 0, 10 ** row["margin"]): 100 * np.array(row["test"]) for row in rows}


def run(job):
    key, (function, *arguments) = job
    began = time.perf_counter()
    return key, function(*arguments), time.perf_counter() - began


def main(processes=2):
    RESULTS.parent.mkdir(exist_ok=True)
    for jobs in (JOBS, LATER):  # the later ones read rows of the earlier
        todo = [item for item in jobs.items() if item[0] not in stored()]
        with Pool(processes) as pool:
            for done, (key, row, seconds) in enumerate(pool.imap_unordered(run, todo), start=1):
                lines = (f"{json.dumps(k)}: {json.dumps(v)}" for k, v in sorted((stored() | {key: row}).items()))
                beside = RESULTS.with_suffix(".new")  # the other process may be reading
                beside.write_text("{\n" + ",\n".join(lines) + "\n}\n")
                beside.replace(RESULTS)
                test = f"{np.mean(row['test']):.4f}" if "test" in row else ""
                print(f"{done:3} of {len(todo)}  {key:45} {test:6}  {seconds:6.1f} s", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2)

"""How long does one inference take? The numbers behind rows of EVERY_NUMBER.md (002, Tables 1 and 2, Figures 2 and 3).

Run from the top of the checkout:

    make study STUDY=inference_sweeps            or            python -m notebooks.studies.inference_sweeps

Five methods, all compiled: `fast.loss_augmented_inference` for AP and for NDCG, and the three of `inference_baselines`:
Yue's for AP, Chakrabarti's for NDCG, and the hinges of the 0-1 loss. A call begins with scores in random order and ends
with the rank of each negative (0-1: with the slope of each sample). So each time includes all sorting that a method
does. Ours also checks its arguments and returns the objective and the loss. The tables have two more rows: the greedy
method of `fast`, which does that too and is exact on ties.

Three sweeps, as in the paper. "total": P + N samples, one of 20 positive. The text of the paper that we have has lost
this ratio; ours is that of its whole data set. "negatives": P = 227. "positives": N = 200. Scores are made up: those of
the positives from N(1, 1), those of the negatives from N(0, 1). Each time is in CPU seconds of one thread, for one
call. The methods take turns; one turn calls a method at least once for each of several draws of the scores, so that the
branch predictor cannot learn them, and for at least MIN_SECONDS. Stored are the three quartiles of REPEATS turns. A
method that tries all ranks is left out if there are more than MOST_PAIRS.

The tables: 4846 samples as in the paper, 227 of them positive, and 2404 features, made up: feature j is normal with
deviation 1/j, and the positives are shifted along one direction. `path` trains on them and keeps the scores of each
inference. Then each method is timed on these scores. What the paper chose by cross-validation, lambda, is not known:
there are three.

Each point is stored when it is done, and is not computed again. Two CPU minutes.
"""

import json
import time
from pathlib import Path

import numpy as np

import fast
from fast._shared.planes import minimise_by_planes
from fast.ranking import LOSSES
from fast.ranking_svm import Products, Ranker
from reference.problems import checks

from .inference_baselines import chakrabarti, yue, zero_one
from .which_estimator import machine

RESULTS = Path(__file__).parents[1] / "results" / "inference_sweeps.json"
METHODS = {
    "0-1": zero_one,
    "AP": yue,
    "AP_QS": lambda p, n: fast.loss_augmented_inference(p, n, "ap"),
    "NDCG": chakrabarti,
    "NDCG_QS": lambda p, n: fast.loss_augmented_inference(p, n, "ndcg"),
}
EXACT = {
    "AP, greedy of fast": lambda p, n: fast.loss_augmented_inference(p, n, "ap", method="greedy"),
    "NDCG, greedy of fast": lambda p, n: fast.loss_augmented_inference(p, n, "ndcg", method="greedy"),
}
TRY_ALL_RANKS = {"AP", "NDCG", *EXACT}
LOSS_OF = {"0-1": "zero_one", "AP": "ap", "AP_QS": "ap", "NDCG": "ndcg", "NDCG_QS": "ndcg"}
LOSS_OF |= {name: name.split(",")[0].lower() for name in EXACT}

SAMPLES = (200, 600, 2000, 6000, 20_000, 60_000, 200_000, 600_000, 2_000_000)
ONE_IN, POSITIVES, NEGATIVES = 20, 227, 200
SWEEPS = {
    "total": {size: (size // ONE_IN, size - size // ONE_IN) for size in SAMPLES},
    "negatives": {size: (POSITIVES, size) for size in SAMPLES},
    "positives": {size: (size, NEGATIVES) for size in (20, 60, *SAMPLES)},
}
MOST_PAIRS, REPEATS = 2 * 10**8, 7
BATCH, MOST_DRAWS = 20_000, 32  # scores in all draws of one turn, about, and the number of draws at most
MIN_SECONDS = 2e-3
FIRST_FITTED = 6000  # samples, from which on the growth is fitted: fewer take as long as a call's fixed costs

TRAINING = {"n": 4846, "positives": POSITIVES, "features": 2404, "shift": 0.4, "seed": 0}
LAMBDAS, TOL, MAX_ITERATIONS = (1e-3, 1e-4, 1e-5), 1e-3, 2000
PATH_REPEATS = 5


# --- timing --------------------------------------------------------------------------------------------------------


def quartiles(methods, draws, repeats=REPEATS):
    """{method: [lower quartile, median, upper quartile]} of the CPU seconds of one call."""
    times, rounds = {name: [] for name in methods}, {}
    for name, method in methods.items():
        _seconds(method, draws[:1], 1)  # compiles
        rounds[name] = 1 + int(MIN_SECONDS / max(_seconds(method, draws, 1) * len(draws), 1e-9))
    for _ in range(repeats):
        for name, method in methods.items():
            times[name].append(_seconds(method, draws, rounds[name]))
    return {name: rounded(np.quantile(values, (0.25, 0.5, 0.75))) for name, values in times.items()}


def _seconds(method, draws, rounds):
    """Returns the mean CPU seconds of a call."""
    begun = time.process_time()
    for _ in range(rounds):
        for p, n in draws:
            method(p, n)
    return (time.process_time() - begun) / (rounds * len(draws))


def rounded(values):
    return [float(f"{value:.4g}") for value in values]


# --- the sweeps ----------------------------------------------------------------------------------------------------


def draws_of(P, N):
    """Some draws of made-up scores: the more, the fewer samples they have."""
    random = np.random.default_rng([P, N])
    count = min(max(1, BATCH // (P + N)), MOST_DRAWS)
    return [(random.standard_normal(P) + 1, random.standard_normal(N)) for _ in range(count)]


def methods_for(P, N):
    """The methods that are timed for so many samples."""
    return {name: method for name, method in METHODS.items() if name not in TRY_ALL_RANKS or P * N <= MOST_PAIRS}


def point(P, N):
    """What is stored of a point of a sweep."""
    return {"P": P, "N": N, "seconds": quartiles(methods_for(P, N), draws_of(P, N))}


def growth(sizes, seconds):
    """Returns (exponent, standard error): the slope of a line through the logarithms, for sizes from FIRST_FITTED."""
    x, y = (np.log([v for size, v in zip(sizes, values, strict=True) if size >= FIRST_FITTED])
            for values in (sizes, seconds))  # fmt: skip
    x = x - x.mean()
    slope = x @ y / (x @ x)
    rest = y - y.mean() - slope * x
    return float(slope), float(np.sqrt(rest @ rest / (len(x) - 2) / (x @ x)))


def growths(points):
    """{method: (exponent, standard error)} of a stored sweep, for the methods with at least three sizes to fit."""
    found = {}
    for name in METHODS:
        known = {int(size): row["seconds"][name][1] for size, row in points.items() if name in row["seconds"]}
        if sum(size >= FIRST_FITTED for size in known) >= 3:
            found[name] = growth(list(known), list(known.values()))
    return found


# --- the tables ----------------------------------------------------------------------------------------------------


def training_data(n, positives, features, shift, seed):
    """(X, relevant): made-up samples, with |x|^2 = 1 on average. The positives are shifted along one direction."""
    random, relevant = np.random.default_rng(seed), np.arange(n) < positives
    X = random.standard_normal((n, features), np.float32)
    X[relevant] += np.float32(shift) * random.standard_normal(features, np.float32)
    X /= np.arange(1, features + 1, dtype=np.float32)
    return X / np.sqrt((X**2).sum(axis=1).mean()), relevant


def path(X, relevant, loss, regularization):
    """Returns (fit, scores): `fast.fit_ranking_svm`, and the scores (p, n) of all its inferences."""
    X, relevant, rows, starts = checks.sorted_groups(X, relevant, None)
    options = checks.ranking_options(regularization, TOL, MAX_ITERATIONS)
    ranker, products, scores = Ranker(relevant, rows, starts, LOSSES.get(loss)), Products(X), []
    hinge = ranker.hinge_of_samples if loss == "zero_one" else ranker.hinge

    def plane(weights):
        scores.append(products.scores(weights))
        value, offset, gradient = hinge(scores[-1])
        return value, offset, products.slope(gradient)

    fit, *_ = minimise_by_planes(plane, np.zeros(X.shape[1]), X.dtype, options, False)
    return fit, [(s[relevant], s[~relevant]) for s in scores]


def table_row(loss, regularization):
    """What is stored of a training run: the number of its inferences, and the seconds of one of them by each method."""
    fit, scores = path(*training_data(**TRAINING), loss, regularization)
    methods = {name: method for name, method in (METHODS | EXACT).items() if LOSS_OF[name] == loss}
    return {"calls": len(scores), "gap": float(f"{fit.gap:.2g}"), "seconds": quartiles(methods, scores, PATH_REPEATS)}


# --- the run -------------------------------------------------------------------------------------------------------


def stored():
    """{"sweeps": {"total": {"200": point, ...}, ...}, "training": {"ap": {"0.1": row, ...}, ...}}"""
    return json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}


def store(part, name, key, row):
    """Add a point or a row to the file."""
    found = stored() | {"machine": machine()}
    found.setdefault(part, {}).setdefault(name, {})[str(key)] = row
    RESULTS.write_text(json.dumps(found, indent=1) + "\n")


def jobs():
    """Yields (part, name, key, what computes it)."""
    for loss in ("zero_one", "ap", "ndcg"):
        for value in LAMBDAS:
            yield "training", loss, value, lambda loss=loss, value=value: table_row(loss, value)
    for name, sizes in SWEEPS.items():
        for size, (P, N) in sizes.items():
            yield "sweeps", name, size, lambda P=P, N=N: point(P, N)


def main():
    for part, name, key, compute in jobs():
        if str(key) in stored().get(part, {}).get(name, {}):
            continue
        row = compute()
        store(part, name, key, row)
        text = "  ".join(f"{method} {1e3 * times[1]:.3f}" for method, times in row["seconds"].items())
        print(f"{part} {name} {key} {row.get('calls', '')}: milliseconds a call: {text}", flush=True)


if __name__ == "__main__":
    main()

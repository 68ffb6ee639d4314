"""Direct loss or ranking SVM, by the share of wrong judgements: the numbers behind a figure of the page on direct loss.

    make study STUDY=direct_noise            or            python -m notebooks.studies.direct_noise

Forty queries of twenty samples train, and two hundred without wrong judgements test. Of the training queries a share
is upside down: the five worst samples are marked in place of the five best. Each training set, and its fresh queries,
is drawn anew. Three losses, 1 - AP on the fresh queries, are stored for each set:

    untrained   the mean of the positives less that of the negatives, averaged over the queries
    svm         `fit_ranking_svm`, with the best of five regularizations on the fresh queries, in hindsight
    direct      `fit_direct_loss` with epsilon 1, 300 steps of 0.1

A second file has the direct loss with four epsilons, on the same sets, where a fifth of the queries is upside down.

Two and a half CPU minutes. A set that is stored is not computed again.
"""

import json
from pathlib import Path

import numpy as np

import fast

RESULTS = Path(__file__).parents[1] / "results" / "direct_noise.json"
SHARES, SEEDS = (0.0, 0.1, 0.2, 0.3, 0.4), 60
QUERIES, FRESH, SAMPLES, RELEVANT = 40, 200, 20, 5
WEIGHTS = np.array([1, 0.5, -0.5, 0.25, 0, 0, 0, 0])
REGULARIZATIONS = 10.0 ** np.arange(-3, 2)
EPSILONS, EPSILONS_SHARE = (0.01, 0.1, 1.0, 10.0), 0.2
EPSILONS_RESULTS = RESULTS.with_name("direct_epsilon.json")
OPTIONS = {"epsilon": 1.0, "step_size": 0.1, "max_iterations": 300}


def queries(count, random, upside_down=0.0):
    """(X, relevant, groups): a linear score with noise, in a share of the queries with the sign reversed."""
    X, groups = random.normal(size=(count, SAMPLES, len(WEIGHTS))), np.repeat(np.arange(count), SAMPLES)
    scores = X @ WEIGHTS + random.normal(size=(count, SAMPLES)) / 2
    scores[random.random(count) < upside_down] *= -1
    relevant = scores.argsort(axis=1).argsort(axis=1) >= SAMPLES - RELEVANT
    return X.reshape(-1, len(WEIGHTS)), relevant.ravel(), groups


def untrained(X, relevant):
    """The mean of the positives less that of the negatives, averaged over the queries."""
    X, relevant = X.reshape(-1, SAMPLES, len(WEIGHTS)), relevant.reshape(-1, SAMPLES)
    return np.mean([x[flag].mean(axis=0) - x[~flag].mean(axis=0) for x, flag in zip(X, relevant, strict=True)], axis=0)


def loss(X, relevant, weights):
    """The mean over the queries of 1 - AP, where no two scores are equal."""
    order = np.argsort(-(X @ weights).reshape(-1, SAMPLES), axis=1)
    hits = np.take_along_axis(relevant.reshape(-1, SAMPLES), order, axis=1)
    precision = hits.cumsum(axis=1) / np.arange(1, SAMPLES + 1)
    return 1 - (precision * hits).sum(axis=1).mean() / RELEVANT


def drawn(share, seed):
    """One training set, and its fresh queries."""
    random = np.random.default_rng((round(100 * share), seed))
    return queries(QUERIES, random, share), queries(FRESH, random)


def measure(share, seed):
    """Returns the three losses of one training set."""
    (X, relevant, groups), (fresh, fresh_relevant, _) = drawn(share, seed)
    svms = [fast.fit_ranking_svm(X, relevant, groups=groups, regularization=value) for value in REGULARIZATIONS]
    direct = fast.fit_direct_loss(X, relevant, groups=groups, **OPTIONS)
    found = {"untrained": untrained(X, relevant), "direct": direct.weights}
    losses = {name: float(loss(fresh, fresh_relevant, weights)) for name, weights in found.items()}
    return losses | {"svm": min(float(loss(fresh, fresh_relevant, fit.weights)) for fit in svms)}


def measure_epsilon(epsilon, seed):
    """Returns the loss of the direct fit with another epsilon, for the set of measure(EPSILONS_SHARE, seed)."""
    (X, relevant, groups), (fresh, fresh_relevant, _) = drawn(EPSILONS_SHARE, seed)
    fit = fast.fit_direct_loss(X, relevant, groups=groups, **OPTIONS | {"epsilon": epsilon})
    return float(loss(fresh, fresh_relevant, fit.weights))


def stored_epsilons():
    """Returns the losses by the epsilon, as text: a list with one number a set."""
    return json.loads(EPSILONS_RESULTS.read_text(encoding="utf-8"))


def stored():
    """Returns the losses by the share, as text, and by the method: a list with one number a set."""
    return json.loads(RESULTS.read_text(encoding="utf-8"))


def main():
    rows = stored() if RESULTS.exists() else {}
    for share in SHARES:
        row = rows.setdefault(f"{share:g}", {name: [] for name in ("untrained", "svm", "direct")})
        for seed in range(len(row["svm"]), SEEDS):
            for name, value in measure(share, seed).items():
                row[name].append(round(value, 6))
        RESULTS.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
        print(f"{share:4.0%}", ", ".join(f"{name} {np.mean(values):.4f}" for name, values in row.items()), flush=True)
    found = stored_epsilons() if EPSILONS_RESULTS.exists() else {}
    for epsilon in EPSILONS:
        values = found.setdefault(f"{epsilon:g}", [])
        values += [round(measure_epsilon(epsilon, seed), 6) for seed in range(len(values), SEEDS)]
        EPSILONS_RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        print(f"epsilon {epsilon:g}: {np.mean(values):.4f}", flush=True)


if __name__ == "__main__":
    main()

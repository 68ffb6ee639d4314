"""Does it pay to train a network for the measure by which it is judged? The numbers behind notebook 13.

Run from the top of the checkout, with MARGINALIA_DATA set (see `reference.datasets`):

    make study STUDY=layerwise            or            python -m notebooks.studies.layerwise

One class is relevant, all others are not, and the network ranks the test images. Three settings:

    digits        all ten classes, a hidden layer of 16 units, started by a few epochs of scikit-learn's MLPClassifier
    silhouettes   ten classes of Caltech-101, the same network and start
    convolution   three of these classes; four kernels of 5 x 5 and maxima of 4 x 4 pixels, from random weights

In each of ten splits, half of the images of each class are for training. From the same start, `fit_layerwise` trains
for the hinge of each image (zero_one), for the same with each relevant image as often as makes the relevant ones weigh
as much as the others (balanced), for AP and for NDCG. lambda and theta are chosen for each
objective on a further split, of which a third of the training images validates: by NDCG for the objective NDCG, else by
AP. A convolution is slow, and its theta is 0.1. A row has AP and NDCG of the test images and AP of the training images.
`greedy` repeats the first split with the greedy inference. `gradient` is the baseline of the dense networks:
subgradient descent on the same objective for AP, with the same lambda and start, whose step size is chosen like theta.

Everything but the seconds, which are those of the processor, is deterministic. A row is stored when it is done, and is
not computed again. About three quarters of an hour of one processor.
"""

import json
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

import fast
from reference import datasets

RESULTS = Path(__file__).parents[1] / "results" / "layerwise.json"
LOSSES = ("zero_one", "balanced", "ap", "ndcg")
REGULARIZATIONS, PROXIMITIES = (1.0, 1e-1, 1e-2, 1e-3, 1e-4), (1e-2, 1e-1)
PENALTIES = tuple((regularization, proximity) for regularization in REGULARIZATIONS for proximity in PROXIMITIES)
UNITS, START_EPOCHS = 16, 5
DESCENT = {"digits": 1e-4, "silhouettes": 1e-1}  # the lambda that is chosen for AP
STEP_SIZES, PASSES, MOMENTUM = (1.0, 1e-1, 1e-2, 1e-3), 500, 0.9
TUNING = 100  # the seed of the split on which the penalties are chosen
TOLERANCE = 1e-2  # of a step
SILHOUETTES = (10, 100)  # classes, and images of each
TEST_TO_TRAIN = 1.0  # images of the test part of a split, over those of the training part


def silhouettes():
    """(X, y): the first images of the first classes that have enough of them, 1 on the object and 0 elsewhere."""
    X, y = datasets.load_caltech101_silhouettes()
    counts, (classes, each) = np.bincount(y), SILHOUETTES
    kept = np.flatnonzero(counts >= each)[:classes]
    rows = np.concatenate([np.flatnonzero(y == c)[:each] for c in kept])
    return 1 - X[rows], np.repeat(np.arange(classes), each)


def images():
    X, y = silhouettes()
    return X.reshape(-1, 28, 28).transpose(0, 2, 1).copy(), y


DENSE, CONVOLUTION = [("dense", UNITS)], [("conv", 4, 5), ("pool", 4)]
# setting: (data, layers, classes, splits, most epochs of a step, most rounds)
SETTINGS = {
    "digits": (datasets.load_digits, DENSE, range(10), 10, 1000, 5),
    "silhouettes": (silhouettes, DENSE, range(10), 10, 100, 5),
    "convolution": (images, CONVOLUTION, range(3), 10, 1000, 2),
}


def halves(y, seed, share=0.5):
    """Returns the rows for training and the rows for testing, with the same share of each class."""
    random, train = np.random.default_rng(seed), np.zeros(len(y), bool)
    for c in np.unique(y):
        rows = random.permutation(np.flatnonzero(y == c))
        train[rows[: round(share * len(rows))]] = True
    return np.flatnonzero(train), np.flatnonzero(~train)


def balanced(relevant):
    """Returns all rows, the relevant ones as often as makes them as many as the others, rounded."""
    relevant = np.asarray(relevant)
    return np.repeat(np.arange(len(relevant)), np.where(relevant, round((~relevant).sum() / relevant.sum()), 1))


def start_of(X, relevant, layers, seed):
    """Returns the weights to start from; None for a convolution, which starts from weights drawn from the seed."""
    if layers is CONVOLUTION:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        mlp = MLPClassifier((UNITS,), max_iter=START_EPOCHS, random_state=seed).fit(X, relevant)
    return [np.vstack(pair) for pair in zip(mlp.coefs_, mlp.intercepts_, strict=True)]


def measures(X, relevant, layers, weights):
    """Returns AP and NDCG of the ranking by scores; a tie counts against the positive."""
    scores = fast.network_scores(X, layers, weights)[:, 0]
    ranks = fast.interleaving_ranks(scores[relevant], scores[~relevant])
    P = int(relevant.sum())
    return {"ap": 1 - fast.ap_loss(ranks, P), "ndcg": 1 - fast.ndcg_loss(ranks, P)}


def descend(X, relevant, weights, regularization, step_size, passes=PASSES):
    """Returns the weights of gradient descent with the smallest objective for AP, and (first, smallest) objective.

    The network has one hidden layer, and all weights move at once, with momentum and a step size that falls to 0.
    """
    inputs, weights = with_one(X), [np.array(part) for part in weights]
    speeds, slopes, best = [np.zeros_like(part) for part in weights], np.empty(len(X)), []
    for i in range(passes):
        outputs = inputs @ weights[0]
        hidden = with_one(np.maximum(outputs, 0))
        scores = (hidden @ weights[1])[:, 0]
        worst = fast.loss_augmented_inference(scores[relevant], scores[~relevant], "ap")
        found = fast.semigradient(scores[relevant], scores[~relevant], worst.interleaving)
        slopes[relevant], slopes[~relevant] = found
        objective = regularization / 2 * sum(np.sum(part**2) for part in weights) + worst.loss + slopes @ scores
        if not best or objective < best[-1]:
            kept, best = weights, [*best, float(objective)]
        by_output = np.outer(slopes, weights[1][:-1]) * (outputs > 0)
        rate, by_weights = step_size * (1 - i / passes), (inputs.T @ by_output, hidden.T @ slopes[:, None])
        for k, by_layer in enumerate(by_weights):
            speeds[k] = MOMENTUM * speeds[k] - rate * (by_layer + regularization * weights[k])
        weights = [part + speed for part, speed in zip(weights, speeds, strict=True)]
    return kept, (best[0], best[-1])


def with_one(X):
    """X with a last column of ones."""
    return np.column_stack([X, np.ones(len(X))])


def row_of(setting, seed, c, loss, penalties, method="quicksort"):
    """Returns the measures of one fit and what it cost. With the seed TUNING, they are those of validation."""
    load, layers, _, _, epochs, rounds = SETTINGS[setting]
    X, y = load()
    train, test = halves(y, seed)
    if seed == TUNING:
        first, second = halves(y[train], seed, 2 / 3)
        train, test = train[first], train[second]
    X_test, X, relevant_test, relevant = X[test], X[train], y[test] == c, y[train] == c
    weights = start_of(X, relevant, layers, seed)
    if loss == "start":
        return measures(X_test, relevant_test, layers, weights)
    if loss == "gradient":
        start = time.process_time()
        weights, objectives = descend(X, relevant, weights, *penalties)
        row = {"seconds": round(time.process_time() - start, 3), "objectives": list(objectives)}
        row |= {"training_ap": measures(X, relevant, layers, weights)["ap"], "penalties": list(penalties)}
        return measures(X_test, relevant_test, layers, weights) | row
    rows, kind = (balanced(relevant), "zero_one") if loss == "balanced" else (np.arange(len(X)), loss)
    options = {"loss": kind, "weights": weights, "method": method, "seed": seed, "tol": TOLERANCE}
    options |= {"regularization": penalties[0], "proximity": penalties[1], "max_epochs": epochs, "max_rounds": rounds}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        start = time.process_time()
        fit = fast.fit_layerwise(X[rows], relevant[rows], layers, **options)
        seconds = time.process_time() - start
    row = measures(X_test, relevant_test, layers, fit.weights) | {"penalties": list(penalties)}
    row |= {"training_ap": measures(X, relevant, layers, fit.weights)["ap"], "seconds": round(seconds, 3)}
    row |= {"inferences": int(fit.history.inferences.sum()), "gap": float(fit.gap), "updates": len(fit.trail)}
    return row | {"objectives": [float(value) for value in (fit.objectives[0], fit.objectives[-1])]}


def all_keys():
    """Yields (setting, seed, class, loss, penalties or None for the chosen ones, method) of all rows, in order."""
    for setting, (_, layers, classes, splits, _, _) in SETTINGS.items():
        for penalties in PENALTIES if layers is DENSE else PENALTIES[1::2]:
            yield from ((setting, TUNING, c, loss, penalties, "quicksort") for c in classes for loss in LOSSES)
        for seed in range(splits):
            losses = ("start", *LOSSES) if layers is DENSE else LOSSES
            yield from ((setting, seed, c, loss, None, "quicksort") for c in classes for loss in losses)
        yield from ((setting, 0, c, loss, None, "greedy") for c in classes for loss in LOSSES[2:])
    for setting, regularization in DESCENT.items():
        classes, splits = SETTINGS[setting][2:4]
        pairs = [(regularization, step_size) for step_size in STEP_SIZES]
        yield from ((setting, TUNING, c, "gradient", pair, "quicksort") for pair in pairs for c in classes)
        yield from ((setting, seed, c, "gradient", None, "quicksort") for seed in range(splits) for c in classes)


def name_of(key):
    """Returns the name of a row in the file."""
    setting, seed, c, loss, penalties, method = key
    return f"{setting}/{seed}/{c}/{loss}/{'chosen' if penalties is None else '{:g}, {:g}'.format(*penalties)}/{method}"


def chosen(found, setting, loss):
    """Returns the penalties with the best mean measure in the rows of TUNING."""
    measure, means = "ndcg" if loss == "ndcg" else "ap", {}
    for key in all_keys():
        if key[4] is not None and (key[0], key[3]) == (setting, loss):
            means.setdefault(key[4], []).append(found[name_of(key)][measure])
    return max(means, key=lambda penalties: np.mean(means[penalties]))


def rounded(row):
    """The row with six decimals."""
    return {name: round(value, 6) if isinstance(value, float) else value for name, value in row.items()}


def stored():
    """{"digits/0/3/ap/chosen/quicksort": row, ...}"""
    return json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}


def main():
    found = stored()
    for key in all_keys():
        if name_of(key) not in found:
            setting, seed, c, loss, penalties, method = key
            if penalties is None and loss != "start":
                penalties = chosen(found, setting, loss)
            found[name_of(key)] = rounded(row_of(setting, seed, c, loss, penalties, method))
            if c == 0:
                print(f"{name_of(key):50} {found[name_of(key)]}", flush=True)
            RESULTS.write_text(json.dumps(found, indent=0) + "\n")


if __name__ == "__main__":
    main()

"""Networks, prototypes and losses of a ranking of classes: their exact values, from the definitions."""

from fractions import Fraction

import numpy as np

import reference

from .exact import exact
from .losses import number_of, of_value, one
from .nets import NETS, Net, draw_weights, plan
from .values import Value


def draw_network(rng):
    image, layers = NETS[rng.integers(len(NETS))]
    X = rng.normal(size=(2, *image)) if image else rng.normal(size=(2, 2))
    weights = list(draw_weights(rng, layers, (*image, 1) if image else (2,), 2))
    return {"X": X, "layers": layers, "weights": weights}


def network(problem):
    X, weights = problem["X"], [exact(W) for W in problem["weights"]]
    shape = X.shape[1:] if X.ndim == 2 else (*X.shape[1:], 1)
    net = Net(list(plan(problem["layers"], shape, 2)), weights, len(weights) - 1)
    return [[[value for value, _ in net.bounds(z, weights[-1])[0]] for z in exact(X.reshape(len(X), -1))]]


def draw_means(rng):
    n, m = int(rng.integers(3, 7)), int(rng.integers(2, 4))
    y = np.append(np.arange(m), rng.integers(0, m, n))
    X = rng.normal(size=(len(y), 2)) * rng.choice([1.0, 1e6, 1e-6], (len(y), 1))
    return {"X": X, "Y": y, "sample_weight": 10.0 ** rng.choice([0, 0, 3, -3], len(y))}


def means(problem):
    X, s, y = exact(problem["X"]), exact(problem["sample_weight"]), problem["Y"].tolist()
    found = []
    for g in range(max(y) + 1):
        of = [t for t, label in enumerate(y) if label == g]
        total = sum(s[t] for t in of)
        found.append([sum(s[t] * X[t][f] for t in of) / total for f in range(len(X[0]))])
    return [found]


def draw_predictions(rng):
    n, m = int(rng.integers(1, 7)), int(rng.integers(1, 4))
    return {"predicted": rng.integers(0, m, n), "y": rng.integers(0, m, n)}


def confusion(problem):
    c, y = problem["predicted"].tolist(), problem["y"].tolist()
    costs = []
    for guess, label in zip(c, y, strict=True):
        of = [other for other, right in zip(c, y, strict=True) if right == label]
        costs.append(0 if guess == label else Fraction(sum(other != guess for other in of), len(of)))
    return [Fraction(sum(costs)) / len(y)]


def draw_pairs(rng):
    n, m = int(rng.integers(1, 5)), int(rng.integers(2, 5))
    return {"scores": rng.normal(size=(n, m)) * rng.choice([1.0, 10.0]), "Y": rng.integers(0, m, n), "margin": 1.0}


def draw_warp(rng):
    weighting = str(rng.choice(["harmonic", "uniform"]))
    return draw_pairs(rng) | {"weighting": weighting, "last_violators": int(rng.integers(0, 3))}


def pairwise(problem):
    scores, total = exact(problem["scores"]), Fraction(0)
    for row, y in zip(scores, problem["Y"].tolist(), strict=True):
        others = [max(0, 1 - row[y] + s) for j, s in enumerate(row) if j != y]
        total += sum(others) / len(others)
    return [total / len(scores)]


def warp(problem):
    scores, total = exact(problem["scores"]), Fraction(0)
    last = [set() for _ in scores[0]]
    for row, y in zip(scores, problem["Y"].tolist(), strict=True):
        found = {j for j, s in enumerate(row) if j != y and 1 - row[y] + s > 0}
        reached = ends = {y}
        for _ in range(problem["last_violators"]):
            ends = {v for g in ends for v in last[g]}
            reached = reached | ends
        weight = sum(Fraction(1, i) for i in range(1, len(found) + 1)) if problem["weighting"] == "harmonic" else 1
        left = set() if problem["last_violators"] == 0 else reached
        total += weight * sum(1 - row[y] + row[j] for j in found - left)
        last[y] = found
    return [total / len(scores)]


def of_pairs(problem, truth):
    return (1 + 2 * np.abs(problem["scores"]).max()) * problem["scores"].shape[1]


def draw_fit(rng):
    m, d, e = int(rng.integers(2, 4)), int(rng.integers(1, 4)), int(rng.integers(1, 3))
    sizes = 10.0 ** rng.integers(-3, 4, 3)
    kind, embedding = str(rng.choice(["linear", "euclidean"])), rng.normal(size=(e, d)) * sizes[1]
    fit = reference.WsabieFit(rng.normal(size=(m, e)) * sizes[0], embedding, kind)
    return {"X": rng.normal(size=(2, d)) * sizes[2], "fit": fit}


def products(problem):
    """Returns <b, W x> or -|b - W x|^2."""
    X, (b, W) = exact(problem["X"]), map(exact, problem["fit"][:2])
    z = [[sum(w * v for w, v in zip(row, x, strict=True)) for row in W] for x in X]
    if problem["fit"].discriminant == "linear":
        return [[[sum(p * q for p, q in zip(row, one, strict=True)) for row in b] for one in z]]
    return [[[-sum((p - q) ** 2 for p, q in zip(row, one, strict=True)) for row in b] for one in z]]


def of_products(problem, truth):
    b, W, kind = problem["fit"][:3]
    longest, reach = np.linalg.norm(b, axis=1).max(), np.linalg.norm(W) * np.linalg.norm(problem["X"], axis=1).max()
    return longest * reach if kind == "linear" else (longest + reach) ** 2


def draw_fits(rng):
    fit = draw_fit(rng)["fit"]
    return {"fits": [fit, fit._replace(prototypes=fit.prototypes + 1, embedding=-fit.embedding)]}


def beside(problem):
    fits = problem["fits"]
    return [exact(np.hstack([fit.prototypes for fit in fits])), exact(np.vstack([fit.embedding for fit in fits]))]


PROTOTYPES = (
    Value("prototype_scores", draw_fit, products, of_products),
    Value("concatenate_fits", draw_fits, beside, one, lambda *_: 0.0, parts=lambda fit: list(fit[:2]), given_as=tuple),
    Value("network_scores", draw_network, network, of_value),
    Value(
        "fit_nearest_means",
        draw_means,
        means,
        lambda problem, truth: float(np.linalg.norm(problem["X"], axis=1).max()),
        parts=lambda fit: [fit.prototypes],
    ),
    Value("class_confusion_loss", draw_predictions, confusion, one, given_as=number_of),
    Value("pairwise_loss", draw_pairs, pairwise, of_pairs, given_as=number_of),
    Value("warp_loss", draw_warp, warp, of_pairs, given_as=number_of),
)

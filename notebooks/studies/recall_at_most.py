r"""Recall@k as the program SVMperf trains it: at most k n scores are called positive (notebook 17).

The samples are the n m scores of the multiclass reduction, and n of them are positive, one an example. The problem is

    min_W  lambda/2 |W|^2 + max over sets S of at most k n samples of  loss(S) + (sum of scores in S - of positives) / n

where loss(S) is the share of the positives that are not in S. `fast.fit_svm_perf` has the same with exactly k n samples
in S, as the paper of SVMperf defines it. The public program (version 3.00) allows smaller sets for recall.

The maximum is a linear programme. Let g = score - 1 for a positive and g = score for a negative. With a threshold
theta >= 0, the hinge is

    1 + min over theta of  k theta + (sum over all samples of max(0, g - theta) - sum of the scores of positives) / n.

So W and theta are found by L-BFGS on max(0, .) made smooth within a width, which shrinks. The derivatives are dual
variables v in 0..1 with a sum of at most k n, after a division. They give the lower bound

    1 - (sum of v of the positives) / n - |X^T (T - v)|^2 / (2 lambda n^2)

where T is 1 at positives, and so the duality gap.

Run from the top of the checkout, this stores what cutting planes reach when they are stopped early, as SVMperf adds one
plane after the other (first split of `image_classification`, ten minutes on one core):

    make study STUDY=recall_at_most            or            python -m notebooks.studies.recall_at_most
"""

import json
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

import fast

RESULTS = Path(__file__).parents[1] / "results" / "recall_at_most.json"
KS, EXPONENTS, PLANES = (1, 2, 5), (1.0, 0.0, -0.5, -1.0, -1.5), 400
WIDTHS = (0.1, 0.03, 0.01, 0.003)
MOST_STEPS, MEMORY = 100, 20  # of L-BFGS, at each width


class Problem(NamedTuple):
    """X (n, d) and T (n, m) in float32, which is enough for a gap of 1e-3, k and lambda."""

    X: np.ndarray
    T: np.ndarray
    k: float
    regularization: float

    def scores(self, point):
        """Scores (n, m) of a point: W and then theta, as one vector."""
        return self.X @ point[:-1].reshape(self.X.shape[1], -1).astype(np.float32)

    def penalty(self, point):
        return self.regularization / 2 * (point[:-1] @ point[:-1])


def smooth(point, problem, width):
    """The smooth objective, its derivative, and the dual variables v."""
    n, scores = len(problem.X), problem.scores(point)
    over = scores - problem.T - np.float32(point[-1])
    v = np.clip(over / np.float32(width), 0, 1)
    hinges = np.sum(v * (over - np.float32(width / 2) * v), dtype=float)
    value = 1 + problem.penalty(point) + problem.k * point[-1] + (hinges - _of_positives(scores, problem)) / n
    slope = problem.regularization * point[:-1] + (problem.X.T @ (v - problem.T)).ravel() / n
    return value, np.append(slope, problem.k - np.sum(v, dtype=float) / n), v


def bounds(point, problem, v):
    """(primal, dual): the objective at W, and the lower bound of the dual variables."""
    n, scores = len(problem.X), problem.scores(point)
    most, gains = int(problem.k * n), (scores - problem.T).ravel()
    chosen = np.partition(gains, -most)[-most:] if most < gains.size else gains
    hinge = 1 + (np.sum(np.maximum(chosen, 0), dtype=float) - _of_positives(scores, problem)) / n
    v = v * np.float32(min(1.0, problem.k * n / max(np.sum(v, dtype=float), 1.0)))
    image = (problem.X.T @ (problem.T - v)).astype(float)
    dual = 1 - np.sum(v[problem.T > 0], dtype=float) / n - np.sum(image**2) / (2 * problem.regularization * n**2)
    return problem.penalty(point) + hinge, dual


def _of_positives(scores, problem):
    return np.sum(scores[problem.T > 0], dtype=float)


def fit(X, relevant, k, regularization, start=None):
    """(weights (d, m), relative duality gap, the point where another fit may start)."""
    problem = Problem(X.astype(np.float32), relevant.astype(np.float32), k, regularization)
    point = np.zeros(X.shape[1] * relevant.shape[1] + 1) if start is None else start
    limits = [(None, None)] * (len(point) - 1) + [(0, None)]
    for width in WIDTHS:
        options = {"maxiter": MOST_STEPS, "maxcor": MEMORY}
        point = minimize(
            lambda at, width=width: smooth(at, problem, width)[:2], point, jac=True, bounds=limits, options=options
        ).x
    primal, dual = bounds(point, problem, smooth(point, problem, WIDTHS[-1])[2])
    return point[:-1].reshape(X.shape[1], -1), (primal - dual) / primal, point


# --- cutting planes, stopped early -----------------------------------------------------------------------------------


def by_planes(X, relevant, k, regularization, planes, tol=1e-3):
    """The fit of `fast.fit_svm_perf` after at most so many planes.

    It calls exactly k n samples positive. So there is one more example, of zeros and with no true class. Its samples
    have the score 0 and a weight of k n in all, and complete a smaller set.
    """
    n, m = relevant.shape
    X, relevant = np.vstack([X, np.zeros_like(X[:1])]), np.vstack([relevant, np.zeros((1, m), bool)])
    options = {"k": float(k * n), "sample_weight": np.append(np.ones(n), k * n / m), "tol": tol}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the gap is stored
        return fast.fit_svm_perf(X, relevant, **options, regularization=regularization, max_iterations=planes)


def apart(X, relevant, k, regularization, planes=PLANES):
    """Objective and penalty of the fits by planes and by L-BFGS, and lambda/2 times the square of their distance."""
    problem = Problem(X.astype(np.float32), relevant.astype(np.float32), k, regularization)
    fits = by_planes(X, relevant, k, regularization, planes).weights, fit(X, relevant, k, regularization)[0]
    points, none = [np.append(W, 0.0) for W in fits], np.zeros(relevant.shape, np.float32)
    return {
        "primal": [float(f"{bounds(point, problem, none)[0]:.5f}") for point in points],
        "penalty": [float(f"{problem.penalty(point):.3g}") for point in points],
        "distance": float(f"{regularization / 2 * np.sum((fits[0] - fits[1]) ** 2):.3g}"),
    }


def store(key, row):
    lines = (f"{json.dumps(name)}: {json.dumps(known)}" for name, known in (stored() | {key: row}).items())
    RESULTS.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{key}: {row}", flush=True)


def stored():
    return json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}


def main():
    from . import image_classification as study

    data = study.parts(study.SEEDS[0])
    X, y = data["train"]
    for k in KS:
        for exponent in EXPONENTS:
            key = f"Recall@{k}, {exponent}"
            if key in stored():
                continue
            found = by_planes(X, y[:, None] == np.arange(y.max() + 1), k, 10.0**exponent, PLANES)
            counts = {part: study.hits(data[part][0] @ found.weights, data[part][1]).sum(axis=0).tolist()
                      for part in ("validation", "test")}  # fmt: skip
            store(key, counts | {"gap": float(f"{found.gap:.1e}"), "planes": found.iterations})
    for exponent in (1.0, 0.0, -1.0):
        if (key := f"Recall@1, {exponent}, apart") not in stored():
            store(key, apart(X, y[:, None] == np.arange(y.max() + 1), 1, 10.0**exponent))


if __name__ == "__main__":
    main()

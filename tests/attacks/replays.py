"""Answers that are certified by a replay, and the stationary points of the truncated entropy.

A replay proves equality with the algorithm. So an answer that is moved by far more than rounding must be refused.
"""

import warnings
from fractions import Fraction

import numpy as np

import fast
import reference
from reference.check import certify

from . import problems
from .families import CRASHES, TRIES
from .judging import Verdict
from .losses import truncated
from .values import FAR

LEAST = {np.dtype(np.float64): -6.0, np.dtype(np.float32): -1.5}  # the power of ten of the smallest move


class Replay:
    """A walk. `fields` are those that an answer needs; `draw` returns the arguments, with the order or the draws."""

    def __init__(self, name, fields, draw):
        self.name, self.fields, self.draw = name, fields, draw

    def answers(self, problem):
        """Yields the answers of both packages."""
        for package in (fast, reference):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    found = getattr(package, self.name)(**problem)
                yield {field: getattr(found, field) for field in self.fields if getattr(found, field) is not None}
            except (ValueError, ArithmeticError) as trouble:
                CRASHES.append((package.__name__, self.name, repr(trouble)[:200], problem))

    def attack(self, rng):
        """Yields (is_wrong, problem, answer, Verdict)."""
        problem, good = self.draw(rng), None
        for good in self.answers(problem):
            found = certify(self.name, good, **problem)
            yield False, problem, good, Verdict("" if found.ok else "false alarm", 0.0, found.what)
        for _ in range(TRIES if good else 0):
            field = self.fields[rng.integers(len(self.fields))]
            part = good.get(field, good[self.fields[0]])
            field = field if field in good else self.fields[0]
            size = 10.0 ** rng.uniform(LEAST[part.dtype], 1) * (np.abs(part).max() or 1.0)
            moved = part + (size * rng.choice([-1, 1], part.shape) * (rng.random(part.shape) < 0.5)).astype(part.dtype)
            answer = good | {field: moved}
            if np.abs(moved - part).max() < size / 2:
                continue
            found = certify(self.name, answer, **problem)
            what = f"moved by {size:.2g}. {found.what}"
            is_silent = any(text in found.what for text in ("only what holds", "nothing is compared"))
            # The walk enlarges roundings. The bound says by how much, relative to the largest row on the way.
            is_wide = found.bound > min(0.01, 0.1 * size / (np.abs(part).max() or 1.0))
            kind = "undecided" if is_silent or is_wide else "false proof"
            yield True, problem, answer, Verdict(kind if found.ok else "", 0.0, what, True)


class Stationary:
    """fit_truncated_topk_entropy: the gradient at the weights is small, relative to the mean of s_i |x_i|."""

    name = "fit_truncated_topk_entropy"

    def draw(self, rng):
        X, m = rng.normal(size=(int(rng.integers(2, 7)), 2)) * rng.choice([1.0, 1e3, 1e-3]), int(rng.integers(2, 5))
        y = problems.labels(rng, len(X), m)
        problem = {"X": X, "y": y, "k": int(rng.integers(1, m)), **problems.weights(rng, len(X), X.dtype, [0])}
        return problem | {"regularization": float(10.0 ** rng.uniform(-3, 1) * np.mean(X**2))}

    def norm(self, problem, W):
        """Returns the relative norm of the gradient, from slopes of 60 digits."""
        X, n = problem["X"], len(problem["X"])
        exactly = np.vectorize(Fraction, otypes=[object])
        scores = exactly(X) @ exactly(W)
        s = exactly(problem.get("sample_weight", np.ones(n)))
        slopes = np.array(truncated("slope")({"scores": scores, "y": problem["y"], "k": problem["k"]})[0], dtype=object)
        gradient = Fraction(problem["regularization"]) * exactly(W) + exactly(X).T @ (s[:, None] * slopes) / n
        unit = np.mean(s.astype(float) * np.linalg.norm(X, axis=1)) or 1.0
        return float(np.linalg.norm(gradient.astype(float)) / unit)

    def attack(self, rng):
        """Yields (is_wrong, problem, answer, Verdict)."""
        problem, tol = self.draw(rng), 10.0 ** -int(rng.integers(3, 10))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            good = [getattr(package, self.name)(**problem, tol=tol / 4).weights for package in (fast, reference)]
        for number in range(2 + TRIES):
            W = good[number % 2]
            if number >= 2:
                W = W + 10.0 ** rng.uniform(-12, 0) * (np.abs(W).max() or 1.0) * rng.normal(size=W.shape)
            norm, found = self.norm(problem, W), certify(self.name, W, **problem, tol=tol)
            kind = "false proof" if found.ok and norm > tol + FAR * np.finfo(float).eps else ""
            kind = "false alarm" if norm <= tol / 2 and not found.ok else kind
            yield number >= 2, problem, {"weights": W}, Verdict(kind, tol, f"gradient {norm:.3g}. {found.what}", True)


def draw_pass(rng):
    n, d, m = int(rng.integers(2, 7)), int(rng.integers(1, 4)), int(rng.integers(2, 5))
    dtype = np.float32 if rng.random() < 0.3 else np.float64
    problem = {"X": rng.normal(size=(n, d)).astype(dtype), "y": problems.labels(rng, n, m), "epochs": 2, "n_classes": m}
    problem |= {"order": rng.permutation(n), "variant": str(rng.choice(["pa", "pa1", "pa2"]))}
    return problem | {"k": int(rng.integers(1, m)), "averaged": bool(rng.random() < 0.5)}


def draw_direct(rng):
    n = int(rng.integers(2, 9))
    problem = {"X": rng.normal(size=(n, 3)), "relevant": problems.flags(rng, n), "epsilon": 0.3, "max_iterations": 5}
    return problem | {"loss": str(rng.choice(["ap", "ndcg", "auc"]))}


def draw_walk(rng):
    n, d, m = int(rng.integers(2, 7)), int(rng.integers(1, 4)), int(rng.integers(2, 5))
    dtype = np.float32 if rng.random() < 0.3 else np.float64
    problem = {"X": rng.normal(size=(n, d)).astype(dtype), "Y": problems.labels(rng, n, m), "n_updates": 15}
    return problem | {"draws": rng.random(120), "n_classes": m, "step": str(rng.choice(["constant", "adagrad"]))}


def draw_wsabie(rng):
    walk = draw_walk(rng) | {"sampling": str(rng.choice(["auc", "warp"]))}
    walk |= {"embedding_dim": 2} if rng.random() < 0.5 else {}
    return walk | {"discriminant": str(rng.choice(["linear", "euclidean"]))}


REPLAYS = (
    Replay("fit_passive_aggressive", ("weights",), draw_pass),
    Replay("fit_direct_loss", ("weights", "losses"), draw_direct),
    Replay("fit_wsabie", ("prototypes", "embedding"), draw_wsabie),
    Replay("fit_one_vs_all", ("prototypes",), draw_walk),
    Stationary(),
)

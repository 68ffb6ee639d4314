"""What all fits with duals have in common: how wrong and right answers are made. An answer is a dict of its fields."""

import warnings

import numpy as np

import fast
import reference

from .duals import scores_of
from .exact import exact
from .judging import judge_right, judge_wrong
from .moves import MOVES, Field
from .moves import weights as moved_weights

TRIES = 8  # wrong answers to each problem
EPOCHS = {fast: 300, reference: 30}
CRASHES = []  # of solvers: (package, function, error, arguments)


class Oracle:
    """The exact minimum of a problem, and the exact objective and dual of answers."""

    is_unclear = False  # whether rounding decides which problem is solved

    def __init__(self, problem, fit, hint=None):
        self.problem, self.fit, self.hint, self._minimum = problem, fit, hint, None

    def minimum(self):
        """Returns the bounds of the minimum, and duals (n, m) that prove the lower one, up to rounding."""
        self._minimum = self._minimum or self.fit.minimum(*([self.hint()["duals"]] if self.hint else []))
        return self._minimum

    def objective(self, answer, shake=None):
        """Returns the objective, where `shake` has moved the scores if it is given."""
        has_weights = "weights" in answer
        B = columns(answer["weights" if has_weights else "duals"])
        X = self.features() if has_weights else self.fit.K
        scores, squared_norm = scores_of(X, B) if has_weights else self.fit.of_duals(exact(B))
        return self.fit.objective(shake(scores, X, B) if shake else scores, squared_norm)

    def features(self):
        return self.problem["X"]

    def suboptimality(self, answer):
        """Returns the least and the most that (objective - minimum) / objective can be."""
        value, (low, high, *_) = self.objective(answer), self.minimum()
        return ((value - high) / value, (value - low) / value) if value > 0 else (0, 0)

    def gap(self, answer):
        """Returns (distance of the duals from their domain in units of r, relative gap at the nearest ones in it)."""
        value, (units, dual) = self.objective(answer), self.proof(answer)
        return units, (value - dual) / value if value > 0 else 0

    def numbers(self, answer, shake=None):
        """Returns pairs of an objective and its lower bound, which certificates compute in floating point."""
        return [(self.objective(answer, shake), self.proof(answer)[1])]

    def proof(self, answer):
        """Returns (distance of the duals from their domain in units of r, the dual at the nearest feasible duals)."""
        return self.fit.repaired(exact(columns(answer["duals"])))


class Family:
    """A function that returns duals. `steps` is its option that bounds the work."""

    alone, fields = True, ("weights", "duals")  # whether the duals without the weights are an answer
    tries = TRIES  # fewer if the certificate is slow

    def __init__(self, name, steps="max_epochs"):
        self.name, self.steps, self.kernel = name, steps, name.endswith("kernel")

    def attack(self, rng):
        """Yields (whether the answer was made to be wrong, problem, answer, Verdict) for a problem of this seed."""
        problem = self.draw(rng)
        oracle = self.oracle(problem)
        field = self.field(rng, problem, oracle)
        for _ in range(self.tries):
            answer = self.wrong(rng, problem, oracle, field)
            yield True, problem, answer, judge_wrong(self, problem, answer, oracle)
        for tol, answer in self.right(rng, problem, oracle):
            verdict = judge_right(self, problem, answer, oracle, tol)
            if verdict is not None:
                yield False, problem, answer, verdict

    def given_as(self, answer):
        """Returns an answer as `certify` takes it."""
        return answer if len(answer) > 1 else answer["duals"]

    def weights(self, oracle, problem, duals):
        """Returns the weights (d, m) of duals (n, m), in float64."""
        return problem["X"].T.astype(np.float64) @ duals

    def answer(self, oracle, problem, duals, dtype):
        """Returns the answer with these duals, and with their weights unless only inner products are known."""
        duals = duals.astype(dtype)
        found = {"duals": duals.reshape(self.shape(problem) or duals.shape)}
        if self.kernel:
            return found
        W = self.weights(oracle, problem, duals.astype(np.float64)).astype(dtype)
        return {"weights": W.reshape(-1) if found["duals"].ndim == 1 else W, **found}

    def shape(self, problem):
        """Returns the shape of the duals if it is not (n, m)."""

    def fit(self, package, problem, tol, epochs):
        """Returns the answer of a solver, or None if it raises an error."""
        given = {key: value for key, value in problem.items() if key != "csr"}
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = getattr(package, self.name)(**given, tol=tol, **{self.steps: epochs})
        except (ValueError, ArithmeticError, np.linalg.LinAlgError) as trouble:
            CRASHES.append((package.__name__, self.name, repr(trouble)[:200], given))
            return None
        return {name: getattr(found, name) for name in self.fields if getattr(found, name) is not None}

    def start(self, problem):
        """Returns a function without arguments that returns duals from which an oracle may start."""
        return lambda: self.fit(fast, problem, 1e-12, EPOCHS[fast]) or {"duals": None}

    def altered(self, rng, problem):
        """Returns a similar problem with other weights, regularisation or loss."""
        kind = rng.integers(3)
        if kind == 0:
            return problem | {"sample_weight": 10.0 ** rng.choice([0, 0, 1, 6], len(next(iter(problem.values()))))}
        if kind == 1:
            return problem | {"regularization": problem["regularization"] * (1 + 10.0 ** rng.uniform(-6, 1))}
        return self.with_other_loss(rng, problem)

    def field(self, rng, problem, oracle):
        """Returns what the moves may use."""
        X = problem["K" if self.kernel else "X"].astype(np.float64)
        if self.kernel:
            values, vectors = np.linalg.eigh(X)
            X = vectors * np.sqrt(np.maximum(values, 0))

        def other():
            if rng.random() < 0.4:
                found = self.fit(fast, problem, 1e-12, int(rng.integers(1, 8)))
            else:
                found = self.fit(fast, self.altered(rng, problem), 10.0 ** rng.uniform(-10, -1), EPOCHS[fast])
            return columns(found["duals"].astype(np.float64)) if found else oracle.fit.corner(rng)

        return Field(rng, X, oracle.fit.radius, oracle.minimum()[2], lambda: oracle.fit.corner(rng), other)

    def wrong(self, rng, problem, oracle, field):
        """Returns an answer that is likely to be wrong."""
        dtype = dtype_of(problem)
        if self.kernel or rng.random() < 0.75:
            duals = MOVES[rng.integers(len(MOVES))](field)
            answer = self.answer(oracle, problem, duals, dtype if rng.random() < 0.5 else np.float64)
            return {"duals": answer["duals"]} if self.alone and rng.random() < 0.7 else answer
        good = self.answer(oracle, problem, oracle.minimum()[2], dtype)

        def elsewhere():
            found = self.fit(fast, self.altered(rng, problem), 1e-3, 100)
            return found["weights"] if found else good["weights"] + 1

        return good | {"weights": moved_weights(rng, good["weights"], elsewhere).astype(dtype)}

    def right(self, rng, problem, oracle):
        """Yields (tol, answer): of solvers, and of the oracle with other roundings."""
        for package, epochs in EPOCHS.items():
            tol = 10.0 ** -int(rng.integers(3, 11))
            answer = self.fit(package, problem, tol / 4, epochs)
            if answer:
                yield tol, answer
            if answer and self.alone:
                yield tol, {"duals": answer["duals"]}
        for kind in (dtype_of(problem), np.float64):
            duals = oracle.minimum()[2]
            duals = duals * (1 + np.finfo(kind).eps * rng.integers(-1, 2, duals.shape))
            yield 10.0 ** -int(rng.integers(3, 11)), self.answer(oracle, problem, duals, kind)


def dtype_of(problem):
    return problem["K" if "K" in problem else "X"].dtype


def columns(array):
    return array if array.ndim == 2 else array[:, None]

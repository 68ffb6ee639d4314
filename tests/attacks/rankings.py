"""Ranking SVMs, and the last round of latent ones: all rankings of a few samples are enumerated."""

import warnings
from fractions import Fraction
from itertools import combinations_with_replacement

import mpmath
import numpy as np

import fast
import reference
from reference.ranking import QSLoss

from . import problems
from .duals import inner_products, scores_of
from .entropies import rational
from .exact import dot, exact, minimise
from .families import CRASHES, EPOCHS, Family, Oracle
from .moves import weights as moved_weights

STEEP = QSLoss("steep", lambda j, i: 8.0 * 0.5**j, lambda P, N: 1.0)  # losses up to 21, exact in floating point
LOSSES = ("ap", "ndcg", "auc", "zero_one", STEEP)
NEAR = Fraction(1, 10**12)  # planes that are equal up to this share of their size tie


def discount(i):
    return rational(1 / mpmath.log(1 + i, 2))


def loss_of(ranks, P, loss):
    """Returns the loss of a ranking by its definition: r_j - 1 positives are before the j-th negative."""
    N, before = len(ranks), [sum(r <= i for r in ranks) for i in range(1, P + 1)]
    if loss == "ap":
        return 1 - sum(Fraction(i, i + b) for i, b in enumerate(before, 1)) / P
    if loss == "ndcg":
        ideal = sum(discount(i) for i in range(1, P + 1))
        return 1 - sum(discount(i + b) for i, b in enumerate(before, 1)) / ideal
    if loss == "auc":
        return Fraction(sum(P + 1 - r for r in ranks), P * N)
    return sum(Fraction(float(loss.derivative(j, i))) for j, r in enumerate(ranks, 1) for i in range(r, P + 1))


def rankings(P, N, loss):
    """Returns (loss, slopes in the positives, slopes in the negatives) of loss + F(R) - F(R*), highest scores first."""
    pair, found = Fraction(2, P * N), []
    for ranks in combinations_with_replacement(range(1, P + 2), N):
        by_p = [-pair * sum(r <= i for r in ranks) for i in range(1, P + 1)]
        found.append((loss_of(ranks, P, loss), by_p, [pair * (P + 1 - r) for r in ranks]))
    return found


def ranked_pieces(p, n, table):
    """Returns a function of w that yields the pieces (offset, slope) of all rankings that keep the order of w."""

    def pieces(w):
        down, fall = (sorted(rows, key=lambda row: -w[row]) for rows in (p, n))
        for lost, by_p, by_n in table:
            yield lost, dict(zip([*down, *fall], [*by_p, *by_n], strict=True))

    return pieces


class RankingFit:
    """lambda/2 |w|^2 + sum over blocks of share * max over pieces. A block is (share, function of the scores)."""

    def __init__(self, K, relevant, groups, loss, regularization, group_weight):
        self.K, self.n, self.regularization = K, len(K), Fraction(float(regularization))
        self.blocks, total = [], Fraction(0)
        for number in sorted(set(groups)):
            rows = [i for i in range(self.n) if groups[i] == number]
            p, n = ([i for i in rows if bool(relevant[i]) == flag] for flag in (True, False))
            if p and n:
                share = Fraction(float(group_weight[p[0]]))
                total += share
                self.blocks += [(share * part, pieces) for part, pieces in _parts(p, n, loss)]
        if not total:
            raise ValueError("no group counts")
        self.blocks = [(share / total, pieces) for share, pieces in self.blocks if share]
        self.known = {}

    def minimum(self, allowed=None):
        """Returns the bounds of the minimum, and points with shares that prove the lower one: the optimum itself."""
        centre = dict.fromkeys(range(self.n), Fraction(0))
        blocks = [self._worst(number, allowed) for number in range(len(self.blocks))]
        found = minimise(self._risen, blocks, centre)
        weights = [Fraction(0)] * self.n
        for share, piece in (pair for block in found.shares for pair in block):
            for i, a in piece.slope.items():
                weights[i] -= share * a / self.regularization
        return found.low, found.high, weights

    def objective(self, scores, squared_norm):
        w = {i: row[0] for i, row in enumerate(scores)}
        value = sum((b + dot(a, w) for b, a in (self._worst(k)(w) for k in range(len(self.blocks)))), Fraction(0))
        return self.regularization / 2 * squared_norm + value

    def touching(self, scores_of_points):
        """Returns for each block the pieces that touch the hinge at one of the points, up to rounding."""
        allowed = []
        for _, pieces in self.blocks:
            here = [(Fraction(0), {})]
            for scores in scores_of_points:
                w = {i: row[0] for i, row in enumerate(scores)}
                values = [(b + dot(a, w), b, a) for b, a in pieces(w)]
                size = 1 + max(abs(x) for x in w.values())
                most = max(value for value, _, _ in values)
                here += [(b, a) for value, b, a in values if value >= most - NEAR * size]
            allowed.append(here)
        return allowed

    def _worst(self, number, allowed=None):
        share, pieces = self.blocks[number]

        def worst(w):
            known = allowed[number] if allowed else pieces(w)
            offset, slope = max(known, key=lambda piece: piece[0] + dot(piece[1], w))
            return share * offset, {i: share * a for i, a in slope.items()}

        return worst

    def _risen(self, slope):
        return {i: sum(a * row[j] for j, a in slope.items()) / self.regularization for i, row in enumerate(self.K)}


def _parts(p, n, loss):
    """Returns the blocks (part, pieces) of a group: one, or one for each sample if the loss is zero_one."""
    if loss != "zero_one":
        return [(1, ranked_pieces(p, n, rankings(len(p), len(n), loss)))]
    part = Fraction(1, len(p) + len(n))
    hinges = [[(Fraction(0), {}), (Fraction(1), {i: Fraction(-1 if i in p else 1)})] for i in (*p, *n)]
    return [(part, lambda w, pair=pair: pair) for pair in hinges]


class RankingOracle(Oracle):
    """Answers are dicts of weights, points and shares."""

    def __init__(self, problem, fit, X):
        super().__init__(problem, fit)
        self.X = X

    def features(self):
        return self.X

    def proof(self, answer):
        """Returns (distance of the shares from the simplex, the best bound of planes that touch at the points)."""
        shares = exact(answer["shares"])
        far = max(abs(sum(shares) - 1), *(-share for share in shares)) if shares else Fraction(0)
        kept = [point for point, share in zip(answer["points"], shares, strict=True) if share > 0]
        points = [scores_of(self.X, point[:, None])[0] for point in kept]
        if any(abs(score) > 2**50 for scores in points for (score,) in scores):
            far = Fraction(10**9)  # the losses are lost in the rounding of such scores: no point to touch at
        return far, self.fit.minimum(self.fit.touching(points))[0]

    def optimum(self):
        """Returns the optimal weights in float64."""
        duals = np.array(self.minimum()[2], dtype=object)
        X = np.array(exact(self.X), dtype=object)
        return (duals @ X).astype(np.float64)


class Ranking(Family):
    """fit_ranking_svm."""

    fields, tries = ("weights", "points", "shares"), 3

    def draw(self, rng):
        """Returns the arguments of a problem: at most 3 positives and 3 negatives in each of one or two groups."""
        sizes = [rng.integers(1, 4, 2) for _ in range(rng.integers(1, 3))]
        relevant = np.concatenate([np.arange(sum(pair)) < pair[0] for pair in sizes])
        groups = np.concatenate([np.full(sum(pair), number) for number, pair in enumerate(sizes)])
        X = problems.features(rng, len(groups), int(rng.integers(1, 4)))
        problem = {"X": X, "csr": bool(rng.random() < 0.1), "relevant": relevant, "groups": groups}
        problem |= {"loss": LOSSES[rng.integers(len(LOSSES))], "regularization": problems.regularization(rng, X)}
        if rng.random() < 0.3:
            problem["group_weight"] = np.array([1.0, 10.0 ** rng.integers(-3, 7)])[groups]
        return problem

    def oracle(self, problem):
        n = len(problem["X"])
        groups, weight = problem.get("groups", np.zeros(n)), problem.get("group_weight", np.ones(n))
        options = problem["relevant"], groups.tolist(), problem["loss"], problem["regularization"], weight
        return RankingOracle(problem, RankingFit(inner_products(problem["X"]), *options), problem["X"])

    def fit(self, package, problem, tol, epochs):
        # The loss is not compiled: each test that needs it would take seconds.
        return super().fit(reference if problem["loss"] is STEEP else package, problem, tol, epochs)

    def given_as(self, answer):
        return answer

    def field(self, rng, problem, oracle):
        return None

    def with_other_loss(self, rng, problem):
        return problem | {"loss": LOSSES[rng.integers(4)]}

    def altered(self, rng, problem):
        kind = rng.integers(3)
        if kind == 0:
            return problem | {"relevant": ~problem["relevant"]}
        if kind == 1:
            return problem | {"regularization": problem["regularization"] * (1 + 10.0 ** rng.uniform(-6, 1))}
        return self.with_other_loss(rng, problem)

    def at_optimum(self, oracle, dtype):
        """Returns the optimal weights, with their own plane."""
        w = oracle.optimum().astype(dtype)
        return {"weights": w, "points": w[None], "shares": np.ones(1)}

    def wrong(self, rng, problem, oracle, field):
        epochs = int(rng.integers(1, 8)) if rng.random() < 0.5 else 60
        good = self.fit(fast, problem, 1e-11, epochs) or self.at_optimum(oracle, problem["X"].dtype)
        kind, dtype, eps = rng.integers(6), good["weights"].dtype, 10.0 ** rng.uniform(-13, -1)
        if kind == 0:
            return good
        if kind == 1:
            return good | {"shares": good["shares"] * (1 + eps)}
        if kind == 2:
            sign = np.where(rng.random(len(good["shares"])) < 0.5, 1.0, -1.0)
            return good | {"shares": good["shares"] + eps * sign}
        if kind == 3:
            return good | {"points": (good["points"] * (1 + eps * rng.normal(size=good["points"].shape))).astype(dtype)}
        other = self.fit(fast, self.altered(rng, problem), 1e-6, 60) or good
        if kind == 4 and len(other["weights"]) == len(good["weights"]):
            return {key: other[key] if rng.random() < 0.5 else good[key] for key in ("weights",)} | {
                key: other[key] for key in ("points", "shares")
            }
        return good | {"weights": moved_weights(rng, good["weights"], lambda: other["weights"]).astype(dtype)}

    def right(self, rng, problem, oracle):
        for package in EPOCHS:
            tol = 10.0 ** -int(rng.integers(3, 11))
            answer = self.fit(package, problem, tol / 4, 200)
            if answer:
                yield tol, answer
                shares = answer["shares"]
                yield tol, answer | {"shares": shares * (1 + 2.0**-52 * rng.integers(-1, 2, len(shares)))}


class Latent(Ranking):
    """fit_latent_ranking_svm: the ranking SVM of the windows that were chosen last."""

    def draw(self, rng):
        """Returns the arguments of a problem with 1 to 3 positive bags, and 1 to 3 windows of negative ones."""
        positive, negative = rng.integers(1, 4, 2)
        windows = np.append(rng.integers(1, 4, positive), np.ones(negative, int))
        bags = np.repeat(np.arange(len(windows)), windows)
        X = problems.features(rng, len(bags), int(rng.integers(1, 4)))
        problem = {"X": X, "bags": bags, "relevant": bags < positive, "loss": LOSSES[rng.integers(len(LOSSES))]}
        return problem | {"regularization": problems.regularization(rng, X)}

    def oracle(self, problem):
        """Returns the oracle of the windows in "chosen", which is part of the problem here."""
        return LatentOracle(problem)

    def fit(self, package, problem, tol, epochs):
        package = reference if problem["loss"] is STEEP else package
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = package.fit_latent_ranking_svm(**problem, tol=tol, max_iterations=epochs)
        except (ValueError, ArithmeticError, np.linalg.LinAlgError) as trouble:
            CRASHES.append((package.__name__, self.name, repr(trouble)[:200], problem))
            return None
        return {"chosen": found.chosen, **{name: getattr(found.last_fit, name) for name in self.fields}}

    def altered(self, rng, problem):
        return problem | {"regularization": problem["regularization"] * (1 + 10.0 ** rng.uniform(-6, 1))}

    def given_as(self, answer):
        return {"chosen": answer["chosen"], "last_fit": {name: answer[name] for name in self.fields}}

    def at_optimum(self, oracle, dtype):
        first = np.unique(oracle.problem["bags"], return_index=True)[1]
        chosen = first[oracle.problem["relevant"][first]]
        w = np.zeros(oracle.problem["X"].shape[1], dtype)
        return {"chosen": chosen, "weights": w, "points": w[None], "shares": np.ones(1)}

    def wrong(self, rng, problem, oracle, field):
        answer = super().wrong(rng, problem, oracle, field)
        if "chosen" not in answer or rng.random() < 0.2:
            bags = problem["bags"]
            numbers = np.unique(bags[problem["relevant"]])
            answer["chosen"] = np.array([rng.choice(np.flatnonzero(bags == number)) for number in numbers])
        return answer


class LatentOracle:
    """The oracle of the ranking SVM on the windows that an answer has chosen."""

    is_unclear = False

    def __init__(self, problem):
        self.problem = problem

    def of(self, answer):
        problem = self.problem
        rows = np.concatenate([answer["chosen"], np.flatnonzero(~problem["relevant"])])
        relevant = np.arange(len(rows)) < len(answer["chosen"])
        given = relevant, [0] * len(rows), problem["loss"], problem["regularization"], np.ones(len(rows))
        X = problem["X"][rows]
        return RankingOracle(problem, RankingFit(inner_products(X), *given), X)

    def suboptimality(self, answer):
        return self.of(answer).suboptimality(answer)

    def gap(self, answer):
        return self.of(answer).gap(answer)

    def numbers(self, answer, shake=None):
        return self.of(answer).numbers(answer, shake)

"""Judges the top-k entropy losses and their fits by enumeration, by bisection, by CVXPY, and by objectives anew."""

import numpy as np

from ...ground_truth import entropy_fits, entropy_losses
from ...problems import statement
from .. import certificates
from ._base import DIFFERS, Outcome, answer_dtype, described, form, tolerance
from .svm import CVXPY_ERROR, LARGEST_PROGRAMME, _certified, _data, _history, _reported, _weights
from .svm import _form as form_of_fit

STATIONARY = ("weights", "primal", "gradient_norm", "iterations")


def loss(name):
    """Returns the judge of a loss or of its gradient."""

    def judge(case, reply):
        scores = case.arguments["scores"]
        expected, answer = true_loss(name, case.arguments), reply.answer
        if wrong := form(answer, expected.shape, answer_dtype(scores)):
            return wrong._replace(expected=expected)
        unit = max(1.0, float(np.abs(scores).max()))
        error = float(np.abs(answer - expected).max() / unit)
        reason = "" if error <= tolerance(answer.dtype, scores.shape[1]) else DIFFERS
        return Outcome(reason, f"by {error:.1e}, relative", error, None, expected, answer)

    return judge


def true_loss(name, arguments):
    """Returns the losses or gradients in float64, computed by trying every set of rivals."""
    return getattr(entropy_losses, name)(**{**arguments, "scores": arguments["scores"].astype(np.float64)})


def fit(name):
    """Returns the judge of a fit of the top-k entropy. It recomputes all that the fit reports from the duals."""
    data = "K" if name.endswith("kernel") else "X"

    def judge(case, reply):
        arguments, answer = case.arguments, reply.answer
        if wrong := form_of_fit(arguments, data, answer):
            return wrong
        problem = _problem(arguments) | ({"weights": answer["weights"]} if data == "X" else {})
        certificate = getattr(certificates, name)(answer["duals"], *_data(arguments), **problem)
        truth = recomputed(arguments, data, answer["duals"])
        shown = {field: answer[field] for field in ("primal", "dual", "gap", "epochs")}
        outcome = Outcome("", "", None, certificate, truth, {**shown, "duals": answer["duals"]})
        for check in (_weights, _certified, _reported, _history, _iterates, _optimum):
            outcome = check(name, case, reply, truth, outcome)
            if outcome.reason:
                return outcome
        return outcome

    return judge


def recomputed(arguments, data, duals):
    """Returns both objectives and the relative gap, computed from the data and the duals."""
    features, y, duals = arguments[data].astype(np.float64), arguments["y"], duals.astype(np.float64)
    scores = features @ duals if data == "K" else features @ (features.T @ duals)
    penalty = arguments["regularization"] / 2 * float(np.sum(scores * duals))
    u = -duals * (arguments["regularization"] * len(y))
    u = np.maximum(u[np.arange(u.shape[1]) != y[:, None]].reshape(len(y), -1), 0)
    shares = np.column_stack([u, np.maximum(1 - u.sum(axis=1), 0)])
    entropy = -(shares * np.log(np.where(shares > 0, shares, 1.0))).sum(axis=1)
    primal = penalty + float(entropy_losses.topk_entropy(scores, y, arguments["k"]).mean())
    dual = float(entropy.mean()) - penalty
    return {"primal": primal, "dual": dual, "gap": (primal - dual) / primal}


def _problem(arguments):
    return {name: arguments[name] for name in ("k", "regularization")}


def _iterates(name, case, reply, truth, outcome):
    """Checks that the duals after one epoch in a given order are those of coordinate ascent, step by step."""
    arguments = case.arguments
    if np.ndim(arguments.get("order")) != 1 or arguments.get("max_epochs") != 1:
        return outcome
    duals, expected = reply.answer["duals"], one_epoch(arguments)
    error = float(np.abs(duals - expected).max() / np.abs(expected).max())
    if not error <= 1000 * tolerance(duals.dtype, len(expected)):
        detail = f"the duals after one epoch in this order are off by {error:.1e}"
        return Outcome("differs from algorithm 1", detail, error, None, expected, duals)
    return outcome._replace(error=error)


def one_epoch(arguments):
    """The duals after one step for each example of the order from 0, each by bisection."""
    K = arguments["K"] if "K" in arguments else arguments["X"] @ arguments["X"].T
    y, n = arguments["y"], len(arguments["y"])
    radius, duals = 1 / (arguments["regularization"] * n), np.zeros((n, int(y.max()) + 1))
    for i in arguments["order"]:
        scores, rivals = K[i] @ duals - K[i, i] * duals[i], np.arange(duals.shape[1]) != y[i]
        u = entropy_fits.best_shares(scores[rivals] - scores[y[i]], radius * K[i, i], arguments["k"])
        duals[i, rivals], duals[i, y[i]] = -radius * u, radius * u.sum()
    return duals


def _optimum(name, case, reply, truth, outcome):
    """The primal is no better than the optimum that CVXPY finds, and worse by no more than the gap."""
    if case.warns or (minimum := optimum(name, case.arguments)) is None:
        return outcome
    error = (truth["primal"] - minimum) / minimum
    outcome = outcome._replace(error=abs(error))
    slack = max(CVXPY_ERROR, tolerance(reply.answer["duals"].dtype, case.arguments["y"].size))
    if not (-slack <= error and error * minimum <= (outcome.certificate + slack) * truth["primal"]):
        detail = f"its primal is {truth['primal']:.8g}, the minimum {minimum:.8g}"
        return outcome._replace(reason=DIFFERS, detail=detail, expected={"minimum": float(minimum)})
    return outcome


def optimum(name, arguments):
    """Returns the smallest primal that CVXPY finds, or None if the instance is too large or the solver fails."""
    if arguments["y"].size > LARGEST_PROGRAMME:
        return None
    try:
        return getattr(entropy_fits, name)(*_data(arguments), **_problem(arguments))[1]
    except RuntimeError:
        return None


def fit_truncated_topk_entropy(case, reply):
    """Judges weights by the gradient at them: small, and as it is reported. For k = 1, the optimum is known, too."""
    arguments, answer = case.arguments, reply.answer
    if not isinstance(answer, dict) or not set(STATIONARY) <= set(answer):
        return Outcome("wrong type", f"a fit should be a TruncatedEntropyFit, got {described(answer)}", got=answer)
    X, y = _data(arguments)
    dtype = answer_dtype(X)
    if wrong := form(answer["weights"], (X.shape[1], int(y.max()) + 1), dtype, "weights"):
        return wrong
    problem, rounding = _problem(arguments), tolerance(dtype, X.size)
    norm = certificates.fit_truncated_topk_entropy(answer["weights"], X, y, **problem)
    primal = certificates.truncated_primal(answer["weights"], X, y, **problem)
    expected = {"primal": primal, "gradient_norm": norm}
    outcome = Outcome("", "", None, norm, expected, {name: answer[name] for name in STATIONARY})
    if not norm <= arguments["tol"] + rounding:
        detail = f"the gradient at its weights has the norm {norm:.1e}, at most {arguments['tol']:.1e} asked"
        return outcome._replace(reason="certificate", detail=detail)
    if not (abs(answer["primal"] - primal) <= rounding * primal and abs(answer["gradient_norm"] - norm) <= rounding):
        detail = f"reports a primal of {answer['primal']:.6g} and a gradient norm of {answer['gradient_norm']:.1e}"
        return outcome._replace(reason="reports something else", detail=detail)
    minimum = optimum("fit_topk_entropy", arguments) if arguments["k"] == 1 else None
    if minimum is not None and not abs(primal - minimum) <= max(CVXPY_ERROR, rounding, arguments["tol"]) * minimum:
        detail = f"its primal is {primal:.8g}, the minimum {minimum:.8g}"
        return outcome._replace(reason=DIFFERS, detail=detail, expected={"minimum": float(minimum)})
    return outcome


def stationary(arguments):
    """Refuses wrong arguments as the function does. There is no truth to compare with unless k = 1."""
    statement("fit_truncated_topk_entropy")(**arguments)
    return None

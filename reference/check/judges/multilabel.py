"""Judges multilabel losses by their definitions, and fits by CVXPY and by the duality gap of their duals."""

import numpy as np

from ...ground_truth import multilabel as truths
from .. import certificates
from ..certificates import multilabel as proofs
from ._base import DIFFERS, Outcome, answer_dtype, described, form, tolerance
from .svm import CVXPY_ERROR, FIELDS, LARGEST_PROGRAMME, certified

PROBLEM = ("loss", "smoothing", "regularization", "sample_weight")


def loss(name):
    """Returns the judge of a loss, of its gradient, or of the error."""

    def judge(case, reply):
        arguments, answer = case.arguments, reply.answer
        scores, expected = arguments["scores"], true_loss(name, arguments)
        if wrong := form(answer, expected.shape, answer_dtype(scores)):
            return wrong._replace(expected=expected)
        residual = getattr(certificates, name)(answer, **arguments)
        unit = max(1.0, float(np.abs(scores).max()))
        if name == "multilabel_hinge_gradient":  # what rounding of the scores changes in u and v
            unit /= arguments.get("smoothing") or 1.0
        error = float(np.abs(answer - expected).max() / unit)
        allowed = 0.0 if name == "multilabel_error" else tolerance(answer.dtype, scores.shape[1])
        if not error <= allowed:
            return Outcome(DIFFERS, f"by {error:.1e}, relative", error, residual, expected, answer)
        reason = "" if residual <= allowed else "certificate"
        return Outcome(reason, f"its certificate is {residual:.1e}, not 0", error, residual, expected, answer)

    return judge


def true_loss(name, arguments):
    """Returns the losses in float64, from their definitions."""
    return getattr(truths, name)(**{**arguments, "scores": arguments["scores"].astype(np.float64)})


def fit_multilabel(case, reply):
    """Judge of fit_multilabel. It recomputes all that the fit reports from the duals."""
    arguments, answer = case.arguments, reply.answer
    if wrong := _form(arguments, answer):
        return wrong
    problem = {name: arguments[name] for name in PROBLEM if name in arguments}
    data = answer["duals"], arguments["X"], arguments["Y"]
    certificate = proofs.fit_multilabel(*data, weights=answer["weights"], **problem)
    truth = recomputed(arguments, answer["duals"])
    shown = {field: answer[field] for field in ("primal", "dual", "gap", "epochs", "duals")}
    outcome = Outcome("", "", None, certificate, truth, shown)
    for check in (_weights, _certified, _reported, _history, _iterates, _optimum):
        outcome = check(case, reply, truth, outcome)
        if outcome.reason:
            return outcome
    return outcome


def recomputed(arguments, duals):
    """Returns both objectives and the relative gap, computed from the data and the duals."""
    X, Y, exact = arguments["X"].astype(np.float64), arguments["Y"], duals.astype(np.float64)
    weights, name = X.T @ exact, f"multilabel_{arguments['loss']}"
    smoothing = {"smoothing": arguments["smoothing"]} if arguments["loss"] == "hinge" else {}
    s = arguments.get("sample_weight")
    losses = getattr(truths, name)(X @ weights, Y, **smoothing) * (1.0 if s is None else s)
    primal = float(arguments["regularization"] / 2 * np.sum(weights**2) + losses.mean())
    dual = float(np.sum(_gains(exact, Y, s, arguments)) / len(X) - arguments["regularization"] / 2 * np.sum(weights**2))
    return {"primal": primal, "dual": dual, "gap": max(0.0, (primal - dual) / primal)}


def _gains(duals, Y, s, arguments):
    """Returns what the duals of each example gain: s times the dual value of its shares."""
    Y = np.asarray(Y.toarray() if hasattr(Y, "toarray") else Y) != 0
    proper, s = Y.any(axis=1) & ~Y.all(axis=1), np.ones(len(Y)) if s is None else s
    rows = duals * arguments["regularization"] * len(Y) / np.where(s > 0, s, 1.0)[:, None]
    if arguments["loss"] == "hinge":
        values = np.abs(rows).sum(axis=1) / 2 - arguments["smoothing"] / 2 * (rows**2).sum(axis=1)
    else:
        p = np.maximum(Y / np.maximum(Y.sum(axis=1, keepdims=True), 1) - rows, 0)
        values = -(p * np.log(np.where(p > 0, p, 1.0))).sum(axis=1)
    return np.where(proper, s * values, 0.0)


def _form(arguments, answer):
    """Returns the Outcome of an answer that is not a TopKSVMFit of the right shapes, or None."""
    if not isinstance(answer, dict) or not set(FIELDS) <= set(answer):
        return Outcome("wrong type", f"a fit should be a TopKSVMFit, got {described(answer)}", got=answer)
    Y, dtype = arguments["Y"], answer_dtype(arguments["X"])
    wrong = form(answer["duals"], Y.shape, dtype, "duals")
    wrong = wrong or form(answer["weights"], (arguments["X"].shape[1], Y.shape[1]), dtype, "weights")
    for field in ("primal", "dual", "gap", "epochs"):
        value = answer[field]
        if not isinstance(value, (int, float, np.number)) or isinstance(value, bool) or not np.isfinite(value):
            detail = f"{field} should be a finite number, got {described(value)}"
            wrong = wrong or Outcome("wrong type", detail, got=value)
    return wrong


def _certified(case, reply, truth, outcome):
    """Checks that the suboptimality that the duals prove is at most `tol`, up to rounding, unless a warning is due."""
    return certified(case, reply, truth["gap"], outcome)


def _reported(case, reply, truth, outcome):
    """Checks that the reported objectives and gap are those of the duals."""
    allowed = tolerance(reply.answer["duals"].dtype, len(case.arguments["Y"])) * 4
    for field, unit in (("primal", truth["primal"]), ("dual", truth["primal"]), ("gap", 1.0)):
        if not abs(float(reply.answer[field]) - truth[field]) <= allowed * unit and not (
            case.warns and field == "dual"
        ):
            detail = f"reports {field} {reply.answer[field]:.6g}, its duals say {truth[field]:.6g}"
            return outcome._replace(reason="reports something else", detail=detail)
    return outcome


def _weights(case, reply, truth, outcome):
    """Checks that W = X' duals."""
    X, duals = case.arguments["X"].astype(np.float64), reply.answer["duals"].astype(np.float64)
    apart = np.abs(reply.answer["weights"] - X.T @ duals).max()
    if not apart <= tolerance(reply.answer["weights"].dtype, len(X)) * (np.abs(X).T @ np.abs(duals)).max():
        return outcome._replace(reason="weights", detail=f"the weights differ from X' duals by {apart:.1e}")
    return outcome


def _history(case, reply, truth, outcome):
    """Checks that the history has one record for each epoch, and that the last one is that of the answer."""
    history, epochs, fields = reply.answer["history"], reply.answer["epochs"], ("primal", "dual", "gap", "seconds")
    records = [history.get(field) for field in fields] if isinstance(history, dict) else []
    if not records or epochs < 1 or not all(isinstance(r, np.ndarray) and r.shape == (epochs,) for r in records):
        return outcome._replace(reason="history", detail=f"one record ({', '.join(fields)}) an epoch is missing")
    if history["gap"][-1] != reply.answer["gap"] or history["primal"][-1] != reply.answer["primal"]:
        return outcome._replace(reason="history", detail="its last record is not that of the answer")
    return outcome


def _iterates(case, reply, truth, outcome):
    """Checks that the duals after one epoch in a given order are those of coordinate ascent, step by step.

    Only for the hinge, whose step is a projection that the ground truth has.
    """
    arguments = case.arguments
    if np.ndim(arguments.get("order")) != 1 or arguments.get("max_epochs") != 1 or arguments["loss"] != "hinge":
        return outcome
    duals, expected = reply.answer["duals"], one_epoch(arguments)
    error = float(np.abs(duals - expected).max() / np.abs(expected).max())
    if not error <= 100 * tolerance(duals.dtype, len(expected)):
        detail = f"the duals after one epoch in this order are off by {error:.1e}"
        return Outcome("differs from coordinate ascent", detail, error, None, expected, duals)
    return outcome._replace(error=error)


def one_epoch(arguments):
    """The duals of the hinge after one step for each example of the order from 0, each by an exact projection."""
    X, Y, duals = arguments["X"], arguments["Y"] != 0, np.zeros(arguments["Y"].shape)
    radius = 1 / (arguments["regularization"] * len(Y))
    for i in arguments["order"]:
        member = Y[i]
        if not member.any() or member.all():
            continue
        scores = X[i] @ (X.T @ duals) - X[i] @ X[i] * duals[i]
        curvature = X[i] @ X[i] + arguments["smoothing"] / radius
        b, c = (0.5 - scores[member]) / curvature, (0.5 + scores[~member]) / curvature
        duals[i, member], v = truths.project_bipartite_simplex(b, c, radius)
        duals[i, ~member] = -v
    return duals


def _optimum(case, reply, truth, outcome):
    """The primal is no better than the optimum that CVXPY finds, and worse by no more than the gap."""
    if case.warns or (minimum := optimum(case.arguments)) is None:
        return outcome
    error = (truth["primal"] - minimum) / minimum
    slack = max(CVXPY_ERROR, tolerance(reply.answer["duals"].dtype, len(case.arguments["Y"])))
    if not (-slack <= error and error * minimum <= (outcome.certificate + slack) * truth["primal"]):
        detail = f"its primal is {truth['primal']:.8g}, the minimum {minimum:.8g}"
        return outcome._replace(reason=DIFFERS, detail=detail, expected={"minimum": float(minimum)})
    return outcome._replace(error=abs(error))


def optimum(arguments):
    """Returns the smallest primal that CVXPY finds, or None if the instance is too large or the solver fails."""
    if len(arguments["Y"]) > LARGEST_PROGRAMME:
        return None
    problem = {name: arguments[name] for name in PROBLEM if name in arguments}
    try:
        return truths.fit_multilabel(arguments["X"], arguments["Y"], **problem)[1]
    except RuntimeError:
        return None

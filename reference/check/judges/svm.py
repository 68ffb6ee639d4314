"""Judges top-k losses and top-k SVMs by enumeration, by CVXPY, and by the duality gap recomputed from the duals."""

import numpy as np

from ...ground_truth import enumeration, losses, topk_svm, topk_svm_parts
from ...problems import checks
from .. import certificates
from ._base import DIFFERS, Outcome, answer_dtype, described, form, remembered, tolerance

LARGEST_PROGRAMME = 20  # examples
CVXPY_ERROR = 1e-8  # of the minimum, relative
PROGRAMMES = {**vars(topk_svm), **vars(topk_svm_parts)}
OF_PARTS = ("communications", "sigma", "gathered")  # what a history of parts has besides
FIELDS = ("weights", "duals", "primal", "dual", "gap", "epochs", "history")


def loss(name):
    """Returns the judge of topk_error, topk_hinge or topk_hinge_gradient."""

    def judge(case, reply):
        scores = case.arguments["scores"]
        expected, answer = true_loss(name, case.arguments), reply.answer
        if wrong := form(answer, expected.shape, answer_dtype(scores)):
            return wrong._replace(expected=expected)
        unit = max(1.0, float(np.abs(scores).max()))
        if name == "topk_hinge_gradient":  # it changes by as much as the scores, divided by the smoothing
            unit = max(1.0, unit / smoothing) if (smoothing := case.arguments.get("smoothing")) else 1.0
        error = float(np.abs(answer - expected).max() / unit)
        allowed = 0.0 if name == "topk_error" else tolerance(answer.dtype, scores.shape[1])
        reason = "" if error <= allowed else DIFFERS
        return Outcome(reason, f"by {error:.1e}, relative", error, None, expected, answer)

    return judge


@remembered
def true_loss(name, arguments):
    """Returns the losses in float64, computed by trying every subset of the classes."""
    return getattr(losses, name)(**{**arguments, "scores": arguments["scores"].astype(np.float64)})


def fit(name):
    """Returns the judge of a fit. It recomputes all that the fit reports from the duals."""
    data = "K" if name.endswith("kernel") else "X"

    def judge(case, reply):
        arguments, answer = case.arguments, reply.answer
        if wrong := _form(arguments, data, answer):
            return wrong
        problem = _problem(arguments)
        problem |= {"weights": answer["weights"]} if data == "X" else {}
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
    smoothing = arguments.get("smoothing", 0.0)
    hinge = losses.topk_hinge(scores, y, arguments["k"], arguments["kind"], smoothing)
    primal = penalty + float(hinge.mean())
    u = duals * (arguments["regularization"] * len(y))
    u[np.arange(len(y)), y] = 0.0
    penalty += smoothing / 2 * float((u**2).sum(axis=1).mean())
    dual = arguments["regularization"] * float(duals[np.arange(len(y)), y].sum()) - penalty
    return {"primal": primal, "dual": dual, "gap": (primal - dual) / primal}


def _data(arguments):
    """Returns X or K, the labels, and the parts if there are any."""
    return [arguments[name] for name in ("X", "K", "y", "parts") if name in arguments]


def _problem(arguments):
    return {name: arguments[name] for name in ("k", "kind", "smoothing", "regularization") if name in arguments}


def _form(arguments, data, answer):
    """Returns the Outcome of an answer that is not a TopKSVMFit of the right shapes, or None."""
    if not isinstance(answer, dict) or not set(FIELDS) <= set(answer):
        return Outcome("wrong type", f"a fit should be a TopKSVMFit, got {described(answer)}", got=answer)
    y, dtype = arguments["y"], answer_dtype(arguments[data])
    m = int(y.max()) + 1
    wrong = form(answer["duals"], (len(y), m), dtype, "duals")
    if data == "X":
        wrong = wrong or form(answer["weights"], (arguments["X"].shape[1], m), dtype, "weights")
    elif answer["weights"] is not None:
        wrong = wrong or Outcome("wrong type", "the weights of a kernel fit should be None", got=answer["weights"])
    for field in ("primal", "dual", "gap", "epochs"):
        value = answer[field]
        if not isinstance(value, (int, float, np.number)) or isinstance(value, bool) or not np.isfinite(value):
            detail = f"{field} should be a finite number, got {described(value)}"
            wrong = wrong or Outcome("wrong type", detail, got=value)
    return wrong


def _certified(name, case, reply, truth, outcome):
    """Checks that the suboptimality that the duals prove is at most `tol`, up to rounding, unless a warning is due."""
    return certified(case, reply, truth["gap"], outcome)


def certified(case, reply, gap, outcome):
    """Returns the outcome, wrong if its certificate is above `tol` and what rounding to the dtype of the duals adds.

    A fit may stop at a gap of `tol` exactly, and round its answer then.
    """
    if case.warns:
        return outcome._replace(certificate=None)
    duals, tol = reply.answer["duals"], case.arguments["tol"]
    if outcome.certificate <= tol + tolerance(duals.dtype, len(duals)):
        return outcome
    detail = (
        f"its duals have a relative gap of {max(gap, 0.0):.1e} and prove a suboptimality of {outcome.certificate:.1e}; "
        f"it reports a gap of {reply.answer['gap']:.1e}"
    )
    return outcome._replace(reason="certificate", detail=detail, expected=f"a gap of at most {tol:g}")


def _reported(name, case, reply, truth, outcome):
    """Checks that the reported objectives and gap are those of the duals."""
    allowed = tolerance(reply.answer["duals"].dtype, case.arguments["y"].size) * 4
    for field, unit in (("primal", truth["primal"]), ("dual", truth["primal"]), ("gap", 1.0)):
        apart = abs(float(reply.answer[field]) - truth[field])
        if not apart <= allowed * unit:
            detail = f"reports {field} {reply.answer[field]:.6g}, its duals say {truth[field]:.6g}"
            return outcome._replace(reason="reports something else", detail=detail)
    if reply.answer["gap"] < 0:
        return outcome._replace(reason="reports something else", detail="a negative gap")
    return outcome


def _weights(name, case, reply, truth, outcome):
    """Checks that W = X' duals."""
    if "X" not in case.arguments:
        return outcome
    X, duals = case.arguments["X"].astype(np.float64), reply.answer["duals"].astype(np.float64)
    apart = np.abs(reply.answer["weights"] - X.T @ duals).max()
    unit = (np.abs(X).T @ np.abs(duals)).max()
    if not apart <= tolerance(reply.answer["weights"].dtype, len(X)) * unit:
        return outcome._replace(reason="weights", detail=f"the weights differ from X' duals by {apart:.1e}")
    return outcome


def _history(name, case, reply, truth, outcome):
    """Checks that the history has one record for each epoch, and that the last one is that of the answer."""
    history, epochs = reply.answer["history"], reply.answer["epochs"]
    fields = ("primal", "dual", "gap", "seconds", *(OF_PARTS if "parts" in case.arguments else ()))
    records = [history.get(field) for field in fields] if isinstance(history, dict) else []
    complete = records and all(isinstance(r, np.ndarray) and r.shape == (epochs,) for r in records)
    if not complete or epochs < 1:
        return outcome._replace(reason="history", detail=f"one record ({', '.join(fields)}) an epoch is missing")
    if history["gap"][-1] != reply.answer["gap"] or history["primal"][-1] != reply.answer["primal"]:
        return outcome._replace(reason="history", detail="its last record is not that of the answer")
    return outcome


def _iterates(name, case, reply, truth, outcome):
    """Checks that the duals after one epoch in a given order are those of algorithm 1, step by step."""
    arguments = case.arguments
    in_order = np.ndim(arguments.get("order")) == 1 and arguments.get("max_epochs") == 1
    adds = arguments.get("combine") == "adding" and arguments.get("max_rounds") == 1
    if not (in_order or adds) or arguments["kind"] == "alpha_inclusive":
        return outcome
    duals, expected = reply.answer["duals"], one_round(arguments) if adds else one_epoch(arguments)
    error = float(np.abs(duals - expected).max() / np.abs(expected).max())
    if not error <= 100 * tolerance(duals.dtype, len(expected)):
        detail = f"the duals after one {'round of adding' if adds else 'epoch in this order'} are off by {error:.1e}"
        return Outcome("differs from algorithm 1", detail, error, None, expected, duals)
    return outcome._replace(error=error)


def one_epoch(arguments):
    """The duals after one epoch of algorithm 1 from 0."""
    K = arguments["K"] if "K" in arguments else arguments["X"] @ arguments["X"].T
    return _steps(arguments, K, arguments["order"])


def one_round(arguments):
    """The duals after one round of "adding" from 0: an epoch of each part alone, with sigma' times its inner products.

    An example takes scores ``x'(W + sigma' V)`` and the curvature ``sigma' |x|^2``. From W = 0, both are sigma' times
    those of algorithm 1 for the part.
    """
    seed = arguments.get("seed", 0)
    parts = checks.parts_of(arguments["parts"], len(arguments["y"]), seed)
    sigma = arguments.get("sigma") or len(parts)
    K, duals = sigma * (arguments["X"] @ arguments["X"].T), 0.0
    for p, part in enumerate(parts):
        duals = duals + _steps(arguments, K, part[np.random.default_rng([seed, 0, 0, p]).permutation(len(part))])
    return duals


def _steps(arguments, K, order):
    """The duals after one step for each example of the order from 0, each by an exact projection (Proposition 4)."""
    y, k, n = arguments["y"], arguments["k"], len(arguments["y"])
    radius, duals = 1 / (arguments["regularization"] * n), np.zeros((n, int(arguments["y"].max()) + 1))
    stiffness = arguments.get("smoothing", 0.0) / radius
    for i in order:
        q = K[i] @ duals - K[i, i] * duals[i]
        rivals = np.arange(duals.shape[1]) != y[i]
        curvature = K[i, i] + stiffness
        b, bias = (q[rivals] + 1 - q[y[i]]) / curvature, K[i, i] / curvature
        if arguments["kind"] == "beta":
            x = enumeration.project_capped_simplex(b, radius / k, radius, bias=bias)
        else:
            x = enumeration.project_topk_simplex(b, k, radius, bias=bias)
        duals[i, rivals], duals[i, y[i]] = -x, x.sum()
    return duals


def _optimum(name, case, reply, truth, outcome):
    """The primal is no better than the optimum that CVXPY finds, and worse by no more than the gap."""
    if case.warns or (minimum := optimum(name, case.arguments)) is None:
        return outcome
    error = (truth["primal"] - minimum) / minimum
    outcome = outcome._replace(error=abs(error))
    # A rounded Gram matrix has eigenvalues a little below 0. CVXPY receives the nearest matrix without them.
    slack = max(CVXPY_ERROR, tolerance(reply.answer["duals"].dtype, case.arguments["y"].size))
    # The gap is relative to the primal, the error to the minimum, which is smaller by up to the gap.
    if not (-slack <= error and error * minimum <= (outcome.certificate + slack) * truth["primal"]):
        detail = f"its primal is {truth['primal']:.8g}, the minimum {minimum:.8g}"
        expected = {"minimum": float(minimum)}
        return outcome._replace(reason=DIFFERS, detail=detail, expected=expected)
    return outcome


@remembered
def optimum(name, arguments):
    """Returns the smallest primal that CVXPY finds, or None if the instance is too large or the solver fails."""
    if arguments["y"].size > LARGEST_PROGRAMME:
        return None
    try:
        return PROGRAMMES[name](*_data(arguments), **_problem(arguments))[1]
    except RuntimeError:
        return None

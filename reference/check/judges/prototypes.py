"""Judges scores of prototypes, concatenated fits, class means, one-vs-all learners and losses.

All are compared with the ground truth at every size. One-vs-all learners are replayed, like walks in `judges.wsabie`.
"""

import numpy as np

from ...ground_truth import wsabie, wsabie_baselines, wsabie_losses
from ...problems import checks
from .. import certificates
from ..judging.outcome import DIFFERS, Outcome, answer_dtype, described, form, tolerance
from ..replays import learners
from ..replays.walks import DOUBT, classes
from .wsabie import FIELDS, compared, fit_form


def prototype_scores(case, reply):
    """Judge of prototype_scores. The error is relative to the norm of the example and of the longest prototype."""
    X, fit, answer = case.arguments["X"], case.arguments["fit"], reply.answer
    expected = wsabie.prototype_scores(X.astype(np.float64), fit)
    dtype = answer_dtype(X)
    if wrong := form(answer, expected.shape, dtype):
        return wrong._replace(expected=expected.astype(dtype))
    residual = certificates.prototype_scores(answer, X, fit)
    x = np.linalg.norm(X.astype(np.float64), axis=1)
    longest = np.linalg.norm(fit.prototypes.astype(float), axis=1).max()
    reach = x if fit.embedding is None else x * np.linalg.norm(fit.embedding.astype(np.float64))
    units = longest * reach if fit.discriminant == "linear" else (longest + reach) ** 2
    apart = np.abs(answer - expected).max(axis=1)
    error = float(np.max(np.where(apart == 0, 0.0, apart / np.where(units > 0, units, 1.0))))
    allowed = tolerance(dtype, 1) + tolerance(np.float64, X.shape[1] + fit.prototypes.shape[1])
    return _verdict(error, residual, allowed, expected.astype(dtype), answer)


def true_scores(arguments):
    """Returns the scores by their definition. Raises ValueError if the arguments are wrong."""
    return wsabie.prototype_scores(**arguments)


def concatenate_fits(case, reply):
    """Judge of concatenate_fits. Nothing is computed, so the answer must be exact."""
    fits, answer = case.arguments["fits"], reply.answer
    expected = wsabie.concatenate_fits(fits)
    shown = {name: getattr(expected, name) for name in ("prototypes", "embedding", "discriminant")}
    wrong = fit_form(
        answer,
        expected.prototypes.dtype,
        expected.prototypes.shape,
        expected.embedding.shape,
        expected.discriminant,
        False,
    )
    if wrong:
        return wrong._replace(expected=shown)
    residual = certificates.concatenate_fits(checks.WsabieFit(**{name: answer[name] for name in FIELDS}), fits)
    error = max(float(np.abs(answer[name] - shown[name]).max()) for name in ("prototypes", "embedding"))
    allowed = tolerance(expected.prototypes.dtype, expected.embedding.size)
    outcome = _verdict(0.0, residual, allowed, shown, {name: answer[name] for name in shown})
    return outcome._replace(error=error, reason=DIFFERS, detail=f"by {error:.1e}") if error > 0 else outcome


def true_concatenation(arguments):
    """Returns the concatenated fit. Raises ValueError if the arguments are wrong."""
    return wsabie.concatenate_fits(**arguments)


def fit_nearest_means(case, reply):
    """Judge of fit_nearest_means. The error is relative to the largest number in X."""
    arguments, answer = case.arguments, reply.answer
    X, expected = arguments["X"], true_means({**arguments, "X": arguments["X"].astype(np.float64)}).prototypes
    dtype = answer_dtype(X)
    if wrong := fit_form(answer, dtype, expected.shape, None, "euclidean", False):
        return wrong._replace(expected={"prototypes": expected.astype(dtype)})
    got = answer["prototypes"]
    weights = {"sample_weight": arguments.get("sample_weight")}
    residual = certificates.fit_nearest_means(checks.WsabieFit(got), X, arguments["Y"], **weights)
    error = float(np.abs(got - expected).max() / (np.abs(X.astype(np.float64)).max() or 1.0))
    allowed = tolerance(dtype, 1) + tolerance(np.float64, len(X))
    return _verdict(error, residual, allowed, {"prototypes": expected.astype(dtype)}, {"prototypes": got})


def true_means(arguments):
    """Returns the mean of each class. Raises ValueError if a class has no example."""
    return wsabie_baselines.fit_nearest_means(**arguments)


# --- losses --------------------------------------------------------------------------------------------------------


def loss(name):
    """Returns the judge of one of the three losses."""

    def judge(case, reply):
        arguments, answer = case.arguments, reply.answer
        expected = true_loss(name, arguments)
        if not isinstance(answer, (float, np.float64)) or not np.isfinite(answer):
            return Outcome(
                "wrong type", f"it should be a float, got {described(answer)}", expected=expected, got=answer
            )
        if name != "class_confusion_loss" and not _is_decided(arguments):
            return Outcome("", "", None, None, expected, answer)
        residual, unit, size = getattr(certificates, name)(answer, **arguments), 1.0, len(arguments.get("y", ()))
        if name != "class_confusion_loss":
            scores = arguments["scores"].astype(np.float64)
            unit, size = max(expected, arguments.get("margin", 1.0) + 2 * np.abs(scores).max()) or 1.0, scores.size
        return _verdict(abs(answer - expected) / unit, residual, tolerance(np.float64, size), expected, answer)

    return judge


def true_loss(name, arguments):
    """Returns one of the losses, computed by plain loops."""
    return getattr(wsabie_losses, name)(**arguments)


def _is_decided(arguments):
    """True if each margin is met exactly, or missed by more than rounding, in any order of adding its terms."""
    margin, scores = arguments.get("margin", 1.0), arguments["scores"].astype(np.float64)
    for row in scores:
        f, g = row[:, None], row[None, :]
        hinges = np.array([(margin - f) + g, margin + (g - f), (margin + g) - f])
        close = np.abs(hinges).max(axis=0) <= DOUBT * (margin + np.abs(row).max())
        if (hinges[:, close] != 0).any():
            return False
    return True


# --- one learner a class -------------------------------------------------------------------------------------------


def fit_one_vs_all(case, reply):
    """Judge of fit_one_vs_all."""
    arguments, answer = case.arguments, reply.answer
    shape = classes(arguments), arguments["X"].shape[1]
    counts = np.ravel(arguments.get("negatives", 1)).tolist()
    several = len(counts) > 1
    if wrong := fit_form(answer, answer_dtype(arguments["X"]), shape, None, "linear", "several" if several else True):
        return wrong
    if several and len(answer["history"]["score"]) != len(counts):
        return Outcome("history", f"it should have {len(counts)} records, one for each number of negatives", got=answer)
    if arguments.get("draws") is not None:
        return compared(learners.replay(arguments, counts), answer, answer_dtype(arguments["X"]))
    shown = {name: answer[name] for name in FIELDS[:-1]}
    reason, _, detail = learners.impossible(arguments, answer).partition(": ")
    return Outcome(reason, detail, None, None, None, shown)


def true_learners(arguments):
    """Returns the fit as a dict. Raises ValueError if the arguments are wrong."""
    return wsabie_baselines.fit_one_vs_all(**arguments)._asdict()


def _verdict(error, residual, allowed, expected, got):
    """Returns the Outcome of an answer with this error and this certificate."""
    if not error <= allowed:
        return Outcome(DIFFERS, f"by {error:.1e}, relative", error, residual, expected, got)
    if not residual <= allowed:
        return Outcome("certificate", f"its certificate is {residual:.1e}, not 0", error, residual, expected, got)
    return Outcome("", "", error, residual, expected, got)

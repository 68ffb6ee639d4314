"""The last rows of the table: top-k SVMs fitted to real images of digits, with certified gaps and top-k errors."""

import numpy as np

from ..datasets import load_digits
from ..ground_truth import losses
from .judging.case import Case
from .judging.outcome import conduct
from .judging.subject import SUBJECTS
from .report import Failure, Row
from .sandbox.sandbox import Fatal

FUNCTION = "fit_topk_svm"
COST = 1.0  # C = 1 / (n regularization)
GUESSES = (1, 3, 5)
PATIENCE = 10  # times the usual time limit, because the reference takes minutes for this fit


def digits_rows(examination):
    """Returns a row for each kind of loss and k: fitted to two thirds of the digits, tested on the last third."""
    X, y = load_digits()
    drawn = examination.generator("digits").permutation(len(y))
    train, test = np.sort(drawn[: 2 * len(y) // 3]), drawn[2 * len(y) // 3 :]
    if examination.quick:
        train = train[:: len(train) // 100]
    rows, place = [], -1
    for kind in ("alpha", "beta"):
        for k in (5,) if examination.quick else (1, 3, 5):
            if not examination.has(f"digits:{(place := place + 1)}"):
                continue
            options = {"k": k, "kind": kind, "regularization": 1 / (COST * len(train)), "tol": 1e-3}
            case = Case("digits", {"X": X[train], "y": y[train], **options}, id=f"digits:{place}")
            row = None if examination.lack(FUNCTION, case) else _row(examination, case, X[test], y[test])
            if row is None or row.skips:
                continue
            rows.append(row)
            examination.report_row(row)
            if rows[-1].failure and rows[-1].failure.reason in Fatal.REASONS:
                return rows
    return rows


def _row(examination, case, X, y):
    options = case.arguments
    row = Row(f"digits, top-{options['k']} SVM {options['kind']}", cases=1)
    examination.report_progress(row.name, 0)
    try:
        reply = examination.call(FUNCTION, case, patience=PATIENCE)
    except Fatal as end:
        row.failure = Failure(FUNCTION, end.reason, end.message, row.name, "004, algorithm 1")
        return row
    outcome = (conduct(case, reply) or SUBJECTS[FUNCTION].judge(case, reply))._replace(reply=reply)
    kind, outcome = examination.divided(FUNCTION, case, outcome)
    row.saw(outcome, X.dtype, kind, case)
    if outcome.skipped:
        return row
    if outcome.reason:
        place = "004, algorithm 1"
        row.failure = Failure(FUNCTION, outcome.reason, outcome.detail, row.name, place, options, 2, outcome.expected)
        return row
    weights = options["X"].T @ reply.answer["duals"]
    errors = (losses.topk_error(X @ weights, y, k).mean() for k in GUESSES)
    row.note = "errors " + ", ".join(f"{100 * error:.1f}" for error in errors) + " %"
    return row

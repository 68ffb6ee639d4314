"""The smallest failing instance: tiny ones are tried, then the best one is simplified step by step while it fails."""

import time

from .csr import plainer
from .report import called
from .sandbox.sandbox import Fatal

MOST_SECONDS, MOST_CALLS = 4.0, 300
# Which of several failures says most: a wrong answer, then one in a wrong form, then one where there should be none.
TELLING = ("differs from the ground truth", "certificate", "no lower bound", "differs from algorithm 1")


def smallest_failure(run, subject, rng, failures):
    """(case, outcome) of the smallest instance found that fails for the most telling reason; `run` judges a case."""
    case, outcome = min(failures, key=_weight)
    if case.refuses:
        return case, outcome
    end, calls = time.monotonic() + MOST_SECONDS, 0
    best, reason = (case, outcome), outcome.reason

    def over():
        return time.monotonic() > end or calls >= MOST_CALLS

    def fails(arguments, layout=None):
        nonlocal best, calls
        calls += 1
        trial = best[0]._replace(arguments=arguments, layout=best[0].layout if layout is None else layout)
        try:
            if reason == "raised":  # which is right where the arguments are wrong
                subject.truth(arguments)
            result = run(trial)
        except (ValueError, RuntimeError):  # not an instance at all, or one that the ground truth cannot solve
            return False
        if result.reason in Fatal.REASONS:  # each of them costs a time limit or a new process
            calls = MOST_CALLS
        if result.reason != reason:
            return False
        best = (trial, result)
        return True

    while any(not over() and fails(best[0].arguments, layout) for layout in plainer(best[0].layout)):
        pass
    for arguments in subject.tiny(rng, case.arguments):
        if over() or (cost(arguments) < cost(case.arguments) and fails(arguments)):
            break
    simpler = True
    while simpler and not over():
        simpler = False
        for arguments in subject.simpler(best[0].arguments):
            if over() or (simpler := fails(arguments)):
                break
    return best


def cost(arguments):
    """How much there is to read."""
    return sum(getattr(value, "size", 1) for value in arguments.values()), len(called("", arguments))


def _weight(failure):
    case, outcome = failure
    telling = TELLING.index(outcome.reason) if outcome.reason in TELLING else len(TELLING)
    return bool(case.refuses), telling, cost(case.arguments)

"""How many rounds do S parts need? The numbers behind a table of notebook 16.

Run from the top of the checkout:

    make study STUDY=parts            or            python -m notebooks.studies.parts

The top-1 SVM of `fast.fit_topk_svm_parts` to a gap of 1e-2 and of 1e-3, on examples that are dealt out at random to S
parts. The parts are computed one after the other in this process, so that only the algorithm is measured: rounds, and
communications, which is how often all parts are sent weights or a direction. Seconds are CPU seconds of all parts and
the driver together, with one thread. Divided by S, they bound the time of S machines from below.

Three data sets:

    digits      1797 images of scikit-learn, 64 pixels, 10 classes; C = 1 and C = 100
    mixture     5000 examples of 67 Gaussian classes that overlap a little, 512 features; C = 1 and C = 100
    documents   200 000 documents of 32 words on average, out of 100 000, as CSR rows of length 1; 100 classes; C = 1

Six methods:

    adding                      each part makes one pass a round; all changes are added, sigma' = S (Ma et al. 2015)
    adding, 50 passes           the same with 50 passes a round; with C = 1 and few parts, as a round is slow
    line search                 the best share of the changes is made; sigma' is measured
    conjugate, sigma' = S       conjugate directions; nothing is gathered
    conjugate                   the same; sigma' is measured
    gathered                    the default: the same, but listed examples of little memory are gathered, as here

The documents are solved by the last two. A fit ends after 300 rounds, or 180 CPU seconds, whatever its gap. The weights
of the documents take 80 MB, and each part makes a copy of them in each pass. So many parts in one process are slow.
Beside these methods is `fit_topk_svm`, which has all examples in one place. A row is stored when it is done, and is not
computed again. A row that was computed on another machine than the first one names it. An hour.
"""

import json
import time
from functools import cache
from pathlib import Path

import numpy as np
from sklearn.preprocessing import normalize

import fast
from fast._shared.threads import in_turn, one_blas_thread
from fast._svm.hinge import KIND_NUMBERS
from fast._svm.parts.local import LocalParts
from fast._svm.parts.part import Part, Problem, movable
from fast._svm.parts.rounds import Driver
from reference import datasets
from reference.problems import checks

from .which_estimator import machine

RESULTS = Path(__file__).parents[1] / "results" / "parts.json"
GAPS = (1e-2, 1e-3)
MOST_ROUNDS, MOST_SECONDS = 300, 180.0
PARTS = {"digits": (1, 2, 4, 8, 16, 64), "mixture": (1, 2, 4, 8, 16, 64), "documents": (1, 4, 16, 64)}
WHOLE, LONG_ROUNDS = "fit_topk_svm", "adding, 50 passes"
MEASURED = None
METHODS = {  # (combine, sigma', bytes to gather, passes a round)
    "gathered": ("conjugate", MEASURED, None, 1),
    "conjugate": ("conjugate", MEASURED, 0, 1),
    "conjugate, sigma' = S": ("conjugate", "S", 0, 1),
    "line search": ("line_search", MEASURED, 0, 1),
    "adding": ("adding", "S", 0, 1),
    LONG_ROUNDS: ("adding", "S", 0, 50),
}


def mixture():
    """(X, y) of Gaussian classes that overlap a little, with rows of length about 1."""
    n, d, m = 5000, 512, 67
    random = np.random.default_rng(0)
    y = np.concatenate([np.arange(m), random.integers(0, m, n - m)])
    X = 0.15 * random.standard_normal((m, d))[y] + random.standard_normal((n, d))
    return X / np.sqrt(d), y


def documents():
    """(X, y) of documents, one CSR row of length 1 each."""
    X, y, _ = datasets.make_documents(100, 200_000, 100_000, length=36)
    return normalize(X), y


DATA = {"digits": datasets.load_digits, "mixture": mixture, "documents": documents}
PROBLEMS = {"digits, C = 1": ("digits", 1), "digits, C = 100": ("digits", 100), "mixture, C = 1": ("mixture", 1),
            "mixture, C = 100": ("mixture", 100), "documents, C = 1": ("documents", 1)}  # fmt: skip


def parts_of(problem, method):
    """The numbers of parts in which a method solves a problem."""
    if method == LONG_ROUNDS:
        return {"digits, C = 1": (1, 2, 4, 8, 16), "mixture, C = 1": (1, 2)}.get(problem, ())
    if problem.startswith("documents") and method not in ("gathered", "conjugate"):
        return ()
    return PARTS[PROBLEMS[problem][0]]


def rows_to_do():
    """Yields (problem, method, S) of each row, the quick data sets first."""
    for problem in PROBLEMS:
        yield problem, WHOLE, 1
        yield from ((problem, method, S) for method in METHODS for S in parts_of(problem, method))


@cache
def load(data):
    return DATA[data]()


class TimeUp(Exception):
    """The fit has taken MOST_SECONDS."""


class LimitedDriver(Driver):
    """The driver of `fit_topk_svm_parts`, which stops when its CPU seconds are used up."""

    def run(self, task, *arguments, own=None):
        """Run a task for all parts, if there is time."""
        if self.seconds > MOST_SECONDS:
            raise TimeUp
        return super().run(task, *arguments, own=own)

    @property
    def seconds(self):
        """CPU seconds since the first call."""
        self.begun = getattr(self, "begun", time.process_time())
        return time.process_time() - self.begun


def driver_of(X, y, regularization, method, S):
    """The driver of the fit `fast.fit_topk_svm_parts(X, y, S, ...)` with the options of a method."""
    combine, sigma, gather, passes = METHODS[method]
    rule = checks.parts_rule(MOST_ROUNDS, passes, S if sigma == "S" else sigma, combine, gather, 0)
    m = int(y.max()) + 1
    options = checks.svm_options(len(y), m, 1, "alpha", regularization, min(GAPS), MOST_ROUNDS, None)
    problem = Problem(m, KIND_NUMBERS["alpha"], 1, options.radius, rule)
    rows = checks.parts_of(S, len(y), 0)
    parts = [Part(p, X[each], y[each], options.sample_weight[each]) for p, each in enumerate(rows)]
    engine = LocalParts(parts, problem, in_turn, 1, [None] * S)
    return LimitedDriver(engine, problem, options, (X.shape[1], m) if hasattr(X, "tocsr") else (m, X.shape[1]))


def listed(driver):
    """The number of examples that move in the next round, unless it is the first."""
    parts = zip(driver.engine.examples, driver.engine.states, strict=True)
    return sum(len(movable(part, state)) for part, state in parts)


def rounds_of(driver):
    """Yields (gap, communications, CPU seconds) after each round."""
    gap, tol = 1.0, min(GAPS)
    try:
        while gap > tol and driver.number < MOST_ROUNDS:
            driver.advance(tol / gap)
            gap = checks.relative_gap(*driver.objectives)
            yield gap, driver.talks, driver.seconds
    except TimeUp:
        return


def row_of(problem, method, S):
    """What is stored of a fit: for each gap that was reached, what it took, and the last gap."""
    data, C = PROBLEMS[problem]
    X, y = load(data)
    regularization = 1 / (C * len(y))
    if method == WHOLE:
        return whole(X, y, regularization)
    driver, row = driver_of(X, y, regularization, method, S), {}
    last = (1.0, 0, 0.0)
    with one_blas_thread():
        for number, last in enumerate(rounds_of(driver), start=1):
            for gap in GAPS:
                if last[0] <= gap and str(gap) not in row:
                    row[str(gap)] = cost(number, *last[1:])
    return row | {"gap": float(f"{last[0]:.3g}"), "rounds": driver.number, "seconds": round(driver.seconds, 2)}


def cost(rounds, communications, seconds):
    return {"rounds": rounds, "communications": communications, "seconds": float(f"{seconds:.3g}")}


def whole(X, y, regularization):
    """The same of `fit_topk_svm`, whose epochs are looks at all examples."""
    row = {}
    for gap in GAPS:
        begun = time.process_time()
        fit = fast.fit_topk_svm(X, y, regularization=regularization, tol=gap, sparse_duals=True)
        row[str(gap)] = cost(fit.epochs, 0, time.process_time() - begun)
    return row | {"gap": float(f"{fit.gap:.3g}"), "rounds": fit.epochs, "seconds": row[str(gap)]["seconds"]}


def warm_up():
    """Compile or load everything that the fits call, so that no row has to wait for it."""
    X, y = datasets.load_digits()
    for rows in (X[:200], normalize(datasets.make_documents(10, 200, 500)[0])):
        whole(rows, y[:200], 1 / 200)
        for method in METHODS:
            list(rounds_of(driver_of(rows, y[:200], 1 / 200, method, 2)))


def stored():
    """{"digits, C = 1": {"gathered": {"1": row, "2": row, ...}, ...}, ...}"""
    return json.loads(RESULTS.read_text())["rows"] if RESULTS.is_file() else {}


def first_machine():
    """The machine of the rows that name none."""
    return json.loads(RESULTS.read_text())["machine"] if RESULTS.is_file() else machine()


def store(problem, method, S, row):
    """Add a row to the file, in the order of the tables."""
    found, first = stored(), first_machine()
    row = row if machine() == first else row | {"machine": machine()}
    found.setdefault(problem, {}).setdefault(method, {})[str(S)] = row
    rows = {
        problem: {method: found[problem][method] for method in (WHOLE, *METHODS) if method in found[problem]}
        for problem in PROBLEMS
        if problem in found
    }
    RESULTS.write_text(json.dumps({"machine": first, "rows": rows}, indent=1) + "\n")


def in_words(row):
    reached = [f"{row[str(gap)]['rounds']:4} rounds to {gap:g}" for gap in GAPS if str(gap) in row]
    return "  ".join(reached or ["gap not reached"]) + f"   last gap {row['gap']:.1e}, {row['seconds']:.1f} s"


def main():
    warm_up()
    for problem, method, S in rows_to_do():
        if str(S) not in stored().get(problem, {}).get(method, {}):
            row = row_of(problem, method, S)
            store(problem, method, S, row)
            print(f"{problem:18}{method:24} S = {S:2}: {in_words(row)}", flush=True)


if __name__ == "__main__":
    main()

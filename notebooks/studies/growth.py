"""How does the time of a fit grow with examples, features and classes? The cost model of notebook 16.

Run from the top of the checkout:

    make study STUDY=growth          or            python -m notebooks.studies.growth

`fast.fit_topk_svm` with one thread fits the Gaussian classes of `workers.blobs` to a gap of 1e-3, at four sizes. The
model is  seconds = a n d m + b n m : the products of all scores, and what is done to each score. Its a and b are those
with the least relative error at the first three sizes, and the fourth, five times as large, tells what they are worth.
A row is stored when it is done, as CPU seconds. One minute.
"""

import json
import time
from pathlib import Path

import numpy as np

import fast

from .which_estimator import machine
from .workers import blobs

RESULTS = Path(__file__).parents[1] / "results" / "growth.json"
SIZES = (20_000, 256, 100), (40_000, 256, 200), (40_000, 512, 100), (100_000, 512, 200)  # n, d, m
REPEATS = 3


def row_of(n, d, m):
    """The CPU seconds of one fit, once all is compiled."""
    small, (X, y) = blobs(2000, 64, 20), blobs(n, d, m)
    fast.fit_topk_svm(*small, regularization=1 / 2000, sparse_duals=True)
    begun = time.process_time()
    fit = fast.fit_topk_svm(X, y, regularization=1 / n, sparse_duals=True)
    return {"size": [n, d, m], "seconds": round(time.process_time() - begun, 3), "epochs": fit.epochs}


def stored():
    """The rows, in turns through the sizes."""
    return json.loads(RESULTS.read_text())["rows"] if RESULTS.is_file() else []


def seconds():
    """{(n, d, m): median CPU seconds}"""
    return {size: float(np.median([r["seconds"] for r in stored() if r["size"] == list(size)])) for size in SIZES}


def model():
    """Returns (a, b), from all sizes but the last."""
    times = list(seconds().items())[:-1]
    terms = np.array([np.array(_terms(*size)) / measured for size, measured in times])
    return np.linalg.lstsq(terms, np.ones(len(times)), rcond=None)[0]


def predicted(n, d, m):
    """Returns the seconds of the model."""
    return float(model() @ _terms(n, d, m))


def _terms(n, d, m):
    return n * d * m, n * m


def main():
    for size in (SIZES * REPEATS)[len(stored()) :]:
        rows = [*stored(), row_of(*size)]
        RESULTS.write_text(json.dumps({"machine": machine(), "rows": rows}, indent=1) + "\n")
        print(rows[-1], flush=True)


if __name__ == "__main__":
    main()

"""Top-k accuracy of many methods on Caltech-101 silhouettes: the numbers behind notebook 09 (004, Table 1).

Run from the top of the checkout, with MARGINALIA_DATA set (see `reference.datasets.load_caltech101_silhouettes`):

    make study            or            python -m notebooks.studies.image_classification

The data are split five times, by `caltech101_split(y, seed)` with seeds 0 to 4: 4100 images to train, 2264 to validate,
2307 to test, as many as in the paper, but others. If the paper's own split is there (CALTECH_SPLIT), it is done first,
under the name "published", and that is a reproduction. Features are used as they are, without a bias.

On the first split (and on the published one) lambda goes through the decades from 1e3 down to 1e-5, each fit starting
where the last one ended. Then half a decade is tried on either side of what was best on the validation part, again
and again until nothing better is next to it: this refines the grid and extends it, if the best is at its border. Best
means: in top-k accuracy, for each of the columns k = 1, 2, 3, 4, 5, 10, and on average over them. Other splits begin
with what was best on the first and go on by the same rule; one-vs-rest and SVMperf for k > 1 (`take_over`) use the
lambdas of the first. Wsabie++ has no lambda here: the same path is that of its margin.

Each column has a lambda of its own, by its own validation accuracy, of equals the largest (`chosen`). What was tried is
stored with the counts of images that are right, of the validation and the test part, so that other rules can be judged.
Each method and split is stored when it is done, and not done again. Under half an hour on two cores.
"""

import json
import sys
import time
from functools import cache
from multiprocessing import Pool
from pathlib import Path
from string import ascii_letters, digits

import numpy as np

import fast
from reference import datasets

from .table1_methods import COLUMNS, DECADES, METHODS, learn

RESULTS = Path(__file__).parents[1] / "results" / "image_classification.json"
PUBLISHED, SEEDS = "published", (0, 1, 2, 3, 4)
SIZES = {"train": 4100, "validation": 2264, "test": 2307}
STEP, LIMITS = 0.5, (-8.0, 6.0)  # of log10 lambda
IMAGE_BY_IMAGE = ("top-", "softmax")  # of which it is stored which images are right
ALPHABET = digits + ascii_letters + "+/"  # one character for the six columns of an image


# --- data ----------------------------------------------------------------------------------------------------------


@cache
def parts(split):
    """{"train": (X, y), "validation": ..., "test": ...} of a seed, or of the published split."""
    if split == PUBLISHED:
        return {part: datasets.load_caltech101_silhouettes(part) for part in SIZES}
    X, y = datasets.load_caltech101_silhouettes()
    rows = datasets.caltech101_split(y, seed=split)
    return {part: (X[index], y[index]) for part, index in zip(SIZES, rows, strict=True)}


def splits():
    """The seeds, after the published split if it is there."""
    there = (datasets.data_folder() / datasets.CALTECH_SPLIT).is_file()
    return (PUBLISHED,) * there + SEEDS


def first_of(split):
    """The split whose choice of lambda this one begins with, or None."""
    return None if split in (PUBLISHED, SEEDS[0]) else SEEDS[0]


# --- the choice of lambda --------------------------------------------------------------------------------------------


def hits(scores, y):
    """Which images are right, for each column: shape (n, 6), bool. A tie counts against an image."""
    return np.column_stack([fast.topk_error(scores, y, k) == 0 for k in COLUMNS])


def best_for(tried, weights):
    """The exponent whose validation counts, so weighted, have the largest sum; of equals the largest."""
    return max(sorted(tried, reverse=True), key=lambda v: float(np.dot(tried[v]["validation"], weights)))


def column_rule(tried):
    """For each column, the exponent that is best in it."""
    return [best_for(tried, weights) for weights in np.eye(len(COLUMNS))]


def mean_rule(tried):
    """One exponent for all columns, best on average over them."""
    return [best_for(tried, np.ones(len(COLUMNS)))] * len(COLUMNS)


def top1_rule(tried):
    """One exponent for all columns, best in top-1 accuracy."""
    return column_rule(tried)[:1] * len(COLUMNS)


def beside(tried):
    """The exponents half a decade beside the best of any column, or of the mean, that are not tried yet."""
    near = {v + side for v in column_rule(tried) + mean_rule(tried)[:1] for side in (-STEP, STEP)}
    return [v for v in near if v not in tried and LIMITS[0] <= v <= LIMITS[1]]


def explore(measure, start, go_on=True):
    """{exponent: what `measure` says}, from large to small, until nothing better is next to the best."""
    tried, todo = {}, list(start)
    while todo:
        tried |= {v: measure(v) for v in sorted(todo, reverse=True)}
        todo = beside(tried) if go_on else []
    return tried


def beginning(name, split):
    """(exponents to begin with, whether to go on from there)."""
    first = first_of(split)
    if first is None:
        return DECADES, True
    tried = tried_of(stored()[key_of(first, name)])
    best = set(column_rule(tried) + mean_rule(tried)[:1])
    return sorted(best), not METHODS[name].take_over


# --- a row of the table on one split -------------------------------------------------------------------------------


def row_of(name, split):
    """What is stored of a method on a split."""
    data, states, right = parts(split), {}, {}

    def measure(exponent):
        began, larger = time.process_time(), [v for v in states if v > exponent]
        fit = learn(name, *data["train"], exponent, states[min(larger)] if larger else None)
        states[exponent] = fit.state
        seconds = time.process_time() - began
        found = {part: hits(fit.scores(data[part][0]), data[part][1]) for part in ("validation", "test")}
        right[exponent] = found["test"]
        counts = {part: array.sum(axis=0).tolist() for part, array in found.items()}
        return counts | {"gap": None if fit.gap is None else float(f"{fit.gap:.1e}"), "seconds": round(seconds, 2)}

    tried = explore(measure, *beginning(name, split))
    chosen = column_rule(tried)
    row = {"chosen": chosen, "test": [tried[v]["test"][column] for column, v in enumerate(chosen)]}
    if name.startswith(IMAGE_BY_IMAGE):
        row["right"] = as_text(np.column_stack([right[v][:, column] for column, v in enumerate(chosen)]))
    return row | {"tried": {str(v): tried[v] for v in sorted(tried)}}


def tried_of(row):
    """What a stored row tried, with exponents for keys."""
    return {float(v): record for v, record in row["tried"].items()}


def as_text(right):
    """An array (n, 6) of bool, one character a row."""
    return "".join(ALPHABET[code] for code in right @ (1 << np.arange(len(COLUMNS))))


def as_array(text):
    """The inverse of `as_text`: which images are right in which column, at its lambda."""
    codes = np.array([ALPHABET.index(letter) for letter in text], dtype=np.int64)
    return (codes[:, None] >> np.arange(len(COLUMNS)) & 1).astype(bool)


# --- the run -------------------------------------------------------------------------------------------------------


def key_of(split, name):
    return f"{split}: {name}"


def stored():
    """{"0: TopPush": row, ...}"""
    return json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}


def store(key, row):
    """Add a row; another process may be reading."""
    rows = sorted((stored() | {key: row}).items())
    lines = (f"{json.dumps(k)}: {json.dumps(v, separators=(',', ':'))}" for k, v in rows)
    new = RESULTS.with_suffix(".new")
    new.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    new.replace(RESULTS)


def stages(done):
    """What is left to do, as two lists of (split, name): splits that others begin with come first."""
    jobs = [(split, name) for split in splits() for name in METHODS if key_of(split, name) not in done]
    return [[job for job in jobs if (first_of(job[0]) is None) == first] for first in (True, False)]


def run(job):
    split, name = job
    began = time.perf_counter()
    return key_of(split, name), row_of(name, split), time.perf_counter() - began


def main(processes=2):
    from rich.progress import Progress

    RESULTS.parent.mkdir(exist_ok=True)
    work = stages(stored())
    with Progress() as bar, Pool(processes) as pool:
        task = bar.add_task("study", total=sum(map(len, work)))
        for jobs in work:
            for key, row, seconds in pool.imap_unordered(run, jobs):
                store(key, row)
                test = " ".join(f"{100 * count / SIZES['test']:.1f}" for count in row["test"])
                bar.console.print(f"{key:26} {test}  {seconds:6.1f} s", highlight=False)
                bar.advance(task)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2)

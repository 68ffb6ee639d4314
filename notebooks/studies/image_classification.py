"""Top-k accuracy of many methods on Caltech-101 silhouettes: the numbers behind notebook 14 (004, Table 1).

Run from the top of the checkout, with MARGINALIA_DATA set (see `reference.datasets.load_caltech101_silhouettes`):

    make study            or            python -m notebooks.studies.image_classification

With features of your own in place of the silhouettes: make study DATA=FILE.npz (see `own_features`).

The data are split ten times, by `caltech101_split(y, seed)` with seeds 0 to 9: 4100 images to train, 2264 to validate,
2307 to test, by the rule inferred from the published sizes. If the published split itself is there (CALTECH_SPLIT), it
is done first, under the name "published". Features are used as they are, without a bias.

On the first split (and on the published one) lambda goes through decades from large to small, each fit starting where
the last one ended. Then half a decade is tried on either side of what was best on the validation part, again and again
until nothing better is next to it: this refines the grid and extends it, if the best is at its border. Best means: in
top-k accuracy, for each of the columns k = 1, 2, 3, 4, 5, 10, and on average over them. The other splits try only
these best settings of the first, two or three as a rule. Slow methods, and those whose accuracy depends on the setting
in no regular way (`take_over`), try only the one that was best on average. Wsabie++ has no lambda here: the same path
is that of its margin.

Each column has a lambda of its own, by its own validation accuracy, of equals the largest (`chosen`). The methods with
`take_over` have one for all columns. What was tried is stored with the counts of images that are right, of the
validation and the test part, so that other rules can be judged.
Splits are done one after the other. Each method and split is stored when it is done, and not done again. Forty
minutes on one core.
"""

import argparse
import json
import time
from functools import lru_cache
from multiprocessing import Pool
from pathlib import Path

import numpy as np

import fast
from reference import datasets

from .table1_methods import COLUMNS, METHODS, SAME_AS, learn

RESULTS = Path(__file__).parents[1] / "results" / "image_classification.json"
PUBLISHED, SEEDS = "published", tuple(range(10))
SIZES = datasets.CALTECH_SIZES
TEST_TO_TRAIN = SIZES["test"] / SIZES["train"]
STEP, LIMITS = 0.5, (-8.0, 6.0)  # of log10 lambda


# --- data ----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
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
    """Which images are right, for each column: shape (n, 6), bool. A tie counts against an image.

    With as many guesses as there are classes, or more, each image is right.
    """
    return np.column_stack([fast.topk_error(scores, y, min(k, scores.shape[1])) == 0 for k in COLUMNS])


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


def rule_of(name):
    """The rule by which a row of the table is chosen."""
    return mean_rule if METHODS[name].take_over else column_rule


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
        return METHODS[name].begin, True
    tried = tried_of(stored()[key_of(first, name)])
    on_average = mean_rule(tried)[:1]
    return on_average if METHODS[name].take_over else sorted(set(column_rule(tried) + on_average)), False


# --- a row of the table on one split -------------------------------------------------------------------------------


def row_of(name, split):
    """What is stored of a method on a split."""
    return row_on(parts(split), name, *beginning(name, split))


def row_on(data, name, begin, go_on=True):
    """What is stored of a method on the parts of any data, from the exponents to begin with."""
    states = {}

    def measure(exponent):
        began, larger = time.process_time(), [v for v in states if v > exponent]
        fit = learn(name, *data["train"], exponent, states[min(larger)] if larger else None)
        states[exponent] = fit.state
        seconds = time.process_time() - began
        found = {part: hits(fit.scores(data[part][0]), data[part][1]) for part in ("validation", "test")}
        counts = {part: array.sum(axis=0).tolist() for part, array in found.items()}
        return counts | {"gap": None if fit.gap is None else float(f"{fit.gap:.1e}"), "seconds": round(seconds, 2)}

    tried = explore(measure, begin, go_on)
    chosen = rule_of(name)(tried)
    test = [tried[v]["test"][column] for column, v in enumerate(chosen)]
    return {"chosen": chosen, "test": test, "tried": {str(v): tried[v] for v in sorted(tried)}}


def tried_of(row):
    """What a stored row tried, with exponents for keys."""
    return {float(v): record for v, record in row["tried"].items()}


# --- the run -------------------------------------------------------------------------------------------------------


def key_of(split, name):
    return f"{split}: {name}"


def stored(path=None):
    """{"0: TopPush": row, ...}, of this study, or of another file."""
    path = path or RESULTS
    return json.loads(path.read_text()) if path.is_file() else {}


def store(key, row, path=None):
    """Add a row; another process may be reading."""
    path = path or RESULTS
    rows = sorted((stored(path) | {key: row}).items())
    lines = (f"{json.dumps(k)}: {json.dumps(v, separators=(',', ':'))}" for k, v in rows)
    new = path.with_suffix(".new")
    new.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    new.replace(path)


def stages(done):
    """What is left to do: a list of (split, name) for each split. The first comes first, as others begin with it."""
    return [[(split, name) for name in METHODS if key_of(split, name) not in done] for split in splits()]


def whole_splits(done):
    """The seeds of which every method is stored."""
    return [seed for seed in SEEDS if all(key_of(seed, name) in done for name in METHODS)]


def accuracies(done):
    """{name: array (n_splits, 6)}: test accuracy in %, on the splits of which every method is stored."""
    seeds = whole_splits(done)
    table = {name: np.array([done[key_of(seed, name)]["test"] for seed in seeds]) for name in METHODS}
    table |= {name: table[other] for name, other in SAME_AS.items()}
    return {name: 100 * counts / SIZES["test"] for name, counts in table.items()}


def run(job):
    split, name = job
    began = time.perf_counter()
    return key_of(split, name), row_of(name, split), time.perf_counter() - began


def compute_missing(processes):
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


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="make study", description="Top-k accuracy of many methods.")
    parser.add_argument("--processes", type=int, default=1, help="how many rows are computed at a time (default: 1)")
    parser.add_argument("--data", type=Path, help="a .npz file of your features and labels, see own_features.py")
    parser.add_argument("--rows", help="with --data: names of methods, separated by commas")
    options = parser.parse_args(arguments)
    if options.data is None:
        compute_missing(options.processes)
    else:
        from . import own_features  # which imports this module

        own_features.table(options.data, options.rows.split(",") if options.rows else own_features.ROWS)


if __name__ == "__main__":
    main()

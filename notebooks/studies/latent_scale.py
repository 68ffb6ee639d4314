"""Latent windows at the paper's scale: the numbers behind a section of notebook 10 (002, section 4.2).

Run from the top of the checkout (Linux, 4 GB of memory):

    make study STUDY=latent_scale            or            python -m notebooks.studies.latent_scale

The paper has 5011 images with 2000 windows each, 10^7 candidates, and trains the latent SVM for AP with 20 object
classes in turn. Here are as many images with made-up windows of 8 features. One image in twenty is positive: one of its
windows shows the object. (The paper's windows have thousands of features, which multiplies the time of the products by
hundreds.) `measure` calls `fast.fit_latent_ranking_svm` in a new process and stores CPU seconds:

    choosing    the best window of each positive image, for given weights, once a round
    inference   the rankings of all windows of negative images and the chosen windows, once a cutting plane
    gradients   the slopes of the hinge in all scores, from the ranks, once a cutting plane
    products    scores of all windows, and the slope in the weights, once a cutting plane
    preparing   sorting the windows into bags, once
    rest        copies of the windows for each round, checks and the small programmes

and the largest memory of the process during the fit, less what it held before. Choosing is measured apart, and so is
one inference among all windows by the method of Yue et al. (`inference_baselines`), where it takes less than a minute.

Then the paper's own count: an image is one sample, with the score of its best window. `images` ranks the images by
these scores, at the fitted weights, with both methods. Each size is stored when it is done, and is not computed again.
One CPU minute.
"""

import json
import multiprocessing
import time
import warnings
from contextlib import ExitStack, contextmanager
from pathlib import Path
from unittest.mock import patch

import numpy as np

import fast
from fast import ranking_learners
from fast.ranking_svm import Products, Ranker
from reference.problems import checks

from .inference_baselines import yue
from .inference_sweeps import quartiles, rounded
from .memory import MEGABYTE, begin_peak, peak_above
from .which_estimator import machine

RESULTS = Path(__file__).parents[1] / "results" / "latent_scale.json"
IMAGES = (50, 158, 501, 1585, 5011)  # half a decade apart
POSITIVE_SHARE, WINDOWS, FEATURES, OBJECT = 1 / 20, 2000, 8, 1.5
START = np.array([2.0, 0, 1, 1, 1, 1, 1, 1])  # of the weights: roughly towards the object, which adds to all features
REGULARIZATION, TOL = 1e-3, 1e-3
MOST_PAIRS = 10**10  # for which Yue's method takes less than a minute
METHODS = {"AP": yue, "AP_QS": lambda p, n: fast.loss_augmented_inference(p, n, "ap")}


def windows_of(images, seed=0):
    """(X, bags, relevant): noise, and in one window of each positive image an object."""
    random, positives = np.random.default_rng(seed), max(1, round(POSITIVE_SHARE * images))
    X, bags = random.standard_normal((images * WINDOWS, FEATURES), np.float32), np.repeat(np.arange(images), WINDOWS)
    shown = np.arange(positives) * WINDOWS + random.integers(0, WINDOWS, positives)
    X[shown] += np.float32(OBJECT)
    return X, bags, bags < positives


def fit(data):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return fast.fit_latent_ranking_svm(*data, regularization=REGULARIZATION, tol=TOL, weights=START)


@contextmanager
def clocks():
    """Yields {what: [CPU seconds of each call]}, which is filled while the block runs."""
    seconds, watched = {}, {
        "inference": (Ranker, "rank"),
        "hinges": (Ranker, "hinge"),
        "scores": (Products, "scores"),
        "slopes": (Products, "slope"),
        "preparing": (checks, "sorted_bags"),
    }  # fmt: skip
    with ExitStack() as stack:
        for name, (owner, attribute) in watched.items():
            seconds[name] = []
            timed = _timed(getattr(owner, attribute), seconds[name])
            stack.enter_context(patch.object(owner, attribute, timed))
        yield seconds


def _timed(function, seconds):
    def timed(*arguments, **options):
        begun = time.process_time()
        answer = function(*arguments, **options)
        seconds.append(time.process_time() - begun)
        return answer

    return timed


def measure(images):
    """What is stored of a number of images. To be called in a new process, whose memory is measured."""
    fit(windows_of(3))  # compiles
    data = windows_of(images)
    before, begun = begin_peak(), time.process_time()
    with clocks() as seconds:
        found = fit(data)
    total, peak = time.process_time() - begun, peak_above(before) / MEGABYTE
    rounds, planes = len(found.objectives), len(seconds["inference"])
    parts = {name: sum(values) for name, values in seconds.items()}
    parts["gradients"] = parts.pop("hinges") - parts["inference"]  # the hinge calls the inference
    choosing = quartiles({"choosing": choose}, [(data, found.weights)], 3)["choosing"]
    parts |= {"products": parts.pop("scores") + parts.pop("slopes"), "choosing": choosing[1] * (1 + rounds)}
    parts["rest"] = total - sum(parts.values())
    row = {"windows": len(data[0]), "positive windows": int(data[2].sum()), "rounds": rounds, "inferences": planes}
    row |= {"seconds": dict(zip(parts, rounded(parts.values()), strict=True)), "total": rounded([total])[0]}
    row |= {"one choice": choosing, "one inference": rounded(np.quantile(seconds["inference"], (0.25, 0.5, 0.75)))}
    row |= {"megabytes": round(peak), "megabytes of the windows": round(sum(a.nbytes for a in data) / 2**20)}
    row |= {"images": images_row(data, found.weights)}  # compiles Yue's method, too
    return row | {"Yue": yue_once(data, found)}


def choose(data, weights):
    """The best window of each positive image, as the fit chooses them once a round."""
    X, bags, relevant = data
    candidates = np.flatnonzero(relevant)
    return ranking_learners._highest(candidates, bags[candidates], X[candidates] @ weights)


def yue_once(data, found):
    """The CPU seconds of one inference among all windows by Yue's method, or None if it has too many pairs."""
    X, _, relevant = data
    p, n = (X[rows] @ found.weights for rows in (found.chosen, np.flatnonzero(~relevant)))
    if len(p) * len(n) > MOST_PAIRS:
        return None
    begun = time.process_time()
    yue(p, n)
    return rounded([time.process_time() - begun])[0]


def images_row(data, weights):
    """The time of one inference among the images, each with the score of its best window, by both methods."""
    X, _, relevant = data
    scores = (X @ weights).reshape(-1, WINDOWS).max(axis=1)
    positive = relevant[::WINDOWS]
    return quartiles(METHODS, [(scores[positive].astype(np.float64), scores[~positive].astype(np.float64))])


def stored():
    """{"5011": row, ...}"""
    return json.loads(RESULTS.read_text())["rows"] if RESULTS.is_file() else {}


def store(images, row):
    rows = stored() | {str(images): row}
    rows = {str(size): rows[str(size)] for size in IMAGES if str(size) in rows}
    RESULTS.write_text(json.dumps({"machine": machine(), "rows": rows}, indent=1) + "\n")


def main():
    for images in IMAGES:
        if str(images) in stored():
            continue
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            row = pool.apply(measure, (images,))
        store(images, row)
        parts = ", ".join(f"{name} {value:.2f} s" for name, value in row["seconds"].items())
        counts = f"{row['rounds']} rounds, {row['inferences']} inferences"
        print(f"{images} images: {counts}, {parts}; {row['megabytes']} MB", flush=True)


if __name__ == "__main__":
    main()

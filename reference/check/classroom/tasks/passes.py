"""Assignment 10: a predicted running time, a sum of exponentials in one pass, and a threshold from few blocks."""

import math

import numpy as np

from ...judging.case import Case
from ...judging.simplify import fewer, rounder
from ._base import task

GB = 1e9  # bytes a second, or operations a second


# --- the prediction ------------------------------------------------------------------------------------------------


def true_time(reads, writes, operations, length, itemsize, bandwidth, speed, call):
    """Returns the sum over the steps: a call, and the slower of the bytes and the operations."""
    seconds = 0.0
    for r, w, f in zip(reads, writes, operations, strict=True):
        seconds += call + max((r + w) * itemsize * length / bandwidth, f * length / speed)
    return float(seconds)


def programs(rng, _):
    """Yields instances of running_time. In ordinary ones memory is the limit of each step."""
    for steps in (1, 2, 3, 4, 6):
        for length in (1000, 100_000, 1_000_000):
            yield Case("random", _program(rng, steps, length))
    for steps in (1, 3, 5):
        many = _program(rng, steps, 10_000)
        operations = np.where(np.arange(steps) % 2 == 0, 200, many["operations"])
        yield Case("operations are the limit of some steps", {**many, "operations": operations})
    yield Case("single precision", {**_program(rng, 3, 50_000), "itemsize": 4})
    yield Case("ten numbers", _program(rng, 4, 10))


def tiny_programs(rng, _):
    """Yields short programs with round numbers."""
    for steps in (1, 1, 1, 2, 2, 2, 3):
        few = {"reads": rng.integers(1, 3, size=steps), "writes": rng.integers(0, 2, size=steps)}
        operations = rng.choice([1, 1, 100], size=steps)
        yield {
            **few,
            "operations": operations,
            "length": 1000,
            "itemsize": 8,
            "bandwidth": 1e10,
            "speed": 1e10,
            "call": 1e-6,
        }


def simpler_programs(arguments):
    """Yields programs with fewer steps."""
    for kept in fewer(len(arguments["reads"])):
        yield {**arguments, **{name: arguments[name][kept].copy() for name in ("reads", "writes", "operations")}}
    yield from rounder(arguments, ("bandwidth", "speed", "call"))


def _program(rng, steps, length):
    return {
        "reads": rng.integers(1, 4, size=steps),
        "writes": rng.integers(0, 3, size=steps),
        "operations": rng.integers(1, 4, size=steps),
        "length": length,
        "itemsize": 8,
        "bandwidth": float(rng.integers(5, 20)) * GB,
        "speed": float(rng.integers(30, 60)) * GB,
        "call": float(rng.integers(1, 40)) * 1e-7,
    }


# --- one pass ------------------------------------------------------------------------------------------------------


def true_log_sum_exp(a, size):
    """Returns log sum exp(a), whose largest exponential is 1. The size of the blocks plays no part."""
    largest = float(a.max())
    return largest + math.log(math.fsum(math.exp(v - largest) for v in a))


def vectors(rng, _):
    """Yields instances of log_sum_exp."""
    for d in (1, 2, 3, 5, 8, 20, 100):
        yield Case("random", {"a": rng.normal(size=d), "size": int(rng.integers(1, 6))})
    for d in (4, 9, 30):
        a = 3 * rng.normal(size=d)
        yield Case("ascending", {"a": np.sort(a), "size": 2})
        yield Case("descending", {"a": np.sort(a)[::-1].copy(), "size": 3})
    yield Case("numbers around 1000", {"a": 1000 + rng.normal(size=12), "size": 4})
    yield Case("numbers around -1000", {"a": -1000 + rng.normal(size=12), "size": 4})
    yield Case("far apart", {"a": 500.0 * rng.integers(-3, 4, size=12), "size": 3})
    yield Case("the largest number first", {"a": 1500.0 * np.array([1, 0, -1, 0]) + rng.normal(size=4), "size": 1})
    yield Case("all equal", {"a": np.full(10, 0.3), "size": 3})
    yield Case("one block", {"a": rng.normal(size=7), "size": 7})
    yield Case("long", {"a": rng.normal(size=40_000), "size": 4096})


def tiny_vectors(rng, _):
    """Yields short vectors of small whole numbers."""
    for d in (1, 2, 2, 2, 3, 3, 3, 4):
        yield {"a": rng.integers(-2, 3, size=d).astype(float), "size": min(d, int(rng.integers(1, 3)))}


def simpler_vectors(arguments):
    """Yields shorter vectors, or rounder numbers."""
    for kept in fewer(len(arguments["a"])):
        yield {**arguments, "a": arguments["a"][kept].copy()}
    yield from rounder(arguments, ("a",))


# --- the threshold of the simplex ----------------------------------------------------------------------------------


def true_threshold(a, size, radius):
    """Returns the t with sum max(a - t, 0) = radius; the largest number if the radius is 0. The size plays no part."""
    total, best = 0.0, -np.inf
    for j, v in enumerate(sorted(a.tolist(), reverse=True), start=1):
        total += v
        best = max(best, (total - radius) / j)
    return float(best)


def stored_vectors(rng, _):
    """Yields instances of threshold_of_blocks. In long vectors only few blocks matter."""
    for d in (1, 2, 3, 5, 8, 20, 60, 150):
        yield Case("random", {"a": rng.normal(size=d), "size": int(rng.integers(1, 8)), "radius": 1.0})
    for radius in (0.1, 5.0):
        yield Case("random", {"a": rng.normal(size=30), "size": 4, "radius": radius})
    yield Case("radius 0", {"a": rng.normal(size=12), "size": 3, "radius": 0.0})
    yield Case("ties", {"a": rng.integers(-1, 3, size=20) / 2, "size": 4, "radius": 1.0})
    yield Case("all equal", {"a": np.full(12, 0.7), "size": 5, "radius": 1.0})
    yield Case("scale 1e9", {"a": 1e9 * rng.normal(size=20), "size": 4, "radius": 3e8})
    for radius in (1.0, 0.1, 10.0):
        yield Case("a long vector", {"a": rng.normal(size=2000), "size": 100, "radius": radius})
    crowded = rng.normal(size=1000)
    crowded[200:250] = 5.0 + 0.01 * rng.random(50)
    crowded[::50] = np.maximum(crowded[::50], 4.6 + 0.2 * rng.random(20))
    yield Case("a long vector, many large numbers in one block", {"a": crowded, "size": 50, "radius": 1.0})


def tiny_stored(rng, arguments):
    """Yields short vectors of small whole numbers."""
    for tiny in tiny_vectors(rng, arguments):
        yield {**tiny, "radius": 1.0}


TASKS = {
    "running_time": task(
        programs, true_time, tiny_programs, 3, "notebook 15, The model: passes over memory", simpler_programs
    ),
    "log_sum_exp": task(
        vectors,
        true_log_sum_exp,
        tiny_vectors,
        2,
        "notebook 15, Predict, then measure",
        simpler_vectors,
        lambda a, size: 1.0,
    ),
    "threshold_of_blocks": task(
        stored_vectors,
        true_threshold,
        tiny_stored,
        2,
        "004, section 4.1, and notebook 15, the filter",
        simpler_vectors,
        lambda a, size, radius: float(np.abs(a).max()),
    ),
}

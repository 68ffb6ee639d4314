# === largest_of_the_block
"""Takes the largest number of the block for the largest so far: right, until an exponential overflows."""

import numpy as np

LOSES = {"log_sum_exp": 2.5}
FEEDBACK = "you take the largest number of the block"


def absorb(largest, total, block):
    new = block.max()
    old = 0.0 if total == 0 else total * np.exp(largest - new)
    return new, old + np.exp(block - new).sum()


# === one_call
"""Counts one call for the whole program, where each step has one."""

import numpy as np

LOSES = {"running_time": 4}
FEEDBACK = "you count one call for the whole program"


def predict(reads, writes, operations, length, itemsize, bandwidth, speed, call):
    total = call
    for r, w, f in zip(reads, writes, operations, strict=True):
        total += max((r + w) * itemsize * length / bandwidth, f * length / speed)
    return np.float64(total)


# === reads_everything
"""Reads all blocks and sorts: right, and fifty blocks where three matter."""

import numpy as np

LOSES = {"threshold_of_blocks": 2.5}
FEEDBACK = "blocks were read, where"


def find_threshold(maxima, read, radius):
    numbers = np.concatenate([read(i) for i in range(len(maxima))])
    return threshold_of(numbers, radius)


# === reads_twice
"""Goes through the blocks in rounds, and reads a block again in each."""

import numpy as np

LOSES = {"threshold_of_blocks": 5}
FEEDBACK = "was read twice; keep what you have read"


def find_threshold(maxima, read, radius):
    t = threshold_of(maxima, radius)
    while True:
        kept = np.concatenate([read(i) for i in np.flatnonzero(maxima > t)])
        new = threshold_of(kept, radius)
        if new <= t:
            return t
        t = new


# === threshold_of_the_maxima
"""Takes the threshold of the maxima for that of all numbers, and reads nothing."""

LOSES = {"threshold_of_blocks": 5}
FEEDBACK = "you return the threshold of the maxima alone"


def find_threshold(maxima, read, radius):
    return threshold_of(maxima, radius)


# === total_not_rescaled
"""Adds to the old total, although it is relative to a largest number that has changed."""

import numpy as np

LOSES = {"log_sum_exp": 5}
FEEDBACK = "you do not rescale the old total"


def absorb(largest, total, block):
    new = max(largest, block.max())
    return new, total + np.sum(np.exp(block - new))


# === writes_forgotten
"""Counts what is read. What is written moves through the memory, too."""

import numpy as np

LOSES = {"running_time": 4}
FEEDBACK = "you forget what is written"


def predict(reads, writes, operations, length, itemsize, bandwidth, speed, call):
    moving, computing = reads * itemsize * length / bandwidth, operations * length / speed
    return float(np.maximum(moving, computing).sum() + call * len(reads))

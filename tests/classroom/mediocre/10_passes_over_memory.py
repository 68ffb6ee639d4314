# === bound_from_the_maxima
"""The filter of the notebook: reads each block whose maximum is above the threshold of the maxima, at times one too many."""

import numpy as np

LOSES = {"threshold_of_blocks": 2.5}
FEEDBACK = "blocks were read, where"
SAYS = []


def find_threshold(maxima, read, radius):
    low = threshold_of(maxima, radius)
    opened = [i for i in range(len(maxima)) if maxima[i] >= low]
    return threshold_of(np.concatenate([read(i) for i in opened]), radius)


# === memory_only
"""The model of bytes alone, as in the notebook: right as long as memory is the limit of each step."""

LOSES = {"running_time": 2}
FEEDBACK = "it is right in all random cases; special ones fail"
SAYS = ["you forget the operations. Where they take longer than the bytes, they are the limit."]


def predict(reads, writes, operations, length, itemsize, bandwidth, speed, call):
    return sum(call + (r + w) * itemsize * length / bandwidth for r, w in zip(reads, writes, strict=True))


# === plain_exponentials
"""Adds the exponentials as they are, and takes the logarithm: an overflow where numbers are around 1000."""

import numpy as np

LOSES = {"log_sum_exp": 2.5}
FEEDBACK = "it is right in all random cases; special ones fail"
SAYS = []


def absorb(largest, total, block):
    new = max(largest, block.max())
    before = 0.0 if total == 0 else total * np.exp(largest)
    return new, (before + np.exp(block).sum()) / np.exp(new)

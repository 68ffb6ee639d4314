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

"""The filter of the notebook: reads each block whose maximum is above the threshold of the maxima, at times one too many."""

import numpy as np

LOSES = {"threshold_of_blocks": 2.5}
FEEDBACK = "blocks were read, where"
SAYS = []


def find_threshold(maxima, read, radius):
    low = threshold_of(maxima, radius)
    opened = [i for i in range(len(maxima)) if maxima[i] >= low]
    return threshold_of(np.concatenate([read(i) for i in opened]), radius)

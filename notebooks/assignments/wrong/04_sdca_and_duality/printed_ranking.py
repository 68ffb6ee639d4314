"""The trap of Proposition 3: ranks all m coordinates, the true class among them, as eq. (3) prints it."""

import numpy as np

LOSES = {"topk_hinge": 4}
FEEDBACK = "your alpha ranks all m coordinates"


def hinge(scores, y, k, kind):
    margins = 1 + scores - scores[np.arange(len(y)), y][:, None]
    margins[np.arange(len(y)), y] = 0.0
    largest = np.sort(margins, axis=1)[:, ::-1][:, :k]
    return (np.maximum(largest, 0) if kind == "beta" else largest).mean(axis=1).clip(min=0)

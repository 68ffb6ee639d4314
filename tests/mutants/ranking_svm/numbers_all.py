"""grouped_inference whose ranks also count the positives of other groups."""

import numpy as np

import reference

FUNCTION = "grouped_inference"
REASON = "differs from the ground truth"


def grouped_inference(scores, relevant, groups=None, loss="ap"):
    inference = reference.grouped_inference(scores, relevant, groups, loss)
    flags, numbers = np.asarray(relevant).astype(bool), np.zeros(len(scores)) if groups is None else np.asarray(groups)
    earlier = np.array([np.sum(flags & (numbers < number)) for number in numbers])
    return inference._replace(interleaving=inference.interleaving + earlier * (inference.interleaving > 0))

"""topk_hinge_gradient that returns the projection onto the domain of radius gamma, not divided by gamma."""

import reference

FUNCTION = "topk_hinge_gradient"
REASON = "differs from the ground truth"


def topk_hinge_gradient(scores, y, k=1, kind="alpha", smoothing=0.0):
    gradient = reference.topk_hinge_gradient(scores, y, k, kind, smoothing)
    return gradient * gradient.dtype.type(smoothing) if smoothing else gradient

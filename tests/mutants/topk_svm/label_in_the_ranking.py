"""topk_hinge whose smooth alpha ranks the true class among its rivals, with the margin 0."""

import reference

FUNCTION = "topk_hinge"
REASON = "differs from the ground truth"


def topk_hinge(scores, y, k=1, kind="alpha", smoothing=0.0):
    ranked = "alpha_inclusive" if kind == "alpha" and smoothing else kind
    return reference.topk_hinge(scores, y, k, ranked, smoothing)

"""topk_hinge with the ranking of eq. (3) as printed: the true class is ranked among its rivals."""

import reference

FUNCTION = "topk_hinge"
REASON = "differs from the ground truth"


def topk_hinge(scores, y, k=1, kind="alpha", smoothing=0.0):
    return reference.topk_hinge(scores, y, k, "alpha_inclusive" if kind == "alpha" else kind, smoothing)

"""fit_ranking_svm with the sign of the slope flipped and an offset to match: the dual is right, the plane is wrong."""

import reference

FUNCTION = "fit_ranking_svm"
REASON = "reports something else"


def fit_ranking_svm(X, relevant, **options):
    fit = reference.fit_ranking_svm(X, relevant, **options)
    return fit._replace(slope=-fit.slope)

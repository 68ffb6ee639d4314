"""fit_direct_loss with steps of length step_size instead of step_size / epsilon."""

import reference

FUNCTION = "fit_direct_loss"
REASON = "differs from the ground truth"


def fit_direct_loss(X, relevant, *, epsilon=0.1, step_size=1.0, **options):
    reference.fit_direct_loss(X, relevant, epsilon=epsilon, step_size=step_size, **options)  # refuses what is wrong
    return reference.fit_direct_loss(X, relevant, epsilon=epsilon, step_size=step_size * epsilon, **options)

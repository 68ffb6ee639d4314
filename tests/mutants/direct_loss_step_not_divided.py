"""fit_direct_loss with a step of step_size, where step_size / epsilon belongs."""

import reference


def fit_direct_loss(X, relevant, *, epsilon=0.1, step_size=1.0, **options):
    reference.fit_direct_loss(X, relevant, epsilon=epsilon, step_size=step_size, **options)  # refuses what is wrong
    return reference.fit_direct_loss(X, relevant, epsilon=epsilon, step_size=step_size * epsilon, **options)

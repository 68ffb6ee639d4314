"""simplexers: capped_simplexer. The upper bound is 1 there, so we divide by ours. Its answer has two axes."""

from simplexers.capped import capped_simplexer


def project_knapsack(a, total, lower=0.0, upper=1.0, weights=None):
    return upper * capped_simplexer(a / upper, total / upper).reshape(a.shape)

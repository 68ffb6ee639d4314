"""simplexers: positive_simplexer. Its answer has two axes."""

from simplexers.positive import positive_simplexer


def project_simplex(a, radius=1.0):
    return positive_simplexer(a, radius).reshape(a.shape)

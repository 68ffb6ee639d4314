"""Slow and obviously right: every problem as a quadratic program in CVXPY, by enumeration or by finite differences.

The modules carry the same names as those of `reference` and `fast`, and the same functions. This is the only package
that imports CVXPY, and `import reference` does not load it: `from reference.ground_truth import projections` does.
"""

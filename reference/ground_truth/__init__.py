"""Slow and obviously right: every problem as a quadratic program in CVXPY, by enumeration or by finite differences.

The modules have the names of those of `reference` and `fast`, and hold the same functions. This is the only package
that imports CVXPY, which the extra `examiner` installs. `import reference` does not load it;
`from reference.ground_truth import projections` does.
"""

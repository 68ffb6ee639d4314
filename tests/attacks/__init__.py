"""Attacks on `certify`: seeded problems, wrong and right answers, and judges in exact arithmetic.

An oracle finds the exact minimum of a small problem in fractions (`exact`), or in 60 digits for the entropies. It
shares no code with `reference` and `reference.check`. `python -m tests.attacks` runs all attacks and prints a table.
"""

"""Mechanical mutants of the algorithms, and how many the examiner refuses: `python -m tests.mutation`."""

"""Speed of `fast` as ratios to well-known work, such as a sort: `python -m tests.benchmarks [--quick]`.

Every module named bench_*.py has a generator `cases(quick=False)` of dicts with the keys

    work              what is measured, in words; the stored measurement is read by these words
    ours, theirs      callables without arguments: our function, and the work it is compared with
    at_least, aim     ratios of the medians, ours / theirs: the one that must be reached, and the one that is aimed at;
                      a row that only shows a cost has neither
    repeats           how often both are run, in turn

A case may have `measure` instead of the callables: a function that returns a list of seconds for each side. The points
of a sweep (see `scaling`) have two more keys: `sweep`, the series that the point belongs to, and `calls`, how often
each side does the work in one run.

`readme` is a program of its own, which writes the measured numbers into README.md.
"""

"""How fast `fast` is, as ratios against work that everybody knows: `python -m tests.benchmarks [--quick]`.

Every module here named bench_*.py has a generator `cases(quick=False)` of dicts with the keys

    work              what is measured, in words
    ours, theirs      callables without arguments: our side, and what it is held against
    at_least, aim     the ratios of their medians (ours / theirs) that must be reached, and that we would like;
                      a row that only shows what something costs has neither
    repeats           how often the two are run, one after the other

Instead of callables, `measure` may give a list of seconds for each side. The points of a sweep (see `scaling`) have two
more keys: `sweep`, which of the series it is a point of, and `calls`, how often each side does the work in one run.
"""

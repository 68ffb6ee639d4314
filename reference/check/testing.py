"""A helper for the tests of other projects.

from reference.check.testing import examine

def test_projection():
    examine("my_package.projections", names={"project_simplex": "proj"})
"""

from .naming import Naming
from .run import check

__all__ = ["examine"]


def examine(target, names=None, only=None, seed=0, quick=True, limits=None, csr=False):
    """Fail with the smallest counter-example if a function of TARGET is wrong.

    Parameters
    ----------
    target : str, path, dict or list of str
        What `check` takes: a module, a .py file, functions, or the command of a program.
    names : dict, optional
        The names that TARGET has for functions and arguments, and what it lacks: see `naming.Naming`. With `names`, and
        without `only`, exactly these functions are examined, and each must be there.
    only : str, optional
        Examine this function only, by its name here.
    seed : int
        The seed of all random instances.
    quick : bool
        Use the smaller catalogue: seconds instead of minutes.
    limits : Limits, optional
        The most time and memory that one case may take.
    csr : bool
        Also examine CSR input.

    Returns
    -------
    report : Report
        If all is right.

    Raises
    ------
    AssertionError
        A function is wrong or missing. The message has the table and the smallest failing instance that was found.
    ValueError
        `only` or a name in `names` is not that of a function that can be examined.
    """
    __tracebackhide__ = True  # pytest shows the test's line, not this one
    naming = Naming(names)
    asked = [only] if only is not None else list(names) if names else [None]
    for name in asked:
        report = check(target, name, seed, quick, limits, timed=False, csr=csr, naming=naming)
        missing = [ours for ours in report.missing if name is not None]
        assert not missing and report.passed, f"\n{report}"
    return report

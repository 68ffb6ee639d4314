"""What the tests of check share."""

from pathlib import Path

from reference.check import check

MUTANTS = Path(__file__).parents[1] / "mutants"


def examine(name, **options):
    return check(MUTANTS / f"{name}.py", quick=True, **options)


def failure_of(result, name):
    return next(row for row in result.rows if row.name == name).failure


DIFFERS = "differs from the ground truth"

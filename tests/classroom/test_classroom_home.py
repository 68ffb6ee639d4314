"""An assignment at home: the visible tests in the student's own Python, where nothing is isolated and no judge runs."""

import contextlib
import io

import pytest

from tests.support.classroom import course, grading, source

# Those with small instances: seconds each. The others run through the same code, in minutes.
NAMES = ("07_cutting_planes", "09_choosing_and_comparing", "10_passes_over_memory")


def at_home(name):
    """(grade_id, text) of the code cells, with the model answers in them and without the hidden tests."""
    for cell in source(name).cells:
        if cell.cell_type == "code":
            before, _, rest = cell.source.partition("### BEGIN HIDDEN TESTS")
            yield grading(cell)["grade_id"], before + rest.partition("### END HIDDEN TESTS")[2]


@pytest.mark.parametrize("name", NAMES)
def test_right_functions_pass_the_visible_tests(name):
    names, printed = {"__name__": "notebook"}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        for cell, text in at_home(name):
            assert not course.SECRETS.search(text.replace("### BEGIN SOLUTION", "").replace("### END SOLUTION", ""))
            exec(compile(text, f"{name}, {cell}", "exec"), names)
    examined = [grading(cell)["grade_id"] for cell in source(name).cells if "\ngrade(" in cell.source]
    assert printed.getvalue().count(": right, in all ") == len(examined) >= 2

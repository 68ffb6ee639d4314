"""Implementations that have other names, and the helper for the tests of other projects."""

import numpy as np
import pytest

import reference
from reference.check.__main__ import main
from reference.check.naming import Naming
from reference.check.testing import examine

THEIRS = '''
import reference

def proj(z, v):
    """The projection of v onto the simplex of size z."""
    return reference.project_simplex(v, z)

def loss(*, S, labels, kk=1):
    return reference.topk_error(S, labels, kk) * SIGN
'''
PROJ = {"name": "proj", "arguments": {"a": "v", "radius": "z"}}


@pytest.fixture
def theirs(tmp_path):
    def written(sign=1.0):
        path = tmp_path / f"theirs_{int(sign > 0)}.py"
        path.write_text(THEIRS.replace("SIGN", str(sign)))
        return path

    return written


def right(a, radius=1.0):
    return reference.project_simplex(a, radius)


def test_a_function_of_another_name_is_examined():
    report = examine({"proj": right}, names={"project_simplex": "proj"})
    assert [row.name for row in report.rows] == ["project_simplex"] and report.passed


def test_arguments_of_other_names_and_another_order(theirs):
    loss = {"name": "loss", "arguments": {"scores": "S", "y": "labels", "k": "kk"}, "order": []}
    with pytest.raises(AssertionError, match="missing 1 required positional argument"):  # the radius has a default here
        examine(theirs(), names={"project_simplex": PROJ | {"order": ["radius", "a"]}})
    examine(theirs(), names={"topk_error": loss})
    with pytest.raises(AssertionError, match=r"topk_error\(np.array\(\[\["):
        examine(theirs(-1.0), names={"topk_error": loss})


def test_the_failure_is_the_smallest_counter_example_in_our_names():
    with pytest.raises(AssertionError) as failure:
        wrong = {"proj": lambda a, radius=1.0: right(a, radius) * (1 + 1e-6 * (a.size > 2))}
        examine(wrong, names={"project_simplex": "proj"})
    assert "project_simplex(np.array([" in str(failure.value) and "expected" in str(failure.value)


def test_a_function_that_is_missing_fails(theirs):
    with pytest.raises(AssertionError, match="none of the public functions"):
        examine(theirs(), names={"ap_loss": "average_precision"})
    with pytest.raises(AssertionError, match="none of the public functions"):
        examine({"f": np.sort})


@pytest.mark.parametrize(
    ("names", "word"),
    [
        ({"simplex": "proj"}, "names must be for functions of reference"),
        ({"project_simplex": 3}, "must be a name, or a dict"),
        ({"project_simplex": {"title": "proj"}}, "must be a name, or a dict"),
        ({"project_simplex": {"arguments": {"b": "v"}}}, "has the arguments a, radius.*, got 'b'"),
        ({"project_simplex": {"order": ["v"]}}, "has the arguments a, radius.*, got 'v'"),
    ],
)
def test_names_that_do_not_exist_are_refused(names, word):
    with pytest.raises(ValueError, match=word):
        Naming(names)


def test_the_command_line_takes_a_file_of_names(theirs, tmp_path, capsys):
    file = tmp_path / "names.toml"
    file.write_text('[topk_error]\nname = "loss"\norder = []\narguments = { scores = "S", y = "labels", k = "kk" }\n')
    arguments = [str(theirs()), "--names", str(file), "--only", "topk_error", "--quick", "--dense"]
    assert main(arguments) == 0
    for text, word in (("x = ", "is not TOML"), ("[other]\n", "names must be for")):
        file.write_text(text)
        with pytest.raises(SystemExit):
            main(arguments)
        assert word in " ".join(capsys.readouterr().err.split())
    with pytest.raises(SystemExit):
        main(["--command", "true", "--names", str(file)])

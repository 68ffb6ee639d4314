"""What a public function promises is its statement, in `reference.problems`; the twins add what is their own."""

import ast
import inspect
from pathlib import Path

import pytest

import fast
import reference
from reference import problems
from reference.problems.checks.statement import sections

TWINS = [name for name in fast.__all__ if inspect.isfunction(getattr(fast, name))]
STATED = [name for module in problems.MODULES for name in module.__all__]


def written(function):
    """The docstring of a function as it stands in its file."""
    tree = ast.parse(Path(inspect.getsourcefile(function)).read_text(encoding="utf-8"))
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == function.__name__]
    return ast.get_docstring(found[0])


@pytest.mark.parametrize("name", STATED)
def test_twins_have_the_signature_of_their_statement(name):
    promised = inspect.signature(problems.statement(name)).parameters
    for package in (reference, fast):
        assert inspect.signature(getattr(package, name)).parameters == promised


@pytest.mark.parametrize("name", STATED)
def test_reference_repeats_the_problem_and_fast_its_first_sentence(name):
    beginning, promised = sections(inspect.getdoc(problems.statement(name)))
    for package, expected in ((reference, beginning), (fast, beginning.split("\n\n")[0])):
        found, own = sections(written(getattr(package, name)))
        assert found == expected, package
        for heading in own.keys() & promised.keys():
            assert own[heading] != promised[heading], f"{package}: {heading} is written twice"


@pytest.mark.parametrize("name", TWINS)
def test_twins_promise_the_same(name):
    twins = [getattr(package, name) for package in (fast, reference)]
    assert len({str(inspect.signature(twin)) for twin in twins}) == 1
    ours, theirs = (sections(inspect.getdoc(twin)) for twin in twins)
    assert ours[0] == theirs[0]
    for heading in (ours[1].keys() | theirs[1].keys()) - {"Notes"}:
        assert ours[1].get(heading, "").replace("fast.", "reference.") == theirs[1].get(heading), heading


def test_every_public_function_says_what_it_returns_and_has_an_example():
    for name in TWINS:
        text = inspect.getdoc(getattr(reference, name))
        assert {"Parameters", "Returns"} <= sections(text)[1].keys() and ">>>" in text, name

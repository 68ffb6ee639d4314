"""What a public function promises stands in both twins in the same words; only the Notes differ, which say how."""

import inspect
import re

import pytest

import fast
import reference

# Sections that differ on purpose: (function, section): why.
MEANT = {}
TWINS = [name for name in fast.__all__ if inspect.isfunction(getattr(fast, name))]
HEADING = re.compile(r"^([A-Z][A-Za-z ]+)\n-{3,}$", re.MULTILINE)


def sections(function):
    """{heading: text} of a docstring; the text before the first heading is the summary."""
    parts = HEADING.split(inspect.getdoc(function))
    return {"Summary": parts[0].strip()} | {
        heading: text.strip() for heading, text in zip(parts[1::2], parts[2::2], strict=True)
    }


@pytest.mark.parametrize("name", TWINS)
def test_twins_promise_the_same(name):
    ours, theirs = (sections(getattr(package, name)) for package in (fast, reference))
    for heading in sorted((ours.keys() | theirs.keys()) - {"Notes"}):
        if (name, heading) not in MEANT:
            got, expected = ours.get(heading), theirs.get(heading)
            if heading == "Examples":  # the same but for the name of the package
                got, expected = (text and re.sub(r"(fast|reference)\.", "", text) for text in (got, expected))
            assert got == expected, f"{name}, {heading}: fast has\n{got}\n\nreference has\n{expected}"


def test_what_is_meant_to_differ_does():
    for name, heading in MEANT:
        ours, theirs = (sections(getattr(package, name)).get(heading) for package in (fast, reference))
        assert ours != theirs, f"{name}, {heading} is the same: take it off the list"


def test_every_public_function_says_what_it_returns():
    for name in TWINS:
        assert {"Parameters", "Returns"} <= sections(getattr(reference, name)).keys(), name

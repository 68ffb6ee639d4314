"""The floor plan, as the imports draw it: folders import downwards only.

public modules  ->  the private folder of their family  ->  _shared  ->  reference.problems
"""

import ast
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("reference", "fast")
MOST_MODULES = 16  # in one folder
# What one family takes from a sister: the projection of one row is the main step of a passive-aggressive update.
SISTERS = {("fast._passive_aggressive", "fast._projections")}


def modules():
    """The paths of all modules, by their dotted names."""
    paths = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    return {dotted(path): path for path in paths}


def dotted(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = modules()


@cache
def imported(name):
    """The modules of this project that a module imports when it is imported itself."""
    path, found = MODULES[name], set()
    package = name.split(".") if path.stem == "__init__" else name.split(".")[:-1]
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*start, *(node.module or "").split(".")]).strip(".")
            found |= {f"{base}.{alias.name}" if f"{base}.{alias.name}" in MODULES else base for alias in node.names}
    return {other for other in found if other in MODULES and other != name}


def folder(name):
    """The private folder or the private file of `fast` that a module belongs to, None if it is public."""
    parts = name.split(".")
    return ".".join(parts[:2]) if parts[0] == "fast" and len(parts) > 1 and parts[1].startswith("_") else None


def test_there_is_no_import_circle():
    done, on_the_way = set(), []

    def visit(name):
        assert name not in on_the_way, " -> ".join([*on_the_way[on_the_way.index(name) :], name])
        if name in done:
            return
        on_the_way.append(name)
        for other in sorted(imported(name)):
            if not name.startswith(f"{other}."):  # a package that is only entered
                visit(other)
        on_the_way.pop()
        done.add(name)

    for name in MODULES:
        visit(name)


@pytest.mark.parametrize("name", [name for name in MODULES if folder(name)])
def test_a_family_imports_what_is_shared_and_no_sister(name):
    own = folder(name)
    for other in imported(name):
        theirs = folder(other)
        assert theirs or other.startswith("reference.problems"), f"{name} imports the public module {other}"
        if theirs and theirs != own:
            assert theirs == "fast._shared" or (own, theirs) in SISTERS, f"{name} imports its sister {other}"


@pytest.mark.parametrize("name", [name for name in MODULES if name.startswith("fast.") and not folder(name)])
def test_a_public_module_owns_one_private_folder_at_most(name):
    folders = {folder(other) for other in imported(name)} - {None, "fast._shared"}
    assert len(folders - {"fast._passive_aggressive"}) <= 1, f"{name} imports {sorted(folders)}"


def test_every_exception_for_a_sister_is_needed():
    assert {(folder(name), folder(other)) for name in MODULES for other in imported(name)} >= SISTERS


def test_what_is_shared_imports_nothing_of_the_families():
    for name in MODULES:
        if folder(name) == "fast._shared":
            for other in imported(name):
                assert folder(other) == "fast._shared" or other.startswith("reference.problems"), f"{name}: {other}"


def test_the_problems_and_the_ground_truth_stand_below_the_methods():
    for name in MODULES:
        for other in imported(name):
            if name.startswith("reference.problems"):
                assert other.startswith("reference.problems"), f"{name} imports {other}"
            if name.startswith("reference.ground_truth"):
                assert other.startswith(("reference.ground_truth", "reference.problems")), f"{name} imports {other}"


def test_no_folder_is_crowded():
    crowd = Counter(path.parent for path in MODULES.values() if path.stem != "__init__")
    for place, count in crowd.items():
        assert count <= MOST_MODULES, f"{place.relative_to(ROOT)} has {count} modules"

"""The house itself: who may import whom, twins with one statement, files where they belong, one list of ranges."""

import ast
import importlib
import inspect
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from tests import conftest

ROOT = Path(__file__).parents[1]
# The rooms that are furnished, and those that the design names next.
METHODS = (
    "projections", "losses", "topk_svm", "topk_svm_parts", "entropy_losses", "entropy_fits", "topk_baselines",
    "multilabel", "passive_aggressive", "ranking", "ranking_svm", "ranking_learners", "wsabie", "wsabie_losses",
    "wsabie_baselines",
)  # fmt: skip
LATER = ()
NOT_CONVEX = {"fit_truncated_topk_entropy"}  # nothing finds its minimum
PACKAGES = ("reference", "fast")
DISTRIBUTION = "marginalia-learn"
TOP_LEVEL = {
    "README.md", "environment.yml", "pyproject.toml", "constraints.txt", "Makefile", "LICENSE", "CITATION.cff",
    "CONTRIBUTING.md", "CHANGELOG.md", ".gitignore", ".github", ".ci", "reference", "fast", "tests", "notebooks",
    "book",
}  # fmt: skip
# Imported where they are used: the warning that scikit-learn users filter by class, and a minimiser.
LAZY = {
    "sklearn.exceptions.ConvergenceWarning",
    "scipy.optimize",
    "scipy.optimize.minimize",
}
# What a solver that does not iterate may do without.
STEERING = {"tol", "max_epochs", "max_iterations", "order", "seed", "duals", "sparse_duals", "progress", "n_jobs"}
STEERING |= {"callback", "every", "patience", "max_rounds", "local_epochs", "sigma", "combine", "gather"}
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)
TEXT = {".py", ".md", ".toml", ".txt", ".yml", ".cff", ".ipynb", ""}


def tracked_files():
    """What git tracks or would add; a checkout without git is listed as it lies."""
    if not (ROOT / ".git").exists():
        pytest.skip("needs a git checkout, to tell what belongs to the project")
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return [ROOT / name for name in listed if (ROOT / name).is_file()]


def modules(package):
    return sorted((ROOT / package).rglob("*.py"))


@cache
def nodes(path):
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def imports(path):
    """The dotted names of all modules that a file imports, wherever it does so, relative ones resolved."""
    package = path.relative_to(ROOT).parts[:-1]
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            yield from (".".join([*above, *filter(None, [node.module]), alias.name]) for alias in node.names)


# --- who may import whom -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", modules("fast"), ids=lambda path: path.name)
def test_fast_takes_only_the_problems_from_reference(path):
    for name in imports(path):
        if name.split(".")[0] == "reference":
            assert name.startswith("reference.problems"), name


@pytest.mark.parametrize("path", modules("reference"), ids=lambda path: str(path.relative_to(ROOT)))
def test_reference_imports_no_fast_and_only_ground_truth_a_solver(path):
    roots = {name.split(".")[0] for name in imports(path)}
    assert not roots & {"fast", "numba", "tests"}
    if "ground_truth" not in path.parts:
        assert "cvxpy" not in roots


@pytest.mark.parametrize("name", [name for name in METHODS + LATER if (ROOT / f"reference/{name}.py").exists()])
def test_methods_use_numpy_and_each_other_alone(name):
    allowed = {"numpy", "reference", *sys.stdlib_module_names}
    for imported in imports(ROOT / f"reference/{name}.py"):
        assert imported.split(".")[0] in allowed or imported in LAZY, imported
        assert not imported.startswith(("reference.ground_truth", "reference.check", "reference.datasets")), imported


PROVING = ("conditions", "bounds", "hinges", "duality", "shares", "rounding", "certify", "arguments", "specs")
CERTIFICATES = sorted(path for path in (ROOT / "reference/check").rglob("*.py") if path.stem in PROVING)


@pytest.mark.parametrize("path", CERTIFICATES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_certificates_use_numpy_alone(path):
    for imported in imports(path):
        assert imported.split(".")[0] in {"numpy", "reference", *sys.stdlib_module_names}, imported
        assert not imported.startswith("reference.ground_truth"), imported


def test_imports_are_light():
    """`import fast` loads importlib.metadata in any case: Numba does. Dask is loaded by fast.distributed only."""
    heavy = ("reference.ground_truth", "reference.check", "cvxpy", "numba", "sklearn", "pooch", "rich", "matplotlib")
    program = f"""
import sys
import reference
print([name for name in {(*heavy, "importlib.metadata")} if name in sys.modules])
import fast, fast.estimators
print([name for name in ("dask", "distributed") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["[]", "[]"], done.stdout + done.stderr


# --- twins ---------------------------------------------------------------------------------------------------------


def public_functions(package, module):
    found = vars(importlib.import_module(f"{package}.{module}"))
    return {
        name: value
        for name, value in found.items()
        if not name.startswith("_") and inspect.isfunction(value) and value.__module__ == f"{package}.{module}"
    }


@pytest.mark.parametrize("module", METHODS)
def test_twins_have_the_same_public_functions_and_ground_truth_has_them(module):
    packages = (*PACKAGES, "reference.ground_truth")
    reference, fast, truth = (public_functions(package, module) for package in packages)
    assert reference.keys() == fast.keys() and reference
    assert reference.keys() - NOT_CONVEX <= truth.keys()
    for name in reference.keys() - NOT_CONVEX:
        parameters = inspect.signature(reference[name]).parameters
        kept = inspect.signature(truth[name]).parameters
        plain = {key: parameter.replace(annotation=parameter.empty) for key, parameter in parameters.items()}
        expected = [str(parameter) for key, parameter in plain.items() if key in kept or key not in STEERING]
        assert [str(parameter) for parameter in kept.values()] == expected, name


@pytest.mark.parametrize("package", PACKAGES)
def test_packages_export_what_their_modules_hold(package):
    exported = importlib.import_module(package).__all__
    assert len(set(exported)) == len(exported)
    for module in METHODS:
        assert module in exported
        assert set(public_functions(package, module)) <= set(exported)


def test_both_packages_export_the_same_names():
    reference, fast = (importlib.import_module(package) for package in PACKAGES)
    assert set(reference.__all__) - set(fast.__all__) == {"datasets"}
    assert set(fast.__all__) <= set(reference.__all__)
    assert fast.TopKSVMFit is reference.TopKSVMFit
    assert fast.PassiveAggressiveFit is reference.PassiveAggressiveFit


# --- files ---------------------------------------------------------------------------------------------------------


def test_top_level_is_what_the_design_says():
    got = {path.relative_to(ROOT).parts[0] for path in tracked_files()}
    assert got == TOP_LEVEL


@pytest.mark.parametrize("package", ["reference", "fast", "reference/ground_truth"])
def test_rooms_have_the_same_names_everywhere(package):
    present = {path.stem for path in (ROOT / package).glob("*.py")}
    assert set(METHODS) <= present
    kept = {"__init__", "datasets", "estimators", "enumeration", "finite_differences", "warm"}
    assert {name for name in present if not name.startswith("_")} <= kept | set(METHODS + LATER)


def test_no_file_names_a_machine():
    # Spelled in pieces, so that this file does not contain what it looks for.
    for path in tracked_files():
        if path.suffix in TEXT:
            text = path.read_text(encoding="utf-8")
            for word in ("/" + "work/", "/" + "home/", "/" + "root/", "/" + "tmp/v", "/" + "Users/"):
                assert word not in text, f"{path.relative_to(ROOT)} holds {word}"


def docstring_lines(node):
    return node.body[0].end_lineno - node.body[0].lineno + 1 if ast.get_docstring(node) else 0


def test_modules_and_functions_stay_short():
    """A public module is mostly documentation: at most 180 of its lines are code, and 400 with the docstrings."""
    for package in PACKAGES:
        for path in modules(package):
            lines = len(path.read_text(encoding="utf-8").splitlines())
            documented = [node for node in nodes(path) if isinstance(node, DOCUMENTED)]
            public = path.stem in METHODS and path.parent == ROOT / package
            public |= path.parent == ROOT / "fast/estimators" and not path.stem.startswith("_")
            assert lines <= (400 if public else 320), path.name
            if public:
                assert lines - sum(map(docstring_lines, documented)) <= 180, path.name
            for node in documented:
                if isinstance(node, ast.FunctionDef):
                    assert node.end_lineno - node.lineno - docstring_lines(node) <= 45, f"{path.name}: {node.name}"


# --- one list of ranges, one list of pins --------------------------------------------------------------------------


def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def requirements():
    """All requirements. An extra may hold others of this project, which are listed under their own names."""
    table = project()
    every = [*table["dependencies"], *(entry for extra in table["optional-dependencies"].values() for entry in extra)]
    return [entry for entry in every if not entry.startswith("marginalia-learn[")]


def test_nothing_tells_anybody_to_install_the_other_project_of_our_name():
    """In the public registry, the name of this project without "-learn" belongs to others."""
    others = re.compile(r"(?<![\w./-])marginalia\[|pip install [\"']?marginalia\b(?!-learn)|import marginalia")
    assert others.search('pip install "marg' + 'inalia[examiner]"') and not others.search('"marginalia-learn[test]"')
    found = [path for path in tracked_files() if path.suffix in TEXT and others.search(path.read_text("utf-8"))]
    assert [str(path.relative_to(ROOT)) for path in found if path != Path(__file__)] == []
    for name in ("README.md", "CITATION.cff", "pyproject.toml"):
        assert DISTRIBUTION in (ROOT / name).read_text(encoding="utf-8"), name


def name_and_range(entry):
    """The name and the range of a requirement. Conda has no extras, such as the [array] of Dask."""
    return re.fullmatch(r"([A-Za-z0-9_.-]+)(?:\[.*?\])?(.*)", entry).groups()


def test_environment_has_the_ranges_of_pyproject():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    assert environment["name"] == "marginalia" and project()["name"] == DISTRIBUTION
    assert environment["channels"] == ["conda-forge"]
    expected = dict(map(name_and_range, requirements())) | {"python": project()["requires-python"], "pip": ""}
    listed = [entry for entry in environment["dependencies"] if isinstance(entry, str)]
    by_pip = [entry for group in environment["dependencies"] if isinstance(group, dict) for entry in group["pip"]]
    assert dict(map(name_and_range, listed + by_pip)) == expected


def test_constraints_pin_names_to_versions_and_nothing_else():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    for line in pins:
        assert re.fullmatch(r"[A-Za-z0-9_.-]+==[A-Za-z0-9.]+", line), line
    pinned = {line.split("==")[0].lower() for line in pins}
    assert {name_and_range(entry)[0].lower() for entry in requirements()} <= pinned


def test_citation_cites_the_project_and_its_sources():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["title"] == "Marginalia" and citation["version"] == project()["version"]
    assert DISTRIBUTION in citation["abstract"]
    assert citation["license"] == project()["license"]
    families = [author["family-names"] for source in citation["references"] for author in source["authors"]]
    assert {"Lapin", "Daumé", "Bittorf", "Mohapatra", "Gupta"} <= set(families)
    assert "Abhishek Kumar" in str(citation)


def test_readme_shows_the_commands_and_every_room():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for command in ("make check", "make test", "make classroom", "python -m reference.check solution.py"):
        assert command in readme, command
    assert readme.count("```text\n") >= 2 and "(output)" not in readme, "the two commands stand without their output"
    for link in re.findall(r"\]\(([^)#]+)\)", readme):
        if "://" not in link:
            assert (ROOT / link).exists(), link


EVERYTHING = SimpleNamespace(getoption=lambda name: None)  # a run without --family


def test_the_longest_files_are_there_and_are_begun_first():
    assert all((ROOT / name).is_file() for name in conftest.LONGEST)
    first, second = conftest.LONGEST[:2]
    names = ["tests/test_frame.py::a", f"{second}::b", f"{first}::c", "tests/test_frame.py::d"]
    items = [SimpleNamespace(nodeid=name) for name in names]
    conftest.pytest_collection_modifyitems(EVERYTHING, items)
    assert [item.nodeid for item in items] == [names[2], names[1], names[0], names[3]]
    assert "--no-loadscope-reorder" in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_what_needs_a_system_is_skipped_on_others_and_no_name_is_out_of_date(monkeypatch):
    for start in conftest.NEEDS:
        name, _, test = start.partition("::")
        files = [path for path in (ROOT / "tests").rglob("test_*.py") if str(path.relative_to(ROOT)).startswith(name)]
        assert files and (not test or any(f"def {test}" in path.read_text(encoding="utf-8") for path in files)), start
    item = SimpleNamespace(nodeid="tests/svm/test_topk_svm_peak.py::a", markers=[])
    item.add_marker = item.markers.append
    for system, skipped in ((sys.platform, sys.platform != "linux"), ("darwin", True)):
        monkeypatch.setattr(sys, "platform", system)
        item.markers.clear()
        conftest.pytest_collection_modifyitems(EVERYTHING, [item])
        assert bool(item.markers) == skipped


def test_makefile_has_its_targets_and_ci_calls_the_readmes_command():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in ("check", "test", "lab", "book", "bench", "lint", "classroom"):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    assert "make test" in (ROOT / ".ci/run").read_text(encoding="utf-8")

"""The package: a wheel and a source archive that hold what they should, the version, and the workflows."""

import importlib
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from reference.problems.checks import extras

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
PACKAGES = ("reference", "fast")
# The page that docstrings refer to, and what tells type checkers that both packages have types.
DATA = {"reference/check/CERTIFICATES.md", "reference/py.typed", "fast/py.typed"}
BUILT_FROM = ("pyproject.toml", "README.md", "LICENSE", *PACKAGES)


def run(*command, cwd=ROOT):
    done = subprocess.run([sys.executable, *map(str, command)], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    return done.stdout


def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def without_caches(folder, names):
    return [name for name in names if name == "__pycache__" or name.endswith(".pyc")]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The wheel and the source archive, built from a copy: setuptools writes beside the sources."""
    folder = tmp_path_factory.mktemp("package")
    source, out = folder / "source", folder / "dist"
    source.mkdir()
    for name in BUILT_FROM:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=without_caches)
        else:
            shutil.copy(ROOT / name, source)
    run("-m", "build", "--no-isolation", "--outdir", out, source)
    return SimpleNamespace(wheel=next(out.glob("*.whl")), archive=next(out.glob("*.tar.gz")), all=list(out.iterdir()))


def expected():
    """The files that both packages consist of."""
    modules = {str(path.relative_to(ROOT)) for name in PACKAGES for path in (ROOT / name).rglob("*.py")}
    return {name.replace("\\", "/") for name in modules} | DATA


def test_a_wheel_and_an_archive_are_built_and_twine_finds_nothing(built):
    start = f"marginalia_learn-{project()['version']}"
    assert sorted(path.name for path in built.all) == [f"{start}-py3-none-any.whl", f"{start}.tar.gz"]
    assert run("-m", "twine", "check", "--strict", built.wheel, built.archive).count("PASSED") == 2


def test_the_wheel_holds_the_packages_and_nothing_else(built):
    with zipfile.ZipFile(built.wheel) as wheel:
        names = set(wheel.namelist())
    described = f"marginalia_learn-{project()['version']}.dist-info/"
    assert {name for name in names if not name.startswith(described)} == expected()
    assert {name[len(described):] for name in names if name.startswith(described)} == {
        "METADATA", "RECORD", "WHEEL", "top_level.txt", "licenses/LICENSE",
    }  # fmt: skip


def test_the_archive_holds_what_the_wheel_is_built_from(built):
    with tarfile.open(built.archive) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert expected() | {"pyproject.toml", "README.md", "LICENSE"} <= names


def test_the_wheel_installs_and_is_imported_from_there(built, tmp_path):
    run("-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-compile", "--target", tmp_path, built.wheel)
    program = f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
import fast, reference, reference.check
print(fast.__file__)
print(fast.project_simplex([2.0, 0.0]))
print(fast.__version__, reference.__version__)
"""
    place, answer, versions = run("-c", program, cwd=tmp_path).splitlines()
    assert Path(place).is_relative_to(tmp_path) and answer == "[1. 0.]"
    assert versions == f"{project()['version']} {project()['version']}"


def test_every_file_that_is_no_module_is_listed():
    kinds = {path for name in PACKAGES for path in (ROOT / name).rglob("*") if path.is_file()}
    others = {str(path.relative_to(ROOT)).replace("\\", "/") for path in kinds if path.suffix not in (".py", ".pyc")}
    assert others == DATA


# --- the version ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("package", PACKAGES)
def test_without_an_installation_the_version_is_that_of_the_checkout_if_there_is_one(package, monkeypatch, tmp_path):
    def nothing_is_installed(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", nothing_is_installed)
    module = importlib.import_module(package)
    assert module.__version__ == project()["version"]
    monkeypatch.setattr(extras, "__file__", str(tmp_path / "reference/problems/checks/extras.py"))
    assert module.__version__ == "0+unknown"
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "another"\nversion = "7.0"\n', encoding="utf-8")
    assert module.__version__ == "0+unknown"
    assert not hasattr(module, "__versio__")


def test_the_changelog_begins_with_the_version_of_the_project():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    heads = re.findall(r"^## \[(\d+\.\d+\.\d+)\] - (not released|\d{4}-\d\d-\d\d)$", text, re.MULTILINE)
    assert heads and heads[0][0] == project()["version"]
    assert len(heads) == len(re.findall(r"^## ", text, re.MULTILINE))
    kinds = set(re.findall(r"^### (.*)$", text, re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


# --- workflows -----------------------------------------------------------------------------------------------------


def jobs(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]


def test_the_workflows_keep_to_the_schema():
    """The schema of SchemaStore, which check-jsonschema carries: nothing is downloaded."""
    assert [path.name for path in WORKFLOWS] == ["book.yml", "tests.yml"]
    run("-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", *WORKFLOWS)


def test_the_tests_run_on_three_systems_with_every_python_from_the_first():
    matrices = [job["strategy"]["matrix"] for job in jobs(ROOT / ".github/workflows/tests.yml").values()]
    systems = {system.partition("-")[0] for matrix in matrices for system in matrix.get("os", ["ubuntu-latest"])}
    assert systems == {"ubuntu", "macos", "windows"}
    first = project()["requires-python"].removeprefix(">=")
    for matrix in matrices:
        assert matrix["python"][0] == first and matrix["python"] == [f"3.{minor}" for minor in range(11, 15)]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_calls_commands_that_exist(path):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    extras, text = project()["optional-dependencies"], path.read_text(encoding="utf-8")
    for target in re.findall(r"\bmake (\w+)", text):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    for listed in re.findall(r'--editable "\.\[(.*?)\]"', text):
        assert set(listed.split(",")) <= set(extras)
    for step in (step for job in jobs(path).values() for step in job["steps"] if "uses" in step):
        assert re.fullmatch(r"actions/[a-z-]+@v\d+", step["uses"]), step["uses"]

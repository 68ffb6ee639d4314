"""The cache of compiled kernels: on by default, never stale, and no trouble to anyone who cannot have it.

The processes run a small copy of the project: `fast/_shared/cache.py` and `jit.py` as they are, and three files of
kernels that compile in a tenth of a second.
"""

import errno
import inspect
import os
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import llvmlite
import numba
import numpy as np
import pytest

import fast
from fast import warm
from fast._shared import cache
from tests.support.forked import Forked

ROOT = Path(__file__).parents[1]
FILES = {
    "fast/__init__.py": "",
    "fast/_small/__init__.py": "",
    "fast/_small/constants.py": "STEP = 1.0\n",
    "fast/_small/helper.py": """
from .._shared.jit import inlined
from .constants import STEP

@inlined
def add_step(x):
    return x + STEP
""",
    "fast/_small/top.py": """
from .._shared.jit import kernel
from .helper import add_step

@kernel
def add_steps(x, count):
    for _ in range(count):
        x = add_step(x)
    return x
""",
    "reference/__init__.py": "",
    "reference/problems/checks/__init__.py": "",
}
KEPT = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "XDG_"))}
# What any program that compiles does first. It takes a second.
READY = """
import numba, platformdirs
from numba.core.registry import cpu_target
cpu_target.target_context.refresh()
cpu_target.typing_context.refresh()
"""
# Prints the answer, how many kernels were loaded, and their folder.
PROGRAM = """
import warnings
warnings.simplefilter("error")
from fast._small.top import add_steps
print(add_steps(0.5, 3), sum(add_steps.stats.cache_hits.values()), add_steps.stats.cache_path)
"""


def build(folder):
    """A small copy of the project in a folder, beside a home without a cache. Returns the copy."""
    for name, text in FILES.items():
        path = folder / "house" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    shutil.copytree(ROOT / "fast" / "_shared", folder / "house" / "fast" / "_shared")
    (folder / "home").mkdir()
    return folder / "house"


@pytest.fixture
def house(tmp_path):
    """A copy of the project that has not been run."""
    return build(tmp_path)


@pytest.fixture(scope="module")
def first_run(tmp_path_factory):
    """Returns a copy of the project that has been run, and what the run returned."""
    house = build(tmp_path_factory.mktemp("first"))
    return house, finish(start(house))


@pytest.fixture
def used(first_run, tmp_path):
    """Returns a copy of the project that has been run, and the folder of its kernels."""
    house, (_, _, folder) = first_run
    shutil.copytree(house.parent, tmp_path, dirs_exist_ok=True)
    return tmp_path / "house", tmp_path / folder.relative_to(house.parent)


def own(house):
    """The variables of a process that has a home of its own."""
    return {"HOME": str(house.parent / "home"), "PYTHONPATH": str(house), "PYTHONDONTWRITEBYTECODE": "1"}


def start(house, **environment):
    """Start a process that has no settings of Numba but the given ones."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    command = [sys.executable, "-c", PROGRAM]
    return subprocess.Popen(command, cwd=house.parent, env=KEPT | own(house) | environment, **pipes)


def finish(process):
    """Returns (answer, number of kernels loaded, folder)."""
    return read(*process.communicate(timeout=120), process.returncode)


def read(out, errors, status):
    assert status == 0, errors[-2000:]
    answer, loaded, folder = out.split(maxsplit=2)
    return float(answer), int(loaded), Path(folder.strip())


@pytest.fixture(scope="module")
def run():
    """A function that runs a program beside a home, in a process that need not prepare Numba. See `finish`."""
    with Forked(READY, options=("-B",), environment=KEPT) as process:

        def run(house, program=PROGRAM, **environment):
            done = process.run(program, house.parent, **own(house) | environment)
            return read(done.stdout, done.stderr, done.returncode)

        yield run


def kernels(folder):
    """The names of the files in a folder, but for the tag."""
    return sorted(path.name for path in folder.iterdir() if path.name != cache.TAG) if folder.is_dir() else []


# --- what is loaded, and what never is -----------------------------------------------------------------------------


def test_the_second_process_loads_what_the_first_compiled(first_run):
    house, (answer, loaded, folder) = first_run
    assert (answer, loaded) == (3.5, 0)
    assert folder.is_relative_to(house.parent / "home") and (folder / cache.TAG).read_text() == cache.TAG_TEXT
    assert len(kernels(folder)) == 2  # the kernel, and the helper for others
    assert finish(start(house)) == (3.5, 1, folder)


def test_a_change_in_another_file_is_noticed(used, run):
    house, before = used
    path = house / "fast" / "_small" / "constants.py"
    status = path.stat()
    path.write_text("STEP = 2.0\n")  # as long as before
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    answer, loaded, after = run(house)
    assert (answer, loaded) == (6.5, 0) and after != before
    path.write_text("STEP = 1.0\n")
    assert run(house) == (3.5, 1, before)


def test_the_checks_belong_to_the_sources(used, run):
    house, before = used
    (house / "reference" / "problems" / "checks" / "__init__.py").write_text("NONE = -1\n")
    _, loaded, after = run(house)
    assert loaded == 0 and after != before


@pytest.mark.parametrize(
    ("module", "name", "value"),
    [(numba, "__version__", "0"), (llvmlite, "__version__", "0"), (np, "__version__", "0"), (sys, "version", "0")]
    + [(cache, "DIGEST", "0"), (cache.importlib.metadata, "version", lambda name: "0"), (numba.config, "OPT", "1")]
    + [(type(cache.cpu_target.target_context.codegen()), "magic_tuple", lambda codegen: "another processor")],
)
def test_all_that_the_code_depends_on_is_in_the_key(monkeypatch, module, name, value):
    before = cache._cache_key()
    assert cache._cache_key() == before
    monkeypatch.setattr(module, name, value)
    assert cache._cache_key() != before


def test_the_sources_are_all_files_of_fast_and_of_the_checks():
    here = [*(ROOT / "fast").rglob("*.py"), *(ROOT / "reference" / "problems" / "checks").rglob("*.py")]
    folders = (ROOT / "fast", ROOT / "reference" / "problems" / "checks")
    assert sorted(text for folder in folders for _, text in cache._sources(folder)) == sorted(
        path.read_bytes() for path in here
    )


def test_a_module_that_is_loaded_again_is_not_cached(used, run):
    again = "import importlib, fast._small.top as top\nadd_steps = importlib.reload(top).add_steps\nprint"
    assert run(used[0], PROGRAM.replace("print", again)) == (3.5, 0, Path("None"))


def test_a_kernel_that_is_compiled_again_is_not_cached(used, run):
    program = """
import fast._small.helper as helper, fast._small.top as top
top.add_steps(0.5, 3)
helper.STEP = 2.0
helper.add_step.recompile()
top.add_steps.recompile()
print(top.add_steps(0.5, 3), 0, top.add_steps.stats.cache_path)
"""
    assert run(used[0], program) == (6.5, 0, Path("None"))
    assert run(used[0])[:2] == (3.5, 1)


# --- where it is ---------------------------------------------------------------------------------------------------


def test_numbas_own_variable_wins(house, tmp_path, run):
    chosen = tmp_path / "chosen"
    _, _, folder = finish(start(house, NUMBA_CACHE_DIR=str(chosen)))
    assert folder.is_relative_to(chosen) and len(kernels(folder)) == 2
    assert not any((tmp_path / "home").rglob("*.kernel"))
    set_later = f"import numba\nnumba.config.CACHE_DIR = {str(chosen)!r}\n"
    assert run(house, set_later + PROGRAM) == (3.5, 1, folder)


def test_other_packages_keep_their_settings(used, run):
    program = f"import numba\nbefore = numba.config.CACHE_DIR\n{PROGRAM}\nassert numba.config.CACHE_DIR == before == ''"
    assert run(used[0], program) == (3.5, 1, used[1])


def test_a_package_in_a_zip_file_is_cached(house, tmp_path, run):
    with zipfile.ZipFile(tmp_path / "house.zip", "w") as file:
        for path in house.rglob("*.py"):
            file.write(path, path.relative_to(house))
    shutil.rmtree(house)
    packed = {"PYTHONPATH": str(tmp_path / "house.zip")}
    answer, loaded, folder = run(house, **packed)
    assert (answer, loaded, len(kernels(folder))) == (3.5, 0, 2)
    assert run(house, **packed) == (3.5, 1, folder)


# --- trouble -------------------------------------------------------------------------------------------------------


def test_two_processes_at_once(house, run):
    both = [start(house), start(house)]
    answers = [finish(process) for process in both]
    assert [answer for answer, _, _ in answers] == [3.5, 3.5]
    folder = answers[0][2]
    assert len(kernels(folder)) == 2 and all(name.endswith(cache.KERNEL) for name in kernels(folder))
    assert run(house) == (3.5, 1, folder)


@pytest.mark.parametrize("home", ["missing", "a file", "a file for the cache", "read-only"])
def test_a_home_that_takes_no_files(house, tmp_path, home, run):
    place = tmp_path / home
    if home == "a file":
        place.write_text("")
    elif not home.startswith("missing"):
        place.mkdir()
    if home == "a file for the cache":
        (place / ".cache").write_text("")
    if home == "read-only":
        place.chmod(0o500)
    answer, loaded, _ = run(house, HOME=str(place))
    assert (answer, loaded) == (3.5, 0)
    assert place.exists() == (not home.startswith("missing"))


def test_what_is_in_a_read_only_folder_is_still_loaded(used, run):
    house, folder = used
    folder.chmod(0o500)
    assert run(house) == (3.5, 1, folder)
    folder.chmod(0o700)


def test_a_disk_that_is_full(house, run):
    limit = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"  # bytes: less than a kernel
    pytest.importorskip("resource")
    answer, loaded, folder = run(house, limit + PROGRAM)
    assert (answer, loaded, kernels(folder)) == (3.5, 0, [])


@pytest.mark.parametrize("step", ["mkdir", "mkstemp", "replace"])
def test_no_error_of_the_disk_ends_a_call(house, step, run):
    program = f"""
import os, pathlib, tempfile
def full(*arguments, **options):
    raise OSError({errno.ENOSPC}, "no space left")
pathlib.Path.mkdir, tempfile.mkstemp, os.replace = [
    full if name == {step!r} else kept
    for name, kept in (("mkdir", pathlib.Path.mkdir), ("mkstemp", tempfile.mkstemp), ("replace", os.replace))]
"""
    answer, loaded, folder = run(house, program + PROGRAM)
    assert (answer, loaded, kernels(folder)) == (3.5, 0, [])


@pytest.mark.parametrize("damage", ["empty", "one bit", "another kernel"])
def test_a_damaged_file_is_compiled_again(used, damage, run):
    house, folder = used
    top, helper = (next(folder.glob(f"*{name}-*")) for name in ("add_steps", "add_step"))
    content = top.read_bytes()
    flipped = content[:5000] + bytes([content[5000] ^ 1]) + content[5001:]
    top.write_bytes({"empty": b"", "one bit": flipped, "another kernel": content[32:]}[damage])
    assert run(house) == (3.5, 0, folder)
    assert run(house) == (3.5, 1, folder) and helper.exists()


# --- old folders ---------------------------------------------------------------------------------------------------


@pytest.fixture
def old_folders(tmp_path, monkeypatch):
    """Folders of ours, opened 0, 2, 4, ... days ago; then others, which look alike."""
    monkeypatch.setattr(cache, "root", lambda: tmp_path)
    ours = [tmp_path / f"kernels-{i:024x}" for i in range(cache.MOST_FOLDERS + 3)]
    others = [tmp_path / name for name in ("kernels-1", "photos", f"kernels-{99:024x}", f"kernels-{98:024x}")]
    for age, path in enumerate(ours + others):
        path.mkdir()
        (path / f"a{cache.KERNEL}").write_text("1234")
        if path not in others[2:]:
            (path / cache.TAG).write_text(cache.TAG_TEXT)
            os.utime(path / cache.TAG, (time.time() - 2 * age * cache.A_DAY,) * 2)
    (others[3] / cache.TAG).write_text("Signature: of somebody else")
    return ours, others


def test_a_new_folder_replaces_the_oldest_ones_of_ours(old_folders, tmp_path):
    ours, others = old_folders
    (ours[-1] / "notes.txt").write_text("mine")
    new = tmp_path / f"kernels-{77:024x}"
    cache._write(new / f"b{cache.KERNEL}", b"1")
    assert kernels(new) == [f"b{cache.KERNEL}"]
    kept = [path.exists() for path in ours]
    assert kept == [True] * (cache.MOST_FOLDERS - 1) + [False] * 3 + [True]
    assert kernels(ours[-1]) == ["notes.txt"]  # what is not ours stays
    assert all(kernels(path) == [f"a{cache.KERNEL}"] for path in others)


def test_a_folder_that_was_opened_within_a_day_is_kept(old_folders, tmp_path):
    ours, _ = old_folders
    for path in ours:
        os.utime(path / cache.TAG)
    cache._write(tmp_path / f"kernels-{77:024x}" / "b", b"1")
    assert all(path.exists() for path in ours)


def test_clear_removes_our_folders_and_no_others(old_folders):
    ours, others = old_folders
    cache.clear()
    assert not any(path.exists() for path in ours)
    assert all(kernels(path) == [f"a{cache.KERNEL}"] for path in others)


def test_a_link_in_place_of_a_folder_is_not_followed(old_folders, tmp_path):
    _, others = old_folders
    link = tmp_path / f"kernels-{55:024x}"
    link.symlink_to(others[0])
    (others[0] / cache.TAG).write_text(cache.TAG_TEXT)
    cache.clear()
    assert link.is_symlink() and (others[0] / f"a{cache.KERNEL}").exists()


# --- wrappers ------------------------------------------------------------------------------------------------------


def test_a_kernel_has_a_wrapper_once_python_calls_it(house, run):
    program = """
from fast._small.top import add_steps
from fast._small.helper import add_step
assert add_steps(0.5, 3) == 3.5
assert add_step(0.5) == 1.5 and add_steps(1.0, 1) == 2.0
print(add_step(1.5), sum(add_step.stats.cache_hits.values()), add_step.stats.cache_path)
"""
    assert run(house, program)[:2] == (2.5, 0)
    assert run(house, program)[:2] == (2.5, 1)


# --- the program that compiles everything --------------------------------------------------------------------------


def test_warm_calls_every_public_function():
    public = {name for name in fast.__all__ if inspect.isfunction(getattr(fast, name))}
    assert {name for name, _ in warm.calls()} == public


def test_warm_says_where_the_kernels_are_and_clears_no_others(monkeypatch, capsys, old_folders, tmp_path):
    ours, others = old_folders
    called = []
    monkeypatch.setattr(warm, "calls", lambda: [("one", lambda: called.append(1)), ("two", lambda: called.append(2))])
    monkeypatch.setattr(cache, "folder", lambda: ours[0])
    warm.main([])
    assert called == [1, 2] and f"0.0 MB of compiled kernels in {ours[0]}" in capsys.readouterr().out
    warm.main(["t*"])
    assert called == [1, 2, 2]
    with pytest.raises(SystemExit):
        warm.main(["one", "three"])
    assert called == [1, 2, 2] and "three matches no function of fast" in capsys.readouterr().err
    warm.main(["--clear"])
    assert str(tmp_path) in capsys.readouterr().out
    assert not any(path.exists() for path in ours) and all(path.exists() for path in others)

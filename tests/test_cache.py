"""The cache of compiled kernels: on by default, never stale, and no trouble to anyone who cannot have it.

What it does with files and folders is in test_cache_folders.py. Here processes run a small copy of the project:
`fast/_shared/cache.py` and `jit.py` as they are, and three files of kernels that compile in a tenth of a second.
"""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

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
# Prints the answer, how many kernels were loaded, and their folder. The settings of other packages stay.
PROGRAM = """
import numba, warnings
warnings.simplefilter("error")
before = numba.config.CACHE_DIR
from fast._small.top import add_steps
print(add_steps(0.5, 3), sum(add_steps.stats.cache_hits.values()), add_steps.stats.cache_path)
assert numba.config.CACHE_DIR == before
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
    return house, run_anew(house)


@pytest.fixture
def used(first_run, tmp_path):
    """Returns a copy of the project that has been run, and the folder of its kernels."""
    house, (_, _, folder) = first_run
    shutil.copytree(house.parent, tmp_path, dirs_exist_ok=True)
    return tmp_path / "house", tmp_path / folder.relative_to(house.parent)


def own(house):
    """The variables of a process that has a home of its own."""
    return {"HOME": str(house.parent / "home"), "PYTHONPATH": str(house), "PYTHONDONTWRITEBYTECODE": "1"}


def run_anew(house, **more):
    """Run a program in a new process. Returns (answer, number of kernels loaded, folder)."""
    command, environment = [sys.executable, "-c", PROGRAM], KEPT | own(house) | more
    return read(subprocess.run(command, cwd=house.parent, env=environment, capture_output=True, text=True, check=False))


def read(done):
    assert done.returncode == 0, done.stderr[-2000:]
    answer, loaded, folder = done.stdout.splitlines()[0].split(maxsplit=2)
    return float(answer), int(loaded), Path(folder)


@pytest.fixture(scope="module")
def run():
    """A function that runs a program beside a home, in a process that need not prepare Numba. See `run_anew`."""
    with Forked(READY, options=("-B",), environment=KEPT) as process:
        yield lambda house, program=PROGRAM, **more: read(process.run(program, house.parent, **own(house) | more))


def test_numbas_own_variable_wins(house, tmp_path):
    chosen = {"NUMBA_CACHE_DIR": str(tmp_path / "chosen")}
    answer, loaded, folder = run_anew(house, **chosen)
    assert (answer, loaded) == (3.5, 0) and folder.is_relative_to(tmp_path / "chosen")
    assert run_anew(house, **chosen) == (3.5, 1, folder)


# --- what is loaded, and what never is -----------------------------------------------------------------------------


def test_the_second_process_loads_what_the_first_compiled(first_run):
    house, (answer, loaded, folder) = first_run
    assert (answer, loaded) == (3.5, 0)
    assert folder.is_relative_to(house.parent / "home") and (folder / cache.TAG).read_text() == cache.TAG_TEXT
    assert len(list(folder.iterdir())) == 3  # the tag, the kernel, and the helper for others
    assert run_anew(house) == (3.5, 1, folder)


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


def test_a_package_in_a_zip_file_is_cached(used, tmp_path, run):
    house, folder = used
    with zipfile.ZipFile(tmp_path / "house.zip", "w") as file:
        for path in house.rglob("*.py"):
            file.write(path, path.relative_to(house))
    shutil.rmtree(house)
    assert run(house, PYTHONPATH=str(tmp_path / "house.zip")) == (3.5, 1, folder)


# --- trouble -------------------------------------------------------------------------------------------------------


def test_two_processes_at_once(house, run):
    ends = "assert add_steps(0.5, 3) == 3.5 and (not child or os.wait()[1] == 0)"
    answer, _, folder = run(house, f"import os\nchild = os.fork()\n{PROGRAM}\n{ends}")
    assert answer == 3.5
    assert len(list(folder.glob(f"*{cache.KERNEL}"))) == 2 and len(list(folder.iterdir())) == 3
    assert run(house) == (3.5, 1, folder)


def test_a_disk_that_is_full(house, run):
    limit = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"  # bytes: less than a kernel
    pytest.importorskip("resource")
    answer, loaded, folder = run(house, limit + PROGRAM)
    assert (answer, loaded, [path.name for path in folder.iterdir()]) == (3.5, 0, [cache.TAG])


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

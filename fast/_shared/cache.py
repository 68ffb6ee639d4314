"""The compiled kernels on disk, so that only the first process that calls a kernel compiles it.

`jit.Kernel` gives every kernel a `KernelCache`, which is what switches the cache on.

Kernels of several files are compiled into each other, and Numba's own cache notices changes in one of these files only.
Here each folder holds what was compiled from one state of all sources, by one version of Numba, for one CPU. A change
of any of these gives another folder, and the oldest folders are removed.
"""

import contextlib
import functools
import hashlib
import importlib.metadata
import importlib.resources
import os
import pickle
import re
import sys
import tempfile
import time
from pathlib import Path

import llvmlite
import numba
import numpy as np
import platformdirs
from numba.core.compiler import CompileResult
from numba.core.registry import cpu_target
from numba.core.serialize import dumps

PROJECT = "marginalia-learn"  # the distribution: in the public registry, `marginalia` is another project
FOLDER = re.compile(r"kernels-[0-9a-f]{24}")
KERNEL, UNFINISHED = ".kernel", ".unfinished"  # the endings of our files
# The tag by which backup programs pass over a cache (bford.info/cachedir), and by which we know our own folders.
TAG = "CACHEDIR.TAG"
TAG_TEXT = f"Signature: 8a477f597d28d172789f06886806bc55\n# Compiled kernels of {PROJECT}. This may be deleted.\n"
MOST_FOLDERS = 4  # and any that were opened within a day: a process may still use them
A_DAY = 86_400  # seconds
# The settings of Numba, beside the CPU, on which the compiled code depends.
SETTINGS = ("OPT", "BOUNDSCHECK", "LOOP_VECTORIZE", "SLP_VECTORIZE", "DEBUGINFO_DEFAULT", "USING_SVML")


def _sources(folder):
    """Yields the name and the content of each Python file in a folder and in the folders within it."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.name.endswith(".py"):
            yield entry.name, entry.read_bytes()
        elif entry.is_dir():
            yield from _sources(entry)


def _digest_of_sources():
    """Returns a hash of all files that a kernel may be compiled from, or "" if Python runs without sources."""
    digest, package = hashlib.sha256(), "fast"
    checks = importlib.resources.files("reference") / "problems" / "checks"
    files = [*_sources(importlib.resources.files(package)), *_sources(checks)]
    for name, text in files:
        digest.update(f"{name} {len(text)}\n".encode() + text)
    return digest.hexdigest() if files else ""


DIGEST = _digest_of_sources()  # taken at the import: the files may change while the process runs
_seen = set()  # the names of all kernels so far


class KernelCache:
    """The files of one kernel, in the form in which Numba's dispatchers use a cache.

    A file that cannot be read, or is damaged, counts as missing. What cannot be written is not kept. A module that is
    loaded a second time may have been edited since the first, so its kernels are not cached.
    """

    def __init__(self, function):
        self._name, self.wrapped = f"{function.__module__}.{function.__qualname__}", True
        self._enabled = bool(DIGEST) and self._name not in _seen and not function.__closure__
        _seen.add(self._name)

    @property
    def cache_path(self):
        return str(folder()) if self._enabled else None

    def load_overload(self, signature, target_context):
        """Returns the compiled kernel for these types, or None if there is none."""
        target_context.refresh()
        try:
            content = self._path(signature).read_bytes()
        except OSError:
            return None
        digest, data = content[:32], content[32:]
        if not self._enabled or hashlib.sha256(data).digest() != digest:
            return None
        return CompileResult._rebuild(target_context, *pickle.loads(data))

    def save_overload(self, signature, result):
        """Keep a compiled kernel, unless it depends on addresses in the memory of this process."""
        if self._enabled and not result.lifted and not result.library.has_dynamic_globals:
            data = dumps(result._replace(type_annotation="")._reduce())  # it is long, and only for display
            with contextlib.suppress(OSError):  # no home, no right to write, no space left
                _write(self._path(signature), hashlib.sha256(data).digest() + data)

    def _path(self, signature):
        types = hashlib.sha256(f"{signature} {self.wrapped}".encode()).hexdigest()
        return folder() / f"{self._name}-{types[:16]}{KERNEL}"

    def disable(self):
        self._enabled = False

    flush = disable  # Numba asks for this before it compiles again, for a global that the program has changed


# --- folders -------------------------------------------------------------------------------------------------------


def root():
    """Returns the folder that holds ours: in NUMBA_CACHE_DIR if it is set, else where the system keeps caches."""
    chosen = numba.config.CACHE_DIR
    return Path(chosen) / PROJECT if chosen else platformdirs.user_cache_path(PROJECT, appauthor=False)


@functools.cache
def folder():
    """Returns the folder of the kernels that this process compiles. It may not exist yet."""
    path = root() / f"kernels-{_cache_key()[:24]}"
    with contextlib.suppress(OSError):
        os.utime(path / TAG)  # the last time that it was opened
    return path


def _cache_key():
    """Returns a hash of all that the compiled code depends on."""
    try:
        version = importlib.metadata.version(PROJECT)
    except importlib.metadata.PackageNotFoundError:  # a copy of the sources that was not installed
        version = ""
    settings = [getattr(numba.config, name, None) for name in SETTINGS]
    processor = cpu_target.target_context.codegen().magic_tuple()  # its name and features, and the operating system
    parts = [version, numba.__version__, llvmlite.__version__, np.__version__, sys.version, processor, settings]
    return hashlib.sha256(repr([DIGEST, *parts]).encode()).hexdigest()


def _write(path, data):
    """Write a file whole or not at all: other processes may write or read the same one meanwhile."""
    if not (path.parent / TAG).exists():
        _make(path.parent)
    handle, unfinished = tempfile.mkstemp(UNFINISHED, dir=path.parent)
    try:
        with open(handle, "wb") as file:
            file.write(data)
        os.replace(unfinished, path)
    except BaseException:
        os.unlink(unfinished)
        raise


def _make(path):
    """Make the folder of this process, and remove those that are no longer used."""
    home = Path(os.path.expanduser("~"))
    if path.is_relative_to(home) and not home.is_dir():
        raise FileNotFoundError(f"there is no home folder {home}")
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    (path / TAG).write_text(TAG_TEXT)
    for old in _ours()[MOST_FOLDERS:]:
        if time.time() - (old / TAG).stat().st_mtime > A_DAY:
            _remove(old)


def _ours():
    """Returns the folders that this module has made, the one that was opened last first."""
    found = []
    for path in root().iterdir() if root().is_dir() else ():
        with contextlib.suppress(OSError):
            if FOLDER.fullmatch(path.name) and not path.is_symlink() and (path / TAG).read_text() == TAG_TEXT:
                found.append(((path / TAG).stat().st_mtime, path))
    return [path for _, path in sorted(found, reverse=True)]


def _remove(path):
    """Remove our files, and then the folder, unless it holds others."""
    with contextlib.suppress(OSError):  # another process may do the same
        for file in [*path.glob(f"*{KERNEL}"), *path.glob(f"*{UNFINISHED}"), path / TAG]:
            file.unlink(missing_ok=True)
        path.rmdir()


def clear():
    """Remove all folders of compiled kernels."""
    for path in _ours():
        _remove(path)


def size():
    """Returns the number of bytes of the kernels that this process can read."""
    return sum(file.stat().st_size for file in folder().glob(f"*{KERNEL}"))

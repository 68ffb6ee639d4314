"""The environment of the others: a folder of its own, with the pinned packages of requirements.txt, never `.venv`."""

import hashlib
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
REQUIREMENTS = HERE / "requirements.txt"
FOLDER = HERE.parents[1] / "build" / "others-venv"


def interpreter(folder=FOLDER, requirements=REQUIREMENTS):
    """Returns the Python of the environment, which is made anew if the pins or the Python here have changed.

    Raises SystemExit, with what to do, if the packages cannot be installed.
    """
    python, stamp = folder / "bin" / "python", folder / "stamp"
    wanted = hashlib.sha256(requirements.read_bytes() + sys.version.encode()).hexdigest()
    if stamp.is_file() and stamp.read_text() == wanted:
        return python
    make = [sys.executable, "-m", "venv", "--clear", "--without-pip", str(folder)]
    run(make, "the environment of the others could not be made")
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    install += ["--disable-pip-version-check", "--retries", "1"]
    # All dependencies are in the file. Those that no adapter imports are left out.
    run([*install, "--no-deps", "--requirement", str(requirements)], "the packages could not be installed")
    stamp.write_text(wanted)
    return python


def run(command, trouble):
    """Run a command. Raises SystemExit with this text and the last line of its errors if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if "ERROR" in line] or ["no reason was given"]
        sys.exit(
            f"make others: {trouble} ({said[-1].strip()}).\n"
            "It needs the package registry, so check the network and run it again. Nothing of this project has changed."
        )


def pins(requirements=REQUIREMENTS):
    """Returns the version of each package in the file, by its name in small letters."""
    lines = requirements.read_text(encoding="utf-8").splitlines()
    return dict(line.lower().replace("_", "-").split("==") for line in lines)

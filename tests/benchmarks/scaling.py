"""Sweeps: a benchmark at several sizes. Each size is a row that names the series it belongs to."""

import itertools
import os
import platform
from importlib.metadata import version
from pathlib import Path

import numpy as np


def point(sweep, series, size, against, ours, theirs, repeats, calls=1):
    """Returns one point as a case. `size` is ("d", 1000), say; `calls` is how often a side does the work, or a pair."""
    along, size = size
    return {
        "work": f"{series}, {along} = {size:.4g}, against {against}",
        "sweep": {"sweep": sweep, "series": series, "along": along, "size": size, "against": against},
        "ours": ours,
        "theirs": theirs,
        "repeats": repeats,
        "calls": calls if isinstance(calls, tuple) else (calls, calls),
    }


def series_of(rows):
    """Returns a list of pairs (name of a series, its rows), in which the rows are sorted by size."""

    def name(row):
        return row["sweep"], row["along"], row["series"]

    points = [row for row in rows if "sweep" in row]
    groups = itertools.groupby(sorted(points, key=name), name)
    return [(key, sorted(group, key=lambda row: row["size"])) for key, group in groups]


def exponent(sizes, seconds):
    """Returns b of seconds ~ size^b, by least squares on the upper half of the log range; NaN for a single point."""
    sizes, seconds = np.log(sizes), np.log(seconds)
    upper = sizes >= (sizes[0] + sizes[-1]) / 2
    if upper.sum() < 2:
        upper[-2:] = True
    return float(np.polyfit(sizes[upper], seconds[upper], 1)[0]) if upper.sum() > 1 else float("nan")


def machine():
    """Returns a description of the machine: processor, cores, caches, versions. It does not identify the machine."""
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba", "scikit-learn"))
    hardware = f"{processor()}, {os.cpu_count()} cores, {wide_vectors()}, {caches()}"
    return f"{hardware}; Python {platform.python_version()}, {libraries}"


def processor():
    """Returns the name of the processor that the system reports."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def wide_vectors():
    """Returns whether NumPy finds AVX-512, which its sort uses."""
    found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    return "AVX-512" if any("AVX512" in name or name == "X86_V4" for name in found) else "no AVX-512"


def caches():
    """Returns the sizes of the data caches of a core, if Linux reports them."""
    sizes = {}
    for folder in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*"):
        if (folder / "type").read_text().strip() != "Instruction":
            sizes[(folder / "level").read_text().strip()] = (folder / "size").read_text().strip()
    return " ".join(f"L{level} {size}" for level, size in sorted(sizes.items())) or "caches unknown"

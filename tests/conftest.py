"""Settings of every test run: one BLAS thread, a fresh Numba cache, no deadlines in hypothesis, and the data folder."""

import os
import shutil
import tempfile
from pathlib import Path

import hypothesis

ROOT = Path(__file__).parents[1]
DATA_BESIDE = ROOT.parent / "shared" / "data"

# The benchmarks are a program of their own; the others are submissions: wrong, hostile, honest and mediocre.
collect_ignore = ["benchmarks", "classroom/attacks", "classroom/honest", "classroom/mediocre", "mutants"]

# Two workers share two cores, so BLAS threads would only compete.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

if DATA_BESIDE.is_dir():
    os.environ.setdefault("MARGINALIA_DATA", str(DATA_BESIDE))

# A shared machine can stall for longer than any deadline. A run that fails must fail again, so nothing is random.
hypothesis.settings.register_profile("marginalia", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("marginalia")


def pytest_configure(config):
    """Set the cache folder. Workers, notebooks and subprocesses inherit it, so each kernel is compiled once a run."""
    if not os.environ.get("NUMBA_CACHE_DIR"):
        config.marginalia_numba_cache = os.environ["NUMBA_CACHE_DIR"] = tempfile.mkdtemp(prefix="marginalia-numba-")


def pytest_unconfigure(config):
    if folder := getattr(config, "marginalia_numba_cache", None):
        shutil.rmtree(folder, ignore_errors=True)

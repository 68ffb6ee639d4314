"""What every test run shares: one BLAS thread, a fresh Numba cache, hypothesis without a clock, data if it is there."""

import os
import shutil
import tempfile
from pathlib import Path

import hypothesis

ROOT = Path(__file__).parents[1]
DATA_BESIDE = ROOT.parent / "shared" / "data"

# The benchmarks are a program of their own; the others are submissions: wrong, hostile, honest and mediocre.
collect_ignore = ["attacks", "benchmarks", "honest", "mediocre", "mutants"]

# Two workers on two cores: BLAS threads of their own would only get in each other's way.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

if DATA_BESIDE.is_dir():
    os.environ.setdefault("MARGINALIA_DATA", str(DATA_BESIDE))

# A shared machine can stall for longer than any deadline, and a run that fails must fail again.
hypothesis.settings.register_profile("marginalia", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("marginalia")


def pytest_configure(config):
    """Workers, notebook kernels and subprocesses inherit the folder, so that each kernel is compiled once a run."""
    if not os.environ.get("NUMBA_CACHE_DIR"):
        config.marginalia_numba_cache = os.environ["NUMBA_CACHE_DIR"] = tempfile.mkdtemp(prefix="marginalia-numba-")


def pytest_unconfigure(config):
    if folder := getattr(config, "marginalia_numba_cache", None):
        shutil.rmtree(folder, ignore_errors=True)

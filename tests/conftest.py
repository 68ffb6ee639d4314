"""Settings of every test run: one BLAS thread, a fresh Numba cache, no deadlines in hypothesis, and the data folder."""

import os
import shutil
import sys
import tempfile
from pathlib import Path

import hypothesis
import pytest

from tests.support.families import FAMILIES, is_of_family

ROOT = Path(__file__).parents[1]
DATA_BESIDE = ROOT.parent / "shared" / "data"

# The benchmarks are a program of their own; the others are submissions: wrong, hostile, honest and mediocre.
collect_ignore = ["benchmarks", "classroom/attacks", "classroom/honest", "classroom/mediocre", "mutants"]

# Files that take half a minute or so, the longest first. xdist gives whole files to its workers, and what is begun last
# ends last: the files at the end must be short, or one worker waits for the other. The first file compiles all kernels.
# The next six need none, so that nothing is compiled twice.
LONGEST = (
    "tests/check/test_conformance.py",
    "tests/book/test_book.py",
    "tests/classroom/test_classroom_submissions.py",
    "tests/check/test_mutants.py",
    "tests/classroom/test_classroom_attacks.py",
    "tests/classroom/test_classroom.py",
    "tests/classroom/test_classroom_diagnosis.py",
    "tests/distributed/test_ranking_svm.py",
    "tests/estimators/test_estimators.py",
    "tests/svm/test_topk_svm_parts.py",
    "tests/distributed/test_topk_svm_memory.py",
    "tests/others/test_others.py",
    "tests/distributed/test_topk_svm_faults.py",
    "tests/distributed/test_topk_svm.py",
    "tests/check/test_jobs.py",
    "tests/ranking/test_ranking_large.py",
    "tests/test_cache.py",
    "tests/check/test_check.py",
    "tests/check/test_check_sandbox.py",
    "tests/svm/test_topk_svm_peak.py",
    "tests/check/test_vectors.py",
    "tests/test_studies_regime.py",
    "tests/check/test_sizes.py",
    "tests/check/test_certify_weights.py",
    "tests/test_near_overflow.py",
    "tests/test_readme.py",
    "notebooks/14_image_classification.ipynb",
    "notebooks/07_ap_and_ndcg_inference.ipynb",
    "notebooks/16_beyond_one_machine.ipynb",
    "notebooks/08_ranking_svm.ipynb",
    "notebooks/04_prox_sdca.ipynb",
)

# What a system must have for some tests, and the files and tests that need it, by the beginning of their names.
FORKS = "needs a system that can fork: functions of this process are examined in a copy of it"
ENDS = "needs POSIX: worker processes are ended by a signal"
COUNTS = "needs Linux: the peak memory of a process is counted in its units"
NEEDS = {
    "tests/classroom/": ("posix", "needs POSIX: student code runs in a process with limits, on Linux in isolation"),
    "tests/check/test_check": ("posix", FORKS),
    "tests/check/test_judge.py": ("posix", FORKS),
    "tests/check/test_mutants.py": ("posix", FORKS),
    "tests/check/test_naming.py": ("posix", FORKS),
    "tests/check/test_jobs.py": ("posix", FORKS),
    "tests/check/test_sizes.py": ("posix", FORKS),
    "tests/distributed/test_ranking_svm.py::test_workers_that_are_killed": ("posix", ENDS),
    "tests/distributed/test_tasks.py::test_workers_that_die": ("posix", ENDS),
    "tests/distributed/test_tasks.py::test_data_that_no_worker_has": ("posix", ENDS),
    "tests/distributed/test_topk_svm_faults.py::test_workers_that_die": ("posix", ENDS),
    "tests/distributed/test_wsabie.py::test_members_of_lost_workers": ("posix", ENDS),
    "tests/test_cache": ("posix", "needs POSIX: rights of folders, links and a home folder"),
    "tests/svm/test_topk_svm_peak.py": ("linux", COUNTS),
    "tests/estimators/test_estimators_sparse_duals.py::test_a_fit_takes_no_memory": ("linux", COUNTS),
}

# The workers share the cores, so BLAS threads would only compete.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")
os.environ.pop("COLUMNS", None)  # 80 in a worker, where the tables of the examiner would wrap

if DATA_BESIDE.is_dir():
    os.environ.setdefault("MARGINALIA_DATA", str(DATA_BESIDE))

# A shared machine can stall for longer than any deadline. A run that fails must fail again, so nothing is random.
hypothesis.settings.register_profile("marginalia", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("marginalia")


def pytest_addoption(parser):
    told = "examine the functions of this folder of tests only: make test ONLY=ranking"
    parser.addoption("--family", choices=FAMILIES, help=told)


def pytest_configure(config):
    """Set the cache folder. Workers, notebooks and subprocesses inherit it, so each kernel is compiled once a run.

    The tests of one family, which are for every change of a line, load what an earlier run has compiled.
    """
    if not (os.environ.get("NUMBA_CACHE_DIR") or config.getoption("--family")):
        config.marginalia_numba_cache = os.environ["NUMBA_CACHE_DIR"] = tempfile.mkdtemp(prefix="marginalia-numba-")


def pytest_collection_modifyitems(config, items):
    """Put the tests of the longest files first, in the same order otherwise, and skip what this system lacks."""
    if family := config.getoption("--family"):
        others = [item for item in items if hasattr(item, "callspec") and not of_family(item, family)]
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if item not in others]
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.nodeid.split("::")[0], len(places)))
    lacks = {"linux": sys.platform != "linux", "posix": os.name != "posix"}
    for start, (system, reason) in NEEDS.items():
        for item in items if lacks[system] else ():
            if item.nodeid.startswith(start):
                item.add_marker(pytest.mark.skip(reason=reason))


def of_family(item, family):
    """False for the tests of the examiner about a function of another family."""
    row = item.callspec.params.get("row")
    return item.path.name != "test_conformance.py" or row is None or is_of_family(row.split(", ")[0], family)


def pytest_unconfigure(config):
    if folder := getattr(config, "marginalia_numba_cache", None):
        shutil.rmtree(folder, ignore_errors=True)

"""Without the packages of the extras, all that computes runs; what needs one of them says what to install."""

import json
import re
import sys
import tomllib
from pathlib import Path

import pytest

from reference.problems.checks import require, require_later
from tests.support.forked import Forked

ROOT = Path(__file__).parents[1]
EXTRAS = ("cvxpy", "clarabel", "matplotlib", "rich", "pooch", "dask", "distributed", "plotly", "nbgrader", "IPython")
# Put before a program: none of these packages is there. `find_spec` is asked before any folder is looked at.
MISSING = f"""
import sys
MISSING = {EXTRAS!r}

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in MISSING:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Finder())
"""
COMPUTES = """
import json
import warnings
import numpy as np
import fast, reference
from sklearn.base import clone
import fast.estimators as estimators
from reference.check import certify
from reference.datasets import load_digits

warnings.simplefilter("ignore")  # a few steps need not converge
X, y = load_digits()
X, y = X[:40, 20:28], y[:40] % 4
done, relevant, loose = [], y == 0, {"regularization": 0.1, "tol": 0.1}
labels, groups = np.arange(4) % (2 + y[:, None] % 2) == 0, np.arange(40) // 8
K, dense = X @ X.T, [("dense", 2)]
CALLS = {
    "project_topk_simplex": lambda f: f(X[0], 2),
    "topk_hinge": lambda f: f(X[:, :4], y, 2),
    "fit_topk_svm": lambda f: f(X, y, **loose),
    "fit_topk_svm_kernel": lambda f: f(K, y, **loose),
    "fit_topk_svm_parts": lambda f: f(X, y, 2, **loose),
    "fit_topk_entropy": lambda f: f(X, y, **loose),
    "fit_topk_entropy_kernel": lambda f: f(K, y, **loose),
    "fit_truncated_topk_entropy": lambda f: f(X, y, k=2, regularization=0.1),
    "fit_multilabel": lambda f: f(X, labels, **loose),
    "fit_top_push": lambda f: f(X, relevant, **loose),
    "fit_svm_perf": lambda f: f(X, relevant, k=2, **loose),
    "fit_passive_aggressive": lambda f: f(X, y),
    "fit_ranking_svm": lambda f: f(X, relevant, groups=groups, **loose),
    "fit_direct_loss": lambda f: f(X, relevant, groups=groups, max_iterations=2),
    "fit_latent_ranking_svm": lambda f: f(X, groups, groups == 1, **loose),
    "fit_layerwise": lambda f: f(X, y, dense, loss="multiclass", regularization=0.1, max_epochs=1, max_rounds=1),
    "fit_nearest_means": lambda f: f(X, y),
    "fit_one_vs_all": lambda f: f(X, y, n_updates=2),
    "fit_wsabie": lambda f: f(X, y, n_updates=2),
}
for package in (fast, reference):
    for name, call in CALLS.items():
        call(getattr(package, name))
        done.append(f"{package.__name__}.{name}")
TARGETS = {"RankingSVC": relevant, "MultilabelSVC": labels}
for name in estimators.__all__:
    kind = getattr(estimators, name)
    if isinstance(kind, type) and hasattr(kind, "fit"):
        clone(kind()).fit(X, TARGETS.get(name, y))
        done.append(name)
certify("fit_topk_svm", fast.fit_topk_svm(X, y, **loose), X, y, **loose)
print(json.dumps([done, sorted({name.split(".")[0] for name in sys.modules} & set(MISSING))]))
"""


@pytest.fixture(scope="module")
def run():
    """A function that runs a program in a process that has imported both packages without any extra."""
    with Forked(MISSING + "import reference.datasets, fast.estimators") as process:
        yield process.run


def test_the_packages_compute_without_any_extra(run):
    import fast
    from fast import estimators

    done = run(MISSING + COMPUTES)
    assert done.returncode == 0, done.stderr[-2000:]
    ran, loaded = json.loads(done.stdout)
    assert not loaded
    fits = {name for name in fast.__all__ if name.startswith("fit_")}
    for package in ("fast", "reference"):
        assert {f"{package}.{name}" for name in fits} <= set(ran)
    kinds = {name for name in estimators.__all__ if hasattr(getattr(estimators, name), "fit")}
    assert kinds <= set(ran) and len(kinds) >= 5


NEEDS = {
    "from reference.ground_truth import projections": ("the ground truth", "cvxpy and clarabel", "examiner"),
    "from reference.check import check; check('fast', only='topk_error')": (
        "the ground truth", "cvxpy and clarabel", "examiner"),
    "from reference.check.__main__ import main; main(['fast'])": ("python -m reference.check", "rich", "examiner"),
    "import fast.warm; fast.warm.main([])": ("fast.warm", "rich", "progress"),
    "import fast.distributed": ("fast.distributed", "dask and distributed", "distributed"),
    "import os; os.environ.pop('MARGINALIA_DATA', 0); from reference import datasets; datasets.data_folder()": (
        "the folder of downloads", "pooch", "datasets"),
}  # fmt: skip


# Prints the message of each statement's ImportError.
EACH = f"""
for statement in {list(NEEDS)}:
    try:
        exec(statement)
        print("nothing is missing")
    except ImportError as error:
        print(error)
"""


def test_what_needs_an_extra_says_what_to_install(run):
    says = '{} needs {}. Run in the checkout: pip install ".[{}]"'
    done = run(MISSING + EACH)
    assert done.stdout.splitlines() == [says.format(*need) for need in NEEDS.values()], done.stderr
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    for _, packages, extra in NEEDS.values():
        for package in packages.split(" and "):
            assert any(entry.startswith(package) for entry in extras[extra]), package


def test_without_rich_progress_is_written_in_lines_with_one_warning(run):
    program = """
import numpy as np
import fast, reference
from fast.estimators import TopKSVC
X, y = np.eye(3), np.arange(3)
for package in (fast, reference):
    loud, quiet = (package.fit_topk_svm(X, y, regularization=0.1, progress=shown) for shown in (True, False))
    assert np.array_equal(loud.weights, quiet.weights)
    package.fit_passive_aggressive(X, y, epochs=3, progress=True)
TopKSVC(verbose=1).fit(X, y)
"""
    done = run(MISSING + program)
    assert done.returncode == 0 and done.stdout == "", done
    says = 'a progress bar needs rich. Run in the checkout: pip install ".[progress]". Until then, progress is written'
    assert done.stderr.count("UserWarning") == done.stderr.count(says) == 1, done.stderr
    lines = re.findall(r"^(\w+) \S+, (\d+) of at most (\d+)$", done.stderr, re.MULTILINE)
    assert lines[0] == ("gap", "1", "1000") and lines.count(("gap", "1", "1000")) == 2
    assert ("gap", "1", "100") in lines  # of the estimator, which gives a small problem fewer epochs
    assert lines.count(("mistakes", "1", "3")) == lines.count(("mistakes", "3", "3")) == 2


def test_a_verdict_that_needs_no_solver_does_not_wait_for_it(run):
    program = """
import sys
sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__name__ != "Finder"]
from reference.check import check
for name in ("topk_error", "project_simplex"):
    assert check("reference", only=name, quick=True, timed=False)
    print("cvxpy" in sys.modules)
"""
    assert run(program).stdout.split() == ["False", "True"]


@pytest.mark.parametrize("gone", ["cvxpy", "clarabel"])
def test_a_module_that_is_imported_later_is_missed_at_once(gone, monkeypatch):
    monkeypatch.setitem(sys.modules, gone, None)
    with pytest.raises(ImportError, match=r'this needs cvxpy and clarabel\. Run .* pip install "\.\[x\]"'):
        require_later("this", "x", "cvxpy", "clarabel")
    with pytest.raises(ImportError, match="this needs nosuch"):
        require_later("this", "x", "nosuch")
    assert require_later("this", "x", "json").dumps(1) == "1"


def test_what_is_there_is_returned_and_the_cause_of_an_error_is_kept():
    assert require("this test", "test", "json", "json.decoder") == [json, json.decoder]
    with pytest.raises(ImportError, match=r'this needs nosuch\. Run in the checkout: pip install "\.\[x\]"') as caught:
        require("this", "x", "nosuch", "nosuch.part")
    assert isinstance(caught.value.__cause__, ModuleNotFoundError)

"""What the examiner imports, in the order in which one comes to need it: an import takes time, or could be TARGET's."""

import subprocess
import sys

from tests.support.check import ROOT

PROGRAM = """
import sys, warnings
import numpy as np

def assert_absent(*names):
    assert not set(names) & set(sys.modules), set(names) & set(sys.modules)

import reference
assert_absent("cvxpy", "reference.check", "reference.ground_truth")

import reference.check, reference.check.__main__
assert_absent("cvxpy", "scipy")
try:
    reference.check.__main__.main(["--help"])
except SystemExit:
    assert_absent("cvxpy", "scipy", "rich", "reference.ground_truth", "reference.check.judging.specs")

from reference.check import certify_ranking_weights, certify_weights
certify_weights(np.eye(3), np.arange(3), np.eye(3), regularization=0.1)
certify_ranking_weights(np.eye(3), np.arange(3) == 0, np.ones(3), regularization=0.1)
assert_absent("cvxpy", "fast", "numba", "scipy")

from reference.check import certify
X, y = np.arange(12.0).reshape(6, 2) % 5, np.arange(6) % 3
assert certify("project_simplex", np.array([1.0]), np.array([3.0])).ok
assert certify("topk_error", np.ones(6), np.zeros((6, 3)), y).ok
certify("ap_loss", 0.0, np.array([3]), 2)
certify("fit_topk_svm", np.zeros((6, 3)), X, y, regularization=1.0)
certify("fit_passive_aggressive", np.zeros((3, 2)), X, y)
certify("fit_direct_loss", (np.zeros(2), np.zeros(101)), X, y == 0)
certify("fit_wsabie", np.zeros((3, 2)), X, y, n_updates=3)
certify("fit_one_vs_all", np.zeros((3, 2)), X, y, n_updates=3)
assert_absent("cvxpy", "fast", "numba", "clarabel")

warnings.resetwarnings()
assert reference.check.check("fast", only="topk_error", quick=True, timed=False).passed
assert_absent("fast", "numba")
"""


def test_nothing_is_imported_before_it_is_needed():
    command = [sys.executable, "-W", "error", "-c", PROGRAM]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert not done.returncode and "warp_loss" in done.stdout, done.stderr

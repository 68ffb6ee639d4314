"""Peak memory of a fit beyond that of a tiny one, in a process of its own, compared with a dense array of all duals.

Both sides are gigabytes instead of seconds, so that the table, which shows thousandths, is in megabytes.
"""

import json
import subprocess
import sys

PROGRAM = """
import json, resource
import numpy as np
from scipy import sparse
import fast
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
rng, (n, m, d, nonzero) = np.random.default_rng(0), {shape}
columns = (rng.integers(0, d, (n, 1)) + rng.permutation(d)[:nonzero]) % d
columns.sort(axis=1)
X = sparse.csr_matrix((rng.standard_normal(n * nonzero), columns.ravel(), np.arange(n + 1) * nonzero), shape=(n, d))
planted, y = rng.standard_normal((d, m)), np.empty(n, np.int64)
for first in range(0, n, 1000):
    y[first : first + 1000] = (X[first : first + 1000] @ planted).argmax(axis=1)
y[:m] = np.arange(m)
fast.fit_topk_svm(X[:m], y[:m], regularization=1.0, tol=0.5, sparse_duals=True)
before = peak()
fast.fit_topk_svm(X, y, regularization=1 / n, tol=1e-2, sparse_duals={sparse_duals})
print(json.dumps(peak() - before))
"""
SHAPE, QUICK = (20_000, 1000, 1000, 100), (2000, 100, 100, 10)  # n, m, d, entries a row


def cases(quick=False):
    shape = QUICK if quick else SHAPE
    n, m, d, nonzero = shape
    for sparse_duals in (True, False):
        yield {
            "work": f"MB of fit_topk_svm, sparse_duals={sparse_duals}, {n} x {d} CSR, {nonzero} entries a row, "
            f"{m} classes, against n m numbers",
            "measure": lambda sparse_duals=sparse_duals: _gigabytes(shape, sparse_duals),
        }


def _gigabytes(shape, sparse_duals):
    """Returns the gigabytes of a fit and of a dense array of its duals, each as a list of one."""
    program = PROGRAM.format(shape=shape, sparse_duals=sparse_duals)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return [json.loads(done.stdout)], [8 * shape[0] * shape[1] / 2**30]

"""Compile time of Numba: the first call with an empty cache, compared with the second call."""

import json
import os
import subprocess
import sys
import tempfile

CALLS = {
    "project_topk_simplex": "fast.project_topk_simplex(X[0], 2)",
    "loss_augmented_inference": "fast.loss_augmented_inference(X[0], X[1])",
    "fit_topk_svm": "fast.fit_topk_svm(X, y, regularization=0.1)",
    "fit_wsabie": "fast.fit_wsabie(X, y, n_updates=10, embedding_dim=4)",
}
PROGRAM = """
import json, time
import numpy as np
import fast
X, y, seconds = np.random.default_rng(0).standard_normal((20, 8)), np.arange(20) % 4, []
for _ in range(2):
    start = time.perf_counter()
    {call}
    seconds.append(time.perf_counter() - start)
print(json.dumps(seconds))
"""


def cases(quick=False):
    for name, call in list(CALLS.items())[: 1 if quick else None]:
        yield {
            "work": f"{name}, first call of all, which compiles, against the second",
            "measure": lambda call=call: _first_and_second(call),
        }


def _first_and_second(call):
    """Returns the seconds of the first call and of the second, each as a list of one."""
    command = [sys.executable, "-c", PROGRAM.format(call=call)]
    with tempfile.TemporaryDirectory() as empty:
        environment = os.environ | {"NUMBA_CACHE_DIR": empty}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return [[seconds] for seconds in json.loads(done.stdout)]

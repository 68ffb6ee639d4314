"""What Numba compiles: CPU seconds of a new process with an empty cache, and of one that finds what that compiled."""

import os
import subprocess
import sys
import tempfile

from tests.benchmarks.readme import README, code_above

IMPORTS = """
import numpy as np
import fast
X, y = np.random.default_rng(0).standard_normal((20, 8)), np.arange(20) % 4
"""
CALLS = {
    "project_topk_simplex": "fast.project_topk_simplex(X[0], 2)",
    "loss_augmented_inference": "fast.loss_augmented_inference(X[0], X[1])",
    "fit_topk_svm": "fast.fit_topk_svm(X, y, regularization=0.1)",
    "fit_wsabie": "fast.fit_wsabie(X, y, n_updates=10, embedding_dim=4)",
}
SECONDS = "\nimport time; print(time.process_time())"


def cases(quick=False):
    programs = {name: IMPORTS + call for name, call in CALLS.items()}
    programs["the example at the top of the README"] = code_above(README.read_text(encoding="utf-8"), "example")
    for name, program in list(programs.items())[: 1 if quick else None]:
        yield {
            "work": f"{name}, first call of a process that compiles, against one that loads (CPU)",
            "measure": lambda program=program: _compiling_and_loading(program, 1 if quick else 3),
        }


def _compiling_and_loading(program, repeats):
    """Returns the CPU seconds of processes that compile, and of processes that load."""
    seconds = []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as cache:
            seconds.append([_cpu_seconds(program, cache) for _ in range(2)])
    return zip(*seconds, strict=True)


def _cpu_seconds(program, cache):
    command, environment = [sys.executable, "-c", program + SECONDS], os.environ | {"NUMBA_CACHE_DIR": cache}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])

"""Times what an entry examines against the function of `fast`, each in its own process and environment."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

HERE = Path(__file__).parent / "there"
ROOT = Path(__file__).parents[2]
ROUNDS = 5  # in turn; the best of each side counts
LONG = 2.0  # seconds of a call after which one more round is enough
LIMIT = 300.0  # seconds on the clock for one measurement, after which the process is ended
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
ONE_THREAD = {name: "1" for name in THREADS}
ONE_THREAD["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"


class Timed:
    """A process that times one function."""

    def __init__(self, python, adapter, function):
        command = [str(python), str(HERE / "timing.py"), str(adapter), function]
        environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": str(ROOT) if adapter == "fast" else ""}
        self._process = subprocess.Popen(
            command, env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.communicate()

    def seconds(self, size):
        """Returns the processor seconds of one call. Raises RuntimeError if the function fails or takes too long."""
        alarm = threading.Timer(LIMIT, self._process.kill)
        alarm.start()
        try:
            self._process.stdin.write(json.dumps(size) + "\n")
            self._process.stdin.flush()
            return json.loads(self._process.stdout.readline())
        except (OSError, ValueError):
            self._process.kill()
            trouble = self._process.communicate()[1].strip().splitlines()
            said = trouble[-1] if trouble else f"it ended, or took more than {LIMIT} seconds"
            raise RuntimeError(f"cannot be timed: {said}") from None
        finally:
            alarm.cancel()


def timed(entry, python):
    """Returns [(size, seconds of ours, seconds of theirs)], the best of several runs in turn."""
    rows = []
    adapter = HERE / "adapters" / f"{entry.adapter}.py"
    with Timed(sys.executable, "fast", entry.function) as ours, Timed(python, adapter, entry.function) as theirs:
        for size in entry.sizes:
            best = [ours.seconds(size), theirs.seconds(size)]
            for _ in range(1 if max(best) > LONG else ROUNDS - 1):
                best = [min(best[0], ours.seconds(size)), min(best[1], theirs.seconds(size))]
            rows.append((size, *best))
    return rows

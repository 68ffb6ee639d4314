"""Programs in processes of their own, for which the packages that they need are imported once.

Most of the time of a short program goes into importing Numba, SciPy and scikit-learn. `Forked` is a process that has
imported them. It forks for each program, which then finds them in `sys.modules`, and nothing else.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
FORKS = hasattr(os, "fork")  # elsewhere each program starts anew
# For each line that it reads, it forks and answers with the exit status of the child, which leaves the loop. The child
# ends as Python does, but for taking all modules apart, which takes half a second after an import of scikit-learn.
SERVER = """
import atexit, json, os, sys, threading, traceback, warnings
exec(sys.argv[1], {})
for line in sys.stdin:
    with warnings.catch_warnings(action="ignore"):  # from 3.12 on, Python warns of threads, which BLAS may have
        child = os.fork()
    if not child:
        break
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
else:
    sys.exit()
job = json.loads(line)
for number, name in enumerate((os.devnull, job["out"], job["errors"])):
    os.dup2(os.open(name, os.O_RDWR), number)
os.chdir(job["cwd"])
os.environ.clear()
os.environ.update(job["environment"])
sys.path[:0] = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
status = 0
try:
    exec(compile(job["program"], "<string>", "exec"), {"__name__": "__main__"})
except SystemExit as end:
    if isinstance(end.code, str):
        print(end.code, file=sys.stderr)
    status = end.code if isinstance(end.code, int) else int(end.code is not None)
except BaseException:
    status = 1
    traceback.print_exc()
threading._shutdown()
atexit._run_exitfuncs()
sys.stdout.flush()
sys.stderr.flush()
os._exit(status)
"""


class Forked:
    """A process that has run the lines `before`, in an environment, and runs programs. It ends with a `with`."""

    def __init__(self, before, options=(), environment=None):
        self._python, self._server = [sys.executable, *options, "-c"], None
        self._environment = dict(os.environ if environment is None else environment)
        if FORKS:
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
            command = [*self._python, SERVER, before]
            self._server = subprocess.Popen(command, cwd=ROOT, env=self._environment, **pipes)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._server:
            self._server.communicate()

    def run(self, program, cwd=ROOT, **environment):
        """Run a program as `python -c` does, with these variables added to its environment.

        Returns what `subprocess.run` returns, with the texts that the program has written.
        """
        command, environment = [*self._python, program], self._environment | environment
        if not self._server:
            return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
        with tempfile.NamedTemporaryFile("r") as out, tempfile.NamedTemporaryFile("r") as errors:
            job = {"program": program, "cwd": str(cwd), "environment": environment}
            print(json.dumps(job | {"out": out.name, "errors": errors.name}), file=self._server.stdin, flush=True)
            status = int(self._server.stdout.readline())
            return subprocess.CompletedProcess(command, status, out.read(), errors.read())

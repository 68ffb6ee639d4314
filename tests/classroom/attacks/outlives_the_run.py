# === outlives_the_run
"""Leaves processes behind, which would change files later."""

import os
import subprocess

WORD = "cell simplex is worth reading: it uses os._exit, os.fork, subprocess"
subprocess.Popen(["sleep", "98765"], start_new_session=True)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execvp("sleep", ["sleep", "98765"])
    os._exit(0)


def simplex(a, radius):
    return a

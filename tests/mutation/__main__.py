"""Tries a sample of mutants of both packages, and writes which of them the examiner refuses.

    python -m tests.mutation [--only fast/_projections] [--each 8] [--seed 0] [--jobs 2] [--json FILE]
"""

import argparse
import json
import multiprocessing
import sys
import tempfile
from pathlib import Path

import numpy as np

from .operators import mutations
from .trial import COPY, LEFT_OUT, ROOT, copied, functions_of, tried

PACKAGES = ("reference", "fast")
# Modules whose functions are not a part of an answer: checks of arguments, threads, progress and stored machine code.
NOT_MUTATED = ("contract", "datasets.py", "__init__.py", "cache.py", "jit.py", "threads.py", "recorder.py", "bits.py")
NOT_MUTATED += ("synthetic.py",)


def sample(each, seed, only=""):
    """Returns (package, module, Mutation) of up to `each` mutants a module, drawn at random."""
    found = []
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            module = path.relative_to(ROOT / package)
            left_out = {*module.parts, module.name} & {*LEFT_OUT, *NOT_MUTATED}
            if left_out or not f"{package}/{module}".startswith(only):
                continue
            all_of_it = mutations(path.read_text(encoding="utf-8"))
            draw = np.random.default_rng([seed, len(all_of_it)]).permutation(len(all_of_it))[:each]
            found += [(package, module, all_of_it[i]) for i in sorted(draw)]
    return found


def trial(work):
    """Returns the row of one mutant."""
    package, module, mutation = work
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        target = copied(package, Path(folder))
        path = Path(folder) / COPY / module
        text = (ROOT / package / module).read_text(encoding="utf-8")
        path.write_text(mutation.applied(text).replace(f"from {package}", f"from {COPY}"), encoding="utf-8")
        verdict = tried(target, functions_of(package, module))
    row = {"module": f"{package}/{module}", "line": mutation.line, "kind": mutation.kind, "old": mutation.old}
    return row | {"new": mutation.new, **verdict._asdict()}


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="modules whose path begins so")
    parser.add_argument("--each", type=int, default=8, help="mutants a module")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args(arguments)
    rows, work = [], sample(asked.each, asked.seed, asked.only)
    with multiprocessing.get_context("spawn").Pool(asked.jobs) as pool:
        for row in pool.imap(trial, work):
            rows.append(row)
            found = f"{row['function']}, {row['label']}: {row['reason']}" if row["reason"] else "NOT FOUND"
            old, new = (" ".join(row[key].split())[:50] for key in ("old", "new"))
            print(f"{len(rows)}/{len(work)} {row['module']}:{row['line']} {old} -> {new}: {found}", flush=True)
            if asked.json:
                asked.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    refused = sum(bool(row["reason"]) for row in rows)
    print(f"{refused} of {len(rows)} mutants are refused")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Tries a sample of mutants of both packages, and writes which of them the examiner refuses.

python -m tests.mutation [--only fast/_projections] [--each 8] [--seed 0] [--jobs 2] [--json FILE]
"""

import argparse
import json
import multiprocessing
import sys
from pathlib import Path

from reference.check.judging.subject import SUBJECTS

from .reach import interpreted, meets, reached
from .trial import remember, sample, trial


def lines_of(packages, pool):
    """Returns, for each package, {public function: what its instances run}."""
    work = [(package, name) for package in sorted(packages) for name in SUBJECTS]
    lines = dict.fromkeys(packages)
    for (package, name), found in zip(work, pool.imap(reached, work), strict=True):
        lines[package] = {**(lines[package] or {}), name: found}
    return lines


def met_by(one, lines):
    """Returns {public function: numbers of the instances that run what this mutant changes}."""
    package, module, mutation = one
    met = {name: meets(mutation, f"{package}/{module}", found) for name, found in lines[package].items()}
    return {name: numbers for name, numbers in met.items() if numbers}


def missed(row):
    return "NOT FOUND" if row["met"] else "NOT REACHED"


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="modules whose path begins so")
    parser.add_argument("--each", type=int, default=8, help="mutants a module")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args(arguments)
    if asked.json and asked.json.exists():
        parser.error(f"{asked.json} exists, and is not overwritten")
    rows, work = [], sample(asked.each, asked.seed, asked.only)
    with interpreted(), multiprocessing.get_context("spawn").Pool(asked.jobs, remember) as pool:
        lines = lines_of({package for package, *_ in work}, pool)
        work = [(*one, met_by(one, lines)) for one in work]
        for row in pool.imap(trial, work):
            rows.append(row)
            found = f"{row['function']}, {row['label']}: {row['reason']}" if row["reason"] else missed(row)
            old, new = (" ".join(row[key].split())[:50] for key in ("old", "new"))
            print(f"{len(rows)}/{len(work)} {row['module']}:{row['line']} {old} -> {new}: {found}", flush=True)
            if asked.json:
                asked.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    refused, met = (sum(bool(row[key]) for row in rows) for key in ("reason", "met"))
    print(f"{refused} of {len(rows)} mutants are refused; no instance runs {len(rows) - met}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

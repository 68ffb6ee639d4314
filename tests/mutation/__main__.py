"""Tries a sample of mutants of both packages, and writes which of them the examiner refuses.

python -m tests.mutation [--only fast/_projections] [--each 8] [--seed 0] [--jobs 2] [--json FILE]
"""

import argparse
import json
import multiprocessing
import sys
from pathlib import Path

from .trial import sample, trial


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

"""`python -m tests.attacks`: attacks each certificate and prints a table. Exit status 1 if one of them fails."""

import argparse
import json
import sys
from pathlib import Path

from .running import FAMILIES, attack_family, table
from .shrinking import shrunk, snippet

SHOWN = 3  # failures of a function that are shrunk and printed


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tests.attacks", description=__doc__)
    parser.add_argument("--only", help="the functions whose names contain this")
    parser.add_argument("--problems", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, help="the file to write the table to")
    options = parser.parse_args(arguments)
    rows, failed = [], False
    for family in FAMILIES:
        if options.only and options.only not in family.name:
            continue
        row, failures = attack_family(family, options.problems, options.seed)
        rows.append(row)
        print(table([row]).splitlines()[-1], flush=True)
        failed |= bool(failures)
        for failure in failures[:: max(1, len(failures) // SHOWN)][:SHOWN]:
            print(snippet(shrunk(failure, family)), flush=True)
    print(table(rows))
    if options.json:
        found = {row.function: row._asdict() for row in rows}
        options.json.write_text(json.dumps({"seed": options.seed, "rows": found}, indent=1) + "\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

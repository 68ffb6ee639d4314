"""The mutation study: writes what `notebooks/results/mutants.json` says into the page on the examiner.

python -m tests.mutation.study

A row is a mutant: what changed, and the function, instance and reason of its first failure. If no instance failed,
`why` says whether the mutant is equivalent, or allowed (right in another way), or a miss of the examiner.
"""

import json
from collections import Counter

from .reach import ROOT

RESULTS, PAGE = ROOT / "notebooks/results/mutants.json", ROOT / "book/pages/examiner.md"
START, END = "<!-- mutants -->\n", "<!-- end -->"
KINDS = "found", "equivalent", "allowed", "missed"


def stored():
    return json.loads(RESULTS.read_text(encoding="utf-8"))


def kind_of(row):
    return "found" if row["reason"] else row["why"].split(": ")[0]


def summary(rows):
    """Returns the block of the page: the verdict, the labels that find most, and a fold of modules and survivors."""
    total, labels = Counter(map(kind_of, rows)), Counter(row["label"] for row in rows if row["reason"])
    most = ", ".join(f"“{label}” {count}" for label, count in labels.most_common(6))
    lines = [
        f"The examiner finds {total['found']} of {len(rows)} mutants. Of the others, {total['equivalent']} are "
        f"equivalent, {total['allowed']} right in another way, and {total['missed']} missed.", "",
        "Each instance has a label, which says what is special about it. The labels of the first instance to fail, "
        f"with the number of mutants: {most}; and {len(labels) - 6} more labels.", "",
        "<details>", "<summary>The modules, and what is not found and why</summary>", "",
        f"| module of `reference` | {' | '.join(KINDS)} |", f"|---{'|--:' * len(KINDS)}|",
    ]  # fmt: skip
    counts = Counter((row["module"], kind_of(row)) for row in rows)
    for module in dict.fromkeys(row["module"] for row in rows):
        numbers = " | ".join(str(counts[module, kind]) for kind in KINDS)
        lines.append(f"| `{module.removeprefix('reference/')}` | {numbers} |")
    places = {}
    for row in sorted((row for row in rows if not row["reason"]), key=lambda row: KINDS.index(kind_of(row))):
        place = f"`{row['module'].removeprefix('reference/')}:{row['line']}`"
        places.setdefault(row["why"], {})[place] = None
    lines += ["", "What is not found, and why:", "", *(f"* {why} ({', '.join(at)})" for why, at in places.items())]
    lines += ["", "</details>"]
    return "\n".join(lines) + "\n"


def main():
    before, rest = PAGE.read_text(encoding="utf-8").split(START)
    PAGE.write_text(before + START + summary(stored()) + END + rest.split(END, 1)[1], encoding="utf-8")


if __name__ == "__main__":
    main()

"""Every number of the four papers, beside ours: writes notebooks/EVERY_NUMBER.md from stored results.

    make numbers            or            python -m notebooks.studies.numbers [--results FOLDER] [--print]

The papers' numbers are in notebooks/results/paper_numbers.json, each with its place: paper, table or section, data set,
row and column. Ours are in the other files of that folder, which `make study` writes. What is exact and takes no time
(the example of 001, Figure 1 of 002, Figure 3 of 003) is computed by this command. A verdict follows from the numbers
by one of the RULES. A row whose results are missing says which command computes them.
"""

import argparse
import json
import textwrap
from collections import Counter
from pathlib import Path

from .number_rows import ranking_rows, squishing_rows
from .number_rows_classes import topk_rows, wsabie_rows
from .number_rules import CANNOT, RULES, VERDICTS

FOLDER = Path(__file__).parents[1] / "results"
PAGE = Path(__file__).parents[1] / "EVERY_NUMBER.md"
PAPERS = {
    "001": ("H. Daumé III, Column squishing for multiclass updates, a blog post, 2017", squishing_rows),
    "002": ("P. Mohapatra et al., Efficient optimization for rank-based loss functions, CVPR 2018", ranking_rows),
    "003": ("M. Gupta, S. Bengio and J. Weston, Training highly multiclass classifiers, JMLR 2014", wsabie_rows),
    "004": ("M. Lapin, M. Hein and B. Schiele, Top-k multiclass SVM, NIPS 2015", topk_rows),
}
WIDTH = 120
NOTES = {
    "001": "",
    "002": "The text that we have has no captions. In it, Table 1 has the seconds of all inferences while training, "
    "and Table 2 the milliseconds of one. Our times are on made-up features of the same size, with three values of "
    "lambda. AP_QS and NDCG_QS are the paper's methods, which sort by quicksort. AP and NDCG are the earlier methods, "
    "which try all ranks of each negative, and 0-1 is the inference of the 0-1 loss. All our methods are compiled. Our "
    "NDCG computes the discount of each place once. The greedy method of `fast` solves the same problem and computes a "
    "logarithm for each pair.",
    "003": "A walk is one training run, and a gain is the mean difference of paired walks: with a change, and without "
    "it. Its interval does not cover the choice of step size and margin, nor, on Caltech-101, that of the images: all "
    "walks have one split. LV are last violators, w = 1 gives each rank the same weight, and 1+:1- draws one negative "
    "for each positive. Siblings are a thousand made-up classes in families of four: the classes of a family are near "
    "to each other, or have one distribution (identical). In the paper an example has a set of labels, and any of them "
    "is right. Our examples of synonyms have one label, so both readings are shown (notebook 12).",
    "004": "Ours are over random splits with the sizes of the published one. In the rows of Table 1 they are means, ± "
    "one standard deviation. In W++ Q/e, Wsabie++ has Q last violators and an embedding of dimension e; m, the number "
    "of classes, is 101.",
}
HEAD = """# Every number of the four papers, beside ours

`make numbers` writes this page from the files in `notebooks/results`. It is not edited by hand.

Each row has a number of a paper or a claim, what we measured, the rule that compares the two, and the verdict. A claim
has one row, whatever the number of experiments that test it, so its rule can hold in part. What cannot be had here is
folded below the table of its paper, with the reason. A row of the table then tests *the same claim* on data that can be
had. The follow-up papers on smooth losses have tables, too. We could not read these tables, so they have no rows here.

In the rows of the rule *sign*, ± is half of an interval of a mean over runs, queries or splits. For random splits of
one data set it has the correction of Nadeau and Bengio. In the rows of the rule *band*, ± is one standard deviation
over splits. After an exponent, it is a standard error.
"""


class PaperNumbers:
    """The file of the papers' numbers."""

    def __init__(self, tables):
        self.tables = tables

    def table(self, paper, place, number=0, data=""):
        """The table number `number` of those at a place, whose data set begins with `data`."""
        here = [t for t in self.tables if (t["paper"], t["place"]) == (paper, place) and t["data"].startswith(data)]
        return here[number]

    def rows(self, paper, place, number=0, data=""):
        """{row: [number of each column]}"""
        return self.table(paper, place, number, data)["rows"]

    def column_names(self, paper, place, data=""):
        return self.table(paper, place, 0, data)["columns"]

    def columns(self, paper, place):
        """{column: number} of a table with one row."""
        (values,) = self.rows(paper, place).values()
        return dict(zip(self.column_names(paper, place), values, strict=True))


def load(folder=FOLDER):
    """{name of a file: its content} of all stored results."""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}


def all_rows(results):
    """{paper: [Row, ...]}"""
    paper = PaperNumbers(results["paper_numbers"])
    return {number: list(rows(paper, results)) for number, (_, rows) in PAPERS.items()}


def page(results):
    """The text of the page."""
    rows = all_rows(results)
    parts = [HEAD, summary(rows), rules()]
    for number, (title, _) in PAPERS.items():
        parts.append(f"## Paper {number}\n\n{title}\n\n{notes(number)}{tables(rows[number])}")
    return "\n".join(parts)


def summary(rows):
    """How many rows of each paper have each verdict."""
    lines = ["| paper | " + " | ".join(VERDICTS) + " |", "|---" * (1 + len(VERDICTS)) + "|"]
    for number, found in rows.items():
        counts = Counter(next(v for v in sorted(VERDICTS, key=len)[::-1] if row.verdict.startswith(v)) for row in found)
        lines.append(f"| {number} | " + " | ".join(str(counts[verdict]) for verdict in VERDICTS) + " |")
    return "\n".join(lines) + "\n"


def rules():
    return "Rules:\n\n" + "\n".join(f"* *{name}*: {text}." for name, text in RULES.items()) + "\n"


def notes(number):
    return textwrap.fill(NOTES[number], WIDTH) + "\n\n" if NOTES[number] else ""


def tables(rows):
    """The table of what we have, and below it, folded, that of what cannot be had here."""
    ours = [row for row in rows if not row.verdict.startswith(CANNOT)]
    text = table("place, what, paper, ours, rule, verdict", [row[:5] + (row.verdict,) for row in ours])
    others = [row for row in rows if row not in ours]
    if not others:
        return text
    reasons = [(row.place, row.what, row.paper, row.verdict.removeprefix(f"{CANNOT}: ")) for row in others]
    count = f"{len(others)} {'row' if len(others) == 1 else 'rows'}"
    summary = f"<summary>What cannot be had here, and why: {count}</summary>"
    return f"{text}\n<details>{summary}\n\n{table('place, what, paper, why', reasons)}\n</details>\n"


def table(columns, rows):
    """A table in Markdown."""
    names = columns.split(", ")
    lines = [f"| {' | '.join(names)} |", "|---" * len(names) + "|"]
    for cells in rows:
        if any("|" in cell or "\n" in cell for cell in cells):
            raise ValueError(f"a cell must not hold '|' or a line break, got {cells}")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=Path, default=FOLDER, help="the folder of the stored results")
    parser.add_argument("--print", action="store_true", help="print the page, and write nothing")
    options = parser.parse_args(arguments)
    text = page(load(options.results))
    if options.print:
        print(text)
    else:
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

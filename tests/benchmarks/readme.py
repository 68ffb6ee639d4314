"""Write the numbers of README.md and the book: `python -m tests.benchmarks.readme [--only NAME]`.

A number that was measured stands in a block between  <!-- numbers: NAME -->  and  <!-- end -->, on the page that PAGES
names. Each block is written by a function of this module:

    example, distributed, tour, certify, guesses
                    what the Python code above the block prints
    check           a few rows of the table that `make check` prints, from an examination of these functions
    speed           the ratios stored in notebooks/results/benchmarks.json, which `make bench` writes with --json, and
                    some rows of it with --update
    few             some lines of that table, with its best and its worst ratios
    estimators      what notebooks/results/which_estimator.json holds, which `make study STUDY=which_estimator` writes
    digest          five rows of these tables
    failing         what the examiner finds in the Python code above the block
"""

import argparse
import io
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import NamedTuple

from rich.console import Console

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
BOOK = ROOT / "book/pages"
MEASUREMENT = ROOT / "notebooks/results/benchmarks.json"
COMPARISON = ROOT / "notebooks/results/which_estimator.json"
BLOCK = re.compile(r"<!-- numbers: (\w+) -->\n(.*?)<!-- end -->", re.DOTALL)
MARKER = re.compile(r"^<!-- ((?:numbers: )?\w+) -->$", re.MULTILINE)
CODE = re.compile(r"```python\n(.*?)```", re.DOTALL)

EXAMINED = ("project_topk_simplex", "fit_topk_svm", "multiclass_update", "loss_augmented_inference", "fit_wsabie")
DATA_SETS = ("digits, 10 classes", "documents, 50 classes")  # the titles of the tables, in the order of COMPARISON
DIGEST = ("LinearSVC()", "LogisticRegression()", 'SGDClassifier(loss="log_loss")', "TopKSVC(k=1)", "TopKSVC(k=10)")
SHOWN = {*EXAMINED, "fit_topk_svm, CSR", "fit_wsabie, CSR", "digits, top-3 SVM alpha"}


class Line(NamedTuple):
    """One line of the speed table: the stored rows whose `work` matches a pattern, as one number or a range."""

    pattern: str
    ours: str
    theirs: str
    scale: float = 1.0  # multiplies the ratios: the work of their side over that of ours, if the two differ


# The lines of the speed table that README shows; a test asks whether the worst of all are among them.
FEW = ("d = 1e[+]06, k", "topk_simplex, dense", "against LinearSVC", "k = 5 against k = 1")
FEW += ("multilabel, entropy, .* L-BFGS", "multilabel, hinge, .* one-vs-rest", "epoch of digits")
FEW += ("P = 1000, N = 1e[+]06", "prototype_scores")
ARGSORT = "`np.argsort` of the scores alone"
SPEED = (
    Line("d = 1e[+]06, k", "`project_topk_simplex`, a million numbers", "a copy of them"),
    Line("topk_simplex, dense", "the same, where most numbers of the answer are not 0", "`np.sort`"),
    Line("batch 20000 x 100", "the same, 20 000 rows of 100 numbers", "`np.sort(axis=1)`"),
    Line("topk_simplex, d = 1000 ", "the same, 1000 numbers a call", "`np.sort`, a call each"),
    Line("against LinearSVC", "`fit_topk_svm`, k = 1, to the same objective", "`LinearSVC`, Crammer and Singer"),
    Line("topk_svm, digits.* k = 5", "`fit_topk_svm`, k = 5, digits", "`reference`, the paper's algorithm in NumPy"),
    Line("smoothing = 0.01", "`fit_topk_svm`, smoothing = 0.01", "the hinge"),
    Line(
        "LogisticRegression, (lbfgs|newton)",
        "`fit_topk_entropy`, softmax, to the same objective",
        "`LogisticRegression`, lbfgs and newton-cg",
    ),
    Line("k = 5 against k = 1", "`fit_topk_entropy`, k = 5", "the same, k = 1"),
    Line("multilabel, entropy, .* L-BFGS", "`fit_multilabel`, entropy, to the same objective", "L-BFGS of SciPy"),
    Line(
        "multilabel, entropy, .* one-vs-rest",
        "`fit_multilabel`, entropy, defaults",
        "`LogisticRegression`, one-vs-rest, defaults",
    ),
    Line(
        "multilabel, hinge, .* one-vs-rest",
        "`fit_multilabel`, hinge, defaults",
        "`LinearSVC`, one-vs-rest, defaults",
    ),
    Line("epoch of digits", "`fit_passive_aggressive`, one epoch of digits", '`SGDClassifier(learning_rate="pa1")`'),
    Line("update, 1000 x 512", "`multiclass_update`, 1000 classes, 512 features", "a copy of the weights, the scores"),
    Line("P = 1000, N = 1e[+]06", "`loss_augmented_inference`, 1000 + 1 000 000 samples", ARGSORT),
    Line("N = 1e[+]06, (all|asc|exp|log)", "the same, scores equal, ascending or skewed", ARGSORT),
    Line("N = 1e[+]06, P = N", "the same, a million of each kind", ARGSORT),
    Line("P = 227, N = 4619", "the same, 227 + 4619 samples", "the greedy algorithm, compiled"),
    Line("ranking_svm, MQ2008", "`fit_ranking_svm`, MQ2008, to a gap of 1e-3", "`reference`, cutting planes in NumPy"),
    Line("fit_top_push", "`fit_top_push`, digits, to a gap of 1e-2", "`reference`, accelerated gradient in NumPy"),
    Line("fit_svm_perf", "`fit_svm_perf`, digits, to a gap of 1e-2", "`reference`, cutting planes in NumPy"),
    Line("50000 steps, against 500 ", "`fit_wsabie`, 101 classes, a step", "`reference`, line by line in NumPy", 0.01),
    Line("against W @ x", "the same, 10 000 classes, each step one draw", "its products and updates alone, by BLAS"),
    Line("prototype_scores", "`prototype_scores`, 101 classes", "a product of matrices, without the distances"),
    Line("two threads against one", "large inputs with `n_jobs=2`, on two cores", "the same with `n_jobs=1`"),
)


def main(arguments=None):
    """Rewrite the blocks of all pages."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.readme", description=__doc__.split(":")[0])
    parser.add_argument("--only", metavar="NAME", choices=list(WRITERS), help=f"one of {', '.join(WRITERS)}")
    options = parser.parse_args(arguments)
    for name in [options.only] if options.only else WRITERS:
        page = page_of(name)
        text = page.read_text(encoding="utf-8")
        page.write_text(rewritten(text, name, WRITERS[name](text)), encoding="utf-8")
        print(f"{page.relative_to(ROOT)}: {name}")


def page_of(name):
    """Returns the path of the page that has a block."""
    return next(page for page, names in PAGES.items() if name in names)


def blocks(text):
    """Returns the contents of the blocks by their names. ValueError if a marker is missing or a name occurs twice."""
    found = BLOCK.findall(text)
    markers = MARKER.findall(text)  # another program may write blocks of other names, such as <!-- mutants -->
    begun, ended = [name for name in markers if name != "end"], markers.count("end")
    if len(begun) != ended or len(found) != sum(name.startswith("numbers: ") for name in begun):
        raise ValueError(f"each block must have both markers, got whole blocks only for {[name for name, _ in found]}")
    if len(dict(found)) != len(found):
        raise ValueError(f"each block must stand on a page once, got {[name for name, _ in found]}")
    return dict(found)


def rewritten(text, name, content):
    """Returns the text with the content of one block replaced."""
    if name not in blocks(text):
        raise ValueError(f"the page must have a block {name!r}, got {list(blocks(text))}")
    start, end = f"<!-- numbers: {name} -->\n", "<!-- end -->"
    before, rest = text.split(start, 1)
    return before + start + content + end + rest.split(end, 1)[1]


def code_above(text, name):
    """Returns the last Python code that stands above a block."""
    return CODE.findall(text.split(f"<!-- numbers: {name} -->")[0])[-1]


def output(code):
    """Returns what the code prints, in a process of its own, as a text block."""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return f"```text\n{done.stdout}```\n"


def failing(code):
    """Returns what the examiner says below its table about a file with the code, as a text block."""
    command = "python -m reference.check solution.py --only-answers"
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "solution.py").write_text(code, encoding="utf-8")
        call, places = [sys.executable, *command.split()[1:]], {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(call, cwd=folder, env=places, capture_output=True, text=True, check=False)
    found = re.search(r"^\w+: .*\n(?: {4}.*\n)+", done.stdout, re.MULTILINE)
    if found is None:
        raise ValueError(f"the code must fail, got {done.stdout + done.stderr}")
    return f"```text\n$ {command}\n...\n{found[0]}```\n"


def check_table():
    """Returns the rows SHOWN of the examiner's table of `fast`, as a text block."""
    from reference.check import Report, check

    reports = [check("fast", only=name) for name in EXAMINED]
    if not all(reports):
        raise RuntimeError("\n".join(report.counterexample() for report in reports if not report))
    rows = [row for report in reports for row in report.rows if row.name in SHOWN]
    file = io.StringIO()
    Report("fast", seed=reports[0].seed, quick=False, rows=rows).print(Console(width=120, color_system=None, file=file))
    lines = [line.rstrip() for line in file.getvalue().splitlines()]
    return "\n".join(["```text", "$ make check", *lines, "```", ""])


def speed_table(rows):
    """Returns the machine, the speed table and what the first call takes, of stored rows, as Markdown."""
    first_calls = [row for row in rows if "first call" in row["work"]]
    return table_of(rows, SPEED) + "\n".join(["", *textwrap.wrap(sentence_on_first_calls(first_calls), 120), ""])


def small_table(rows):
    """Returns the machine and the lines FEW of the speed table, of stored rows, as Markdown."""
    return table_of(rows, [line for line in SPEED if line.pattern in FEW])


def table_of(rows, shown):
    """Returns the machine and a table of some lines, of stored rows, as Markdown."""
    others = [row for row in rows if "first call" not in row["work"]]
    lines = [
        *textwrap.wrap(f"Medians of `make bench`, single thread, on one machine: {the_machine(others)}.", 120),
        "A ratio below 1 means that this project is faster. (CPU) is a ratio of CPU times, all others of wall times.",
        "",
        "| what you get | what you would use otherwise | time, ours / theirs |",
        "|---|---|---|",
        *(f"| {line.ours} | {line.theirs} | {ratios(rows, line)} |" for line in shown),
        "",
    ]
    return "\n".join(lines)


def the_machine(rows):
    """Returns the machine of the rows. ValueError if there are several."""
    machines = {row["machine"] for row in rows}
    if len(machines) != 1:
        raise ValueError(f"the rows must be of one machine, got {sorted(machines)}")
    return machines.pop()


def sentence_on_first_calls(rows):
    """Returns what compiling takes, of the rows on processes that compile and on processes that load."""
    more, loading = spread([row["ours"] - row["theirs"] for row in rows]), spread([row["theirs"] for row in rows])
    example = two_digits(next(row["ours"] for row in rows if "README" in row["work"]))
    return (
        f"A process that compiles at a first call takes {more} CPU s more than one that loads what was compiled, which "
        f"takes {loading} with its imports. The example of the README takes {example} if it compiles (medians of "
        f"three; {the_machine(rows)})."
    )


def ratios(rows, line):
    """Returns the ratio of the rows of one line, or their range. ValueError if there is no such row."""
    matching = [row for row in rows if "sweep" not in row and re.search(line.pattern, row["work"])]
    found = [line.scale * row["ratio"] for row in matching]
    if not found:
        raise ValueError(f"{MEASUREMENT.name} must have a row with {line.pattern!r}, got none: measure it anew")
    return spread(found) + (" (CPU)" if any(row.get("clock") == "cpu" for row in matching) else "")


def spread(numbers):
    """Returns the smallest and the largest number with two digits each, or one of them if they read the same."""
    low, high = two_digits(min(numbers)), two_digits(max(numbers))
    return low if low == high else f"{low} to {high}"


def two_digits(number):
    """Returns a number with two significant digits; as a fraction 1/x if it is below 0.1."""
    if number < 0.1:
        return f"1/{float(f'{1 / number:.2g}'):g}"
    if number < 1:
        return f"{number:.2f}"
    return f"{number:.1f}" if number < 10 else f"{float(f'{number:.2g}'):g}"


def stored():
    """Returns the rows of the stored measurement."""
    return json.loads(MEASUREMENT.read_text(encoding="utf-8"))


def estimator_tables(comparison):
    """Returns a table for each data set of the stored comparison, as Markdown. The best cells of a column are bold."""
    machine = the_machine([row for rows in comparison.values() for row in rows.values() if "machine" in row])
    lines = textwrap.wrap(f"Times and memory of one fit, single thread, on one machine: {machine}.", 120)
    for title, rows in zip(DATA_SETS, comparison.values(), strict=True):
        lines += ["", f"| {title} | one guess, % right | five guesses, % right | CPU seconds | peak memory, MB |"]
        columns = zip(*(estimator_cells(row) for row in rows.values()), strict=True)
        cells = zip(*map(with_the_best_bold, columns, (max, max, min, min)), strict=True)
        lines += ["|---|---|---|---|---|"]
        lines += [f"| `{name}` | {' | '.join(row)} |" for name, row in zip(rows, cells, strict=True)]
    return "\n".join([*lines, ""])


def digest(comparison):
    """Returns the rows DIGEST of the stored comparison, as one Markdown table."""
    digits, documents = comparison.values()
    heads = ["% right", "digits, one guess", "documents, one guess", "documents, five guesses"]
    heads += ["CPU seconds", "peak memory, MB"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for name in DIGEST:
        first = estimator_cells(digits[name])[0] if name in digits else "–"
        lines.append(f"| `{name}` | {' | '.join([first, *estimator_cells(documents[name])])} |")
    return "\n".join([*lines, "", "Time and memory are those of a fit to the documents.", ""])


def estimator_cells(row):
    """Returns the cells of an estimator: mean and deviation of the splits for one and five guesses, time and memory.

    A row that was computed on another machine than the others has neither time nor memory.
    """
    cells = []
    for guesses in ("1", "5"):
        shares = [100 * share for share in row[guesses]["test"]]
        cells.append(f"{statistics.mean(shares):.1f} ± {statistics.stdev(shares):.1f}")
    return cells + ([f"{row['seconds']:.2f}", f"{row['megabytes']:.0f}"] if "machine" in row else ["–", "–"])


def with_the_best_bold(cells, best):
    """Returns the cells of a column; those whose number, as it is printed, is the best one are bold."""
    numbers = [None if cell == "–" else float(cell.split()[0]) for cell in cells]
    top = best(number for number in numbers if number is not None)
    return [f"**{cell}**" if number == top else cell for cell, number in zip(cells, numbers, strict=True)]


WRITERS = {
    "example": lambda text: output(code_above(text, "example")),
    "check": lambda text: check_table(),
    "distributed": lambda text: output(code_above(text, "distributed")),
    "few": lambda text: small_table(stored()),
    "tour": lambda text: output(code_above(text, "tour")),
    "failing": lambda text: failing(code_above(text, "failing")),
    "certify": lambda text: output(code_above(text, "certify")),
    "digest": lambda text: digest(json.loads(COMPARISON.read_text(encoding="utf-8"))),
    "guesses": lambda text: output(code_above(text, "guesses")),
    "estimators": lambda text: estimator_tables(json.loads(COMPARISON.read_text(encoding="utf-8"))),
    "speed": lambda text: speed_table(stored()),
}
PAGES = {
    README: ["example", "check", "distributed", "few"],
    BOOK / "install.md": ["tour"],
    BOOK / "examiner.md": ["failing", "certify"],
    BOOK / "which_method.md": ["digest", "guesses", "estimators"],
    BOOK / "benchmarks.md": ["speed"],
}


if __name__ == "__main__":
    main()

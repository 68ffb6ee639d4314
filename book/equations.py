"""The page "Every equation": what the papers number, who implements it, what checks it, and which page explains it.

`equations.toml` lists what is numbered. The functions come from the References of their docstrings.
"""

import inspect
import re
import tomllib
from pathlib import Path

import fast.distributed
import fast.estimators
import reference
import reference.datasets
from reference.check.judging.specs import SPECS

ROOT = Path(__file__).parents[1]
NUMBERED = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
TITLES = {
    "001": "Column squishing for multiclass updates",
    "002": "Efficient optimization for rank-based loss functions",
    "003": "Training highly multiclass classifiers",
    "004": "Top-k multiclass SVM",
}
HEAD = """# Every equation of the four papers

You hold a paper, and look for the code of an equation. Each row below is one equation, algorithm, lemma, proposition,
table or figure that a paper numbers. It has the functions whose documentation names it, what checks them, and the
section that explains it, often in other letters. *Not used* says why no function needs it.

A certificate is a number that is zero only for a right answer ([how](reference/check/CERTIFICATES.md)). The examiner
compares each function with its ground truth, too. The blog post on column squishing numbers nothing: its rows are its
two problems, and what it takes from Bittorf, Recht, Ré and Tropp. What is wrong in the papers is in the
[errata](errata.md), and their measured numbers are in [Every number](notebooks/EVERY_NUMBER.md).
"""
SHORT = {"EVERY_NUMBER": "numbers", "errata": "errata"}  # others are notebooks, which have a number
PACKAGES = (reference, reference.datasets, fast.estimators, fast.distributed)
CITATION = re.compile(r"Paper (00\d) \([^()]*\)([^*]*)")
WORDS = "algorithm|definition|figure|lemma|observation|proposition|table|theorem"
BY_WORD = re.compile(rf"\b({WORDS})s? (\d+(?:(?:, | and | to )\d+)*)", re.IGNORECASE)
PART = re.compile(r"^([A-Z])\. .*")  # a heading of Going further
IN_BRACKETS = re.compile(r"\(C?\d+\)(?: to \(C?\d+\))?")


def names(text):
    """Returns what `text` names, as the keys of `NUMBERED`: Lemmas 3 to 5, equations (7) and (8), condition (C1)."""
    found = [(f"{word.lower()} {{}}", numbers) for word, numbers in BY_WORD.findall(text)]
    found += [("condition (C{})" if "C" in one else "equation ({})", one) for one in IN_BRACKETS.findall(text)]
    all_of = {}
    for form, numbers in found:
        for part in re.split(", | and ", re.sub("[C()]", "", numbers)):
            first, _, last = part.partition(" to ")
            all_of |= {form.format(i): None for i in range(int(first), int(last or first) + 1)}
    return list(all_of)


def cited():
    """Returns {(paper, what it numbers): [full name of a function, ...]} of all public docstrings."""
    found = {}
    for package in PACKAGES:
        for key in package.__all__:
            text = inspect.getdoc(getattr(package, key)) or ""
            references = text.partition("References\n----------\n")[2].partition("\n\n")[0]
            for paper, rest in CITATION.findall(" ".join(references.split())):
                for name in names(rest):
                    found.setdefault((paper, name), []).append(f"{package.__name__}.{key}")
    return found


def page():
    """Returns the page as Markdown."""
    functions, parts = cited(), [HEAD]
    for paper, items in NUMBERED.items():
        parts += [f"## {TITLES[paper]}\n", "| number | what it is | functions | certificate, test | explained in |"]
        parts.append("|---" * 5 + "|")
        for name, item in items.items():
            used = functions.get((paper, name), []) + [f"reference.{key}" for key in item.get("functions", ())]
            links = ", ".join(f"{{py:obj}}`{one.removeprefix('reference.')} <{one}>`" for one in used)
            why = f"*not used:* {item['unused']}" if "unused" in item else ""
            cells = [name[0].upper() + name[1:], item["about"], links or why, checks(used, item), pages(item)]
            parts.append(f"| {' | '.join(cells)} |")
        parts.append("")
    return "\n".join(parts)


def checks(functions, item):
    """Returns links to the certificates of the functions, and to the test of the item."""
    names = [function.rpartition(".")[2] for function in functions]
    sections = dict.fromkeys(section(name) for name in names if name in SPECS)
    links = [f"[{heading}](reference/check/CERTIFICATES.md#{there})" for heading, there in sections]
    if "test" in item:
        links.append(f"[{Path(item['test']).name}]({item['test']})")
    return ", ".join(links)


def section(name):
    """Returns heading and anchor of the section of CERTIFICATES.md that has the certificate of a function."""
    text = (ROOT / "reference/check/CERTIFICATES.md").read_text(encoding="utf-8")
    heading = next(part.partition("\n")[0] for part in text.split("\n## ")[1:] if re.search(rf"\b{name}\b", part))
    return heading, anchor(heading)


def anchor(heading):
    """Returns the anchor that the book gives a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def pages(item):
    """Returns links to the sections that explain an item, which `equations.toml` has as page#heading."""
    links = {}
    for name, _, heading in (place.partition("#") for place in item.get("page", ())):
        text = SHORT.get(name) or f"{name[:2]}, " + PART.sub(r"part \1", heading)
        links[f"[{text}]({path(name)}#{anchor(heading)})"] = None
    return ", ".join(links)


def path(name):
    """Returns where the page of this name is, from the folder of the book's sources."""
    if name == "errata":
        return "errata.md"
    return f"notebooks/{name}" + (".md" if name == "EVERY_NUMBER" else ".ipynb")

"""Every public docstring is numpydoc's reST: it builds without a warning, and a formula in it is a formula of LaTeX.

The docstrings are read from the sources. So no module is imported, and private modules and names are left alone.
"""

import ast
import functools
import io
import re
from pathlib import Path

import pytest
from docutils import nodes
from docutils.core import publish_doctree
from docutils.frontend import get_default_settings
from docutils.parsers.rst import Directive, Parser, directives, roles
from docutils.utils.math.latex2mathml import tex2mathml
from numpydoc.docscrape import NumpyDocString
from numpydoc.docscrape_sphinx import SphinxDocString
from numpydoc.validate import ALLOWED_SECTIONS

ROOT = Path(__file__).parents[1]
WARNING, NEVER = 2, 5  # docutils' levels
HEADING = re.compile(r"^([A-Z][A-Za-z ]*)\n(-{2,})$", re.MULTILINE)
CITATION = re.compile(r"Paper(?: 00\d)? \((?P<authors>[^:()]+): (?P<title>[^()]+), (?P<year>\d{4})\)")
# A paper has one name in all docstrings. The book links it.
PAPERS = {
    "Paper 001 (Daumé: Column Squishing for Multiclass Updates, 2017)",
    "Paper 002 (Mohapatra et al.: Efficient Optimization for Rank-based Loss Functions, 2018)",
    "Paper 003 (Gupta, Bengio, Weston: Training Highly Multiclass Classifiers, 2014)",
    "Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015)",
    "Paper (Behl, Jawahar, Kumar: Optimizing Average Precision using Weakly Supervised Data, 2014)",
    "Paper (Berrada, Zisserman, Kumar: Trusting SVM for Piecewise Linear CNNs, 2017)",
    "Paper (Bittorf, Recht, Ré, Tropp: Factoring Nonnegative Matrices with Linear Programs, 2012)",
    "Paper (Chakrabarti et al.: Structured Learning for Non-Smooth Ranking Losses, 2008)",
    "Paper (Crammer et al.: Online Passive-Aggressive Algorithms, 2006)",
    "Paper (Elisseeff, Weston: A Kernel Method for Multi-Labelled Classification, 2001)",
    "Paper (Freund, Schapire: Large Margin Classification Using the Perceptron Algorithm, 1999)",
    "Paper (Grangier, Bengio: A Discriminative Kernel-Based Approach to Rank Images from Text Queries, 2008)",
    "Paper (Joachims: A Support Vector Method for Multivariate Performance Measures, 2005)",
    "Paper (Joachims, Finley, Yu: Cutting-Plane Training of Structural SVMs, 2009)",
    "Paper (Kar, Narasimhan, Jain: Surrogate Functions for Maximizing Precision at the Top, 2015)",
    "Paper (Kiwiel: Variable Fixing Algorithms for the Continuous Quadratic Knapsack Problem, 2008)",
    "Paper (Lacoste-Julien et al.: Block-Coordinate Frank-Wolfe Optimization for Structural SVMs, 2013)",
    "Paper (Lapin, Hein, Schiele: Loss Functions for Top-k Error, 2016)",
    "Paper (Lapin, Hein, Schiele: Analysis and Optimization of Loss Functions, 2018)",
    "Paper (Li, Jin, Zhou: Top Rank Optimization in Linear Time, 2014)",
    "Paper (Li, Sun, Toh: A Semismooth Newton Method for Lasso Problems, 2018)",
    "Paper (Ma et al.: Adding vs. Averaging in Distributed Optimization, 2015)",
    "Paper (Marlin, Swersky, Chen, de Freitas: Inductive Principles for Restricted Boltzmann Machine Learning, 2010)",
    "Paper (Matsushima et al.: Exact Passive-Aggressive Algorithm for Multiclass Classification, 2010)",
    "Paper (McAllester, Hazan, Keshet: Direct Loss Minimization for Structured Prediction, 2010)",
    "Paper (Perronnin et al.: Towards Good Practice in Large-Scale Learning for Image Classification, 2012)",
    "Paper (Qin, Liu: Introducing LETOR 4.0 Datasets, 2013)",
    "Paper (Song, Schwing, Zemel, Urtasun: Training Deep Neural Networks via Direct Loss Minimization, 2016)",
    "Paper (Weston, Bengio, Usunier: Wsabie: Scaling Up to Large Vocabulary Image Annotation, 2011)",
    "Paper (Yue, Finley, Radlinski, Joachims: A Support Vector Method for Optimizing Average Precision, 2007)",
}


# --- the docstrings --------------------------------------------------------------------------------------------------


@functools.cache
def documented(path):
    """Returns [(name, node, docstring), ...] of a public module and of its public classes, functions and methods."""

    def of(node, name):
        if text := ast.get_docstring(node):
            yield name, node, text
        for child in [] if isinstance(node, ast.FunctionDef) else node.body:
            if isinstance(child, ast.FunctionDef | ast.ClassDef) and not child.name.startswith("_"):
                yield from of(child, f"{name}.{child.name}")

    relative = path.relative_to(ROOT).with_suffix("")
    return list(of(ast.parse(path.read_text(encoding="utf-8")), ".".join(relative.parts).removesuffix(".__init__")))


def is_public(path):
    return not any(part.startswith("_") and part != "__init__.py" for part in path.relative_to(ROOT).parts)


FILES = [
    path for package in ("reference", "fast") for path in sorted((ROOT / package).rglob("*.py")) if is_public(path)
]
EACH = pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))


# --- reST ------------------------------------------------------------------------------------------------------------


SETTINGS = get_default_settings(Parser)
SETTINGS.report_level, SETTINGS.halt_level, SETTINGS.file_insertion_enabled = WARNING, NEVER, False
NUMPYDOC = {"show_class_members": False}
NUMPYDOC["template"] = SphinxDocString("", config=NUMPYDOC).template  # or each docstring would compile it anew


class Anything(Directive):
    """A directive of Sphinx, whose content is read as part of the page."""

    has_content, optional_arguments, final_argument_whitespace = True, 1, True

    def run(self):
        box = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, box)
        return [box]


def tree_and_warnings(node, text):
    """Returns the tree of a docstring and docutils' warnings. numpydoc turns the sections into reST first."""
    for name in ("only", "seealso"):
        directives.register_directive(name, Anything)
    for name in ("class", "func", "meth", "mod", "obj", "ref"):
        roles.register_local_role(name, roles.GenericRole(name, nodes.literal))
    page = text if isinstance(node, ast.Module) else str(SphinxDocString(text, config=NUMPYDOC))
    found = io.StringIO()
    SETTINGS.warning_stream = found
    return publish_doctree(page, settings=SETTINGS), found.getvalue()


@EACH
def test_it_builds_without_a_warning_and_its_formulas_are_latex(path):
    for name, node, text in documented(path):
        tree, warnings = tree_and_warnings(node, text)
        assert not warnings, f"{name}: {warnings}"
        for formula in [*tree.findall(nodes.math), *tree.findall(nodes.math_block)]:
            tex2mathml(formula.astext(), as_block=isinstance(formula, nodes.math_block))  # raises a MathError


@EACH
def test_its_sections_are_numpydocs_in_their_order(path):
    for name, node, text in documented(path):
        if isinstance(node, ast.Module):
            continue
        headings = HEADING.findall(text)
        assert [len(heading) for heading, _ in headings] == [len(line) for _, line in headings], name
        got = [heading for heading, _ in headings]
        assert got == sorted(set(got), key=ALLOWED_SECTIONS.index), name


@EACH
def test_its_parameters_are_those_of_the_signature(path):
    for name, node, text in documented(path):
        if isinstance(node, ast.Module) or "\nParameters\n---" not in text:
            continue
        function = node
        if isinstance(node, ast.ClassDef):
            [function] = [part for part in node.body if isinstance(part, ast.FunctionDef) and part.name == "__init__"]
        taken = function.args
        expected = [argument.arg for argument in [*taken.posonlyargs, *taken.args, *taken.kwonlyargs]]
        expected += [argument.arg for argument in (taken.vararg, taken.kwarg) if argument]
        listed = [parameter.name.split(",") for parameter in NumpyDocString(text)["Parameters"]]
        got = [entry.strip().lstrip("*") for entries in listed for entry in entries]
        assert sorted(got) == sorted(set(expected) - {"self", "cls"}), name


@pytest.mark.parametrize("folder", ["reference", "reference/problems"])
def test_the_problem_of_a_fit_and_of_a_projection_is_a_formula_of_its_own(folder):
    checked = 0
    for path in (ROOT / folder).glob("*.py"):
        for name, node, text in documented(path) if path in FILES else ():
            if re.search(r"\.(fit|project)_\w+$", name):
                summary = text.partition("\nParameters\n---")[0]
                assert list(tree_and_warnings(node, summary)[0].findall(nodes.math_block)), name
                checked += 1
    assert checked > 15


# --- sources ---------------------------------------------------------------------------------------------------------


@EACH
def test_a_source_is_a_paper_with_its_title(path):
    for name, _, text in documented(path):
        cited = {citation.group() for citation in CITATION.finditer(text)}
        assert cited <= PAPERS, f"{name}: {cited - PAPERS}"
        rest = CITATION.sub("", text)
        assert not re.search(r"\bPaper\b|(?<!\d )\b00[1-4]\b", rest), f"{name}: a number, or a citation over two lines"
        assert "Source:" not in rest or cited, name
        if references := text.partition("\nReferences\n----------\n")[2].partition("\n\n")[0]:
            entries = re.split(r"\n(?=\* )", references)
            assert all(CITATION.match(entry.removeprefix("* ")) for entry in entries), name


def test_every_paper_is_cited():
    text = "\n".join(text for path in FILES for _, _, text in documented(path))
    assert not [paper for paper in sorted(PAPERS) if paper not in text]

"""Paired differences, corrections for many of them, a number beside a mean; and that every page and study uses them."""

import ast
import doctest
import re
import textwrap
from pathlib import Path

import nbformat
import numpy as np
import pytest
from scipy import stats

from notebooks.studies import image_classification, layerwise, paired

FOLDER = Path(__file__).parents[1] / "notebooks"
NAMES = OVERLAPPING, HERE, FOLD, APART = "study.TEST_TO_TRAIN", "TEST_TO_TRAIN", "FOLD", "INDEPENDENT"
RATIOS = {"06": {HERE}, "08": {HERE, FOLD, APART}, "09": {APART}, "11": {APART}, "12": {APART},
          "13": {OVERLAPPING}, "14": {OVERLAPPING}, "17": {APART}}  # of the intervals of a page  # fmt: skip
PUZZLE = ("14",)  # a page whose opening reckons one interval by hand
PAGES = [*sorted(FOLDER.glob("[01]*.ipynb")), FOLDER.parent / "README.md", FOLDER.parent / "book/pages/which_method.md"]
STUDIES = sorted(path for path in (FOLDER / "studies").glob("*.py") if path.stem != "paired")


def test_the_examples_of_the_docstrings():
    assert doctest.testmod(paired).failed == 0


def test_without_overlap_it_is_the_paired_t_test():
    random = np.random.default_rng(0)
    one, other = random.normal(1, 1, size=10), random.normal(0.5, 1, size=10)
    got, expected = paired.difference(one, other, 0.0), stats.ttest_rel(one, other)
    low, high = expected.confidence_interval(0.95)
    assert got.p == pytest.approx(expected.pvalue)
    assert (got.mean - got.half, got.mean + got.half) == pytest.approx((low, high))


def test_overlap_makes_the_error_larger():
    one, other = np.arange(10.0), np.zeros(10)
    plain, corrected = (paired.difference(one, other, share) for share in (0.0, 2307 / 4100))
    assert corrected.error / plain.error == pytest.approx(np.sqrt(1 + 10 * 2307 / 4100))
    assert corrected.p > plain.p and corrected.mean == plain.mean


def test_equal_rows_do_not_differ_and_a_constant_gain_does():
    same, more = np.array([60.0, 61.0, 62.0]), np.array([61.0, 62.0, 63.0])
    assert paired.difference(same, same, 0.5) == (0, 0, 0, 1)
    assert paired.difference(more, same, 0.5) == (1, 0, 0, 0)


def test_one_split_has_no_error():
    with pytest.raises(ValueError, match="2 splits or more, got 1"):
        paired.difference([1.0], [0.0], 0.5)


def test_holm_by_hand():
    # 0.001 * 4, then max with 0.01 * 3, then 0.02 * 2, then 0.9 * 1.
    assert paired.holm([0.9, 0.001, 0.02, 0.01]) == pytest.approx([0.9, 0.004, 0.04, 0.03])
    assert paired.holm([0.02, 0.02, 0.02]) == pytest.approx([0.06, 0.06, 0.06])
    assert paired.holm([0.7, 0.9]) == pytest.approx([1.0, 1.0])


def test_holm_rejects_no_more_than_each_alone_and_no_less_than_bonferroni():
    random = np.random.default_rng(1)
    for _ in range(50):
        p = random.uniform(size=8) ** 3
        adjusted = paired.holm(p)
        assert (adjusted >= p).all() and (adjusted <= np.minimum(8 * p, 1) + 1e-15).all()
        assert (np.diff(adjusted[np.argsort(p)]) >= 0).all()


def test_where_nothing_differs_a_whole_family_is_open_nineteen_times_in_twenty():
    random, wrong = np.random.default_rng(2), 0
    for _ in range(400):
        found = [paired.difference(*random.normal(size=(2, 10)), 0.0) for _ in range(12)]
        wrong += set(paired.verdicts(found)) != {"open"}
    assert 0.02 <= wrong / 400 <= 0.08, wrong / 400


def test_verdicts_need_the_correction():
    weak = paired.Difference(1.0, 0.4, 0.9, 0.04)
    assert paired.verdicts([weak]) == ["higher"]
    assert paired.verdicts([weak] * 2) == ["open"] * 2
    assert paired.verdicts([weak._replace(p=0.001), weak._replace(mean=-1.0, p=0.002)]) == ["higher", "lower"]


def test_a_number_beside_a_mean():
    random = np.random.default_rng(3)
    values = random.normal(60, 2, size=(4000, 11))
    apart = [paired.outside(row[:10], row[10]) for row in values]
    expected = 2 * stats.t.sf(2, 9)  # one more draw, in deviations that are themselves estimated
    assert np.mean(np.abs(apart) > 2) == pytest.approx(expected, abs=0.015)
    assert paired.outside([1.0, 3.0], 2.0) == 0


def test_bonferroni_makes_an_interval_wider_and_leaves_p():
    one, other = np.random.default_rng(4).normal(size=(2, 10))
    alone, together = (paired.difference(one, other, 0.5, comparisons=number) for number in (1, 6))
    assert together.half / together.error == pytest.approx(stats.t.ppf(1 - 0.05 / 12, 9))
    assert alone.half < together.half and alone[:2] == together[:2] and alone.p == together.p


def test_a_verdict_is_open_where_the_interval_contains_zero():
    pairs = (1, 2), (-1, 2), (3, 2), (-3, 2), (0, 0)
    words = [paired.Difference(mean, 1.0, half, 0.5).verdict for mean, half in pairs]
    assert words == ["open", "open", "higher", "lower", "open"]


# --- every page and every study ------------------------------------------------------------------------------------


def is_difference(node, names):
    """Whether an expression subtracts, perhaps with a factor, or is one of the names."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
        return is_difference(node.left, names) or is_difference(node.right, names)
    subtracts = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)
    return subtracts or re.match(r"np\.subtract\(", ast.unparse(node)) or ast.unparse(node) in names


def spreads(tree, names):
    """Whether a deviation of differences is taken: d.std(), or np.std(d)."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    return any(is_difference(part, names) for call in calls if call.func.attr in ("std", "var")
               for part in (call.func.value, *call.args[:1]))  # fmt: skip


def by_hand(source):
    """The expressions of a source that make an error of their own: a standard error, a quantile of Student's t, or a
    text with ± and the deviation of differences."""
    tree = ast.parse(source)
    assigned = [node for node in ast.walk(tree) if isinstance(node, ast.Assign) and is_difference(node.value, ())]
    names = {ast.unparse(target) for node in assigned for target in node.targets}
    for node in ast.walk(tree):
        text = ast.unparse(node)
        if isinstance(node, ast.BinOp) and re.search(r"\b(std|var)\(", ast.unparse(node.left)):
            number = ast.unparse(node.right)
            if re.search({ast.Div: r"sqrt\(|\*\* 0\.5", ast.Mult: r"sqrt\(1 / "}.get(type(node.op), "$^"), number):
                yield text
        if isinstance(node, ast.Attribute) and node.attr in ("ppf", "sem", "ttest_rel", "ttest_1samp"):
            yield text
        if isinstance(node, ast.JoinedStr | ast.Call) and "±" in text and spreads(node, names):
            yield text


def code_of(path):
    """The cells of a page that are no exercises, and what they put out; or the blocks of Python in a text."""
    if path.suffix == ".md":
        blocks = re.findall(r"^ *```python\n(.*?)^ *```", path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
        return [(textwrap.dedent(block), "") for block in blocks]
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    return [(cell.source, "".join(output.get("text", "") for output in cell.outputs))
            for cell in cells if "# to do" not in cell.source]  # fmt: skip


@pytest.mark.parametrize("source", [
    "half = 2.262 * apart.std(ddof=1) / len(apart) ** 0.5", "e = d.mean() / (d.std() / np.sqrt(len(d)))",
    "e = np.std(x, ddof=1) / 10**0.5", "e = values.std(ddof=1) * np.sqrt(1 / n)", "t = stats.t.ppf(0.975, 9)",
    "apart = np.array(a) - b\nprint(f'{apart.mean():+.3f} ± {apart.std(ddof=1):.3f}')", "f'± {np.std(a - b):.1f}'",
    "more = 100 * np.subtract(a, b)\nprint('{:.1f} ± {:.1f}'.format(more.mean(), 0.1 * more.std()))",
])  # fmt: skip
def test_an_error_by_hand_is_seen(source):
    assert list(by_hand(source))


def test_a_deviation_of_one_row_is_no_error_by_hand():
    assert list(by_hand("apart = a - b\nprint(f'{a.mean()} ± {a.std()}, {apart.mean()}')")) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_takes_its_intervals_from_the_one_function_and_says_what_overlaps(page):
    source = "\n".join(source for source, _ in code_of(page))
    assert len(list(by_hand(source))) == (page.stem[:2] in PUZZLE)
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    calls = [call for call in calls if ast.unparse(call.func).split(".")[-1] == "difference"]
    ratios = [[name for name in map(ast.unparse, call.args) if name in NAMES] for call in calls]
    assert {len(names) for names in ratios} <= {1} and {name for (name,) in ratios} == RATIOS.get(page.stem[:2], set())


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_a_study_takes_its_intervals_from_the_one_function(path):
    assert list(by_hand(path.read_text(encoding="utf-8"))) == []


def test_the_ratios_are_those_of_the_splits():
    train, test = layerwise.halves(layerwise.datasets.load_digits()[1], 0)
    assert layerwise.TEST_TO_TRAIN == pytest.approx(len(test) / len(train), rel=0.02)
    assert image_classification.TEST_TO_TRAIN == 2307 / 4100


def test_the_intervals_of_the_layers_are_those_of_nadeau_and_bengio():
    rows = layerwise.stored()
    for setting, (_, _, classes, splits, *_) in layerwise.SETTINGS.items():
        for loss in ("ap", "ndcg"):
            pair = [[np.mean([rows[layerwise.name_of((setting, split, c, objective, None, "quicksort"))][loss]
                              for c in classes]) for split in range(splits)]
                    for objective in (loss, "zero_one")]  # fmt: skip
            apart, found = np.subtract(*pair), paired.difference(*pair, layerwise.TEST_TO_TRAIN, comparisons=6)
            half = stats.t.ppf(1 - 0.05 / 12, splits - 1) * np.std(apart, ddof=1) * np.sqrt(1 / splits + 1)
            assert found.half == pytest.approx(half) and found.mean == pytest.approx(np.mean(apart))
            assert half > abs(np.mean(apart))  # or the page has to say more than "open"

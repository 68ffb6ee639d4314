"""Measured numbers of README.md and the book: they are in blocks that `make readme` writes, and the blocks hold what it
would write."""

import json
import re

import pytest

from reference.check.judging.subject import SUBJECTS
from tests.benchmarks import readme
from tests.support.forked import Forked

TEXTS = {page: page.read_text(encoding="utf-8") for page in readme.PAGES}
TEXT = TEXTS[readme.README]
BLOCKS = {name: content for text in TEXTS.values() for name, content in readme.blocks(text).items()}
# What a sentence on speed holds beside a number; and durations, which are measured even where they are words.
SPEED = re.compile(r"\b(fast(er)?|slow(er|ly)?|speed(-ups?)?|quick(er)?|times|ratios?|twice)\b", re.IGNORECASE)
DURATION = re.compile(r"\b(seconds?|minutes?|hours?|ms|µs)\b|\d ?s\b")


def prose(text):
    """The text without blocks, code, links and pictures; its lines joined to sentences."""
    text = readme.BLOCK.sub("", text)
    text = re.sub(r"```.*?```|`[^`]*`|!?\[([^\]]*)\]\([^)]*\)", r" \1 ", text, flags=re.DOTALL)
    return re.split(r"(?<=[.:!?])\s+|\n\s*\n|\|", text)


def claims(text):
    """Sentences on speed that hold a digit, and all sentences that hold a duration."""
    return [part for part in prose(text) if DURATION.search(part) or (SPEED.search(part) and re.search(r"\d", part))]


def test_the_readme_is_short():
    assert len(TEXT.splitlines()) <= 200


def test_each_block_stands_between_its_markers_and_is_written_by_the_command():
    for page, names in readme.PAGES.items():
        assert list(readme.blocks(TEXTS[page])) == names, page.name
    assert list(BLOCKS) == list(readme.WRITERS) and all(content.strip() for content in BLOCKS.values())


def test_the_speed_tables_are_those_of_the_stored_measurement():
    assert BLOCKS["speed"] == readme.speed_table(readme.stored())
    assert BLOCKS["few"] == readme.small_table(readme.stored())


def test_the_small_table_shows_the_worst_rows():
    """Those of which a ratio is above 1.3, or its lines would be the good ones only."""
    rows = [row for row in readme.stored() if "sweep" not in row and "first call" not in row["work"]]
    for line in readme.SPEED:
        worst = max(line.scale * row["ratio"] for row in rows if re.search(line.pattern, row["work"]))
        assert worst <= 1.3 or line.pattern in readme.FEW, line
    assert len(readme.FEW) == BLOCKS["few"].count("\n| `") + BLOCKS["few"].count("\n| the same")


def test_the_tables_of_estimators_are_those_of_the_stored_comparison():
    comparison = json.loads(readme.COMPARISON.read_text(encoding="utf-8"))
    assert BLOCKS["estimators"] == readme.estimator_tables(comparison)
    assert BLOCKS["digest"] == readme.digest(comparison)
    next(iter(comparison["text"].values()))["machine"] = "another"
    with pytest.raises(ValueError, match="of one machine"):
        readme.estimator_tables(comparison)


def test_the_best_cells_of_a_column_are_bold():
    assert readme.with_the_best_bold(["9.0 ± 0.1", "–", "10.0 ± 0.3"], max) == ["9.0 ± 0.1", "–", "**10.0 ± 0.3**"]
    assert readme.with_the_best_bold(["0", "1", "0"], min) == ["**0**", "1", "**0**"]


@pytest.fixture(scope="module")
def python():
    """A process that has imported what the examples need of other packages. Of ours they must import what they use."""
    with Forked("import numba, dask.array, scipy.optimize, sklearn.model_selection") as process:
        yield process


@pytest.mark.parametrize("name", ["example", "tour", "guesses", "distributed"])
def test_the_examples_print_what_the_readme_says(name, python):
    done = python.run(readme.code_above(TEXTS[readme.page_of(name)], name))
    assert BLOCKS[name] == f"```text\n{done.stdout}```\n", done.stderr


@pytest.mark.parametrize("name", ["failing", "certify"])
def test_the_command_writes_what_an_example_prints(name):
    assert BLOCKS[name] == readme.WRITERS[name](TEXTS[readme.page_of(name)])


def test_the_table_of_the_examiner_shows_its_rows_and_all_are_right():
    rows = [line.split("│")[1:-1] for line in BLOCKS["check"].splitlines() if line.startswith("│")]
    assert {row[0].strip() for row in rows} == readme.SHOWN
    assert {row[5].strip().split(",")[0] for row in rows} == {"right"}
    assert set(readme.EXAMINED) <= set(SUBJECTS)


def test_no_number_on_speed_stands_outside_a_block():
    assert claims(TEXT) == [] and claims(TEXTS[readme.page_of("speed")]) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "It is 12 times as fast as NumPy.",
        "The same, 1000 numbers | ratio 1.5 |",
        "`make study` takes all of it, in twenty minutes.",
        "The tests take 401 s.",
        "Below 1 it is\nfaster.",
    ],
)
def test_a_number_on_speed_is_found(sentence):
    assert claims(f"{TEXT}\n\n{sentence}\n") != []
    assert claims(f"{TEXT}\n\n<!-- numbers: more -->\n{sentence}\n<!-- end -->\n") == []


def test_a_block_is_replaced_and_the_rest_is_kept():
    got = readme.rewritten(TEXT, "few", "new\n")
    assert readme.blocks(got) == {**readme.blocks(TEXT), "few": "new\n"}
    assert readme.rewritten(got, "few", readme.blocks(TEXT)["few"]) == TEXT


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (("<!-- end -->", ""), "both markers"),
        (("<!-- numbers: check -->", ""), "both markers"),
        (("numbers: check", "numbers: example"), "once"),
    ],
)
def test_broken_markers_are_refused(change, match):
    with pytest.raises(ValueError, match=match):
        readme.blocks(TEXT.replace(*change, 1))
    with pytest.raises(ValueError, match="must have a block 'cost'"):
        readme.rewritten(TEXT, "cost", "")


def test_a_number_that_was_not_measured_is_refused():
    rows = [row for row in readme.stored() if "LinearSVC" not in row["work"]]
    with pytest.raises(ValueError, match="must have a row with 'against LinearSVC'"):
        readme.speed_table(rows)
    with pytest.raises(ValueError, match="of one machine"):
        readme.speed_table([*readme.stored(), {**rows[0], "machine": "another"}])


def test_a_ratio_of_cpu_times_says_so():
    wall = {"work": "sort", "ratio": 2.0}
    for rows, expected in (([wall], "2.0"), ([wall | {"clock": "cpu"}], "2.0 (CPU)")):
        got = readme.ratios(rows, readme.Line("sort", "ours", "theirs"))
        assert got == expected, f"expected {expected}, got {got}"


@pytest.mark.parametrize(
    ("number", "expected"),
    [(0.0029, "1/340"), (0.0249, "1/40"), (0.1304, "0.13"), (0.895, "0.90"), (1.2774, "1.3"), (12.3, "12")],
)
def test_numbers_have_two_digits(number, expected):
    assert readme.two_digits(number) == expected


def test_a_range_that_reads_as_one_number_is_one():
    assert readme.spread([1.1373, 1.1282]) == "1.1" and readme.spread([0.0213, 0.0091]) == "1/110 to 1/47"

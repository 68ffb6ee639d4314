"""The HTML table of notebook 14."""

from xml.etree import ElementTree

import numpy as np
import pytest

from notebooks.studies import table1_methods as methods
from notebooks.studies import table_page

PAPER = np.array(methods.PAPER["top-1 alpha"])


def table(shift, title=None):
    """Three splits about the paper's row, moved up by `shift` in each column, with a deviation of 1."""
    accuracy = {name: PAPER + shift + np.array([[-1], [0], [1]]) for name in ("top-1 alpha", "softmax")}
    return ElementTree.fromstring(table_page.as_html(accuracy, accuracy, title).replace("<br>", "<br/>"))


def test_each_row_has_our_numbers_and_the_papers_where_it_has_any():
    first, second = table(0.5).find("tbody")
    assert [row[0].text for row in (first, second)] == ["top-1 alpha", "softmax"]
    assert first[1].text == f"{PAPER[0] + 0.5:.1f} ± 1.0" and first[1].find("span").text == f"{PAPER[0]:.1f}"
    assert len(first) == len(second) == 7 and second.find(".//span") is None


@pytest.mark.parametrize("shift, far", [(2.2, False), (2.4, True), (-2.4, True)])  # the bound is 2 sqrt(1 + 1/3) = 2.31
def test_what_is_far_from_the_paper_is_marked(shift, far):
    for cell in table(shift).find("tbody")[0][1:]:
        assert cell.find("span").text.endswith("*") == far


def test_a_table_with_a_title_is_folded():
    assert table(0.0).tag == "table"
    folded = table(0.0, "All rows")
    assert folded.tag == "details" and folded[0].tag == "summary" and folded[0].text == "All rows"
    assert len(folded.find("table/tbody")) == 2

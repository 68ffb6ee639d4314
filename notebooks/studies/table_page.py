"""The table of notebook 14 as HTML: our mean and deviation over splits, and the paper's number below."""

import numpy as np

from .paired import outside
from .table1_methods import COLUMNS, PAPER

FAR = 2  # deviations of one split: a paper's number farther away is marked
CELL = "text-align:right;padding:2px 9px"
GREY, RED = "color:#5d6b76", "color:#c4452d;font-weight:bold"


def as_html(names, accuracy, title=None):
    """An HTML table, one row a name: mean ± deviation of `accuracy[name]`, the paper's number below where it has one.

    A paper's number is red, with an asterisk, if it is more than 2 deviations of one split away from our mean. With a
    title, the table is folded away under it.
    """
    head = "".join(f'<th style="{CELL}">top-{k}</th>' for k in COLUMNS)
    rows = "".join(_row(name, accuracy[name]) for name in names)
    table = f'<table><thead><tr><th style="text-align:left">method</th>{head}</tr></thead><tbody>{rows}</tbody></table>'
    return f"<details><summary>{title}</summary>{table}</details>" if title else table


def _row(name, ours):
    paper = PAPER.get(name, [None] * len(COLUMNS))
    cells = "".join(_cell(ours[:, column], number) for column, number in enumerate(paper))
    return f'<tr><td style="text-align:left">{name}</td>{cells}</tr>'


def _cell(values, number):
    text = f"{np.mean(values):.1f} ± {np.std(values, ddof=1):.1f}"
    if number is not None:
        is_far = abs(outside(values, number)) > FAR
        text += f'<br><span style="{RED if is_far else GREY}">{number:.1f}{"*" if is_far else ""}</span>'
    return f'<td style="{CELL}">{text}</td>'

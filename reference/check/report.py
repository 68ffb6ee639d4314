"""What the examiner found, as a table for the terminal, as text for a notebook and as plain lists for a JSON file."""

from __future__ import annotations

import contextlib
import io
import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from ..problems.checks import require
from .judging.outcome import FORM

LONGEST = 60  # numbers of an array that is printed
LONGEST_REASON = 60  # letters of the reason why a case was skipped
FEW = 5  # names of functions that are not there, of all of them
MOST_REASONS = 5  # that are shown of one row
# What is broken where an answer is wrong, or there is none. All other kinds belong to the contract of the call.
MATHEMATICS, NO_ANSWER = WRONG = "mathematics", "no answer"


@dataclass
class Failure:
    """A failing instance, simplified as far as possible."""

    function: str
    reason: str
    detail: str
    label: str
    place: str
    arguments: dict[str, Any] = field(default_factory=dict)
    positional: int = 1
    expected: object = None
    got: object = None
    kind: str = ""  # "mathematics", "no answer", or a part of the contract: "dtype", "batch", "refusals", ...
    id: str = ""  # of the instance, before it was simplified

    def __str__(self) -> str:
        lines = [f"{self.function}: {self.reason}" + (f", {self.detail}" if self.detail else "")]
        if self.arguments:
            lines.append("    " + called(self.function, self.arguments, self.positional))
        if self.expected is not None:
            lines.append(f"    expected  {_unquoted(self.expected)}")
        if self.got is not None:
            lines.append(f"    got       {_unquoted(self.got)}")
        return _harmless("\n".join([*lines, f"    (case: {self.label}; see {self.where})"]))

    @property
    def where(self) -> str:
        """Where to read what is right: the place in the paper, or the docstring if the form of a call is wrong."""
        return f"the docstring of reference.{self.function}" if self.reason in FORM else self.place


@dataclass
class Row:
    """One line of the table."""

    name: str
    cases: int = 0
    passed: int = 0
    skips: dict[str, int] = field(default_factory=dict)  # cases that TARGET gave no answer to, by its reason
    error: dict[str, float] = field(default_factory=dict)  # the largest one, by the dtype of the answer
    certificate: dict[str, float] = field(default_factory=dict)
    speedup: float | None = None
    note: str = ""
    failure: Failure | None = None
    others: list[Failure] = field(default_factory=list)  # one of each other kind that is broken
    broken: int = 0  # cases that break the contract of the call only
    instances: list[dict[str, str]] = field(default_factory=list)  # that were asked: their ids, and what is broken
    unasked: int = 0  # cases that were not asked, since the examination of this function ended before

    @property
    def wrong(self) -> int:
        """The number of cases without a right answer, whether it is wrong or there is none."""
        return self.cases - self.passed - self.skipped - self.broken - self.unasked

    @property
    def verdict(self) -> str:
        """Either "right", or how many answers are wrong and how many break the contract; and how many there are not."""
        word = "right"
        if self.failure is not None:
            wrong, broken = f"WRONG ({self.wrong} of {self.cases})", f"contract broken ({self.broken} of {self.cases})"
            word = wrong if self.wrong else "answers right" if self.broken else "NO ANSWER"
            word += f"; {broken}" if self.broken else ""
        apart = {"skipped": self.skipped, "not asked": self.unasked}
        return ", ".join([word, *(f"{count} of {self.cases} {what}" for what, count in apart.items() if count)])

    @property
    def failures(self) -> list[Failure]:
        """A counter-example of each kind that is broken."""
        return [] if self.failure is None else [self.failure, *self.others]

    @property
    def skipped(self) -> int:
        """The number of cases that TARGET gave no answer to."""
        return sum(self.skips.values())

    def why_skipped(self) -> str:
        """Returns the most frequent reasons for which cases were skipped, as one line."""
        most = sorted(self.skips.items(), key=lambda skip: -skip[1])[:MOST_REASONS]
        reasons = ", ".join(f"{reason} ({count})" for reason, count in most)
        return f"{self.name}: {self.skipped} of {self.cases} skipped: {reasons}"

    @property
    def failing(self) -> list[dict[str, str]]:
        """The instances that failed: id, case, kind, reason and detail."""
        return [one for one in self.instances if one["reason"]]

    def saw(self, outcome, dtype, kind, case):
        """Record the outcome of one case whose answer has this dtype. A case that is skipped is not right."""
        self.instances.append({"id": case.id, "case": case.label, "kind": "skipped" if outcome.skipped else kind,
                               "reason": outcome.reason, "detail": outcome.detail})  # fmt: skip
        self.broken += kind not in ("", *WRONG)
        if outcome.skipped:
            reason = " ".join(outcome.skipped.split())[:LONGEST_REASON]
            self.skips[reason] = self.skips.get(reason, 0) + 1
            return
        self.passed += not outcome.reason
        for worst, new in ((self.error, outcome.error), (self.certificate, outcome.certificate)):
            if new is not None:
                worst[str(dtype)] = float(np.maximum(worst.get(str(dtype), 0.0), new))  # np.maximum keeps NaN


@dataclass(repr=False)
class Report:
    """The whole examination. `bool(report)` and `report.passed` are True if nothing was wrong."""

    target: str
    seed: int
    quick: bool
    rows: list[Row] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    statements: list[str] = field(default_factory=list)
    error: str | None = None
    seconds: float = 0.0
    only_answers: bool = False  # the mathematics alone was asked and judged
    again: str = ""  # the command that asks an instance again, without its id

    @property
    def passed(self) -> bool:
        """True if at least one function was examined and nothing was wrong: a broken contract, too, if it was asked."""
        return self.error is None and bool(self.rows) and all(row.failure is None for row in self.rows)

    def __bool__(self) -> bool:
        return self.passed

    def counterexample(self, name: str | None = None) -> str:
        """Returns the failure of this function (or the first failure of all) as text, or "" if there is none."""
        failures = [row.failure for row in self.rows if row.failure and name in (None, row.failure.function, row.name)]
        return str(failures[0]) if failures else ""

    def __str__(self) -> str:
        (consoles,) = require("the table of a report", "examiner", "rich.console")
        text = io.StringIO()
        self.print(consoles.Console(width=120, color_system=None, force_jupyter=False, file=text))
        return "\n".join(line.rstrip() for line in text.getvalue().splitlines())

    __repr__ = __str__

    def print(self, console: Any, more: Callable[[Failure], str] = lambda failure: "") -> None:
        """Print the table, then each failure, with what `more` says of it."""
        if self.error:
            console.print(_harmless(f"{self.target}: {self.error}"), markup=False, highlight=False, soft_wrap=True)
        if self.rows:
            console.print(self._table())
        for row in self.rows:
            for failure in row.failures:
                again = f"    again: {self.again} --case {failure.id}" if self.again and failure.id else ""
                text = "\n".join(filter(None, [str(failure), more(failure), again]))
                console.print(f"\n{text}", markup=False, highlight=False, soft_wrap=True)
        for row in self.rows:
            if row.skips:
                console.print(f"\n{_harmless(row.why_skipped())}", markup=False, highlight=False, soft_wrap=True)
        if self.missing:
            first = ", ".join(self.missing[:FEW]) + (", ..." if len(self.missing) > FEW else "")
            text = f"\nnot in {self.target}: {len(self.missing)} function{'s' * (len(self.missing) > 1)} ({first})"
            console.print(text, markup=False, highlight=False, soft_wrap=True)
        for statement in self.statements:
            console.print(statement, markup=False, highlight=False)

    def verdicts(self) -> str:
        """Returns a line with the verdict for each row, or the error."""
        errors = [_harmless(f"{self.target}: {self.error}")] if self.error else []
        return "\n".join([*errors, *(f"{row.name}: {row.verdict}" for row in self.rows)])

    def _table(self):
        tables, texts = require("the table of a report", "examiner", "rich.table", "rich.text")
        seed = "" if self.seed is None else f", seed {self.seed}"
        title = f"{self.target}{seed}{', quick' if self.quick else ''}{', answers only' if self.only_answers else ''}"
        left = {"title_justify": "left", "caption_justify": "left"}
        table = tables.Table(title=texts.Text(title), caption=self._caption(), **left)
        for heading in ("function", "cases", "worst error", "worst certificate", "speed-up"):
            table.add_column(heading, justify="left" if heading == "function" else "right")
        table.add_column("verdict")
        for row in self.rows:
            numbers = (_worst(row.error), _worst(row.certificate), _times(row.speedup))
            style = "red" if row.failure else None
            verdict = row.verdict + (f", {row.note}" if row.note else "")
            table.add_row(row.name, str(row.cases), *numbers, verdict, style=style)
        return table

    def _caption(self):
        lines = ["errors and certificates are relative, float64 | float32; speed-up over the reference"]
        if any(row.note for row in self.rows):
            share = "a hundred" if self.quick else "two thirds"
            lines.append(f"digits: fitted on {share} of the images; top-1, top-3 and top-5 errors on the last third")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Returns the report as nested dicts and lists of strings and numbers."""
        rows = [{**asdict(row), "failing": row.failing, "verdict": row.verdict} for row in self.rows]
        for row in rows:
            del row["instances"]  # of which most are right
        return plain({**asdict(self), "rows": rows, "passed": self.passed})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write `to_dict()` to a JSON file."""
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self.to_dict(), file, indent=1)


def called(name, arguments, positional=1, shown=lambda key, value: readable(value)):
    """Returns the call as Python text."""
    texts = {key: shown(key, value) for key, value in arguments.items()}
    parts = [text if i < positional else f"{key}={text}" for i, (key, text) in enumerate(texts.items())]
    return f"{name}({', '.join(parts)})"


def readable(value):
    """Returns an argument or an answer as Python text. Long arrays are abbreviated."""
    if isinstance(value, dict):
        return ", ".join(f"{key} = {readable(part)}" for key, part in value.items())
    if isinstance(value, np.ndarray):
        if value.size > LONGEST:
            return f"<array of {value.dtype}, shape {value.shape}>"
        dtype = "" if value.dtype in (np.float64, np.int64) else f", dtype=np.{value.dtype}"
        return f"np.array({_listed(value)}{dtype})"
    if hasattr(value, "indptr"):
        return _sparse(value)
    if isinstance(value, float) and not np.isfinite(value):
        return f"np.{value}".replace("-inf", "-np.inf").replace("np.-", "-")
    return repr(value.item() if isinstance(value, np.generic) else value)


def _sparse(matrix):
    """Returns a CSR matrix as Python text: built from the dense array, or from its three arrays where that differs."""
    kind = f"sparse.{type(matrix).__name__}"
    if matrix.data.size > LONGEST or matrix.shape[0] > LONGEST:
        return f"<{type(matrix).__name__} of {matrix.dtype}, shape {matrix.shape}, {matrix.data.size} entries>"
    parts = matrix.data, matrix.indices, matrix.indptr
    with contextlib.suppress(ValueError, IndexError):  # the matrix may be malformed on purpose
        again = type(matrix)(matrix.toarray()) if np.prod(matrix.shape) <= LONGEST and _in_range(matrix) else None
        same = again is not None and [again.data, again.indices, again.indptr]
        if same and all(np.array_equal(a, b) and a.dtype == b.dtype for a, b in zip(same, parts, strict=True)):
            return f"{kind}({readable(matrix.toarray())})"
    lists = [_listed(part) for part in parts[1:]]
    if matrix.indices.dtype == np.int64:
        lists = [f"np.array({text}, dtype=np.int64)" for text in lists]
    return f"{kind}(({readable(matrix.data)}, {', '.join(lists)}), shape={matrix.shape})"


def _in_range(matrix):
    """True if all indices are in range, so that scipy does not read outside of the arrays."""
    columns, ends = matrix.indices, matrix.indptr
    rises = ends[0] == 0 and ends[-1] == len(columns) and (np.diff(ends) >= 0).all()
    return rises and (columns >= 0).all() and (columns < matrix.shape[1]).all()


def _harmless(text):
    """Replaces unprintable characters: text from TARGET may hold escape sequences, which a terminal would execute."""
    return "".join(c if c.isprintable() or c == "\n" else "?" for c in text)


def _unquoted(value):
    return value if isinstance(value, str) else readable(value)


def _listed(value):
    """Returns nested lists as text, each number with the fewest digits that give the same number again."""
    if value.ndim:
        return "[" + ", ".join(_listed(part) for part in value) + "]"
    text = str(value)
    return text[:-1] if text.endswith(".0") else text


def plain(value):
    """Returns nested lists of strings and numbers. NaN and infinities become strings, since JSON has neither."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist()) if value.size <= 10_000 else readable(value)
    if hasattr(value, "indptr"):
        return readable(value)
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return value if isinstance(value, (str, int, float, bool)) or value is None else str(value)


def _times(ratio):
    return "–" if ratio is None else f"{ratio:.1f} x" if ratio < 100 else f"{ratio:.0f} x"


def _worst(worst):
    """Returns the worst value for float64 and float32 with two digits, or a dash if there is none."""
    numbers = [worst[dtype] for dtype in ("float64", "float32") if dtype in worst]
    return " | ".join(f"{number:.1e}" if number else "0" for number in numbers) or "–"

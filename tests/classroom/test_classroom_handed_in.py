"""What is read of a hand-in, without a course."""

import json
import os

import pytest

from reference.check.classroom import handed_in
from reference.check.classroom.gradebook import markdown
from tests.support.attacked import NAME, cell_of
from tests.support.classroom import FOLDER, source


def written(place, text, name=f"{NAME}.ipynb"):
    place.mkdir()
    (place / name).write_text(text, encoding="utf-8")
    return place / name


def piped(place):
    """A file that never ends and never begins."""
    place.mkdir()
    os.mkfifo(place / f"{NAME}.ipynb")


# What it is, why nothing of it is graded, and how it comes to be in the folder.
UNREADABLE = {
    "linked": ("the folder is a symbolic link", lambda place: place.symlink_to(FOLDER / "source" / NAME)),
    "a pipe": ("was not handed in, and there is no notebook", piped),
    "empty": ("the file holds no cells of a notebook", lambda place: written(place, json.dumps({"cells": []}))),
    "cut": ("its JSON is broken", lambda place: written(place, json.dumps(source(NAME))[:5000])),
    "deep": ("its JSON is broken", lambda place: written(place, '{"cells": ' + "[" * 1_000_000)),
    "huge": ("larger than 32 MiB", lambda place: os.truncate(written(place, ""), 1 << 40)),
    "another version": ("holds no cells", lambda place: written(place, '{"worksheets": [{"cells": []}]}')),
}


@pytest.mark.parametrize(("word", "made"), UNREADABLE.values(), ids=UNREADABLE)
def test_what_is_no_notebook_counts_as_nothing_handed_in(tmp_path, word, made):
    made(tmp_path / NAME)
    found = handed_in.read(tmp_path / NAME, NAME, source(NAME))
    assert word in found.notes[0] and found == handed_in.empty(source(NAME))._replace(notes=found.notes)


def test_a_notebook_of_another_name_is_read_and_the_name_is_told(tmp_path):
    """As it is called when it is downloaded the second time."""
    written(tmp_path / NAME, json.dumps(source(NAME)), "my solution.ipynb")
    found = handed_in.read(tmp_path / NAME, NAME, source(NAME))
    right = handed_in.understood(source(NAME), source(NAME))
    assert found == right._replace(notes=found.notes)
    assert found.notes == [f"the notebook is called my solution.ipynb; it should be {NAME}.ipynb", *right.notes]


def test_the_kind_of_a_cell_belongs_to_what_a_student_wrote():
    """A text that becomes code is another hand-in, which gets other instances."""
    cells = [{"cell_type": kind, "source": "simplex = table"} for kind in ("markdown", "code")]
    assert len({handed_in.understood({"cells": [cell]}, source(NAME)).own for cell in cells}) == 2


def test_a_picture_within_an_answer_does_not_cut_its_text():
    filled = source(NAME)
    answer = cell_of(filled, "question")
    answer.source = f"![a](data:image/png;base64,{'A' * 60_000})\n\nBecause."
    found = handed_in.understood(filled, source(NAME))
    assert cell_of(found.notebook, "question").source == answer.source
    assert not [note for note in found.notes if "too long" in note]


@pytest.mark.parametrize("text", [b"2026-01-01 00:00:00 /etc/passwd", b"\xff\x00yesterday\x1b[2J" * 30, None])
def test_what_is_no_time_is_told_and_names_no_file(tmp_path, text):
    path = tmp_path / "timestamp.txt"
    os.mkfifo(path) if text is None else path.write_bytes(text)
    time, notes = handed_in._time(tmp_path, ["timestamp.txt"])
    assert time is None and "timestamp.txt holds no time" in notes[0]


def test_an_answer_keeps_the_classes_of_code_and_no_others():
    assert "modal" not in markdown({}, '<div class="modal-backdrop in">HARMED</div>')
    assert 'class="highlight"' in markdown({}, "```python\nx = 1\n```")

"""What a student handed in, read as data: nothing of it is followed, run, copied or believed but the text of cells.

    found = read(folder, name, source)          a folder of `submitted/`
    found = understood(notebook, source)        a notebook, as JSON gave it

The result is a notebook in the order of the lecturer's source. Its given cells and tests are the lecturer's, its
answers the student's, and what a student added stands where it stood. So a given cell that was deleted, changed or
moved costs nothing, and no flag, output or file of a student is ever taken over.
"""

import contextlib
import copy
import hashlib
import json
import os
import re
import stat
from typing import NamedTuple

import nbformat

from .plain import BASE64, few, one_line

LARGEST = 32 << 20  # bytes of a notebook
MOST_CELLS, LONGEST = 2000, 1 << 20  # cells, and characters of one of them
LONGEST_TEXT, MOST_TEXT = 20_000, 100_000  # characters of a written answer, and of all: pages are made in seconds
LARGEST_PICTURE = 4 << 20  # characters of a picture in a written answer
CUT = "\n\n(The rest was left out: this cell is too long.)"
MISSING = "(This cell was not handed in.)"
PICTURES = ("image/png", "image/jpeg")
UNREADABLE = "Nothing could be graded: {}."
PATTERN = re.compile(r"[\[\]*?]")  # what nbgrader does not take for the characters that they are
PICTURE = re.compile(r"data:image/(?:png|jpeg);base64,[A-Za-z0-9+/=]*")  # within a text
IGNORED = ("timestamp.txt", ".ipynb_checkpoints")


class HandIn(NamedTuple):
    """A submission that was read.

    Attributes
    ----------
    notebook : NotebookNode
        In the order of the source. It holds the hidden tests.
    code : dict of str: str
        The code that runs in the student's process, by the names that notes use, in this order.
    places : dict of str: int
        The cell in `notebook` of each name.
    written : set of str
        The names of the answers that differ from what was handed out.
    own : str
        A digest of what the student wrote.
    timestamp : str or None
    notes : list of str
        What a person should know, for the lecturer and the student.
    """

    notebook: dict
    code: dict
    places: dict
    written: set
    own: str
    timestamp: str | None
    notes: list


def read(folder, name, source):
    """Returns the HandIn of a folder with the notebook NAME.ipynb; files that cannot be read are an empty notebook."""
    notes, timestamp, notebook = [], None, {"cells": []}
    try:
        notebook, timestamp, notes = _files(folder, name)
    except Unreadable as trouble:
        notes = [UNREADABLE.format(trouble)]
    found = understood(notebook, source, quiet=bool(notes) and not notebook["cells"])
    return found._replace(timestamp=timestamp, notes=notes + found.notes)


class Unreadable(Exception):
    """A file is no notebook. The text says why, in words."""


def _files(folder, name):
    """Returns (notebook as a dict, time or None, notes)."""
    if os.path.islink(folder):
        raise Unreadable("the folder is a symbolic link, which is not followed")
    with os.scandir(folder) as entries:
        entries = sorted(entries, key=lambda entry: entry.name)
    notes, notebooks = [], []
    for entry in entries:
        said = one_line(entry.name, 80)
        if entry.is_symlink():
            notes.append(f"{said} is a symbolic link, which is not followed")
        elif entry.name.endswith(".ipynb") and entry.is_file(follow_symlinks=False):
            notebooks.append(entry.name)
        elif entry.name not in IGNORED:
            notes.append(f"{said} was not looked at: only the notebook is graded")
    notes = few(notes)
    wanted = f"{name}.ipynb"
    if wanted not in notebooks:
        if len(notebooks) != 1:
            which = "there is no notebook" if not notebooks else f"none of {len(notebooks)} notebooks has this name"
            raise Unreadable("; ".join([f"{wanted} was not handed in, and {which}", *notes]))
        notes.append(f"the notebook is called {one_line(notebooks[0], 80)}; it should be {wanted}")
        wanted = notebooks[0]
    elif len(notebooks) > 1:
        notes.append(f"{len(notebooks) - 1} more notebooks were not looked at")
    try:
        notebook = parsed(_bytes(os.path.join(folder, wanted), LARGEST))
    except Unreadable as trouble:
        raise Unreadable("; ".join([str(trouble), *notes])) from None
    timestamp, more = _time(folder, [entry.name for entry in entries if not entry.is_symlink()])
    return notebook, timestamp, notes + more


def _bytes(path, most):
    """Returns the content of a plain file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as trouble:
        raise Unreadable(f"{one_line(os.path.basename(path), 80)} cannot be opened ({trouble.strerror})") from None
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise Unreadable(f"{one_line(os.path.basename(path), 80)} is no plain file")
        if len(content := file.read(most + 1)) > most:
            raise Unreadable(f"{one_line(os.path.basename(path), 80)} is larger than {most >> 20} MiB")
    return content


def _time(folder, names):
    """Returns (the time of handing in as text, None if there is none; notes)."""
    if "timestamp.txt" not in names:
        return None, []
    from nbgrader.utils import parse_utc

    try:
        text = _bytes(os.path.join(folder, "timestamp.txt"), 1000).decode("utf-8").strip()
        if "/" in text:  # which the parser takes for the name of a file
            raise ValueError
        return (text, []) if text and parse_utc(text) else (None, [])
    except (Unreadable, ValueError, OverflowError, TypeError):
        return None, ["timestamp.txt holds no time: the submission counts as one without a time, which is not late"]


def parsed(content):
    """Returns the notebook in these bytes, a dict with a list of cells."""
    try:
        notebook = json.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise Unreadable("the file is no text") from None
    except (ValueError, RecursionError):
        raise Unreadable("the file is no notebook, or only a part of one: its JSON is broken") from None
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list) or not notebook["cells"]:
        raise Unreadable("the file holds no cells of a notebook of version 4")
    return notebook


# --- the notebook --------------------------------------------------------------------------------------------------


def understood(notebook, source, quiet=False):
    """Returns the HandIn of a notebook, whatever its cells look like; `quiet` says nothing of cells that lack."""
    released, theirs = handed_out(source), _cells(notebook)
    known = {grade_id(cell): cell for cell in released if grade_id(cell)}
    answers, extras = _sorted(theirs, known)
    cells, code, places, written = list(extras.get(None, ())), {}, {}, set()
    for ours, given in zip(source["cells"], released, strict=True):
        cell, name = nbformat.from_dict(copy.deepcopy(dict(ours))), grade_id(ours)
        cell.metadata["nbgrader"] = dict(given["metadata"].get("nbgrader") or {})
        mine = answers.get(name)
        if _is_answer(ours):
            handed = mine["source"] if mine else ("# " if ours["cell_type"] == "code" else "") + MISSING
            cell.source = handed
            if mine and handed.strip() != given["source"].strip():
                written.add(name)
            if mine and mine.get("attachments") and cell.cell_type == "markdown":
                cell["attachments"] = mine["attachments"]
        cells += [cell, *extras.get(name, ())]
    for i, cell in enumerate(cells):
        cell["id"] = f"cell-{i}"
        if cell.cell_type == "code":
            cell["outputs"], cell["execution_count"] = [], None
            if not (name := grade_id(cell)):
                name = f"number {i + 1}"
                written.add(name)
            places[name] = i
            if not details_of(cell).get("grade") or _is_answer(cell):
                code[name] = cell.source
    whole = nbformat.v4.new_notebook(cells=cells, metadata=copy.deepcopy(dict(source["metadata"])))
    own = hashlib.sha256(json.dumps(theirs, default=str).encode()).hexdigest()
    return HandIn(whole, code, places, written, own, None, [] if quiet else _said(source, released, answers))


def handed_out(source):
    """Returns the cells of a source as students get them: without solutions and hidden tests, with their checksums."""
    from nbgrader import preprocessors

    notebook = nbformat.from_dict(copy.deepcopy(dict(source)))
    steps = ("LockCells", "ClearSolutions", "ClearOutput", "ClearHiddenTests", "ClearMarkScheme", "ComputeChecksums")
    for step in steps:
        notebook, _ = getattr(preprocessors, step)().preprocess(notebook, {"nbgrader": {}})
    return notebook.cells


def _cells(notebook):
    """Returns the cells of a student's notebook that can be read: type, text, grade_id, id and pictures."""
    found, room = [], MOST_TEXT
    for cell in notebook["cells"][:MOST_CELLS]:
        text = cell.get("source", "") if isinstance(cell, dict) else None
        if isinstance(text, list) and all(isinstance(line, str) for line in text):
            text = "".join(text)
        if not isinstance(text, str):
            continue
        kind = cell.get("cell_type")
        details = cell.get("metadata", {}).get("nbgrader") if isinstance(cell.get("metadata"), dict) else None
        name = details.get("grade_id") if isinstance(details, dict) else None
        length, most = len(text), LONGEST
        if kind != "code":
            length, most = len(PICTURE.sub("", text[:LARGEST_PICTURE])), min(LONGEST_TEXT, room)
            room -= length
        if length > most or len(text) > LARGEST_PICTURE:
            text = text[:most] + CUT
        text = text.encode("utf-8", "replace").decode("utf-8").replace("\0", "")
        found.append({"cell_type": kind if kind == "code" else "markdown", "source": text, "name": name,
                      "id": cell.get("id"), "attachments": _pictures(cell.get("attachments"))})  # fmt: skip
    return found


def _pictures(attachments):
    """Returns the pictures among the attachments of a written answer."""
    found = {}
    for name, data in attachments.items() if isinstance(attachments, dict) else ():
        for kind, text in data.items() if isinstance(data, dict) else ():
            if kind in PICTURES and isinstance(text, str) and len(text) <= LARGEST_PICTURE and BASE64.fullmatch(text):
                found[name.encode("utf-8", "replace").decode("utf-8")[:300]] = {kind: text}
    return found


def _sorted(cells, known):
    """Returns (cells by the grade_id that they answer, the student's own cells by the one before them)."""
    answers, extras, before, ids = {}, {}, None, {cell.get("id"): name for name, cell in known.items()}
    handed_out = {cell["source"].strip() for cell in known.values()}
    for cell in cells:
        name = cell["name"] if isinstance(cell["name"], str) and cell["name"] in known else None
        if name is None and isinstance(cell["id"], str):
            name = ids.get(cell["id"])
        if name is not None and name not in answers:
            answers[name], before = cell, name
        elif cell["source"].strip() and cell["source"].strip() not in handed_out:
            own = getattr(nbformat.v4, f"new_{cell['cell_type']}_cell")(cell["source"])
            if cell["cell_type"] == "markdown" and cell["attachments"]:
                own["attachments"] = cell["attachments"]
            extras.setdefault(before, []).append(own)
    return answers, extras


def _said(source, released, answers):
    """Returns notes on the cells of the source that are not as they were handed out."""
    missing, deleted, changed, cut = [], [], [], [name for name in answers if answers[name]["source"].endswith(CUT)]
    for ours, given in zip(source["cells"], released, strict=True):
        name, mine = grade_id(ours), answers.get(grade_id(ours))
        if _is_answer(ours):
            missing += [] if mine else [name]
        elif name and ours["cell_type"] == "code":
            deleted += [] if mine else [name]
            changed += [name] if mine and mine["source"].strip() != given["source"].strip() else []
    said = (("no answer was handed in for", missing), ("these cells were deleted, and came back:", deleted),
            ("these cells were changed, and are as they were handed out:", changed),
            ("these answers are too long, and were cut:", cut))  # fmt: skip
    return [f"{words} {', '.join(names)}" for words, names in said if names]


def details_of(cell):
    """Returns what nbgrader knows of a cell of the source, a dict."""
    return cell.get("metadata", {}).get("nbgrader") or {}


def grade_id(cell):
    """Returns nbgrader's name of a cell of the source, None if it has none."""
    return details_of(cell).get("grade_id")


def _is_answer(cell):
    return bool(details_of(cell).get("solution"))


def empty(source):
    """Returns the HandIn of somebody who handed in nothing."""
    return understood({"cells": []}, source, quiet=True)


def students(submitted):
    """Returns ({student: folder}, notes) of a folder of submissions; odd names are left out."""
    found, notes = {}, []
    with contextlib.suppress(FileNotFoundError), os.scandir(submitted) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.is_symlink():
                notes.append(f"submitted/{one_line(entry.name, 80)} is a symbolic link, which is not followed")
            elif entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
                if one_line(entry.name).strip() != entry.name or PATTERN.search(entry.name):
                    notes.append(f"submitted/{one_line(entry.name, 80)} cannot be the name of a student")
                else:
                    found[entry.name] = entry.path
    return found, notes

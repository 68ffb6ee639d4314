"""The classroom, headless: an evening of a lecturer, from the release of a course to the feedback.

The students of two assignments are the instructor, somebody who handed in the released notebook as it was, and one of
the submissions in `notebooks/assignments/wrong`. They are graded by the command that stands in the guide. All other
submissions are judged in test_classroom_submissions.py.
"""

import csv
import json
import re
import shutil
import signal
import subprocess
import sys
from types import SimpleNamespace

import nbformat
import pytest

from tests.support.classroom import (
    ASSIGNMENTS,
    BLANK,
    EVENING,
    FOLDER,
    IN_THE_COURSE,
    INSTRUCTOR,
    ROOT,
    WRONG,
    Commands,
    course,
    graded,
    run,
    scores_of,
    source,
    submission,
    text_of,
)

HERE = {section.assignment: section for section in WRONG if section.name in IN_THE_COURSE}
BY_HAND = "05_column_squishing"  # where the lecturer has graded the instructor's written answers
ROUNDS = "10_passes_over_memory"  # where the grading is interrupted, and where somebody is late


def hand_in(folder, name, student, filled):
    place = folder / "submitted" / student / name
    place.mkdir(parents=True, exist_ok=True)
    nbformat.write(filled, place / f"{name}.ipynb")


def give_full_marks(folder):
    """Grade what waits for a person in the instructor's hand-in."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{folder}/gradebook.db", "marginalia") as book:
        for grade in book.find_submission(BY_HAND, INSTRUCTOR).notebooks[0].grades:
            if grade.needs_manual_grade:
                grade.manual_score, grade.needs_manual_grade = grade.max_score, False
        book.db.commit()


def first_line(*command, **options):
    """The first line that a program prints, which is interrupted then; and what it says of that."""
    options |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    # What a shell starts in the background ignores interrupts, and so does all that it starts.
    program = subprocess.Popen(
        command, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler), **options
    )
    line = program.stdout.readline()
    program.send_signal(signal.SIGINT)
    rest, said = program.communicate(timeout=60)
    assert program.returncode == 1 and not rest, (line, rest, said)
    return line, said


@pytest.fixture(scope="module")
def evening(tmp_path_factory):
    """A graded course: its folder, scores by assignment, student and cell, and what the command said and kept."""
    folder, room = tmp_path_factory.mktemp("classroom") / "course", tmp_path_factory.mktemp("temporary")
    run(ROOT, FOLDER / "course.py", folder)
    release, environment = folder / "release", {**course.environment(), "TMPDIR": str(room)}
    for name in EVENING:
        hand_in(folder, name, INSTRUCTOR, submission(name, release))
        hand_in(folder, name, BLANK, submission(name, release, solved=False))
        hand_in(folder, name, HERE[name].name, submission(name, release, HERE[name].code))

    def graded_now(*names):
        done = {name: grades(folder, name) for name in names}
        assert not [one.stderr for one in done.values() if one.returncode]
        return {name: one.stdout.splitlines() for name, one in done.items()}

    command = (sys.executable, "-m", "reference.check.classroom", folder, ROUNDS)
    interrupted = first_line(*command, cwd=ROOT, env=environment)
    before = kept(folder)
    with Commands(environment) as grades:
        said = graded_now(*EVENING)
        give_full_marks(folder)
        scores, pages = {name: scores_of(folder, name) for name in EVENING}, written_at(folder)
        changed = submission(ROUNDS, release, solved=False)
        changed.cells.append(nbformat.v4.new_code_cell("1 + 1"))
        hand_in(folder, ROUNDS, BLANK, changed)
        hand_in(folder, ROUNDS, "late", submission(ROUNDS, release, solved=False))
        later = graded_now(ROUNDS, BY_HAND)
    new = {path.parts[-3:-1] for path, time in written_at(folder).items() if time != pages.get(path)}
    return SimpleNamespace(folder=folder, room=room, interrupted=interrupted, before=before, said=said, scores=scores,
                           later=later, new_pages=new)  # fmt: skip


def kept(folder):
    """What the command keeps of its work on one assignment."""
    return json.loads((folder / "judged.json").read_text(encoding="utf-8"))[ROUNDS]


def written_at(folder):
    return {path: path.stat().st_mtime_ns for path in folder.glob("feedback/*/*/*.html")}


def page(evening, student, name):
    return text_of((evening.folder / "feedback" / student / name / f"{name}.html").read_text(encoding="utf-8"))


def table(evening):
    """The rows of grades.csv, by assignment and student."""
    with open(evening.folder / "grades.csv", encoding="utf-8", newline="") as file:
        return {(row["assignment"], row["student_id"]): row for row in csv.DictReader(file)}


def automatic(name):
    return {cell: points for cell, points in graded(name).items() if cell not in ("question", "bonus")}


@pytest.mark.parametrize("name", EVENING)
def test_the_instructor_earns_everything(evening, name):
    scores = evening.scores[name][INSTRUCTOR]
    assert scores == graded(name) if name == BY_HAND else scores.items() >= automatic(name).items()


@pytest.mark.parametrize("name", EVENING)
def test_the_release_earns_none(evening, name):
    assert evening.scores[name][BLANK] == dict.fromkeys(graded(name), 0)


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_the_release_holds_no_solution_and_no_hidden_test(evening, name):
    released = (evening.folder / "release" / name / f"{name}.ipynb").read_text(encoding="utf-8")
    assert not course.SECRETS.search(released)
    lines = {line.strip() for cell in source(name).cells for line in hidden(cell.source) if len(line.strip()) > 25}
    assert len(lines) > 20
    assert not [line for line in lines if json.dumps(line)[1:-1] in released]


def hidden(text):
    """The lines between the marks of a solution or of a hidden test."""
    for found in re.findall(r"### BEGIN (?:SOLUTION|HIDDEN TESTS)\n(.*?)### END", text, re.DOTALL):
        yield from found.splitlines()


@pytest.mark.parametrize("name", EVENING)
def test_a_wrong_submission_loses_its_points_and_its_page_says_why(evening, name):
    wrong = HERE[name]
    scores = evening.scores[name][wrong.name]
    points = {cell: points - wrong.says["LOSES"].get(cell, 0) for cell, points in automatic(name).items()}
    assert {cell: scores[cell] for cell in points} == points
    text = page(evening, wrong.name, name)
    assert wrong.says["FEEDBACK"] in text and "Read again: 00" in text and "not yet right" in text
    assert re.search(r"that was found: .*\(.*\) (expected .* got |What is wrong: raised, \w+: )", text)
    assert "Traceback" not in text and "BEGIN HIDDEN TESTS" not in text and "suspects=" not in text


def test_a_given_cell_says_which_function_it_needs(evening):
    texts = [page(evening, student, name) for name in EVENING for student in (BLANK, HERE[name].name)]
    assert not [text for text in texts if "Raised:" in text]
    assert [text for text in texts if re.search(r"This cell ends here: it calls \w+, which raised \w+\.", text)]


def test_the_exported_table_has_everybody_and_says_what_waits_for_a_person(evening):
    rows = table(evening)
    for name in EVENING:
        for student, cells in evening.scores[name].items():
            row = rows[name, student]
            assert float(row["score"]) == sum(cells.values()) and float(row["max_score"]) == sum(graded(name).values())
            done = student == BLANK or (name, student) == (BY_HAND, INSTRUCTOR)
            assert row["waiting"].split() == ([] if done else ["question"]), (name, student)
    assert len(rows) == 3 * len(EVENING) + 1


def test_the_log_is_short(evening):
    """A line for each hand-in and a table; in the file, a line for each note."""
    for name in EVENING:
        lines = evening.said[name]
        expected = [] if name == ROUNDS else [f"{BLANK}: 0 points of {sum(automatic(name).values())}"]
        students = [line for line in lines if re.fullmatch(r"\w+: [0-9.]+ points of \d+(, \d+ notes)?", line)]
        assert lines[: len(students)] == students and len(students) == len(expected) + 2
        assert all(any(line.startswith(start) for line in students) for start in expected)
        head, *rows = lines[len(students) :]
        assert head.split() == ["student", "points", "waiting", "notes"]
        assert [row.split()[0] for row in rows] == sorted([BLANK, INSTRUCTOR, HERE[name].name])
    log = (evening.folder / "grading.log").read_text(encoding="utf-8").splitlines()
    assert len(log) < 60 and all(re.match(r"[-0-9]+ [:,0-9]+ WARNING \w+, \w+: ", line) for line in log), log


def test_after_an_interruption_everybody_is_graded_and_nobody_twice(evening):
    line, said = evening.interrupted
    assert line.startswith(f"{BLANK}: 0 points of ") and said.startswith("Interrupted. What was judged is kept")
    assert list(evening.before["students"]) == [BLANK] and evening.before["rounds"] == 0
    judged = [line.split(":")[0] for line in evening.said[ROUNDS] if " points of " in line]
    assert judged == sorted([INSTRUCTOR, HERE[ROUNDS].name])


def test_who_comes_after_the_feedback_gets_another_secret_and_who_comes_before_the_same(evening):
    secrets, students = json.loads((evening.folder / "secrets.json").read_text(encoding="utf-8")), kept(evening.folder)
    rounds = {student: found["round"] for student, found in students["students"].items()}
    assert rounds == {INSTRUCTOR: 0, HERE[ROUNDS].name: 0, BLANK: 1, "late": 1} and students["rounds"] == 2
    assert {name: len(known) for name, known in secrets.items()} == {name: 1 + (name == ROUNDS) for name in ASSIGNMENTS}


def test_secrets_have_128_bits_and_the_lecturer_alone_can_read_them(evening):
    path = evening.folder / "secrets.json"
    secrets = [one for known in json.loads(path.read_text(encoding="utf-8")).values() for one in known]
    assert all(re.fullmatch("[0-9a-f]{32}", one) for one in secrets) and len(set(secrets)) == len(secrets) == 9
    assert path.stat().st_mode & 0o777 == 0o600 and evening.folder.stat().st_mode & 0o777 == 0o700
    first, second = ASSIGNMENTS[:2]
    assert course.secret("7", first) == course.secret("7", first) != course.secret("7", second)
    assert re.fullmatch("[0-9a-f]{32}", course.secret("7", first))


def test_only_pages_that_have_changed_are_made_again(evening):
    assert evening.new_pages == {(BLANK, ROUNDS), ("late", ROUNDS), (INSTRUCTOR, BY_HAND)}
    assert not [line for line in evening.later[BY_HAND] if " points of " in line]


def test_no_temporary_folder_is_left_behind(evening):
    assert not list(evening.room.iterdir())


def test_the_classroom_is_not_imported_without_a_course():
    loaded = run(ROOT, "-c", "import sys, reference.check; print(*sys.modules)").split()
    assert "reference.check" in loaded
    assert not [name for name in loaded if "classroom" in name or name in ("nbformat", "nbgrader", "IPython")]


def test_feedback_can_be_read_in_a_browser(evening, tmp_path):
    """Without a network: formulas are typeset by a script from elsewhere, and the rest must not wait for it."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    if chromium is None:
        pytest.skip("needs Debian's chromium, to open a page as a student would")
    wrong = HERE[BY_HAND]
    path = evening.folder / "feedback" / wrong.name / BY_HAND / f"{BY_HAND}.html"
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}", "--dump-dom"]
    offline = ["--host-resolver-rules=MAP * ~NOTFOUND", "--disable-background-networking", "--virtual-time-budget=3000"]
    done = subprocess.run(
        [chromium, *options, *offline, path.as_uri()], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    text = text_of(done.stdout)
    assert wrong.says["FEEDBACK"] in text and "expected" in text
    assert re.search(r"Score: 11\.0 / 20\.0", text)

"""The classroom, headless: a course with its lecturer and its students, from the release to the feedback.

The students of an assignment are the instructor, somebody who handed in the released notebook as it was, and one of the
files in `notebooks/assignments/wrong/`. They are graded together, by the command that stands in the guide. All other
files there are graded by the judge alone, which this command calls. No file is graded twice.
"""

import ast
import csv
import json
import re
import shutil
import subprocess

import nbformat
import numpy as np
import pytest

import reference
from reference import contract
from reference.check import Limits
from reference.check.classroom import PAPERS, NotYetRight, grade
from tests.support.classroom import (
    BLANK,
    FOLDER,
    INSTRUCTOR,
    ROOT,
    course,
    graded,
    grading,
    handed_in,
    judged,
    run,
    source,
    submission,
    text_of,
)

ASSIGNMENTS = sorted(path.name for path in (FOLDER / "source").iterdir() if path.is_dir())
WRONG = sorted((FOLDER / "wrong").glob("*/*.py"))
IN_THE_COURSE = (
    "zero_forgotten", "zeros_skipped", "worst_rival_only", "greedy_again", "weights_uphill", "share_of_all",
    "ties_are_right", "threshold_of_the_maxima",
)  # fmt: skip
LENDS = {"duality_gap": "sdca_step"}  # a hidden test that uses a function of another one
GUIDE = (FOLDER / "README.md").read_text(encoding="utf-8")
PARTS = ("What you will learn", "Read before", "Time and points", "Warm-up", "Task 1", "Question", "Bonus")
# Written answers are graded by hand: the lecturer gives the instructor's full marks. Then all scores are listed.
COMMAND = ("-m", "reference.check.classroom")
BY_HAND = f"""
import json, sys
from nbgrader.api import Gradebook
with Gradebook("sqlite:///gradebook.db", "marginalia") as book:
    scores = {{name: {{}} for name in sys.argv[1:]}}
    for name, students in scores.items():
        for submission in book.assignment_submissions(name):
            for grade in submission.notebooks[0].grades:
                if submission.student_id == {INSTRUCTOR!r} and grade.needs_manual_grade:
                    grade.manual_score, grade.needs_manual_grade = grade.max_score, False
                    book.db.commit()
                students.setdefault(submission.student_id, {{}})[grade.cell.name] = grade.score
print(json.dumps(scores))
"""


def declared(path):
    """LOSES and FEEDBACK of a wrong submission, read and not run."""
    found = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in ("LOSES", "FEEDBACK"):
            found[node.targets[0].id] = ast.literal_eval(node.value)
    return found


# --- what is in the repository -------------------------------------------------------------------------------------


def test_there_are_eight_assignments_with_three_wrong_submissions_each():
    assert [name[:2] for name in ASSIGNMENTS] == ["02", "04", "05", "06", "07", "08", "09", "10"]
    for name in ASSIGNMENTS:
        assert len([path for path in WRONG if path.parent.name == name]) >= 3, name


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_points_in_the_text_are_those_of_the_metadata(name):
    expected, total = list(graded(name).values()), sum(graded(name).values())
    first, *texts = [cell.source for cell in source(name).cells if cell.cell_type == "markdown"]
    table = re.findall(r"^\| (?!task).*\| (\d+) \|$", first, re.MULTILINE)
    assert [int(points) for points in table] == expected
    assert f"| **together** | | **{total}** |" in first
    headings = re.findall(r"^## .*\((\d+) points?\)$", "\n".join(texts), re.MULTILINE)
    assert [int(points) for points in headings] == [points for points in expected if points]


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_an_assignment_has_all_its_parts(name):
    cells = source(name).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    places = [text.find(part) for part in PARTS]
    assert min(places) >= 0 and places == sorted(places), dict(zip(PARTS, places, strict=True))
    minutes = int(re.search(r"About (\d+) minutes", text)[1])
    assert 60 <= minutes <= 120
    tests = [cell for cell in cells if cell.cell_type == "code" and grading(cell).get("grade")]
    through_the_examiner = [cell for cell in tests if re.search(r"^grade\(\w+, seed=\d{4,}", cell.source, re.MULTILINE)]
    assert 2 <= len(through_the_examiner) <= 4
    for cell in through_the_examiner:
        visible = re.sub(r"### BEGIN HIDDEN TESTS.*?### END HIDDEN TESTS\n", "", cell.source, flags=re.DOTALL)
        assert re.search(r"^grade\(\w+", visible, re.MULTILINE) and "seed" not in visible
        assert cell.source.startswith("from reference.check.classroom import grade\n")
    written = [cell for cell in cells if cell.cell_type == "markdown" and grading(cell).get("grade")]
    assert [grading(cell)["grade_id"] for cell in written] == ["question", "bonus"]
    assert all("### BEGIN SOLUTION" in cell.source for cell in cells if grading(cell).get("solution"))


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_sources_are_stored_without_outputs(name):
    notebook = source(name)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        assert not cell.get("outputs") and cell.get("execution_count") is None
    names = [grading(cell)["grade_id"] for cell in notebook.cells if grading(cell)]
    assert len(names) == len(set(names))


def test_the_guide_has_the_commands_and_every_assignment():
    assert "\n    make grade COURSE=../my_course ASSIGNMENT=02_topk_simplex JOBS=2\n" in GUIDE
    for name in ASSIGNMENTS:
        minutes = re.search(r"About (\d+) minutes", json.dumps(source(name)))[1]
        assert re.search(rf"^\| `{name}` \|.*\| {minutes} \|$", GUIDE, re.MULTILINE), name


@pytest.mark.parametrize("path", WRONG, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_wrong_submission_says_what_it_loses(path):
    assert len(ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))) > 30
    loses, points = declared(path)["LOSES"], graded(path.parent.name)
    assert loses and all(lost in (points[name], points[name] / 2) for name, lost in loses.items())
    assert len(declared(path)["FEEDBACK"]) >= 10


# --- grade ---------------------------------------------------------------------------------------------------------


def project_simplex(a, radius=1.0):
    raise NotImplementedError


def ap_loss(interleaving, n_positive):
    ranks, P = contract.interleaving(interleaving, n_positive)
    i = np.arange(1, P + 1)
    return float(1 - np.mean(i / (i + np.searchsorted(np.sort(ranks), i, side="right"))))


def refused(function, **options):
    """The verdict on a wrong function, as it is shown."""
    with pytest.raises(NotYetRight) as caught:
        grade(function, **options)
    lines = caught.value._render_traceback_()
    assert max(map(len, lines)) <= 96
    return "\n".join(lines)


def named(name, function):
    function.__name__ = name
    return function


def test_a_function_that_is_right_gets_one_line(capsys):
    grade(named("ap_loss", lambda interleaving, n_positive: ap_loss(interleaving, n_positive)), seed=3)
    assert re.fullmatch(r"ap_loss: right, in all \d+ cases.\n", capsys.readouterr().out)


def test_a_function_that_is_not_written_is_told_just_that():
    assert refused(project_simplex) == "project_simplex: not written yet."


def test_the_library_is_closed_while_a_function_is_examined_and_open_again_later():
    borrow = named("project_simplex", lambda a, radius=1.0: reference.project_simplex(a, radius))
    assert "this one is yours to write" in " ".join(refused(borrow).split())
    other = named("project_simplex", lambda a, radius=1.0: reference.project_knapsack(a, radius, 0.0, np.inf))
    assert "this one is yours to write" in " ".join(refused(other, allowed=("project_simplex",)).split())
    assert reference.project_simplex(np.array([2.0, 0.0])).tolist() == [1.0, 0.0]


def test_a_misconception_is_recognised_by_its_answer_and_no_other_is():
    def halves(interleaving, n_positive):
        return ap_loss(interleaving, n_positive) / 2

    suspects = {"you halve it.": halves, "you double it.": lambda **given: 2 * ap_loss(**given), "no.": lambda: None}
    text = refused(named("ap_loss", lambda *given: halves(*given)), seed=4, suspects=suspects)
    assert "It looks as if you halve it." in text and "double" not in text and "no." not in text.split()
    assert re.search(r"\n    ap_loss\(.*\)\n    expected  .*\n    got       ", text)
    assert text.endswith("Read again: 002, section 2.2, AP loss\n    002 is " + PAPERS["002"])


def test_a_loop_without_an_end_is_ended():
    def endless(interleaving, n_positive):
        while True:
            pass

    text = refused(named("ap_loss", endless), limits=Limits(seconds=0.5, first_seconds=0.5))
    assert "hung, no answer within 0.5 s" in text


# --- a course ------------------------------------------------------------------------------------------------------


def hand_in(folder, name, student, filled):
    place = folder / "submitted" / student / name
    place.mkdir(parents=True)
    nbformat.write(filled, place / f"{name}.ipynb")


@pytest.fixture(scope="module")
def graded_course(tmp_path_factory):
    """(folder, scores by assignment, student and cell, what the command said at last) of a course that is graded."""
    folder = tmp_path_factory.mktemp("classroom") / "course"
    run(ROOT, FOLDER / "course.py", folder, "--seed", "7")
    release = folder / "release"
    for name in ASSIGNMENTS:
        hand_in(folder, name, INSTRUCTOR, submission(name, release))
        hand_in(folder, name, BLANK, submission(name, release, solved=False))
        for path in WRONG:
            if path.parent.name == name and path.stem in IN_THE_COURSE:
                hand_in(folder, name, path.stem, submission(name, release, path))
        run(ROOT, *COMMAND, folder, name)
    scores = json.loads(run(folder, "-c", BY_HAND, *ASSIGNMENTS))
    said = {name: run(ROOT, *COMMAND, folder, name) for name in ASSIGNMENTS}
    return folder, scores, said


def feedback(folder, student, name):
    return folder / "feedback" / student / name / f"{name}.html"


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_the_instructor_earns_everything(graded_course, name):
    _, scores, _ = graded_course
    assert scores[name][INSTRUCTOR] == graded(name)


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_the_release_earns_none_and_holds_no_solution_and_no_hidden_test(graded_course, name):
    folder, scores, _ = graded_course
    assert scores[name][BLANK] == dict.fromkeys(graded(name), 0)
    released = (folder / "release" / name / f"{name}.ipynb").read_text(encoding="utf-8")
    assert not course.SECRETS.search(released)
    lines = {line.strip() for cell in source(name).cells for line in hidden(cell.source) if len(line.strip()) > 25}
    assert len(lines) > 20
    assert not [line for line in lines if json.dumps(line)[1:-1] in released]


def hidden(text):
    """The lines between the marks of a solution or of a hidden test."""
    for found in re.findall(r"### BEGIN (?:SOLUTION|HIDDEN TESTS)\n(.*?)### END", text, re.DOTALL):
        yield from found.splitlines()


def identity(path):
    return f"{path.parent.name}-{path.stem}"


@pytest.mark.parametrize("path", [path for path in WRONG if path.stem not in IN_THE_COURSE], ids=identity)
def test_a_wrong_submission_loses_what_it_should_and_is_told_why(path):
    name, points, lost = path.parent.name, graded(path.parent.name), declared(path)["LOSES"]
    scores, text = part_of(path, lost)
    assert {key: scores[key] for key in lost} == {key: points[key] - lost[key] for key in lost}
    phrase = declared(path)["FEEDBACK"]
    assert phrase in text and phrase not in handed_in(path), text
    assert "Traceback" not in text and "BEGIN HIDDEN TESTS" not in text and "suspects=" not in text, name


def part_of(path, tests):
    """(points, text of the verdicts) of a wrong file in the instructor's notebook, with only these tests in it."""
    name = path.parent.name
    whole, filled = source(name), submission(name, FOLDER / "source", path)
    for book in (whole, filled):
        details = [(cell, grading(cell)) for cell in book.cells]
        kept = [*tests, *(LENDS[test] for test in tests if test in LENDS)]
        last = max(i for i, (_, detail) in enumerate(details) if detail.get("grade") and detail["grade_id"] in kept)
        details = details[: last + 1]  # no test that is kept needs what comes later
        book.cells = [cell for cell, detail in details if not detail.get("grade") or detail["grade_id"] in kept]
    answer, found = judged(whole, filled)
    places = [found.places[grading(cell)["grade_id"]] for cell in whole.cells if grading(cell).get("grade")
              and cell.cell_type == "code"]  # fmt: skip
    outputs = [output for i in places for output in answer["outputs"].get(str(i), ())]
    lines = [output.get("text") or " ".join(output.get("traceback", ())) for output in outputs]
    return answer["scores"], " ".join(" ".join(lines).split())


@pytest.mark.parametrize("path", [path for path in WRONG if path.stem in IN_THE_COURSE], ids=identity)
def test_the_course_gives_the_same_points_and_the_page_says_why(graded_course, path):
    folder, scores, _ = graded_course
    name, points = path.parent.name, graded(path.parent.name)
    automatic = [key for key in points if key not in ("question", "bonus")]
    expected = {key: points[key] - declared(path)["LOSES"].get(key, 0) for key in automatic}
    got = scores[name][path.stem]
    assert {key: got[key] for key in automatic} == expected
    text = text_of(feedback(folder, path.stem, name).read_text(encoding="utf-8"))
    phrase = declared(path)["FEEDBACK"]
    assert phrase in text and phrase not in handed_in(path)
    assert "Read again: 00" in text and "not yet right" in text
    assert "Traceback" not in text and "BEGIN HIDDEN TESTS" not in text and "suspects=" not in text


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_feedback_shows_the_instance_and_what_is_wrong_with_the_answer(graded_course, name):
    folder, *_ = graded_course
    here = [path for path in WRONG if path.parent.name == name and path.stem in IN_THE_COURSE]
    pages = [feedback(folder, path.stem, name) for path in here]
    texts = [text_of(page.read_text(encoding="utf-8")) for page in pages]
    wrong = r"that was found: .*\(.*\) (expected .* got |What is wrong: raised, \w+: )"
    assert all(re.search(wrong, text) for text in texts) and texts


def test_the_exported_table_has_everybody(graded_course):
    folder, scores, _ = graded_course
    with open(folder / "grades.csv", encoding="utf-8", newline="") as file:
        rows = {(row["assignment"], row["student_id"]): row for row in csv.DictReader(file)}
    for name in ASSIGNMENTS:
        for student, cells in scores[name].items():
            assert float(rows[name, student]["score"]) == sum(cells.values())
            assert float(rows[name, student]["max_score"]) == sum(graded(name).values())


def test_the_table_says_what_waits_for_a_person_and_the_log_is_short(graded_course):
    folder, _, said = graded_course
    with open(folder / "grades.csv", encoding="utf-8", newline="") as file:
        waiting = {(row["assignment"], row["student_id"]): row["waiting"] for row in csv.DictReader(file)}
    for name in ASSIGNMENTS:
        assert waiting[name, INSTRUCTOR] == "" and waiting[name, BLANK] == ""
        assert "question" in {**waiting}[name, next(path.stem for path in WRONG if path.stem in IN_THE_COURSE
                                                   and path.parent.name == name)]  # fmt: skip
        lines = said[name].splitlines()
        assert lines[0].split()[:2] == ["student", "points"] and len(lines) == 4, said[name]


def test_each_assignment_has_a_secret_that_the_lecturer_alone_can_read(graded_course, tmp_path):
    folder, *_ = graded_course
    path = folder / "secrets.json"
    secrets = json.loads(path.read_text(encoding="utf-8"))
    assert path.stat().st_mode & 0o777 == 0o600 and (folder.stat().st_mode & 0o777) == 0o700
    assert sorted(secrets) == ASSIGNMENTS
    assert all(len(one) == 1 and re.fullmatch("[0-9a-f]{32}", one[0]) for one in secrets.values())
    assert len({one[0] for one in secrets.values()}) == len(ASSIGNMENTS)
    assert course.secret("7", ASSIGNMENTS[0]) == secrets[ASSIGNMENTS[0]][0] != course.secret(None, ASSIGNMENTS[0])


def test_feedback_can_be_read_in_a_browser(graded_course, tmp_path):
    """Without a network: formulas are typeset by a script from elsewhere, and the rest must not wait for it."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    if chromium is None:
        pytest.skip("needs Debian's chromium, to open a page as a student would")
    folder, *_ = graded_course
    path = next(path for path in WRONG if path.stem == "worst_rival_only")
    page = feedback(folder, path.stem, path.parent.name)
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}", "--dump-dom"]
    offline = ["--host-resolver-rules=MAP * ~NOTFOUND", "--disable-background-networking", "--virtual-time-budget=3000"]
    done = subprocess.run(
        [chromium, *options, *offline, page.as_uri()], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    text = text_of(done.stdout)
    assert declared(path)["FEEDBACK"] in text and "expected" in text
    assert re.search(r"Score: 11\.0 / 20\.0", text)

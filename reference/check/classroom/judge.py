"""Grades one notebook: the student's cells run in the student's process, the given cells and the tests here.

What the student's cells define under the names that the source asks for is here a stand-in that calls that process (a
function) or a plain value. No expected answer, seed or test ever goes there.
"""

import ast
import contextlib
import io
import pickle
import re
import tempfile

import reference

from ..judging import outcome
from ..sandbox.sandbox import Fatal
from . import grading, isolation
from .direct import Direct, Raised, remote
from .handed_in import details_of, grade_id
from .limits import OutOfTime, alarm, limit_memory
from .plain import few, one_line
from .remote import LIMITS, Patience, Student
from .verdict import NotYetRight

# What is not needed to solve a task, and is needed for most ways around one.
UNUSUAL = re.compile(
    r"\b(?:get_ipython|sqlite3?|gradebook|subprocess|os\.(?:_exit|fork|walk|kill|system)|ctypes|importlib"
    r"|sys\.(?:modules|meta_path)|gc|inspect|FunctionType|socket|signal|open|exec|eval"
    r"|__(?:code|closure|globals|builtins|subclasses)__)\b"
)
OVER = "the examination of this function took longer than {:g} s"
MOST_LEARNT = 50_000  # right answers


def judged(source, hand_in, command, secret="", patience=Patience()):  # noqa: B008
    """Run a submission.

    Parameters
    ----------
    source : notebook
        The lecturer's, with hidden tests.
    hand_in : handed_in.HandIn
        What a student handed in.
    command : list of str
        What starts the student's process.
    secret : str
        From which the seeds of the hidden tests derive.
    patience : Patience
        How long student code, and the judge, may take.

    Returns
    -------
    dict
        "outputs": a list of outputs for each code cell that has some, by its index in the notebook; "scores": the
        points of each grade cell, by its id; "notes": lines for the lecturer.
    """
    given = {grade_id(cell): details_of(cell) for cell in source["cells"] if grade_id(cell)}
    theirs = hand_in.code
    quiet = {name for name in theirs if name not in hand_in.written}
    untouched = _functions(source, quiet)
    library = {"datasets.load_digits": reference.datasets.load_digits}
    with Student(theirs, command, quiet, library, LIMITS, patience) as process:
        with contextlib.suppress(Fatal):  # too many cells that end it: no function can be called, and each test says so
            process.ensure_started()
        box = lambda *what: _direct(process, library, *what)  # noqa: E731
        grading.sitting = grading.Sitting(secret, box, untouched)
        try:
            outputs, scores, notes = _run_source(source, process)
        finally:
            grading.sitting = None
        outputs = {**process.outputs, **outputs}
    own = {name: text for name, text in theirs.items() if name in hand_in.written}
    notes = lost(scores, given) + list(dict.fromkeys(notes)) + process.notes + worth_reading(own)
    return {"outputs": {str(hand_in.places[name]): outputs[name] for name in outputs if name in hand_in.places},
            "scores": scores, "notes": [one_line(note) for note in few(notes)]}  # fmt: skip


def failed(source, hand_in, why):
    """Returns the answer for a submission that could not be judged: no points, and the reason for each test."""
    outputs, scores = {}, {}
    for cell in source["cells"]:
        details = details_of(cell)
        if details.get("grade") and not details.get("solution"):
            scores[grade_id(cell)] = 0.0
            trouble = NotYetRight(f"{grade_id(cell)}: could not be judged, since {why}.")
            outputs[str(hand_in.places[grade_id(cell)])] = _outputs("", trouble, details)
    return {"outputs": outputs, "scores": scores, "notes": [one_line(f"0 points, look at this hand-in: {why}")]}


def _functions(source, names):
    """Returns the functions that these cells of the source define."""
    texts = [_text(cell) for cell in source["cells"] if grade_id(cell) in names and details_of(cell).get("solution")]
    return {node.name for text in texts for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}


def worth_reading(cells):
    """Notes on cells that use what no task needs: most often harmless, but a person should look."""
    found = {name: sorted(set(UNUSUAL.findall(text))) for name, text in cells.items()}
    return [f"cell {name} is worth reading: it uses {', '.join(words)}" for name, words in found.items() if words]


def lost(scores, given):
    """A note on the tests that did not earn all points."""
    less = [f"{name} {points:g} of {given[name]['points']}" for name, points in scores.items()
            if points < given[name]["points"]]  # fmt: skip
    return [f"points: {', '.join(less)}"] if less else []


def _direct(process, library, name, function, allowed):
    """What the examiner calls a given function through, with the functions that its task allows."""
    process.library = {**library, **{allowed: getattr(reference, allowed) for allowed in allowed}}
    return Direct(name, function, process)


def _run_source(source, process):
    """(outputs by id, points by id, notes) of the given cells and the tests, in the order of the source."""
    namespace, outputs, scores, notes = {"__name__": "judged"}, {}, {}, []
    for cell in source["cells"]:
        details, text = details_of(cell), _text(cell)
        if cell["cell_type"] != "code" or not details:
            continue
        if details.get("solution"):
            notes += _stand_ins(text, process, namespace)
            continue
        shown, trouble = _executed(text, details["grade_id"], namespace, process.patience.judge)
        if isinstance(trouble, OutOfTime):
            process.stop()
            notes.append(f"{details['grade_id']}: 0 points, {OVER.format(process.patience.judge)}")
        outputs[details["grade_id"]] = _outputs(shown, trouble, details)
        if details.get("grade"):
            share = getattr(trouble, "share", 0.0) if trouble else 1.0
            scores[details["grade_id"]] = share * details["points"]
    return outputs, scores, notes


def _stand_ins(text, process, namespace):
    """Put what a solution cell has to define into the namespace; returns notes."""
    notes = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            parameters = [argument.arg for argument in node.args.args]
            namespace[node.name] = remote(process, node.name, parameters)
        for target in node.targets if isinstance(node, ast.Assign) else ():
            for name in (leaf.id for leaf in ast.walk(target) if isinstance(leaf, ast.Name)):
                namespace.pop(name, None)
                try:
                    namespace[name] = process.value(name)
                except Exception as trouble:
                    notes.append(f"{name} could not be had: {trouble}")
    return notes


def _executed(text, name, namespace, seconds):
    """(what a cell printed, the exception that it raised or None)."""
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        try:
            with alarm(seconds, OutOfTime(OVER.format(seconds))):
                exec(compile(text, f"<{name}>", "exec"), namespace)
        except (Exception, OutOfTime) as trouble:
            return shown.getvalue(), trouble
    return shown.getvalue(), None


def _outputs(shown, trouble, details):
    """The outputs of a cell; nbgrader reads points from them: none for an error, a number for a part."""
    outputs = [{"output_type": "stream", "name": "stdout", "text": shown}] if shown else []
    if trouble is None:
        return outputs
    name, said = type(trouble).__name__, str(trouble)[:200]
    lines = trouble._render_traceback_() if isinstance(trouble, NotYetRight) else [f"{name}: {trouble}"]
    if isinstance(trouble, Raised):  # in a given cell, which calls what is not written or not right yet
        name = one_line(next(iter(trouble.what["kinds"]), "an error"), 80)
        lines = [f"This cell ends here: it calls {trouble.name}, which raised {name}{said and f': {said}'}."]
    if share := getattr(trouble, "share", 0.0):
        points = {"text/plain": f"{share * details['points']:g}"}
        text = {"output_type": "stream", "name": "stdout", "text": "\n".join(lines) + "\n"}
        number = {"output_type": "execute_result", "data": points, "metadata": {}, "execution_count": None}
        return [*outputs, text, number]
    return [*outputs, {"output_type": "error", "ename": name, "evalue": said, "traceback": lines}]


def _text(cell):
    return cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])


def printable(tree):
    """The same with characters that can be written to a file: what students send may hold others."""
    if isinstance(tree, dict):
        return {key: printable(part) for key, part in tree.items()}
    if isinstance(tree, (list, tuple)):
        return [printable(part) for part in tree]
    return tree.encode("utf-8", "replace").decode("utf-8") if isinstance(tree, str) else tree


def judge(source, hand_in, isolated, hidden, secret, patience):
    """What a process of its own does for one submission.

    Returns (the answer of `judged`, made of plain text; the right answers to instances that were found out on the way).
    """
    learn({})
    before = set(outcome.known)
    with tempfile.TemporaryDirectory(prefix="judged-", ignore_cleanup_errors=True) as folder:
        command = isolation.command(isolated, folder, hidden)
        limit_memory()
        answer = printable(judged(source, hand_in, command, secret, patience))
    return answer, {key: truth for key, truth in outcome.known.items() if key not in before}


def learnt():
    """Returns what this process knows of instances and right answers, as far as another process can be told."""
    instances = {}
    for key, cases in grading.drawn.items():
        with contextlib.suppress(pickle.PicklingError, AttributeError, TypeError):
            pickle.dumps(cases)
            instances[key] = cases
    return {"instances": instances, "truths": outcome.known}


def learn(found):
    """Take over what another process has learnt, as long as it is not too much, and keep what is found out now."""
    outcome.known = {} if outcome.known is None else outcome.known
    if len(outcome.known) < MOST_LEARNT:
        outcome.known.update(found.get("truths", {}))
    grading.drawn.update(found.get("instances", {}))

"""Judges answers that another program wrote, by the judges of the examiner."""

import json
import time
from pathlib import Path

from ..examiner import CSR, Examination, nothing_answered, size_of
from ..judging.case import Case
from ..judging.contract import divided
from ..judging.outcome import Outcome, answer_dtype, conduct
from ..judging.specs import SPECS
from ..judging.subject import SUBJECTS
from ..report import WRONG, Failure, Report, Row
from ..sandbox.sandbox import Reply
from . import encoding
from .schema import VERSION

ANSWERS = ".answers.jsonl"
LONGEST_LINE = 64 << 20  # bytes; an answer is never longer


def verify(folder, only=None, report_progress=None, only_answers=False):
    """Judge all answers in a folder of test vectors. Returns a Report.

    An instance without an answer, an id that is answered twice or does not exist, a line that is not JSON, NaN and
    wrong shapes are wrong answers; the report names the line. Instances that a line skips are counted apart. A function
    without a file of answers is not examined.

    Parameters
    ----------
    folder : path
        What `export` wrote, with NAME.answers.jsonl beside NAME.jsonl.
    only : str, optional
        Judge this function only.
    report_progress : function of (name of the function, number of instances), optional
        Called after each instance.
    only_answers : bool
        Judge the mathematics only: see `check`.

    Returns
    -------
    report : Report
        A row for each file of answers. The failure shown is that with the fewest numbers.

    Raises
    ------
    ValueError
        `only` is not the name of a function; there are no test vectors in the folder, or those of another format.
    """
    if only is not None and only not in SUBJECTS:
        raise ValueError(f"only must be one of {', '.join(SUBJECTS)}, got {only!r}")
    folder, start = Path(folder), time.monotonic()
    names = list(SUBJECTS) if only is None else [only]
    stems = [stem for name in names for stem in (name, name + CSR) if (folder / f"{stem}.jsonl").is_file()]
    if not stems:
        raise ValueError(f"there are no test vectors in {folder}: write some by --export")
    report = Report(f"answers in {folder}", None, False, only_answers=only_answers)
    for stem in stems:
        if (folder / f"{stem}{ANSWERS}").is_file():
            report.rows.append(_row(folder, stem, report_progress or (lambda name, done: None), only_answers))
        elif CSR not in stem:
            report.missing.append(stem)
    if not report.rows:
        report.error = f"has no answers: write them to NAME{ANSWERS}"
    report.seconds = time.monotonic() - start
    return report


def _row(folder, stem, report_progress, only_answers):
    """Returns the row of the report for one file of answers."""
    name, instances = stem.removesuffix(CSR), _instances(folder / f"{stem}.jsonl")
    file = folder / f"{stem}{ANSWERS}"
    answers, broken = read_answers(file, instances)
    row, failures = Row(f"{name}, CSR" if CSR in stem else name), {}
    for done, (identity, instance) in enumerate(instances.items()):
        case = case_of(instance)
        if only_answers and case.refuses:
            broken.pop(identity, None)
            continue
        row.cases += 1
        outcome, place = Outcome("not answered", f"no line of {file.name} has the id {identity}"), ""
        if identity in broken:
            outcome = broken.pop(identity)
        elif identity in answers:
            number, line = answers[identity]
            outcome, place = judged(instance, case, line), f"; line {number} of {file.name}"
        kind, outcome = divided(SPECS[name], SUBJECTS[name].judge, case, outcome) if outcome.reason else ("", outcome)
        if only_answers and kind not in WRONG:
            kind, outcome = "", Outcome(error=outcome.error, certificate=outcome.certificate, skipped=outcome.skipped)
        case = case._replace(id=identity)
        row.saw(outcome, answer_dtype(next(iter(case.arguments.values()))), kind, case)
        if kind:
            labelled = case._replace(label=f"{identity}, {case.label}{place}")
            failures.setdefault(kind, []).append((size_of(case.arguments), labelled, outcome))
        report_progress(row.name, done + 1)
    row.failure = nothing_answered(name, row)
    if failures:
        row.failure, *row.others = smallest_of_each(name, failures)
    if broken:  # lines that belong to no instance: the reason why instances lack an answer, so the first is shown
        row.cases += len(broken)
        outcome = next(iter(broken.values()))
        row.failure = Failure(name, outcome.reason, outcome.detail, "a whole line", SUBJECTS[name].place)
    return row


def smallest_of_each(name, failures):
    """Returns a Failure of each kind that is broken, wrong mathematics first."""
    for kind in sorted(failures, key=lambda kind: kind not in WRONG):
        _, case, outcome = min(failures[kind], key=lambda failure: failure[0])
        failure = Examination.failure(name, case, outcome)
        failure.kind = kind
        yield failure


def _instances(path):
    """Returns the instances of a file by their ids."""
    lines = path.read_text(encoding="utf-8").splitlines()
    instances = [json.loads(line) for line in lines]
    if any(instance.get("version") != VERSION for instance in instances):
        raise ValueError(f"{path.name} must have the format {VERSION}: export the test vectors again")
    return {instance["id"]: instance for instance in instances}


def read_answers(path, instances):
    """Returns ({id: (line number, answer)}, {id or line number: Outcome of what is wrong with the line})."""
    answers, broken = {}, {}
    with open(path, "rb") as file:
        for number, text in enumerate(iter(lambda: file.readline(LONGEST_LINE), b""), start=1):
            if not text.strip():
                continue
            line, trouble = parsed(text)
            identity = line.get("id") if line else None
            if trouble:
                broken[number] = Outcome("broken line", f"line {number} of {path.name} {trouble}")
            elif not isinstance(identity, str) or identity not in instances:
                detail = f"line {number} of {path.name} has the id {identity!r:.60}, which no instance has"
                broken[number] = Outcome("unknown id", detail)
            elif identity in answers:
                detail = f"lines {answers[identity][0]} and {number} of {path.name} both have the id {identity}"
                broken[identity] = Outcome("answered twice", detail)
            else:
                answers[identity] = number, line
    return answers, broken


def parsed(text):
    """Returns (the object that a line holds, "") or (None, what is wrong with it)."""
    try:
        line = json.loads(text)
    except (ValueError, RecursionError) as trouble:  # UnicodeDecodeError is a ValueError
        return None, f"is not JSON ({str(trouble)[:80]})"
    if not isinstance(line, dict) or "id" not in line:
        return None, 'must be an object with an "id"'
    if sum(key in line for key in ("answer", "error", "skip")) != 1:
        return None, 'must have either an "answer" or an "error" or a "skip"'
    return line, ""


def case_of(instance):
    """Returns the Case of an instance. The arguments of a refused one are shown only, so its matrices stay as text."""
    forms, refuses = instance["arguments"], tuple(instance.get("refuses", ()))
    if refuses:
        arguments = {name: _shown(form) for name, form in forms.items()}
        return Case(instance["why"], arguments, refuses)
    arguments = {name: encoding.argument(form) for name, form in forms.items()}
    return Case(instance["why"], arguments, warns=instance.get("warns", ""), layout=encoding.layout(forms))


def _shown(form):
    return str(form) if isinstance(form, dict) and "csr" in form else encoding.argument(form)


def judged(instance, case, line):
    """Returns the Outcome of one line of answers."""
    reply = reply_to(instance, line)
    try:
        outcome = conduct(case, reply) or SUBJECTS[instance["function"]].judge(case, reply)
        return outcome._replace(reply=reply) if outcome.reason else outcome
    except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError) as trouble:
        return Outcome("could not be judged", repr(trouble)[:200], got=reply.answer)


def reply_to(instance, line):
    """Returns the Reply that a line stands for. An error in words is enough to refuse an instance."""
    warned = (instance["warns"],) if "warns" in instance else ()
    if "skip" in line:
        return Reply(skipped=skipped(line))
    if "error" in line:
        message = f"{str(line['error'])[:200]} {' '.join(instance.get('refuses', ()))}"
        return Reply(raised={"kinds": ["error", "ValueError"], "message": message, "line": "the program"})
    enough = SPECS[instance["function"]].enough
    return Reply(encoding.answer(line["answer"], instance.get("expected"), enough), warnings=warned)


def skipped(line):
    """Returns the reason of a line that skips an instance, and some reason if it gives none."""
    return str(line["skip"])[:200] or "no reason given"

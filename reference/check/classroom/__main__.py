"""`python -m reference.check.classroom COURSE ASSIGNMENT --jobs 2`: grades all hand-ins of an assignment.

Judges the hand-ins that are new or have changed, several at the same time, and writes their points one after the other.
Then it makes the pages of feedback of those whose points or comments have changed, also by hand. What is done is kept:
after an interruption, the same command goes on. The details are in COURSE/grading.log.
"""

import argparse
import contextlib
import fcntl
import hashlib
import json
import multiprocessing
import os
import secrets
import signal
import sys
import tempfile
import time
from multiprocessing.connection import wait
from pathlib import Path

from . import grading, handed_in, isolation, judge
from .gradebook import Course
from .plain import one_line
from .remote import Patience

LONGEST = 1800.0  # seconds that judging one hand-in may take, whatever else is limited
LONGEST_PAGE = 120.0  # seconds for one page of feedback
ENOUGH = 3  # hand-ins: for so many, what is the same for all is computed before
TOO_LONG = "it took too long"
SECRETS = "secrets.json"  # {assignment: [secret of each round]}
STATE = "judged.json"  # {assignment: {"rounds": closed, "students": {student: what was found}}}


def main(argv=None):
    """Grade an assignment, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m reference.check.classroom", description=__doc__.split("\n\n")[1])
    parser.add_argument("course", type=Path, help="the folder that course.py built")
    parser.add_argument("assignment", help="such as 02_topk_simplex")
    parser.add_argument("--jobs", type=int, default=1, help="hand-ins that are judged at the same time")
    parser.add_argument("--again", action="store_true", help="judge all hand-ins again, with their instances")
    options = parser.parse_args(argv)
    if options.jobs < 1:
        parser.error(f"--jobs must be at least 1, got {options.jobs}")
    if not options.course.is_dir():
        parser.error(f"there is no folder {options.course}")
    try:
        with _alone(options.course):
            Grading(Course(options.course, options.assignment), options.jobs).run(options.again)
    except (isolation.NotIsolated, ValueError) as trouble:
        sys.exit(str(trouble))
    except KeyboardInterrupt:
        sys.exit("Interrupted. What was judged is kept: the same command goes on.")


class Grading:
    """One assignment of one course."""

    def __init__(self, course, jobs):
        self.course, self.jobs, self.name = course, jobs, course.name
        self.source = course.source()
        self.state = _load(course.folder / STATE).get(self.name, {"rounds": 0, "students": {}})
        settings = course.judge
        self.patience = Patience(settings.cell_seconds, settings.submission_seconds, settings.judge_seconds)

    def run(self, again=False):
        """Judge, write, make feedback, and print the table."""
        isolation.check(self.course.judge.isolation)
        found = self._found()
        digests = {student: self._digest(hand_in) for student, hand_in in found.items()}
        known, marks = self.state["students"], self.course.marks()
        for one in known.values() if again else ():
            one["digest"] = ""
        self._save()
        waiting = [student for student in found
                   if known.get(student, {}).get("digest") != digests[student]
                   or student not in marks or not self.course.graded(student).exists()]  # fmt: skip
        rounds = {student: self._round(student, found[student].own) for student in waiting}
        if max(rounds.values(), default=-1) >= len(self._secrets()):
            raise ValueError(f"{SECRETS} lacks the secret of a round that was judged: put the latest copy back")
        with tempfile.TemporaryDirectory(prefix="grading-", ignore_cleanup_errors=True) as self.room:
            self._prepare(waiting, rounds)
            tasks = ((student, self._judge, found[student], rounds[student]) for student in waiting)
            for student, answer, trouble in self._parallel("judged", len(waiting), tasks):
                answer, truths = answer or (judge.failed(self.source, found[student], trouble), {})
                judge.learn({"truths": truths})
                self.course.write(student, found[student], answer["outputs"])
                notes = found[student].notes + answer["notes"]
                is_final = trouble in ("", TOO_LONG)  # all else may be the machine's fault, and is judged again
                known[student] = {
                    "digest": digests[student] if is_final else "",
                    "own": found[student].own,
                    "round": rounds[student],
                    "notes": notes,
                    "page": "",
                }
                self._save()
                self._tell(student, answer["scores"], notes)
            if known:  # before the first page: whoever has seen one comes too late
                self.state["rounds"] = len(self._secrets())
            self._save()
            self._make_pages(known)
        self.course.export()
        print(self._table())

    def _found(self):
        """Returns {student: HandIn} of all folders in `submitted`."""
        folders, notes = handed_in.students(self.course.folder / "submitted")
        for note in notes:
            self._say(note)
        folders = {student: os.path.join(folder, self.name) for student, folder in folders.items()}
        folders = {student: folder for student, folder in folders.items() if os.path.lexists(folder)}
        return {student: self._read(folder) for student, folder in folders.items()}

    def _make_pages(self, known):
        """Make the pages of those whose points or comments have changed."""
        marks = {student: mark for student, mark in self.course.marks().items() if student in known}
        late = [student for student, mark in marks.items()
                if known[student]["page"] != mark.page and known[student]["digest"]]  # fmt: skip
        if len(late) >= ENOUGH:
            self.course.load_pages(self.room)
        tasks = ((student, self.course.feedback, student, self.room) for student in late)
        for student, _, trouble in self._parallel("given feedback", len(late), tasks, LONGEST_PAGE):
            known[student]["page"] = "" if trouble else marks[student].page
            self._save()

    def _read(self, folder):
        try:
            return handed_in.read(folder, self.name, self.source)
        except OSError as trouble:
            note = handed_in.UNREADABLE.format(f"the folder cannot be read ({trouble.strerror})")
            return handed_in.empty(self.source)._replace(notes=[note])

    def _digest(self, hand_in):
        what = [hand_in.notebook, hand_in.notes, hand_in.timestamp, self.source]
        return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()

    # --- secrets -----------------------------------------------------------------------------------------------------

    def _secrets(self):
        return _load(self.course.folder / SECRETS).get(self.name, [])

    def _round(self, student, own):
        """Returns the number of the secret for a hand-in. Whoever comes after the feedback gets other instances."""
        before = self.state["students"].get(student, {})
        if before.get("own") == own:
            return before["round"]
        known = self._secrets()
        if len(known) <= self.state["rounds"]:
            whole = _load(self.course.folder / SECRETS)
            whole[self.name] = [*known, secrets.token_hex(16)]
            _store(self.course.folder / SECRETS, whole)
        return len(self._secrets()) - 1

    # --- the work ----------------------------------------------------------------------------------------------------

    def _prepare(self, waiting, rounds):
        """Judge the lecturer's own solution: instances and right answers are then known to all judges after it.

        This runs in a process of its own, too: the solver of the ground truth has threads, which a process that is
        forked later would not have.
        """
        numbers = sorted({rounds[student] for student in waiting}) if len(waiting) >= ENOUGH else []
        tasks = ((f"the solution in source/{self.name}", self._learnt, number) for number in numbers)
        for name, learnt, trouble in self._parallel("prepared", len(numbers), tasks):
            if not trouble:
                judge.learn(learnt)
                if learnt["points"]:
                    self._say(f"{name} does not earn all points: {'; '.join(learnt['points'])}")

    def _learnt(self, number):
        """Returns what judging the lecturer's own solution has found out."""
        answer, _ = judge.judge(self.source, handed_in.understood(self.source, self.source), *self._settings(number))
        grading.draw_more()
        return judge.learnt() | {"points": [note for note in answer["notes"] if note.startswith("points:")]}

    def _settings(self, number):
        hidden = [str(self.course.folder)]
        return self.course.judge.isolation, hidden, self._secrets()[number], self.patience

    def _judge(self, hand_in, number):
        return judge.judge(self.source, hand_in, *self._settings(number))

    def _parallel(self, word, count, tasks, longest=LONGEST):
        """Yields (student, answer, "" or what went wrong) of tasks, each in a process of its own, as they end."""
        running, tasks, done = {}, iter(tasks), 0
        context = multiprocessing.get_context("fork")
        with _progress(word, count) as advance:
            try:
                while True:
                    while len(running) < self.jobs and (task := next(tasks, None)):
                        student, function, *arguments = task
                        ours, theirs = context.Pipe(False)
                        process = context.Process(target=_child, args=(theirs, self.room, function, arguments))
                        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
                        try:  # what Python calls after a fork would swallow a KeyboardInterrupt
                            process.start()
                            running[ours] = student, process, time.monotonic() + longest
                        finally:
                            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
                        theirs.close()
                    if not running:
                        return
                    first = min(end for *_, end in running.values())
                    ready = wait(list(running), timeout=max(0.0, first - time.monotonic()))
                    late = [pipe for pipe, (*_, end) in running.items() if time.monotonic() > end]
                    for pipe in {*ready, *late}:
                        student, process, _ = running.pop(pipe)
                        answer, trouble = _received(pipe) if pipe in ready else (None, TOO_LONG)
                        process.kill()
                        process.join()
                        pipe.close()
                        done += 1
                        if trouble:
                            self._say(f"{one_line(student, 40)}: not {word}, {one_line(trouble, 200)}")
                        advance(done)
                        yield student, answer, trouble
            finally:
                for _, process, _ in running.values():
                    process.kill()
                    process.join()

    # --- what is said ------------------------------------------------------------------------------------------------

    def _say(self, text):
        print(text)
        self.course.log.warning("%s", text)

    def _tell(self, student, scores, notes):
        most = {cell["metadata"]["nbgrader"]["grade_id"]: cell["metadata"]["nbgrader"]["points"]
                for cell in self.source.cells if cell["metadata"].get("nbgrader", {}).get("grade")}  # fmt: skip
        print(f"{one_line(student, 40)}: {sum(scores.values()):g} points of {sum(most[name] for name in scores):g}"
              + (f", {len(notes)} notes" if notes else ""), flush=True)  # fmt: skip
        for note in notes:
            self.course.log.warning("%s, %s: %s", student, self.name, note)

    def _table(self):
        """Returns the table: student, points, the answers that wait for a person, and notes."""
        rows = [("student", "points", "waiting", "notes")]
        for student, (points, most, waiting, _) in sorted(self.course.marks().items()):
            notes = self.state["students"].get(student, {}).get("notes", [])
            first = notes[0][:60] + (f" (+{len(notes) - 1})" if len(notes) > 1 else "") if notes else ""
            rows.append((student, f"{points:g}/{most:g}", " ".join(waiting), first))
        wide = [max(len(row[i]) for row in rows) for i in range(3)]
        return "\n".join("  ".join([*(cell.ljust(w) for cell, w in zip(row, wide, strict=False)), row[3]]).rstrip()
                         for row in rows)  # fmt: skip

    def _save(self):
        whole = _load(self.course.folder / STATE)
        whole[self.name] = self.state
        _store(self.course.folder / STATE, whole)


@contextlib.contextmanager
def _alone(folder):
    """Raises a ValueError while another process is in such a block for this folder."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ValueError(f"{folder} is being graded by another process") from None
        yield
    finally:
        os.close(descriptor)


def _child(pipe, room, function, arguments):
    """The program of a process that judges one hand-in, or makes one page."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    tempfile.tempdir = room  # which goes with everything that a killed judge leaves in it
    try:
        pipe.send((function(*arguments), ""))
    except BaseException as trouble:
        pipe.send((None, f"{type(trouble).__name__}: {trouble}"[:2000]))
    finally:
        pipe.close()
        os._exit(0)


def _received(pipe):
    """Returns (the answer of a child, "" or what went wrong)."""
    try:
        return pipe.recv()
    except (EOFError, OSError):
        return None, "the judge ended"


@contextlib.contextmanager
def _progress(word, count):
    """Gives a function of the number that is done; shows a bar on a terminal."""
    if not count or not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(word, total=count)
        yield lambda done: bar.update(task, completed=done)


def _load(path):
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def _store(path, whole):
    """Write a file that only the lecturer can read; after a power cut it is the old one or the new one."""
    fresh = path.with_name(f".{path.name}")
    with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        json.dump(whole, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    os.replace(fresh, path)


if __name__ == "__main__":
    main()

"""Writes the instances of the examiner and right answers as JSON lines, with a schema and a guide beside them."""

import json
import warnings
from pathlib import Path

import reference

from ..examiner import CSR, Examination, size_of
from ..judging.outcome import answer_dtype, tolerance
from ..judging.subject import SUBJECTS
from ..protocol import PROGRAM
from ..sandbox import worker
from ..sandbox.sandbox import Reply
from ..sandbox.transport import unpacked
from .encoding import encoded
from .guide import GUIDE
from .schema import SCHEMA, VERSION

LARGEST = 20_000  # numbers in the arguments of an instance
MOST_BYTES = 300_000  # of one file: all files together stay below 20 MB
SHORT_LINE = 20_000  # bytes
GENERATED = ("schema.json", "README.md")


def export(folder, only=None, seed=0, quick=False, report_progress=None, csr=True):
    """Write the test vectors of all functions, or of one. The same seed writes the same bytes.

    Parameters
    ----------
    folder : path
        It is made if it does not exist. Files of an earlier export are replaced; other files are left alone.
    only : str, optional
        Export this function only.
    seed : int
        The seed of all random instances.
    quick : bool
        A smaller catalogue.
    report_progress : function of (name of the function, number of instances), optional
        Called after each file.
    csr : bool
        Also write instances with sparse matrices.

    Returns
    -------
    counts : dict of str: int
        The number of instances in each file.

    Raises
    ------
    ValueError
        `only` is not the name of a function that can be examined.
    RuntimeError
        The reference gives an answer that the examiner does not accept, so there is no right answer to export.
    """
    if only is not None and only not in SUBJECTS:
        raise ValueError(f"only must be one of {', '.join(SUBJECTS)}, got {only!r}")
    folder, counts = Path(folder), {}
    folder.mkdir(parents=True, exist_ok=True)
    for name in list(SUBJECTS) if only is None else [only]:
        for stem, row, cases in _files(name, csr):
            lines = _lines(name, stem, Examination.generator_of(seed, row), cases, quick)
            text = "".join(f"{json.dumps(line, allow_nan=False)}\n" for line in lines)
            (folder / f"{stem}.jsonl").write_text(text, encoding="utf-8", newline="\n")
            counts[stem] = len(lines)
            if report_progress:
                report_progress(stem, len(lines))
    (folder / "schema.json").write_text(json.dumps(SCHEMA, indent=2) + "\n", encoding="utf-8")
    (folder / "README.md").write_text(GUIDE.format(version=VERSION, seed=seed, program=PROGRAM), encoding="utf-8")
    return counts


def _files(name, csr):
    """Yields (stem of the file, row of the report, generator of cases)."""
    yield name, name, SUBJECTS[name].cases
    if csr and SUBJECTS[name].csr:
        yield f"{name}{CSR}", f"{name}, CSR", SUBJECTS[name].csr


def _lines(name, stem, rng, cases, quick):
    """Returns the lines of one file, in the order of the catalogue, without those that are too large or do not fit.

    The first of each kind is written if it is short, and others as long as there is room.
    """
    cases = [case for case in cases(rng, quick) if size_of(case.arguments) <= LARGEST]
    lines = [_instance(name, case) for case in cases]
    lengths, room, chosen = [len(json.dumps(line)) for line in lines], MOST_BYTES, []
    first = {case.label: i for i, case in reversed(list(enumerate(cases)))}
    preferred = [first[case.label] == i and lengths[i] <= SHORT_LINE for i, case in enumerate(cases)]
    for i in sorted(range(len(cases)), key=lambda i: not preferred[i]):
        if lengths[i] <= room or cases[i].refuses:  # these are small
            chosen.append(i)
            room -= lengths[i]
    return [{"id": f"{stem}-{number:04d}", **lines[i]} for number, i in enumerate(sorted(chosen))]


def _instance(name, case):
    """Returns one line, without its id."""
    subject = SUBJECTS[name]
    line = {
        "version": VERSION,
        "function": name,
        "arguments": {key: encoded(value) for key, value in case.given.items()},
        "positional": subject.positional,
        "why": case.label,
        "source": subject.place,
    }
    if case.refuses:
        return line | {"refuses": list(case.refuses)}
    if case.warns:
        line["warns"] = case.warns
    reply = reply_of(name, case)
    outcome = subject.judge(case, reply)
    if outcome.reason:
        raise RuntimeError(f"reference.{name} is not right on {case.label!r}: {outcome.reason}, {outcome.detail}")
    dtype = answer_dtype(next(iter(case.arguments.values())))
    known = "optimality conditions" if outcome.expected is None else "ground truth"
    return line | {
        "expected": encoded(reply.answer),
        "known_by": known,
        "tolerance": tolerance(dtype, max(size_of(case.arguments), 1)),
    }


def reply_of(name, case):
    """Returns the answer of the reference as the Reply that a judge takes."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        answer = _call(name, case.given, SUBJECTS[name].positional)
    arrays = []
    tree = worker.plain(answer, arrays)
    return Reply(unpacked(tree, arrays), warnings=tuple({warning.category.__name__ for warning in caught}))


def reference_answer(name, given, positional):
    """Returns the answer of the reference, encoded, or None if it refuses these arguments."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return encoded(_call(name, given, positional))
        except (ValueError, TypeError):
            return None


def _call(name, given, positional):
    values = list(given.items())
    return getattr(reference, name)(*(value for _, value in values[:positional]), **dict(values[positional:]))

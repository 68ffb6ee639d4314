"""Records what a user sees of both packages, and compares a later state with it: a net for changes that change nothing.

    python -m tests.support.base record FILE
    python -m tests.support.base compare FILE [--only PART] [--functions NAME ...]

The parts are signatures and docstrings; the answers to the examiner's quick catalogue, bit by bit; what happens to
calls with one wrong argument; the examiner's report; exported test vectors; the verdicts on the mutants.
"""

import argparse
import hashlib
import inspect
import itertools
import json
import re
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
from scipy import sparse

import fast
import reference
from reference.check import check
from reference.check.examiner import size_of
from reference.check.judging.arguments import plain_signature, problem_of
from reference.check.judging.subject import SUBJECTS
from reference.check.vectors import encoding, export
from tests.mutants import mutants
from tests.support.check import ROWS, call_of, cases_of, first_failure

PACKAGES = (reference, fast)
WRONG = {
    "None": None, "text": "a", "nan": np.nan, "inf": np.inf, "-1": -1, "0": 0, "1.5": 1.5, "True": True,
    "2**70": 2**70, "1e300": 1e300, "[]": [], "ragged": [[1.0], [1.0, 2.0]], "empty": np.zeros((0, 2)),
    "three axes": np.zeros((2, 2, 2)), "objects": np.array([None, "a"]), "nan inside": np.array([[np.nan, 1.0]]),
    "complex": np.array([1j]), "CSC": sparse.csc_array(np.eye(2)), "a dict": {},
}  # fmt: skip
RANDOM = ("seed",)  # None draws anew; and progress, which refuses nothing, writes on the screen
SHOWN = 5  # differences of a part that are printed


def outcome(package, name, arguments, options):
    """The digest of an answer, or the error."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            answer = getattr(package, name)(*arguments, **options)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return digest(answer)


def digest(answer):
    """Without running times: `encoded` writes them as 0."""
    text = json.dumps(encoding.encoded(answer), default=repr)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


# --- the parts -----------------------------------------------------------------------------------------------------


def faces(names):
    """Signatures, but for their annotations, and docstrings."""
    for package in PACKAGES:
        for name in names:
            function = getattr(package, name)
            yield f"{package.__name__}.{name}", [str(plain_signature(function)), inspect.getdoc(function)]


def answers(names):
    """Digests of the answers, and errors, of both packages on the quick catalogue."""
    for row in ROWS:
        name, cases = cases_of(row)
        if name not in names:
            continue
        for number, case in enumerate(cases):
            for package in PACKAGES:
                yield f"{package.__name__}, {row} {number}", outcome(package, name, *call_of(name, case))


def refusals(names):
    """What happens to a right call with one wrong argument, and what `certify` says of the arguments."""
    for name in names:
        right = next(case for case in cases_of(name)[1] if not case.refuses and size_of(case.arguments) < 400)
        given = list(inspect.signature(getattr(reference, name)).parameters)
        for argument in given:
            for word, value in WRONG.items():
                if argument == "progress" or (argument in RANDOM and value is None):
                    continue
                for package in PACKAGES:
                    options = {**right.given, argument: value}
                    yield f"{package.__name__}.{name}, {argument} = {word}", outcome(package, name, [], options)
                options = {**right.given, argument: value}
                yield f"certify.{name}, {argument} = {word}", refusal(name, options)


def refusal(name, options):
    """What `certify` says of the arguments, "" if they are right."""
    try:
        problem_of(name, options)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def reports(names):
    """The rows of the examiner, without what a clock measures. Errors and certificates have six digits."""
    for package, name in itertools.product(PACKAGES, names):
        for row in check(package.__name__, name, quick=True, timed=False).rows:
            numbers = {kind: {key: f"{value:.5e}" for key, value in getattr(row, kind).items()}
                       for kind in ("error", "certificate")}  # fmt: skip
            yield f"{package.__name__}, {row.name}", [row.cases, row.passed, row.verdict, numbers]


def vectors(names):
    """Digests of the exported files."""
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            export(folder, name, quick=True)
            for path in sorted(Path(folder).iterdir()):
                yield f"{name}: {path.name}", hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def verdicts(names):
    """What is said of each mutant: the reason, and the counter-example."""
    for mutant in mutants():
        if mutant.family != "csr" and mutant.function in names:
            failure, _ = first_failure(mutant.functions, mutant.function, mutant.reason, mutant.enough)
            yield str(mutant), [failure.reason, str(failure)] if failure else None


PARTS = {part.__name__: part for part in (faces, answers, refusals, reports, vectors, verdicts)}


def differences(before, after):
    """Yields (what, before, after) of all that is not equal."""
    for key in {**before, **after}:
        if before.get(key) != after.get(key):
            yield key, before.get(key), after.get(key)


def concerns(key, names):
    """True if an entry belongs to one of these functions, or to all of them."""
    about = set(re.findall(r"\w+", key)) & set(SUBJECTS)
    return not about or bool(about & set(names))


def main(arguments=None):
    """Record, or compare; returns 1 if something differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.support.base", description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("record", "compare"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--functions", nargs="+", choices=SUBJECTS, default=list(SUBJECTS), metavar="NAME")
    asked = parser.parse_args(arguments)
    if asked.what == "record" and asked.file.exists():
        parser.error(f"{asked.file} exists, and is not overwritten")
    names, found = [asked.only] if asked.only else list(PARTS), {}
    for name in names:
        found[name] = json.loads(json.dumps(dict(PARTS[name](asked.functions))))
        print(f"{name}: {len(found[name])}", file=sys.stderr)
    if asked.what == "record":
        asked.file.write_text(json.dumps(found, indent=0), encoding="utf-8")
        return 0
    before, differs = json.loads(asked.file.read_text(encoding="utf-8")), False
    for name in names:
        held = {key: value for key, value in before[name].items() if concerns(key, asked.functions)}
        changed = list(differences(held, found[name]))
        print(f"{name}: {len(changed)} of {len(held)} differ")
        for key, old, new in changed[:SHOWN]:
            print(f"  {key}\n    before: {str(old)[:400]}\n    now:    {str(new)[:400]}")
        differs |= bool(changed)
    return int(differs)


if __name__ == "__main__":
    sys.exit(main())

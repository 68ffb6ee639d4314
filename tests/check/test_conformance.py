"""The examiner judges both packages: every function, dense and CSR, on all instances of its quick catalogue.

`fast` runs in a process of its own, as it does for a user, and first of all, since this compiles what other tests load.
At the end it runs in this one, with the machine code that is stored. The reference runs in this process, where one
answer of each kind is also certified and taken through JSON and back.
"""

import inspect
import json
import warnings
from functools import cache

import jsonschema
import numpy as np
import pytest

import fast
import reference
from reference.check import certify, real_input
from reference.check.examiner import Examination
from reference.check.judging.outcome import answer_dtype, conduct
from reference.check.judging.subject import SUBJECTS
from reference.check.sandbox import worker
from reference.check.sandbox.sandbox import Reply, Sandbox
from reference.check.sandbox.transport import unpacked
from reference.check.vectors import encoding
from reference.check.vectors.schema import SCHEMA
from tests.support.check import ROWS, call_of, cases_of, in_brief, remembering

VALUE = jsonschema.Draft202012Validator({**SCHEMA, "$ref": "#/$defs/value"})
EACH_ROW = pytest.mark.parametrize("row", ROWS)
# The certificate of a step of fit_wsabie is that of the gradient; `certify` compares with the replay.
OTHER_NUMBER = ("fit_wsabie", "fit_wsabie, CSR")
# Where a judge gives no certificate: it compares with a replay, an enumeration or a formula.
WITHOUT_NUMBER = ("topk_error", "topk_hinge", "topk_hinge_gradient", "semigradient",
                  "fit_passive_aggressive", "fit_direct_loss", "fit_one_vs_all")  # fmt: skip
WITHOUT_NUMBER += tuple(name for name in SUBJECTS if "topk_entropy" in name and not name.startswith("fit"))
# Largest relative errors of the reference in float64, where the judges allow more.
CLOSE = {"fit_passive_aggressive": 1e-13} | dict.fromkeys(
    ("prototype_scores", "concatenate_fits", "fit_nearest_means", "fit_one_vs_all", "fit_wsabie",
     "class_confusion_loss", "pairwise_loss", "warp_loss"), 1e-12)  # fmt: skip
# What changes no number of an answer, or calls a function of the caller.
OUTSIDE = {"n_jobs", "progress", "callback", "patience"}
# Refused only while the answer is computed: `certify` then says that no answer is right.
REFUSED_LATE = ("out of range", "wrong draws", "steps that are too large")


@pytest.fixture(scope="module", autouse=True)
def truths():
    """The ground truth of an instance is computed once, for the answers of both packages."""
    with remembering():
        yield


@pytest.fixture(scope="module")
def examination():
    """The state of an examination of `fast`, in a fresh process that all functions share."""
    with Sandbox("fast", list(SUBJECTS)) as box:
        box.start()
        assert box.error is None and set(box.public) == set(SUBJECTS)
        yield Examination(box, seed=0, quick=True)


@EACH_ROW
def test_fast_is_right_in_a_process_of_its_own(row, examination):
    name, *csr = row.split(", ")
    got = examination.examine(name, False, SUBJECTS[name].csr if csr else None)
    assert got.failure is None and got.name == row and got.passed == got.cases > 0, str(got.failure)
    assert not examination.broke


def answered(package, name, case):
    """Returns (the answer of a package, the Reply that a judge takes)."""
    arguments, options = call_of(name, case)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            answer = getattr(package, name)(*arguments, **options)
        except ValueError as error:
            kinds = [kind.__name__ for kind in type(error).__mro__]
            return error, Reply(raised={"kinds": kinds, "message": str(error), "line": ""})
    arrays = []
    tree = worker.plain(answer, arrays)
    return answer, Reply(unpacked(tree, arrays), warnings=tuple({one.category.__name__ for one in caught}))


def assert_certified(got, case):
    assert got.ok == (got.value <= got.bound) and bool(got) == got.ok
    assert got.ok or case.warns, f"{case.label}: {got}"


@EACH_ROW
def test_the_reference_is_right_and_certified(row):
    (name, cases), compared, errors, kinds = cases_of(row), 0, [0.0], set()
    for case in cases:
        answer, reply = answered(reference, name, case)
        outcome = conduct(case, reply) or SUBJECTS[name].judge(case, reply)
        assert not outcome.reason, f"{case.label}: {outcome}"
        if case.refuses:
            assert_refused_alike(name, case, answer)
            continue
        if outcome.error is not None and answer_dtype(next(iter(case.arguments.values()))) == np.float64:
            errors.append(outcome.error)
        if (kind := kind_of(case)) in kinds:
            continue
        kinds.add(kind)
        arguments, options = call_of(name, case)
        got = certify(name, answer, *arguments, **options)
        assert_certified(got, case)
        if outcome.certificate is not None and np.isfinite(outcome.certificate) and row not in OTHER_NUMBER:
            assert got.value == pytest.approx(outcome.certificate, rel=1e-6, abs=1e-9), case.label
            compared += 1
        assert_survives_json(case.given, answer, reply.answer)
    assert compared or name in WITHOUT_NUMBER or row in OTHER_NUMBER
    assert max(errors) < CLOSE.get(name, np.inf)


def kind_of(case):
    """Returns the label of an instance, and of each argument its name and its text, dtype or type."""
    given = ((key, value if isinstance(value, str) else getattr(value, "dtype", type(value)))
             for key, value in case.given.items())  # fmt: skip
    return case.label, *given


def assert_refused_alike(name, case, error):
    """Both packages refuse a call, and `certify` does before it looks at an answer, all in the same words."""
    assert str(answered(fast, name, case)[0]) == str(error), case.label
    if case.label not in REFUSED_LATE:
        arguments, options = call_of(name, case)
        with pytest.raises(ValueError) as ours:
            certify(name, None, *arguments, **options)
        assert str(ours.value) == str(error), case.label


def assert_survives_json(given, answer, received):
    """Arguments and answers keep to the schema, and are the same bits after a journey through JSON."""
    for value in given.values():
        form = through_json(value)
        if isinstance(value, np.ndarray):
            assert_same_bits(encoding.argument(form), value)
        elif hasattr(value, "indptr"):
            assert_same_bits(encoding.argument(form), value.toarray())
    assert_same_bits(encoding.answer(through_json(answer), encoding.encoded(received)), received)


def through_json(value):
    form = json.loads(json.dumps(encoding.encoded(value), allow_nan=False))
    assert_valid(json.dumps(in_brief(form)))
    return form


@cache
def assert_valid(text):
    VALUE.validate(json.loads(text))


def assert_same_bits(got, expected):
    if isinstance(expected, dict):
        assert set(got) == set(expected)
        for key in set(expected) - {encoding.SECONDS}:
            assert_same_bits(got[key], expected[key])
    elif isinstance(expected, (tuple, list)):
        for one, other in zip(got, expected, strict=True):
            assert_same_bits(one, other)
    elif isinstance(expected, np.ndarray):
        assert got.dtype == expected.dtype and got.shape == expected.shape and got.tobytes() == expected.tobytes()
    else:
        assert got == expected or (got != got and expected != expected)


@pytest.mark.parametrize("name", SUBJECTS)
def test_every_option_has_an_instance(name):
    """A right one, in which it has another value than its default."""
    options = inspect.signature(getattr(reference, name)).parameters.items()
    rows = (name, f"{name}, CSR") if SUBJECTS[name].csr else (name,)
    right = [case.arguments for row in rows for case in cases_of(row)[1] if not case.refuses]
    unused = {key for key, option in options if not any(is_chosen(case, key, option.default) for case in right)}
    assert unused <= OUTSIDE


def is_chosen(arguments, key, default):
    value = arguments.get(key, default)
    return value is not default and not (isinstance(value, (str, int, float)) and value == default)


def test_fast_is_right_on_digits(examination):
    digits = real_input.digits_rows(examination)
    assert [row.name for row in digits] == ["digits, top-5 SVM alpha", "digits, top-5 SVM beta"]
    assert not any(row.failure for row in digits)
    assert all("errors" in row.note and row.certificate["float64"] <= 1e-3 for row in digits)


@EACH_ROW
def test_answers_of_fast_are_certified(row):
    """One of each kind. They are all judged by the same certificates above."""
    name, cases = cases_of(row)
    for case in {case.label: case for case in cases if not case.refuses}.values():
        arguments, options = call_of(name, case)
        assert_certified(certify(name, answered(fast, name, case)[0], *arguments, **options), case)

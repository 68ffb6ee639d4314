"""Test vectors: written, answered by `fast` through JSON, and judged; and what is said of broken answers.

test_conformance.py takes the arguments and answers of every function through JSON. Here are functions of each kind.
"""

import json

import jsonschema
import numpy as np
import pytest

import fast
from reference.check.__main__ import main
from reference.check.judging.subject import SUBJECTS
from reference.check.vectors import encoding, export, verify
from reference.check.vectors.schema import SCHEMA
from reference.check.vectors.verify import case_of
from tests.support.check import ROWS, call_of, in_brief
from tests.support.twins import fit

pytestmark = pytest.mark.usefixtures("truths")
# Answers that are one array, a number, a fit and a fit within a fit. Some arguments are CSR matrices or fits.
WRITTEN = ("project_simplex", "ap_loss", "fit_topk_svm", "fit_latent_ranking_svm", "prototype_scores")
WRITTEN += ("concatenate_fits",)
FEW = 10  # instances, where another answer to one of them is judged


@pytest.fixture(scope="module")
def folder(tmp_path_factory, truths):
    """Test vectors of these functions, with every fourth one of a slow fit, and right answers of `fast` beside them."""
    folder = tmp_path_factory.mktemp("vectors")
    slow = SUBJECTS["fit_topk_svm"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SUBJECTS, "fit_topk_svm", slow._replace(cases=lambda *given: list(slow.cases(*given))[::4]))
        for name in WRITTEN:
            export(folder, only=name, quick=True)
    for path in sorted(folder.glob("*.jsonl")):
        answers = [answered(line) for line in lines_of(path)]
        write(path.with_name(path.name.replace(".jsonl", ".answers.jsonl")), answers)
    return folder


def lines_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write(path, lines):
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")


def answered(instance):
    """The line that a program with the functions of `fast` writes for this instance."""
    if "refuses" in instance:
        return {"id": instance["id"], "error": "wrong"}
    arguments, options = call_of(instance["function"], case_of(instance))
    answer = fit(getattr(fast, instance["function"]), *arguments, **options)
    return {"id": instance["id"], "answer": encoding.encoded(answer)}


# --- the files -----------------------------------------------------------------------------------------------------


def test_each_function_has_a_file_and_every_line_keeps_to_the_schema(folder):
    written = json.loads((folder / "schema.json").read_text(encoding="utf-8"))
    assert written == SCHEMA
    jsonschema.Draft202012Validator.check_schema(written)
    validator, answers = (jsonschema.Draft202012Validator({**written, "$ref": f"#/$defs/{name}"})
                          for name in ("instance", "answer"))  # fmt: skip
    for name in WRITTEN:
        for stem in (name, f"{name}.csr") if SUBJECTS[name].csr else (name,):
            lines = lines_of(folder / f"{stem}.jsonl")
            assert len({line["id"] for line in lines}) == len(lines) >= 10, stem
            assert any("refuses" in line for line in lines), stem
            for line in lines:
                validator.validate(line | {name: in_brief(line[name]) for name in {"arguments", "expected"} & {*line}})
            answers.validate(lines_of(folder / f"{stem}.answers.jsonl")[0])


def test_the_schema_refuses_what_it_should(folder):
    validator, line = jsonschema.Draft202012Validator(SCHEMA), lines_of(folder / "project_simplex.jsonl")[0]
    for wrong in ({"why": 3}, {"version": 0}, {"other": 1}, {"refuses": ["a"]}, {"arguments": {"a": {"dtype": "f8"}}}):
        with pytest.raises(jsonschema.ValidationError):
            validator.validate(line | wrong)


def test_the_same_seed_writes_the_same_bytes_and_another_one_does_not(folder, tmp_path):
    for seed, same in ((0, True), (1, False)):
        export(tmp_path, only="prototype_scores", quick=True, seed=seed)
        for name in ("prototype_scores.jsonl", "prototype_scores.csr.jsonl", "schema.json"):
            assert ((tmp_path / name).read_bytes() == (folder / name).read_bytes()) == (same or name == "schema.json")


def test_an_export_leaves_other_files_alone(tmp_path):
    for name in ("mine.txt", "ap_loss.answers.jsonl"):
        (tmp_path / name).write_text("mine")
    export(tmp_path, only="ap_loss", quick=True)
    assert (tmp_path / "mine.txt").read_text() == (tmp_path / "ap_loss.answers.jsonl").read_text() == "mine"
    assert (tmp_path / "README.md").read_text(encoding="utf-8").count("\n") < 60


@pytest.mark.parametrize("value", [0.1, 1e300, 5e-324, -0.0, np.inf, -np.inf, np.nan, 2**53 + 1, np.pi])
def test_numbers_survive_the_journey_bit_by_bit(value):
    single = np.array([value if abs(value) < 1e38 or not np.isfinite(value) else 1.0], dtype=np.float32)
    for array in (np.array([value]), single, np.array([[value, 1.0]])):
        text = json.dumps(encoding.encoded(array), allow_nan=False)
        back = encoding.argument(json.loads(text))
        assert back.dtype == array.dtype and back.tobytes() == array.tobytes()


# --- right answers -------------------------------------------------------------------------------------------------


def test_fast_is_right_through_json_as_it_is_directly(folder):
    report = verify(folder)
    assert report.passed, str(report)
    assert {row.name for row in report.rows} == {row for row in ROWS if row.split(", ")[0] in WRITTEN}
    assert not report.missing and all(row.passed == row.cases for row in report.rows)


@pytest.mark.parametrize("form", [lambda x: x["data"], lambda x: encoding.argument(x).tolist(), lambda x: x])
def test_an_array_may_be_flat_nested_or_with_its_shape(folder, tmp_path, form):
    answers = right_answers(folder)
    changed = [line | {"answer": form(line["answer"])} for line in answers]
    report = judge(folder, tmp_path, "project_simplex", changed)
    assert report.passed, str(report)


# --- wrong answers -------------------------------------------------------------------------------------------------


def judge(folder, tmp_path, name, lines=None, text=None, few=FEW):
    """The report on other answers to the first instances."""
    write(tmp_path / f"{name}.jsonl", lines_of(folder / f"{name}.jsonl")[:few])
    place = tmp_path / f"{name}.answers.jsonl"
    write(place, lines) if text is None else place.write_bytes(text)
    return verify(tmp_path)


def spoiled(answers, change, number=3):
    """The lines with one of them changed; line numbers count from 1."""
    return [change(line) if i == number else line for i, line in enumerate(answers, start=1)]


def with_data(line, data):
    return line | {"answer": line["answer"] | {"data": data}}


WRONG = {
    "a number is off": (lambda x: with_data(x, [v + 1e-9 for v in x["answer"]["data"]]), "differs"),
    "NaN": (lambda x: with_data(x, ["nan"] * len(x["answer"]["data"])), "not finite"),
    "an infinity": (lambda x: with_data(x, ["inf"] * len(x["answer"]["data"])), "not finite"),
    "one number too few": (lambda x: x | {"answer": x["answer"]["data"][:-1]}, "wrong shape"),
    "another shape": (lambda x: x | {"answer": [x["answer"]["data"]]}, "wrong shape"),
    "a shape that does not fit": (lambda x: x | {"answer": x["answer"] | {"shape": [7, 7]}}, "wrong type"),
    "a ragged list": (lambda x: x | {"answer": [[1.0], [1.0, 2.0]]}, "wrong type"),
    "words": (lambda x: x | {"answer": ["a", "b", "c"]}, "wrong type"),
    "one word": (lambda x: x | {"answer": "0.5"}, "wrong type"),
    "null": (lambda x: x | {"answer": None}, "wrong type"),
    "an object": (lambda x: x | {"answer": {"x": 1}}, "wrong type"),
    "a single number": (lambda x: x | {"answer": 0.5}, "wrong type"),
    "truth values": (lambda x: x | {"answer": [True] * len(x["answer"]["data"])}, "wrong type"),
    "an error in place of an answer": (lambda x: {"id": x["id"], "error": "too hard"}, "raised"),
    "both": (lambda x: x | {"error": "and an answer"}, "broken line"),
    "neither": (lambda x: {"id": x["id"]}, "broken line"),
    "no id": (lambda x: {"answer": x["answer"]}, "broken line"),
    "an unknown id": (lambda x: x | {"id": "project_simplex-9999"}, "unknown id"),
    "an id that is a number": (lambda x: x | {"id": 3}, "unknown id"),
    "no object": (lambda x: [1, 2], "broken line"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_line_is_found_and_named(folder, tmp_path, kind):
    change, reason = WRONG[kind]
    report = judge(folder, tmp_path, "project_simplex", spoiled(right_answers(folder), change))
    text = report.counterexample()
    assert not report.passed and reason in text and "line 3" in text and "Traceback" not in text, text
    assert "WRONG (0" not in str(report)


def right_answers(folder, name="project_simplex", few=FEW):
    answers = lines_of(folder / f"{name}.answers.jsonl")[:few]
    assert "fit" in answers[2]["answer"] or len(answers[2]["answer"]["data"]) > 1
    return answers


def test_lines_that_are_no_json_are_named(folder, tmp_path):
    lines = (folder / "project_simplex.answers.jsonl").read_bytes().splitlines(keepends=True)[:FEW]
    for broken in (b"{\n", b"\xff\xfe\n", b'{"id": \n', b"[" * 100_000 + b"\n", b"NaN\n"):
        report = judge(folder, tmp_path, "project_simplex", text=b"".join([*lines[:4], broken, *lines[4:]]))
        assert not report.passed and "line 5 of project_simplex.answers.jsonl" in report.counterexample()


def test_missing_doubled_and_empty_lines(folder, tmp_path):
    answers = right_answers(folder)
    missing = judge(folder, tmp_path, "project_simplex", answers[:5] + answers[6:])
    assert "not answered" in missing.counterexample() and answers[5]["id"] in missing.counterexample()
    doubled = judge(folder, tmp_path, "project_simplex", [*answers, answers[7]])
    assert f"lines 8 and {len(answers) + 1}" in doubled.counterexample()
    text = (folder / "project_simplex.answers.jsonl").read_bytes().replace(b"\n", b"\n\n")
    assert judge(folder, tmp_path, "project_simplex", text=text, few=None).passed


def test_a_refused_instance_must_be_answered_by_an_error(folder, tmp_path):
    right = right_answers(folder, few=None)
    answers = [line if "answer" in line else {"id": line["id"], "answer": [0.0]} for line in right]
    assert "did not raise" in judge(folder, tmp_path, "project_simplex", answers, few=None).counterexample()


def test_the_parts_of_a_fit_are_judged(folder, tmp_path):
    answers = right_answers(folder, "fit_topk_svm")

    def zero(line, *names):
        fit = line["answer"]["fit"]
        zeros = {name: fit[name] | {"data": [0.0] * len(fit[name]["data"])} for name in names}
        return line | {"answer": {"fit": fit | zeros}}

    both = spoiled(answers, lambda line: zero(line, "weights", "duals"))
    assert "its primal is 1, the minimum" in judge(folder, tmp_path, "fit_topk_svm", both).counterexample()
    duals = spoiled(answers, lambda line: zero(line, "duals"))
    assert "the weights differ from X' duals" in judge(folder, tmp_path, "fit_topk_svm", duals).counterexample()
    lacks = spoiled(answers, lambda line: line | {"answer": {"fit": {"weights": line["answer"]["fit"]["weights"]}}})
    assert "it has no duals" in judge(folder, tmp_path, "fit_topk_svm", lacks).counterexample()


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("fit_topk_svm", (["duals"], ["duals", "weights"])),
        ("fit_latent_ranking_svm", (["chosen", "last_fit"], ["weights", "chosen", "objectives", "last_fit"])),
    ],
)
def test_what_proves_a_fit_is_enough(folder, tmp_path, name, kept):
    answers = right_answers(folder, name)
    fits = [line["answer"]["fit"] for line in answers]
    parts = [{part: fit[part] for part in kept[i % 2]} for i, fit in enumerate(fits)]
    written = [line | {"answer": part} for line, part in zip(answers, parts, strict=True)]
    report = judge(folder, tmp_path, name, written)
    assert report.passed, str(report)
    for missing in json.loads((folder / "schema.json").read_text())["$defs"][name]["required"]:
        less = {part: value for part, value in fits[0].items() if part != missing}
        text = judge(folder, tmp_path, name, [answers[0] | {"answer": less}], few=1).counterexample()
        assert f"it has no {missing}; enough would be" in text


def test_the_array_that_proves_a_fit_may_come_alone(folder, tmp_path):
    answers = [line | {"answer": line["answer"]["fit"]["duals"]} for line in right_answers(folder, "fit_topk_svm")]
    assert judge(folder, tmp_path, "fit_topk_svm", answers).passed
    zero = spoiled(answers, lambda line: with_data(line, [0.0] * len(line["answer"]["data"])))
    assert "its primal is 1, the minimum" in judge(folder, tmp_path, "fit_topk_svm", zero).counterexample()


def test_the_parts_of_a_pair_may_have_names():
    pair = (np.array([1.0, 2.0]), np.array([3.0], dtype=np.float32))
    got = encoding.answer({"u": [1, 2], "v": [3]}, encoding.encoded(pair), ("u", "v"))
    assert all(np.array_equal(got[name], part) and got[name].dtype == part.dtype
               for name, part in zip("uv", pair, strict=True))  # fmt: skip


def test_the_schema_lists_the_fields_of_each_fit():
    fits = {name: SCHEMA["$defs"][name] for name in SUBJECTS if name.startswith(("fit_", "concatenate"))}
    assert all(set(fit["required"]) <= set(fit["properties"]) and fit["required"] for fit in fits.values())
    assert "history" in fits["fit_topk_svm"]["properties"] and fits["fit_topk_svm"]["required"] == ["duals"]


# --- the command line ----------------------------------------------------------------------------------------------


def test_the_command_line_exports_and_verifies(tmp_path, capsys):
    assert main(["--export", str(tmp_path), "--only", "ap_loss", "--quick"]) == 0
    assert "1 files" in capsys.readouterr().out
    assert main(["--verify", str(tmp_path)]) == 1
    assert "has no answers" in capsys.readouterr().out
    write(tmp_path / "ap_loss.answers.jsonl", [answered(line) for line in lines_of(tmp_path / "ap_loss.jsonl")])
    assert main(["--verify", str(tmp_path)]) == 0
    assert "right" in capsys.readouterr().out


def test_skipped_instances_are_counted_apart(tmp_path, capsys):
    main(["--export", str(tmp_path), "--only", "rank_loss", "--quick", "--dense"])
    lines = lines_of(tmp_path / "rank_loss.jsonl")
    right = list(map(answered, lines))
    skip = [{"id": line["id"], "skip": "no auc"} for line in lines]
    mixed = [one if line["arguments"].get("loss") == "auc" or i == len(lines) - 1 else two
             for i, (line, one, two) in enumerate(zip(lines, skip, right, strict=True))]  # fmt: skip
    count = sum("skip" in line for line in mixed)
    wrong = [line | {"answer": 7.0} if "answer" in line else line for line in mixed]
    refused = [two if "refuses" in line else one for line, one, two in zip(lines, skip, right, strict=True)]
    for answers, status, verdict in ((mixed, 0, "right"), (wrong, 1, "WRONG"), (skip, 1, "NO ANSWER"),
                                     (refused, 1, "NO ANSWER")):  # fmt: skip
        write(tmp_path / "rank_loss.answers.jsonl", answers)
        assert main(["--verify", str(tmp_path)]) == status
        text = " ".join(capsys.readouterr().out.split())
        assert verdict in text and "skipped: no auc (" in text, text
        assert f"right, {count} of {len(lines)} skipped" in text or status, text


def test_an_export_without_csr_and_its_guide(tmp_path, capsys):
    assert main(["--export", str(tmp_path), "--only", "prototype_scores", "--quick", "--dense"]) == 0
    assert not list(tmp_path.glob("*.csr.jsonl"))
    with pytest.raises(SystemExit):
        main(["--help"])
    for text in ((tmp_path / "README.md").read_text(), capsys.readouterr().out):
        assert all(word in text for word in ('"skip": ', '{"functions": [', '"lacks": ', "flushes", "enough"))


@pytest.mark.parametrize("arguments", [[], ["fast", "--verify", "x"], ["--verify", "nowhere"], ["--command", " "]])
def test_the_command_line_refuses_what_contradicts_itself(arguments, capsys):
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2 and "usage" in capsys.readouterr().err


def test_verify_says_what_it_needs(tmp_path):
    with pytest.raises(ValueError, match="no test vectors"):
        verify(tmp_path)
    with pytest.raises(ValueError, match="only must be one of"):
        export(tmp_path, only="project")
    write(tmp_path / "ap_loss.jsonl", [{"id": "ap_loss-0", "version": 0}])
    write(tmp_path / "ap_loss.answers.jsonl", [])
    with pytest.raises(ValueError, match="format 1"):
        verify(tmp_path)

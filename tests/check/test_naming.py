"""Implementations that have other names, and the helper for the tests of other projects."""

import json

import numpy as np
import pytest

import reference
from reference.check import check
from reference.check.__main__ import main
from reference.check.naming import Naming
from reference.check.testing import examine
from tests.support.check import solution

pytestmark = pytest.mark.usefixtures("truths")
THEIRS = '''
import reference

def proj(z, v):
    """The projection of v onto the simplex of size z."""
    return reference.project_simplex(v, z)

def loss(*, S, labels, kk=1):
    return reference.topk_error(S, labels, kk) * SIGN
'''
PROJ = {"name": "proj", "arguments": {"a": "v", "radius": "z"}}


@pytest.fixture
def theirs(tmp_path):
    def written(sign=1.0):
        path = tmp_path / f"theirs_{int(sign > 0)}.py"
        path.write_text(THEIRS.replace("SIGN", str(sign)))
        return path

    return written


def test_arguments_of_other_names_and_another_order(theirs):
    loss = {"name": "loss", "arguments": {"scores": "S", "y": "labels", "k": "kk"}, "order": []}
    with pytest.raises(AssertionError, match="missing 1 required positional argument"):  # the radius has a default here
        examine(theirs(), names={"project_simplex": PROJ | {"order": ["radius", "a"]}})
    report = examine(theirs(), names={"topk_error": loss})
    assert [row.name for row in report.rows] == ["topk_error"] and report.passed
    with pytest.raises(AssertionError, match=r"topk_error\(np.array\(\[\["):
        examine(theirs(-1.0), names={"topk_error": loss})


def test_the_failure_is_the_smallest_counter_example_in_our_names():
    with pytest.raises(AssertionError) as failure:
        wrong = {"proj": lambda a, radius=1.0: reference.project_simplex(a, radius) * (1 + 1e-6 * (a.size > 2))}
        examine(wrong, names={"project_simplex": "proj"})
    assert "project_simplex(np.array([" in str(failure.value) and "expected" in str(failure.value)
    right = {"proj": lambda a, radius=1.0: reference.project_simplex(a, radius)}
    assert examine(right, names={"project_simplex": "proj"}).passed


def test_a_function_that_is_missing_fails(theirs):
    with pytest.raises(AssertionError, match="none of the public functions"):
        examine(theirs(), names={"ap_loss": "average_precision"})
    with pytest.raises(AssertionError, match="none of the public functions"):
        examine({"f": np.sort})


@pytest.mark.parametrize(
    ("names", "word"),
    [
        ({"simplex": "proj"}, "names must be for functions of reference"),
        ({"project_simplex": 3}, "must be a name, or a dict"),
        ({"project_simplex": {"title": "proj"}}, "must be a name, or a dict"),
        ({"project_simplex": {"arguments": {"b": "v"}}}, "has the arguments a, radius.*, got 'b'"),
        ({"project_simplex": {"order": ["v"]}}, "has the arguments a, radius.*, got 'v'"),
        ({"project_simplex": {"lacks": ["v"]}}, "has the arguments a, radius.*, got 'v'"),
        ({"project_simplex": {"lacks": [{"radius": 0}]}}, "lacks must be a list of arguments and of"),
    ],
)
def test_names_that_do_not_exist_are_refused(names, word):
    with pytest.raises(ValueError, match=word):
        Naming(names)


def test_the_command_line_takes_a_file_of_names(theirs, tmp_path, capsys):
    file = tmp_path / "names.toml"
    file.write_text('[topk_error]\nname = "loss"\norder = []\narguments = { scores = "S", y = "labels", k = "kk" }\n')
    arguments = [str(theirs()), "--names", str(file), "--only", "topk_error", "--quick", "--dense"]
    assert main(arguments) == 0
    for text, word in (("x = ", "is not TOML"), ("[other]\n", "names must be for")):
        file.write_text(text)
        with pytest.raises(SystemExit):
            main(arguments)
        assert word in " ".join(capsys.readouterr().err.split())
    with pytest.raises(SystemExit):
        main(["--command", "true", "--names", str(file)])


# --- a part of what is asked ---------------------------------------------------------------------------------------

PARTIAL = """
import numpy as np
import reference

def rank_loss(ranks, n_positive, loss="ap"):
    if loss == "auc":
        raise NotImplementedError("auc")
    return reference.rank_loss(ranks, n_positive, loss=loss) + WRONG

def project_knapsack(a, total, lower=0.0, upper=1.0):
    if a.ndim == 2 or np.ndim(lower) or np.ndim(upper) or a.dtype != np.float64:
        raise RuntimeError("not asked for")
    return reference.project_knapsack(a, total, lower, upper)
"""
LACKS = """
[project_knapsack]
lacks = ["weights", {lower = ["array"], upper = ["array"]}, {a = ["2d", "float32"]}]

[rank_loss]
lacks = [{loss = ["ndcg"]}]
"""


@pytest.mark.parametrize(("wrong", "status"), [("0", 0), ("(loss == 'ap')", 1)])
def test_what_is_lacking_is_counted_apart(tmp_path, capsys, wrong, status):
    (tmp_path / "names.toml").write_text(LACKS)
    path = solution(tmp_path, PARTIAL.replace("WRONG", wrong))
    command = [str(path), "--names", str(tmp_path / "names.toml"), "--quick", "--jobs", "1"]
    assert main([*command, "--only", "rank_loss", "--json", str(tmp_path / "report.json")]) == status
    text = " ".join(capsys.readouterr().out.split())
    row = json.loads((tmp_path / "report.json").read_text())["rows"][0]
    skipped = f"{sum(row['skips'].values())} of {row['cases']} skipped"
    assert set(row["skips"]) == {"auc", "lacks loss = ndcg"} and f"rank_loss: {skipped}: " in text
    assert row["verdict"].startswith("WRONG (" if status else f"right, {skipped}") and row["verdict"] in text
    assert main([*command, "--only", "project_knapsack"]) == 0
    assert "lacks weights (" in capsys.readouterr().out


def test_nothing_is_right_if_everything_is_skipped(tmp_path, capsys):
    path = solution(tmp_path, "def ap_loss(*_):\n    raise NotImplementedError\n")
    assert main([str(path), "--only", "ap_loss", "--quick"]) == 1
    assert "ap_loss: answered nothing" in capsys.readouterr().out


def test_a_refusal_may_name_the_argument_as_it_is_called_there(tmp_path, capsys):
    (tmp_path / "theirs.py").write_text("""
import reference

def proj(v, z=1.0):
    try:
        return reference.project_simplex(v, z)
    except ValueError as trouble:
        raise ValueError("v is bad" if "a must" in str(trouble) else "z is bad") from None
""")
    file = tmp_path / "names.toml"
    file.write_text('[project_simplex]\nname = "proj"\narguments = {a = "v", radius = "z"}\n')
    command = [str(tmp_path / "theirs.py"), "--names", str(file), "--only", "project_simplex", "--quick"]
    assert main(command) == 0, capsys.readouterr().out
    file.write_text('[project_simplex]\nname = "proj"\norder = ["a", "radius"]\n')
    assert main(command) == 1 and "did not name the argument" in capsys.readouterr().out


FORMS = {
    "return reference.project_simplex(a, radius).astype(float)": ("wrong dtype", "docstring", "expected  np.array("),
    "return list(reference.project_simplex(a, radius))": ("wrong type", "docstring", "expected  np.array("),
    "x = reference.project_simplex(a, radius); a[...] = 0; return x": ("changed its input", "docstring", "expected  "),
    "return reference.project_simplex(np.nan_to_num(a), radius)": ("did not raise", "docstring", "names a\n"),
    "return a / 0 if a.ndim > 5 else [][0]": ("raised", "docstring", "expected  np.array("),
    "return reference.project_simplex(a, radius) + a.dtype.type(1)": ("differs", "004, section 4.1", "expected  np."),
}


@pytest.mark.parametrize("body", FORMS)
def test_a_failure_shows_what_was_expected_and_where_to_read(tmp_path, body):
    code = f"import numpy as np, reference\ndef project_simplex(a, radius=1.0):\n    {body}"
    report = check(solution(tmp_path, code), only="project_simplex", quick=True, timed=False, enough=1)
    text = report.counterexample()
    reason, place, expected = FORMS[body]
    assert all(word in text for word in (f"project_simplex: {reason}", place, expected)), text


@pytest.mark.parametrize(("field", "status"), [("prototypes", 0), ("embedding", 1)])
def test_a_dict_of_what_proves_a_fit_is_enough(tmp_path, capsys, field, status):
    fit = "fit = reference.fit_nearest_means(X, Y, **options)"
    code = f"import reference\ndef fit_nearest_means(X, Y, **options):\n    {fit}"
    path = solution(tmp_path, f'{code}\n    return {{"{field}": fit.{field}}}\n')
    assert main([str(path), "--only", "fit_nearest_means", "--quick", "--dense"]) == status
    assert ("it has no prototypes; enough would be prototypes" in capsys.readouterr().out) == bool(status)

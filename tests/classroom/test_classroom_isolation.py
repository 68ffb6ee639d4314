"""How a student's process is started: with bubblewrap, with a command of one's own, and with neither."""

import subprocess

import pytest

from reference.check.classroom import isolation
from reference.check.classroom.judge import judged
from reference.check.classroom.remote import Patience
from tests.support.classroom import grading, source

NAME = "08_warp_sampling"


def points(command):
    """(points of the warm-up, notes) of a notebook that has the warm-up only."""
    whole = source(NAME)
    whole.cells = [cell for cell in whole.cells if grading(cell).get("grade_id", "").startswith("warm")]
    answer = judged(whole, whole, "ada", command, Patience(cell=20.0, submission=60.0))
    return answer["scores"], answer["notes"]


def test_without_isolation_a_notebook_is_graded_and_the_warning_says_what_is_open(tmp_path):
    command, warning = isolation.command("none", tmp_path)
    assert warning.startswith("NOT ISOLATED") and "gradebook" in warning
    assert points(command) == ({"warm_up": 2}, [])


def test_a_command_of_ones_own_is_put_before_the_process(tmp_path):
    command, warning = isolation.command(["env", "MARGINALIA=1"], tmp_path)
    assert command[:2] == ["env", "MARGINALIA=1"] and not warning
    assert points(command) == ({"warm_up": 2}, [])


def test_auto_is_bubblewrap_where_it_works_and_a_warning_where_it_does_not(tmp_path, monkeypatch):
    monkeypatch.setattr(isolation, "why_not", lambda: "")
    assert isolation.command("auto", tmp_path)[1] == ""
    monkeypatch.setattr(isolation, "why_not", lambda: "no namespaces")
    assert isolation.command("auto", tmp_path)[1].startswith("NOT ISOLATED")
    with pytest.raises(RuntimeError, match="bubblewrap does not work here: no namespaces"):
        isolation.command("bubblewrap", tmp_path)
    with pytest.raises(ValueError, match="isolation must be 'auto'"):
        isolation.command("docker", tmp_path)


bubblewrap = pytest.mark.skipif(bool(isolation.why_not()), reason=f"needs bubblewrap: {isolation.why_not()}")


@bubblewrap
def test_a_python_in_the_temporary_folder_can_be_used_and_nothing_beside_it(tmp_path, monkeypatch):
    for name in ("venv", "beside"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)
    monkeypatch.setattr(isolation.sys, "prefix", str(tmp_path / "venv"))
    files = [str(tmp_path / name / "file") for name in ("venv", "beside")]
    command = [*isolation._bubblewrap(()), "/bin/cat", *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "venv" and "No such file" in done.stderr


@bubblewrap
def test_the_isolated_process_sees_neither_the_project_nor_the_network(tmp_path):
    whole = source(NAME)
    whole.cells = whole.cells[:2]
    text = """
import os, socket, sys
print([name for name in ("reference", "fast", "tests") if os.path.exists(os.path.join(PROJECT, name))])
beside = set(os.listdir("/tmp")) - {".ipython"} - set(sys.prefix.split("/"))
print(beside, os.path.exists(os.path.expanduser("~/.bashrc")))
print([name for _, name in socket.if_nameindex() if name != "lo"])
import reference
print(type(reference).__name__)
""".replace("PROJECT", repr(str(isolation.CHECK.parents[1])))
    whole.cells[1].source = text
    whole.cells[1].metadata["nbgrader"] = {}
    command, _ = isolation.command("bubblewrap", tmp_path, [tmp_path])
    outputs = judged(whole, whole, "ada", command)["outputs"]["1"]
    assert outputs == [{"output_type": "stream", "name": "stdout", "text": "[]\nset() False\n[]\nClosed\n"}]

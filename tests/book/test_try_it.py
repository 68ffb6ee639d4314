"""The optional page that runs Python, without its packages: its text, its examples, its driver and its files."""

import hashlib
import io
import json
import re
import shutil
import sys
import zipfile

import pytest

from book.sources import ROOT
from book.try_it import driver, packages, runtime
from book.try_it import page as ours
from tests.book.programs import DOCTESTS, EXERCISES, NEED_SCIPY, TITLES, WITHOUT_SCIPY, native


@pytest.fixture
def made(tmp_path):
    """A folder with small files in place of those that the page loads."""
    folder = tmp_path / "runtime"
    (folder / "shim").mkdir(parents=True)
    for name in (runtime.WASM, runtime.LIBRARY, runtime.PROJECT, runtime.STAMP, "shim/index.js"):
        (folder / name).write_bytes(b"0" * 600_000)
    return folder


# --- the page --------------------------------------------------------------------------------------------------------


def test_the_page_is_in_the_index_and_has_its_editor_and_examples(tmp_path, made):
    shutil.copytree(ROOT / "book/pages", tmp_path / "pages")
    ours.add(tmp_path / "pages", made)
    index = (tmp_path / "pages/index.md").read_text(encoding="utf-8")
    assert f"\n{ours.NAME}\n" in index and f"]({ours.NAME}.md)" in index
    text = (tmp_path / f"pages/{ours.NAME}.md").read_text(encoding="utf-8")
    data = json.loads(re.search(r'data-part="data">(.*?)</script>', text)[1])
    assert data == {"examples": ours.examples(), "megabytes": 2}
    for name in ("examples", "editor"):
        assert f'<label for="try-{name}">' in text and f'id="try-{name}"' in text


def test_an_index_without_the_place_of_the_page_is_refused(tmp_path, made):
    (tmp_path / "index.md").write_text("# Marginalia\n")
    with pytest.raises(ValueError, match="has no"):
        ours.add(tmp_path, made)


def test_a_program_cannot_end_the_element_that_holds_it(made, monkeypatch):
    monkeypatch.setattr(ours, "code", lambda where: "print('</script></textarea><b>')")
    text = ours.editor(made)
    assert text.count("</script>") == 2 and text.count("</textarea>") == 1 and "<b>" not in text.split("<script")[0]


def test_the_files_are_copied_into_the_book(tmp_path, made):
    ours.add_files(tmp_path / "book", made)
    names = {path.name for path in (tmp_path / "book" / ours.STATIC).iterdir()}
    expected = {runtime.WASM, runtime.LIBRARY, runtime.PROJECT, "shim", "try.js", "worker.js", "try.css"}
    assert names == expected


@pytest.mark.parametrize("example", ours.examples(), ids=TITLES)
def test_an_example_runs_here_and_prints(example):
    done = native(example["code"])
    assert not done.stderr and len(done.stdout.splitlines()) >= 4
    assert ("not yet, " in done.stdout) == (example["title"] in EXERCISES)


def test_the_page_names_the_functions_that_need_scipy():
    done = native(WITHOUT_SCIPY + DOCTESTS)
    assert done.stdout.split()[1:] == NEED_SCIPY, done.stderr
    text = (ours.HERE / "page.md").read_text(encoding="utf-8")
    sentence = re.search(r"three functions end with.*?So do", text, re.DOTALL)[0]
    assert re.findall(r"`(fit_\w+)`", sentence) == NEED_SCIPY


# --- the driver ------------------------------------------------------------------------------------------------------


def test_each_run_has_new_variables_and_is_the_main_module(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    driver.run("x = 1\nprint(__name__)")
    driver.run("print('x' in globals())")
    assert capsys.readouterr() == ("__main__\nFalse\n", "")


def test_a_traceback_shows_the_program_only(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    driver.run("import reference\ndef f(k):\n    return reference.project_topk_simplex([1.0, 2.0], k)\nf(5)")
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "Traceback (most recent call last):" and lines[-1].startswith("ValueError: k must be")
    assert [line for line in lines if line.startswith("  File")] == [
        '  File "your code", line 4, in <module>',
        '  File "your code", line 3, in f',
    ]
    assert "    return reference.project_topk_simplex([1.0, 2.0], k)" in lines


@pytest.mark.parametrize(
    ("program", "end"),
    [
        ("1 +", "SyntaxError: invalid syntax"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("raise SystemExit", ""),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise ValueError('no') from e", "ValueError: no"),
        ("print('\ud800')", "surrogates not allowed"),
    ],
)
def test_an_error_is_printed(capsys, monkeypatch, program, end):
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    driver.run(program)
    got = capsys.readouterr().err.rstrip()
    assert got.endswith(end) and bool(got) == bool(end)
    assert "driver.py" not in got
    assert ("direct cause" in got) == (" from e" in program)


def test_each_run_shows_its_warnings():
    """Also those of a module that stays imported, and so remembers which it has shown."""
    program = "import json, warnings\nseen = json.__dict__.setdefault('__warningregistry__', {})\n"
    program += "warnings.warn_explicit('mind', UserWarning, 'module', 1, registry=seen)"
    done = native(f"from book.try_it import driver\nfor _ in range(2): driver.run({program!r})")
    assert done.stderr.count("UserWarning: mind") == 2


# --- the packages and the files made of them -------------------------------------------------------------------------


PIN = packages.Package("a==1", "a.whl", hashlib.sha256(b"right").hexdigest())


def writing(content, folder):
    return [sys.executable, "-c", f"open({str(folder / PIN.file)!r}, 'wb').write({content!r})"]


def test_a_package_is_fetched_once_and_again_if_it_is_damaged(tmp_path):
    path = packages.fetched(PIN, tmp_path, writing(b"right", tmp_path))
    assert path.read_bytes() == b"right"
    packages.fetched(PIN, tmp_path, ["never-run"])
    path.write_bytes(b"half")
    assert packages.fetched(PIN, tmp_path, writing(b"right", tmp_path)).read_bytes() == b"right"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (lambda folder: writing(b"wrong", folder), "not the file that was expected"),
        (lambda folder: [sys.executable, "-c", "import sys; sys.exit('no network')"], "no network"),
        (lambda folder: ["no-such-program"], "no-such-program, which is missing"),
    ],
)
def test_a_package_that_cannot_be_had_ends_the_build(tmp_path, command, said):
    with pytest.raises(SystemExit, match=said):
        packages.fetched(PIN, tmp_path, command(tmp_path))


def test_packages_do_not_go_into_a_folder_of_somebody_else(tmp_path):
    (tmp_path / "mine.txt").touch()
    with pytest.raises(FileExistsError):
        packages.fetch(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_module_loses_its_custom_sections_only():
    head, code, custom = b"\0asm\1\0\0\0", b"\x0a\x81\x01" + b"c" * 129, b"\0\x05\4name"
    assert runtime.bare(head + custom + code + custom) == head + code


def test_the_library_is_the_standard_library_and_numpy():
    names = {
        "os.pyc", "json/decoder.pyc", "_colorize.pyc", "annotationlib.pyc", "numpy/linalg/_linalg.pyc",
        "sklearn/exceptions.pyc",
    }  # fmt: skip
    others = {
        "scipy/special/_basic.pyc", "sklearn/__init__.pyc", "pandas/core/frame.pyc", "six.pyc", "numpy/tests/a.pyc",
        "numpy-2.5.2.dist-info/METADATA", "pydoc_data/topics.pyc", "numpy/f2py/crackfortran.pyc",
    }  # fmt: skip
    source, target = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(source, "w", zipfile.ZIP_DEFLATED) as file:
        for name in names | others:
            file.writestr(name, name * 9)
    runtime.library(source, target)
    with zipfile.ZipFile(target) as file:
        assert set(file.namelist()) == names
        assert all(file.read(one).decode() == one.filename * 9 and not one.compress_type for one in file.infolist())


def test_the_project_comes_without_what_needs_solvers(tmp_path):
    runtime.project(tmp_path / "project.zip")
    names = zipfile.ZipFile(tmp_path / "project.zip").namelist()
    assert {"driver.py", "_exercise.py", "reference/projections.py", "reference/_svm/entropy_step.py"} <= set(names)
    assert not [name for name in names if "ground_truth" in name or "/check/" in name]


def test_the_default_build_makes_no_folder_for_packages():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(r"^try: .*\n\t.* -m book --try$", makefile, re.MULTILINE)
    assert not re.search(r"^(check|test|book):.*\btry\b", makefile, re.MULTILINE)
    assert "build/try-packages" in makefile.partition("clean:")[2]

"""The page that runs Python, in a browser. `make try` builds it, and MARGINALIA_TRY names the folder of the book."""

import functools
import http.server
import os
import re
import threading
from pathlib import Path

import pytest

from book.folders import MARK
from book.try_it import page as ours
from tests.book.conftest import PATIENCE, Quiet
from tests.book.pages import look
from tests.book.programs import DOCTESTS, EXERCISES, NEED_SCIPY, TITLES, native

BUILT = "MARGINALIA_TRY"


@pytest.fixture(scope="module")
def built():
    """The folder of a book that was built with the page."""
    folder = os.environ.get(BUILT)
    if not folder:
        pytest.skip(f"needs the book with the page that runs Python: make try, then {BUILT}=build/book")
    folder = Path(folder).resolve()
    assert (folder / f"{ours.NAME}.html").is_file(), f"{BUILT}: {folder} has no {ours.NAME}.html. Run make try."
    assert (folder / MARK).is_file()
    return folder


@pytest.fixture(scope="module")
def where(built, serve):
    """The address of the page that runs Python."""
    return f"{serve(built)}{ours.NAME}.html"


@pytest.fixture(scope="module")
def printed():
    """What each example prints here, by its title."""
    return {one["title"]: native(one["code"]).stdout for one in ours.examples()}


@pytest.fixture
def tried(where, page):
    """The page, just opened. When the test ends there must be no error in the console and no request outside."""
    page.errors.clear(), page.outside.clear()
    page.goto(where)
    yield page
    assert not page.errors and not page.outside


def run(tried, program=None, expected="Done in "):
    """Runs a program, or what is in the editor, and returns what is shown of it when the status has the text."""
    if program is not None:
        tried.get_by_label("Program").fill(program)
    tried.get_by_role("button", name="Run").click()
    wait(tried, expected)
    return tried.locator("[data-part=output]").text_content()


def wait(tried, text):
    tried.locator("[data-part=status]", has_text=text).wait_for()


def test_each_example_prints_what_python_prints_and_python_is_loaded_once(tried, printed):
    asked = []
    tried.on("request", lambda request: asked.append(request.url))
    for number, title in enumerate(TITLES):
        tried.get_by_label("Example").select_option(title)
        assert run(tried) == printed[title], title
        assert bool(asked) == (number == 0)
        asked.clear()


def test_a_right_answer_to_each_exercise_is_right(tried):
    answers = {
        "project_by_discarding": "def answer(a, radius):\n    return reference.project_simplex(a, radius)\n",
        "algorithm_5": "def answer(a):\n    return reference.squish_column(a, 0.0, 1.0)\n",
    }
    for title, (name, answer) in zip(EXERCISES, answers.items(), strict=True):
        tried.get_by_label("Example").select_option(title)
        program = tried.get_by_label("Program").input_value().replace(f"judge({name}", f"{answer}\n\njudge(answer")
        assert run(tried, program).startswith("RIGHT, in all ")


def test_the_functions_print_what_their_documentation_says(tried):
    count, *failed = run(tried, DOCTESTS).split()
    assert int(count) > 90 and failed == NEED_SCIPY


def test_an_endless_loop_is_stopped_and_the_next_run_is_right(tried):
    for program in ("print('first')\nwhile True: pass", "while True: print('many')"):
        run(tried, program, "Running")
        tried.locator("[data-part=output]", has_text=re.compile("first|many")).wait_for()
        tried.get_by_role("button", name="Stop").click()
        assert tried.locator("[data-part=output]").text_content().endswith("[Stopped.]\n")
        assert run(tried, "print(6 * 7)") == "42\n"


def test_loading_can_be_stopped(tried):
    tried.get_by_role("button", name="Run").click()
    tried.get_by_role("button", name="Stop").click()
    wait(tried, "Stopped")
    assert run(tried, "print(1)") == "1\n"


def test_a_file_that_is_missing_is_named_and_a_later_run_is_right(tried):
    tried.route("**/library.zip.gz", lambda route: route.fulfill(status=404))
    try:
        run(tried, "print(1)", "library.zip.gz could not be loaded: the server says 404. Run tries again.")
    finally:
        tried.unroute("**/library.zip.gz")
    tried.errors.clear()  # the browser reports the 404
    assert run(tried, "print(1)") == "1\n"


class Encoding(Quiet):
    """Says of .gz files that their content is encoded, as some servers do. The browser then unpacks them itself."""

    def end_headers(self):
        if self.path.endswith(".gz"):
            self.send_header("Content-Encoding", "gzip")
        super().end_headers()


def test_a_server_may_say_that_the_files_are_encoded(tried, built):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Encoding, directory=built))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        tried.goto(f"http://127.0.0.1:{server.server_port}/{ours.NAME}.html")
        assert run(tried, "print(1)") == "1\n"
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    "program",
    [
        "def f(x):\n    return 1 / x\n\n\nprint('before')\nf(0)",
        "1 +",
        "def f(n):\n    return f(n + 1)\n\n\nf(0)",
        "input()",
        "import reference\n\nreference.project_simplex([1.0], -1)",
    ],
)
def test_an_error_is_shown(tried, program):
    got = run(tried, program)
    assert "your code" in got and "driver" not in got and "reference/" not in got
    assert got.splitlines()[-1] == native(program).stderr.splitlines()[-1]
    assert run(tried, "print('after')") == "after\n"


@pytest.mark.parametrize(
    "program",
    ["import os\nos._exit(3)", "import sys\nsys.setrecursionlimit(10**9)\ndef f(): f()\nf()", "x = bytearray(10**10)"],
)
def test_the_page_goes_on_when_python_itself_ends(tried, program):
    assert re.search("Python itself has ended|MemoryError|RecursionError|OverflowError", run(tried, program))
    assert run(tried, "print('after')") == "after\n"


def test_an_interpreter_with_much_memory_is_replaced(tried):
    """Its memory never shrinks. A module remembers which interpreter it belongs to."""
    mark, marked = "import json\njson.mark = 1\n", "import json\nprint(hasattr(json, 'mark'))"
    run(tried, mark)
    assert run(tried, marked) == "True\n"
    run(tried, mark + "x = bytearray(2**30)")
    assert run(tried, marked) == "False\n"


def test_a_missing_package_is_named_and_warnings_are_shown_in_each_run(tried):
    got = run(tried, "import scipy").splitlines()[-1]
    assert got.startswith("ModuleNotFoundError: No module named 'scipy'. This page has Python's standard library")
    program = "import reference\nreference.fit_topk_svm([[1.0, 2], [2, 1.5], [3, 1]], [0, 1, 2], regularization=1e-3, "
    for _ in range(2):
        assert "ConvergenceWarning: gap " in run(tried, program + "max_epochs=1)")


def test_output_is_cut_and_the_run_can_still_end(tried):
    got = run(tried, "for i in range(30000): print(i)")
    assert len(got) < 100_200 and "The output is cut after 100000 characters" in got
    assert run(tried, "print('short')") == "short\n"
    assert run(tried, "pass") == "(The program printed nothing.)"


def test_keys_run_the_program_and_an_example_keeps_its_changes(tried):
    editor = tried.get_by_label("Program")
    editor.fill("print('mine')")
    editor.press("Control+Enter")
    wait(tried, "Done in ")
    assert tried.locator("[data-part=output]").text_content() == "mine\n"
    for title in (TITLES[1], TITLES[0]):
        tried.get_by_label("Example").select_option(title)
    assert editor.input_value() == "print('mine')"
    tried.get_by_role("button", name="Restore").click()
    assert editor.input_value() == ours.examples()[0]["code"]


def test_the_page_has_no_faults(where, page):
    name = f"{ours.NAME}.html"
    seen = look(page, where.removesuffix(name), name)
    troubles = ("errors", "outside", "broken", "wider", "faults")
    assert not {trouble: seen[trouble] for trouble in troubles if seen[trouble]}


def test_a_page_opened_as_a_file_says_what_to_do(built, page):
    page.goto((built / "try_it.html").as_uri())
    wait(page, "This page was opened as a file")
    assert page.get_by_role("button", name="Run").is_disabled()


def test_without_javascript_the_page_says_so(where, page):
    context = page.context.browser.new_context(java_script_enabled=False)
    try:
        context.set_default_timeout(PATIENCE)
        still = context.new_page()
        still.goto(where)
        assert still.get_by_text("which is off in your browser").is_visible()
        assert not still.locator("#try-it").is_visible()
    finally:
        context.close()

"""The built book, a server for it, and one browser with one page, which looks at every page of the book once."""

import functools
import http.server
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from book.extension import MOVED
from tests.book.pages import WIDE, look

ROOT = Path(__file__).parents[2]
NEEDED = "MARGINALIA_BROWSER"  # .ci/run sets it: there, a missing browser is a failure
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
# No sandbox, as tests may run as root in a container. WebGL is drawn by the processor. The browser itself asks nobody.
PATIENCE = 120_000  # milliseconds; workers and a browser share the processors
OPTIONS = ["--no-sandbox", "--no-first-run", "--disable-quic", "--disable-background-networking", "--disable-sync"]
OPTIONS += ["--disable-component-update", "--enable-unsafe-swiftshader"]


def listed():
    """The files in the folder of the book's sources, without what Python compiles. Other tests write elsewhere."""
    return {path for path in (ROOT / "book").rglob("*") if "__pycache__" not in path.parts}


@pytest.fixture(scope="session")
def book(tmp_path_factory):
    """The book, built once: its folder, the processor seconds that it took, and what it left among its sources."""
    pytest.importorskip("sphinx")
    folder, before, start = tmp_path_factory.mktemp("book"), listed(), os.times()
    done = subprocess.run([sys.executable, "-m", "book", folder], cwd=ROOT, capture_output=True, text=True, check=False)
    end = os.times()
    seconds = sum(end[2:4]) - sum(start[2:4])
    assert done.returncode == 0, done.stderr[-5000:]
    return SimpleNamespace(folder=folder / "book", seconds=seconds, stray=listed() - before, said=done.stdout)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="session")
def serve():
    """A function that serves a folder on this machine and returns its address."""
    servers = []

    def start(folder):
        servers.append(http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder)))
        threading.Thread(target=servers[-1].serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{servers[-1].server_port}/"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="session")
def address(book, serve):
    """Where the book is served."""
    return serve(book.folder)


@pytest.fixture(scope="module")
def page():
    """One page of headless Chromium, with what it reports: errors, and requests that leave this machine.

    Playwright's event loop runs in this thread as long as the page is open. Tests elsewhere run loops of their own, so
    the page is closed at the end of its module.
    """
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        message = f"needs Chromium, as one of the programs {', '.join(BROWSERS)}"
        pytest.fail(message) if os.environ.get(NEEDED) else pytest.skip(message)
    sync = pytest.importorskip("playwright.sync_api")
    with sync.sync_playwright() as playwright, playwright.chromium.launch(executable_path=program, args=OPTIONS) as one:
        context = one.new_context(viewport=WIDE)
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        context.set_default_timeout(PATIENCE)
        got = context.new_page()
        got.errors, got.outside = [], []
        got.on("pageerror", lambda error: got.errors.append(str(error)))
        got.on("console", lambda told: told.type == "error" and got.errors.append(told.text))
        inside = ("http://127.0.0.1:", "data:", "blob:")
        got.on("request", lambda asked: asked.url.startswith(inside) or got.outside.append(asked.url))
        yield got


@pytest.fixture(scope="module")
def looks(book, address, page):
    """What the browser saw on each page: a dict from the page's name to a dict, see `look`."""
    names = sorted(str(path.relative_to(book.folder)) for path in book.folder.rglob("*.html"))
    moved = tuple(f"{old}.html" for old in MOVED)
    shown = [name for name in names if not name.startswith(("_static/", "_modules/", *moved))]
    return {name: look(page, address, name) for name in shown}

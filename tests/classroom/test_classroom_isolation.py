"""How a student's process is started: isolated by bubblewrap, or not at all, or as the lecturer's own process."""

import os
import subprocess
import sys
import time
import weakref

import pytest

from reference.check.classroom import __main__ as command_line
from reference.check.classroom import isolation, remote
from reference.check.classroom.limits import OutOfTime, alarm
from tests.support.classroom import judged, source

NAME = "08_warp_sampling"
bubblewrap = pytest.mark.skipif(bool(isolation.why_not()), reason=f"needs bubblewrap: {isolation.why_not()}")


def test_another_kind_of_isolation_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="isolation must be 'bubblewrap' or 'none', got 'docker'"):
        isolation.command("docker", tmp_path)


def test_a_wrong_folder_or_number_is_said(tmp_path, capsys):
    for arguments in ([str(tmp_path / "none"), NAME], [str(tmp_path), NAME, "--jobs", "0"]):
        with pytest.raises(SystemExit, match="2"):
            command_line.main(arguments)
    assert "there is no folder" in capsys.readouterr().err
    with pytest.raises(SystemExit, match=f"has no assignment {NAME}"):
        command_line.main([str(tmp_path), NAME])
    (tmp_path / "[2026]").mkdir()
    with pytest.raises(SystemExit, match=r"has '\[' in its name, which nbgrader takes for a pattern"):
        command_line.main([str(tmp_path / "[2026]"), NAME])
    with command_line._alone(tmp_path), pytest.raises(SystemExit, match="is being graded by another process"):
        command_line.main([str(tmp_path), NAME])


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_alarm_that_rings_while_an_object_is_freed_rings_again():
    """Python then ignores what is raised, so a single alarm would end nothing."""
    freed = []

    def linger(_):
        end = time.monotonic() + 0.3
        while time.monotonic() < end:
            freed.append(1)

    thing, start = {1}, time.monotonic()
    watch = weakref.ref(thing, linger)
    with pytest.raises(OutOfTime), alarm(0.1, OutOfTime):
        del thing
        assert watch() is None and freed
        time.sleep(10)
    assert time.monotonic() - start < 5


SPINS = """
import os, time
for _ in range(4):
    if os.fork() == 0:
        os.setsid()
        while True:
            pass
time.sleep(20)
"""


@bubblewrap
def test_processes_that_take_more_than_a_processor_are_ended(monkeypatch):
    monkeypatch.setattr(remote, "MORE_CPU", 0.5)
    whole = source(NAME)
    whole.cells = whole.cells[:1]
    answer, _ = judged(whole, {"cells": [{"cell_type": "code", "source": SPINS}]})
    assert any("its processes took more time than one processor has" in note for note in answer["notes"])


@bubblewrap
def test_a_cell_that_waits_for_a_processor_loses_no_time():
    """Two other programs take two thirds of the only processor that there is for it."""
    whole, processors = source(NAME), os.sched_getaffinity(0)
    whole.cells = whole.cells[:1]
    computes = "import time\nend = time.process_time() + 0.6\nwhile time.process_time() < end:\n    pass\nprint('over')"
    os.sched_setaffinity(0, {min(processors)})
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        answer, _ = judged(whole, {"cells": [{"cell_type": "code", "source": computes}]}, remote.Patience(cell=1.2))
    finally:
        os.sched_setaffinity(0, processors)
        for other in others:
            other.kill()
            other.wait()
    assert answer["notes"] == [] and "over" in str(answer["outputs"])


SHOWS = """
import ctypes, os, socket, sys
print([line.split()[1] for line in open("/proc/self/status") if line.startswith("CapEff")])
print([name for name in ("reference", "fast", "tests") if os.path.exists(os.path.join(PROJECT, name))])
found = set(os.listdir("/tmp")) - {".ipython", *PROJECT.split("/")}
print(sorted(found), os.path.exists(os.path.expanduser("~/.bashrc")))
print([name for _, name in socket.if_nameindex() if name != "lo"], os.path.exists("/usr/local/share"))
for path in ("/x", "/dev/x", "/judged/x", "/proc/sys/kernel/core_pattern", os.path.dirname(os.__file__) + "/x"):
    try:
        open(path, "w")
        print("WRITTEN", path)
    except OSError:
        pass
print([os.statvfs(path).f_blocks * os.statvfs(path).f_frsize >> 20 for path in ("/tmp", "/dev/shm")])
libc = ctypes.CDLL(None, use_errno=True)
print(libc.unshare(0x10000000), libc.mount(b"none", b"/tmp", b"tmpfs", 32, None))
import reference
print(type(reference).__name__)
"""


@bubblewrap
def test_the_isolated_process_sees_little_and_can_change_nothing():
    whole = source(NAME)
    whole.cells = whole.cells[:1]
    filled = source(NAME)
    filled.cells = [*filled.cells[:1], {"cell_type": "code", "source": SHOWS.replace("PROJECT", repr(os.getcwd()))}]
    answer, found = judged(whole, filled)
    (output,) = answer["outputs"][str(found.places["number 2"])]
    expected = "['0000000000000000']\n[]\n[] False\n[] False\n[64, 16]\n-1 -1\nClosed\n"
    assert output["text"] == expected

"""The folders of compiled kernels: their key, where they are, trouble with the disk, and which of them are removed."""

import errno
import inspect
import os
import sys
import tempfile
import time
from pathlib import Path

import llvmlite
import numba
import numpy as np
import pytest
from numba.core.registry import cpu_target

import fast
from fast import warm
from fast._shared import cache

ROOT = Path(__file__).parents[1]


def kernels(folder):
    """The names of the files in a folder, but for the tag."""
    return sorted(path.name for path in folder.iterdir() if path.name != cache.TAG) if folder.is_dir() else []


# --- the key -------------------------------------------------------------------------------------------------------


def test_the_checks_belong_to_the_sources(tmp_path, monkeypatch):
    for folder in ("fast", "reference/problems/checks"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "__init__.py").touch()
    monkeypatch.setattr(cache.importlib.resources, "files", lambda package: tmp_path / package)
    before = cache._digest_of_sources()
    (tmp_path / "reference/problems/checks/__init__.py").write_text("NONE = -1\n")
    assert cache._digest_of_sources() != before


@pytest.mark.parametrize(
    ("module", "name", "value"),
    [(numba, "__version__", "0"), (llvmlite, "__version__", "0"), (np, "__version__", "0"), (sys, "version", "0")]
    + [(cache, "DIGEST", "0"), (cache.importlib.metadata, "version", lambda name: "0"), (numba.config, "OPT", "1")]
    + [(type(cache.cpu_target.target_context.codegen()), "magic_tuple", lambda codegen: "another processor")],
)
def test_all_that_the_code_depends_on_is_in_the_key(monkeypatch, module, name, value):
    before = cache._cache_key()
    assert cache._cache_key() == before
    monkeypatch.setattr(module, name, value)
    assert cache._cache_key() != before


def test_the_sources_are_all_files_of_fast_and_of_the_checks():
    here = [*(ROOT / "fast").rglob("*.py"), *(ROOT / "reference" / "problems" / "checks").rglob("*.py")]
    folders = (ROOT / "fast", ROOT / "reference" / "problems" / "checks")
    assert sorted(text for folder in folders for _, text in cache._sources(folder)) == sorted(
        path.read_bytes() for path in here
    )


# --- where it is, and trouble with the disk -----------------------------------------------------------------------


@pytest.fixture
def compiled(tmp_path, monkeypatch):
    """Returns the cache of a kernel, in a home of its own, and what it is given: the types and the machine code."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setattr(cache, "folder", cache.folder.__wrapped__)
    monkeypatch.setattr(cache, "_seen", set())
    (tmp_path / "home").mkdir()
    one_more = numba.njit(lambda x: x + 1)
    one_more(0.5)
    return cache.KernelCache(one_more.py_func), *one_more.overloads.popitem()


def test_numbas_own_variable_wins(compiled, tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "chosen"))
    compiled[0].save_overload(*compiled[1:])
    assert len(kernels(Path(compiled[0].cache_path))) == len([*(tmp_path / "chosen").rglob(f"*{cache.KERNEL}")]) == 1
    assert not any((tmp_path / "home").rglob("*"))


@pytest.mark.parametrize("home", ["missing", "a file", "a file for the cache", "read-only"])
def test_a_home_that_takes_no_files(compiled, tmp_path, monkeypatch, home):
    (kernel, types, result), place = compiled, tmp_path / home
    monkeypatch.setenv("HOME", str(place))
    if home == "a file":
        place.write_text("")
    elif home != "missing":
        place.mkdir()
    if home == "a file for the cache":
        (place / ".cache").write_text("")
    if home == "read-only":
        place.chmod(0o500)
    assert kernel.load_overload(types, cpu_target.target_context) is None
    kernel.save_overload(types, result)
    assert place.exists() == (home != "missing")


@pytest.mark.parametrize(("module", "step"), [(Path, "mkdir"), (tempfile, "mkstemp"), (os, "replace")])
def test_no_error_of_the_disk_ends_a_call(compiled, monkeypatch, module, step):
    def full(*arguments, **options):
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr(module, step, full)
    compiled[0].save_overload(*compiled[1:])
    assert kernels(Path(compiled[0].cache_path)) == []


def test_a_damaged_file_counts_as_missing_and_is_replaced(compiled):
    kernel, types, result = compiled
    kernel.save_overload(types, result)
    path = kernel._path(types)
    content = path.read_bytes()
    for damaged in (b"", content[:5000] + bytes([content[5000] ^ 1]) + content[5001:], content[32:]):
        path.write_bytes(damaged)
        assert kernel.load_overload(types, cpu_target.target_context) is None
    kernel.save_overload(types, result)
    path.parent.chmod(0o500)  # what is in a read-only folder is still loaded
    assert kernel.load_overload(types, cpu_target.target_context).signature == result.signature
    path.parent.chmod(0o700)


# --- old folders ---------------------------------------------------------------------------------------------------


@pytest.fixture
def old_folders(tmp_path, monkeypatch):
    """Folders of ours, opened 0, 2, 4, ... days ago; then others, which look alike."""
    monkeypatch.setattr(cache, "root", lambda: tmp_path)
    ours = [tmp_path / f"kernels-{i:024x}" for i in range(cache.MOST_FOLDERS + 3)]
    others = [tmp_path / name for name in ("kernels-1", "photos", f"kernels-{99:024x}", f"kernels-{98:024x}")]
    for age, path in enumerate(ours + others):
        path.mkdir()
        (path / f"a{cache.KERNEL}").write_text("1234")
        if path not in others[2:]:
            (path / cache.TAG).write_text(cache.TAG_TEXT)
            os.utime(path / cache.TAG, (time.time() - 2 * age * cache.A_DAY,) * 2)
    (others[3] / cache.TAG).write_text("Signature: of somebody else")
    return ours, others


def test_a_new_folder_replaces_the_oldest_ones_of_ours(old_folders, tmp_path):
    ours, others = old_folders
    (ours[-1] / "notes.txt").write_text("mine")
    new = tmp_path / f"kernels-{77:024x}"
    cache._write(new / f"b{cache.KERNEL}", b"1")
    assert kernels(new) == [f"b{cache.KERNEL}"]
    kept = [path.exists() for path in ours]
    assert kept == [True] * (cache.MOST_FOLDERS - 1) + [False] * 3 + [True]
    assert kernels(ours[-1]) == ["notes.txt"]  # what is not ours stays
    assert all(kernels(path) == [f"a{cache.KERNEL}"] for path in others)


def test_a_folder_that_was_opened_within_a_day_is_kept(old_folders, tmp_path):
    ours, _ = old_folders
    for path in ours:
        os.utime(path / cache.TAG)
    cache._write(tmp_path / f"kernels-{77:024x}" / "b", b"1")
    assert all(path.exists() for path in ours)


def test_clear_removes_our_folders_and_no_others(old_folders):
    ours, others = old_folders
    cache.clear()
    assert not any(path.exists() for path in ours)
    assert all(kernels(path) == [f"a{cache.KERNEL}"] for path in others)


def test_a_link_in_place_of_a_folder_is_not_followed(old_folders, tmp_path):
    _, others = old_folders
    link = tmp_path / f"kernels-{55:024x}"
    link.symlink_to(others[0])
    (others[0] / cache.TAG).write_text(cache.TAG_TEXT)
    cache.clear()
    assert link.is_symlink() and (others[0] / f"a{cache.KERNEL}").exists()


# --- the program that compiles everything --------------------------------------------------------------------------


def test_warm_calls_every_public_function():
    public = {name for name in fast.__all__ if inspect.isfunction(getattr(fast, name))}
    assert {name for name, _ in warm.calls()} == public


def test_warm_says_where_the_kernels_are_and_clears_no_others(monkeypatch, capsys, old_folders, tmp_path):
    ours, others = old_folders
    called = []
    monkeypatch.setattr(warm, "calls", lambda: [("one", lambda: called.append(1)), ("two", lambda: called.append(2))])
    monkeypatch.setattr(cache, "folder", lambda: ours[0])
    warm.main([])
    assert called == [1, 2] and f"0.0 MB of compiled kernels in {ours[0]}" in capsys.readouterr().out
    warm.main(["t*"])
    assert called == [1, 2, 2]
    with pytest.raises(SystemExit):
        warm.main(["one", "three"])
    assert called == [1, 2, 2] and "three matches no function of fast" in capsys.readouterr().err
    warm.main(["--clear"])
    assert str(tmp_path) in capsys.readouterr().out
    assert not any(path.exists() for path in ours) and all(path.exists() for path in others)

"""Which folders a build of the book empties: its own, and no others."""

import sys

import pytest

from book.folders import MARK, claim, free
from book.sources import ROOT


def test_a_claimed_folder_is_emptied_by_the_next_build(tmp_path):
    folder = tmp_path / "build" / "book"
    claim([folder])
    (folder / "page.html").touch()
    claim([folder])
    assert [path.name for path in folder.iterdir()] == [MARK]


def test_an_empty_folder_may_be_claimed(tmp_path):
    claim([tmp_path])
    assert (tmp_path / MARK).is_file()


@pytest.mark.parametrize("name", ["book", "book-sources", "book-doctrees", "jupyter_execute"])
def test_a_folder_of_somebody_else_stays_and_no_other_is_touched(tmp_path, name, monkeypatch, capsys):
    main = pytest.importorskip("book.__main__", reason="needs Sphinx").main
    claim([tmp_path / other for other in ("book", "book-sources") if other != name])
    (tmp_path / name).mkdir()
    (tmp_path / name / "mine.txt").write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    monkeypatch.setattr(sys, "argv", ["python -m book", str(tmp_path)])
    with pytest.raises(SystemExit, match="2"):
        main()
    assert f"{tmp_path / name} exists" in capsys.readouterr().err
    assert sorted(tmp_path.rglob("*")) == before and (tmp_path / name / "mine.txt").read_text() == "mine"


def test_the_sources_of_the_book_are_not_free():
    assert not free(ROOT / "book")


@pytest.mark.parametrize("kind", ["file", "link"])
def test_a_file_or_a_link_is_not_replaced(tmp_path, kind):
    there = tmp_path / "book"
    (tmp_path / "elsewhere").mkdir()
    there.touch() if kind == "file" else there.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileExistsError):
        claim([there])
    assert there.is_symlink() == (kind == "link") and there.exists()

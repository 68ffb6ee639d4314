"""The folders of a build. Each carries a mark, and a build empties only folders with this mark."""

import shutil

MARK = ".made-by-python-m-book"
WARNING = "The next build of the book empties this folder.\n"


def claim(folders):
    """Makes each of `folders`, new and empty but for the mark.

    FileExistsError if a folder has files but no mark, or is a file or a link. Nothing is removed then.
    """
    for folder in folders:
        if not free(folder):
            raise FileExistsError(f"{folder} exists, and no build of the book made it. Choose another folder.")
    for folder in folders:
        if folder.exists():
            shutil.rmtree(folder)
        folder.mkdir(parents=True)
        (folder / MARK).write_text(WARNING, encoding="utf-8")


def free(folder):
    """Whether the build may empty `folder`: it is missing, empty or marked."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        return False
    return not folder.exists() or (folder / MARK).is_file() or not any(folder.iterdir())

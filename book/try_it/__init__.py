"""One optional page of the web book, which runs Python with NumPy and `reference` in the reader's browser.

`make try` builds the book with this page. Nothing else of the book or the project needs it.

packages    the two packages from the registries, at pinned versions, with their checksums compared
runtime     the files that the page loads, made of the packages and of `reference`
page        the text of the page, its examples, and its place in the book
driver      runs the reader's program; the only Python here that the browser runs
examples    programs to begin with; two more are exercises of notebooks
static      the page's script, the script of its Web Worker, and its style sheet
"""

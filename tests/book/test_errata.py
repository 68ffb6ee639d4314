"""Each entry of the errata has one check of at most five lines, and it prints what the page says."""

import doctest
import re

from book.sources import ROOT

PAGE = ROOT / "book/pages/errata.md"
ENTRY = re.compile(r"^\*\*[^*].*?(?=^(?:\*\*|## |Public packages)|\Z)", re.MULTILINE | re.DOTALL)


def test_the_checks_print_what_the_page_says():
    got = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert got.attempted > 50 and got.failed == 0


def test_each_entry_has_one_check_of_at_most_five_lines():
    entries = ENTRY.findall(PAGE.read_text(encoding="utf-8"))
    assert len(entries) == 17
    for entry in entries:
        checks = re.findall(r"^```python\n(.*?)^```", entry, re.MULTILINE | re.DOTALL)
        assert len(checks) == 1, entry
        lines = [line for line in checks[0].splitlines() if line.startswith((">>> ", "... "))]
        assert 1 <= len(lines) <= 5, entry
        assert max(map(len, lines)) <= 120, entry

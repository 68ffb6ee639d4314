"""What the program shows while it examines: a table that grows on a terminal, a line for each function elsewhere."""

import time

from rich import live
from rich.table import Table
from rich.text import Text

ROOM = 8  # lines of a terminal that the rows do not use: headings, the function that is examined, and the prompt


class Live:
    """The progress of one examination, on the standard error, from the first moment until the report is printed."""

    def __init__(self, console):
        self.console, self.rows, self.current = console, [], ""
        self.start = self._since = time.monotonic()
        self._screen = live.Live(get_renderable=self._table, console=console, transient=True)

    def __enter__(self):
        if self.console.is_terminal:
            self._screen.start()
        return self

    def __exit__(self, *_):
        if self.console.is_terminal:
            self._screen.stop()

    def say(self, text):
        """Show what happens now."""
        self.current, self._since = text, time.monotonic()
        if not self.console.is_terminal:
            self._print(text)

    def case(self, name, done):
        """Show that so many cases of a function are done."""
        self.current = f"{name}: {done} cases"

    def row(self, row):
        """Show that a function is examined."""
        seconds, self._since = time.monotonic() - self._since, time.monotonic()
        cells = row.name, str(row.cases), f"{seconds:.1f} s", row.verdict
        self.rows.append(cells)
        self.current = ""
        if not self.console.is_terminal:
            self._print("{}: {} cases, {}, {}".format(*cells))

    def _print(self, text):
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)

    def _table(self):
        now = time.monotonic()
        table = Table(title=f"{len(self.rows)} rows done, {now - self.start:.0f} s", title_justify="left")
        for heading in ("function", "cases", "time", "verdict"):
            table.add_column(heading, justify="right" if heading in ("cases", "time") else "left")
        for cells in self.rows[-max(self.console.height - ROOM, 1) :]:
            table.add_row(*map(Text, cells), style=None if cells[-1] == "right" else "red")
        table.add_row(Text(self.current), "", f"{now - self._since:.0f} s", "", style="bold")
        return table

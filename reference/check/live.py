"""What the program shows while it examines: a table that grows on a terminal, a line for each function elsewhere."""

import time

from ..problems.checks import require

PARTS = ("rich.console", "rich.live", "rich.table", "rich.text")
rich, *_ = require("python -m reference.check", "examiner", "rich", *PARTS)
Console, Table, Text = rich.console.Console, rich.table.Table, rich.text.Text
ROOM = 7  # lines of a terminal that the rows do not use: headings and the prompt


class Live:
    """The progress of one examination, on the standard error, from the first moment until the report is printed."""

    def __init__(self, console):
        self.console, self.rows = console, []
        self._doing = {}  # what happens now, and since when: one thing, or a row for each job
        self._done, self._last = {}, time.monotonic()
        self.start = self._last
        self._screen = rich.live.Live(get_renderable=self._table, console=console, transient=True)

    def __enter__(self):
        if self.console.is_terminal:
            self._screen.start()
        return self

    def __exit__(self, *_):
        if self.console.is_terminal:
            self._screen.stop()

    def say(self, text):
        """Show what happens now."""
        self._doing = {text: time.monotonic()}
        if not self.console.is_terminal:
            self._print(text)

    def case(self, name, done):
        """Show that so many cases of a row are done. Several rows may be under way at the same time."""
        if name not in self._done:  # a row has begun, so what was said before is over
            self._doing = {doing: since for doing, since in self._doing.items() if doing in self._done}
            self._doing[name] = time.monotonic()
        self._done[name] = done

    def row(self, row):
        """Show that a row is finished."""
        now = time.monotonic()
        self._done.pop(row.name, None)
        seconds, self._last = now - self._doing.pop(row.name, self._last), now
        cells = row.name, str(row.cases), f"{seconds:.1f} s", row.verdict
        self.rows.append(cells)
        if not self.console.is_terminal:
            self._print("{}: {} cases, {}, {}".format(*cells))

    def _print(self, text):
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)

    def _table(self):
        now = time.monotonic()
        table = Table(title=f"{len(self.rows)} rows done, {now - self.start:.0f} s", title_justify="left")
        for heading in ("function", "cases", "time", "verdict"):
            table.add_column(heading, justify="right" if heading in ("cases", "time") else "left")
        doing = list(self._doing.items())  # a copy, as this runs in the thread that draws
        for cells in self.rows[-max(self.console.height - ROOM - len(doing), 1) :]:
            table.add_row(*map(Text, cells), style=None if cells[-1].startswith("right") else "red")
        for text, since in doing:
            done = self._done.get(text)
            what = text if done is None else f"{text}: {done} cases"
            table.add_row(Text(what), "", f"{now - since:.0f} s", "", style="bold")
        return table

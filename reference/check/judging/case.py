"""What an instance is.

Every random number comes from the generator that is passed in. Sizes and scales vary, because an implementation that is
right for d = 5 and numbers around 1 may be wrong elsewhere. The first cases are small, so that a failure is readable.
"""

from typing import NamedTuple

import numpy as np

from ..csr import as_csr

TINY, HUGE = 1e-9, 1e9


class Case(NamedTuple):
    """One instance of one function: its arguments by name. The leading ones are passed by position."""

    label: str
    arguments: dict
    refuses: tuple = ()  # if not empty, the function must raise a ValueError that names one of these arguments
    timed: bool = False
    warns: str = ""  # the warning that must come with the answer
    layout: tuple = ()  # (name, form): arguments that TARGET receives as CSR, in one of the forms of `csr`
    id: str = ""  # the row and the place in its catalogue, such as topk_error:12

    @property
    def given(self):
        """The arguments as TARGET receives them."""
        forms = dict(self.layout)
        return {name: as_csr(value, forms[name]) if name in forms else value for name, value in self.arguments.items()}


def replaced(right, bad):
    """Yields the right arguments with one of them replaced by a bad value, for each bad value."""
    for name, values in bad.items():
        for value in values:
            is_plain = not isinstance(value, (list, tuple)) and np.ndim(value) == 0
            label = f"{name} = {value}" if is_plain else f"wrong {name}"
            yield Case(label, {**right, name: value}, refuses=(name,))

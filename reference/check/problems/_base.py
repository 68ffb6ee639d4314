"""The catalogue, part 1: what an instance is, and the instances on which projections are examined.

Every random number comes from the generator that is passed in. Sizes and scales vary, since an implementation that is
right at d = 5 and around 1 may be wrong elsewhere; the first cases are small, so that a first failure is readable.
"""

from typing import NamedTuple

import numpy as np

from ..csr import as_csr

TINY, HUGE = 1e-9, 1e9


class Case(NamedTuple):
    """One instance of one function: its arguments by name, the leading ones passed by position."""

    label: str
    arguments: dict
    refuses: tuple = ()  # if not empty: a ValueError that names one of these arguments is the right answer
    timed: bool = False
    warns: str = ""  # the warning that has to come with the answer
    layout: tuple = ()  # (name, form): arguments that TARGET is given as CSR, in one of the forms of `csr`

    @property
    def given(self):
        """The arguments as TARGET gets them."""
        forms = dict(self.layout)
        return {name: as_csr(value, forms[name]) if name in forms else value for name, value in self.arguments.items()}


# --- points --------------------------------------------------------------------------------------------------------


def replaced(right, bad):
    """The right arguments with one at a time replaced by each of its bad values."""
    for name, values in bad.items():
        for value in values:
            label = f"{name} = {value}" if np.ndim(value) == 0 else f"wrong {name}"
            yield Case(label, {**right, name: value}, refuses=(name,))

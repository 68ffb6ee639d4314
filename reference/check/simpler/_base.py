"""Steps that all families use to simplify a failing instance: fewer things, fewer digits."""

import numpy as np

LONGEST_ROUNDED = 100  # numbers; longer arrays are not shown, so their digits do not matter
LONGEST_LEFT_OUT = 30  # things; of more, halves are left out but not single ones
PLAIN_SCALES = 1e-3, 1e3  # numbers between these count as being of scale 1


def ranks(order, rows):
    """Returns the order in which these rows are visited after all other rows are removed."""
    return np.argsort(np.argsort(order[np.isin(order, rows)]))


def fewer(n):
    """Yields index sets of fewer than n things: the two halves, then all things but one."""
    every = np.arange(n)
    if n > 3:
        yield from (every[: n // 2], every[n // 2 :])
    if 1 < n <= LONGEST_LEFT_OUT:
        yield from (np.delete(every, i) for i in range(n - 1, -1, -1))


def rounder(arguments, names):
    """Yields instances with one argument rounded to one digit or, if that changes nothing, to two."""
    for name in names:
        value = arguments.get(name)
        if value is None or np.size(value) > LONGEST_ROUNDED or not np.isfinite(value).all() or not np.any(value):
            continue
        first = -int(np.floor(np.log10(np.abs(value).max())))  # the decimal place of the first digit
        for place in (first, first + 1):
            rounded = np.round(np.asarray(value, dtype=np.float64), place)
            rounded = rounded.astype(value.dtype) if np.ndim(value) else float(rounded)
            if np.any(rounded != value) and np.any(rounded):
                yield {**arguments, name: rounded}
                break


def unit_of(like):
    """Returns 1 for numbers around 1, and otherwise the power of ten that is nearest to the largest of them."""
    size, (least, most) = float(np.abs(like).max()), PLAIN_SCALES
    return 1.0 if least < size < most or size == 0 else 10.0 ** np.round(np.log10(size))

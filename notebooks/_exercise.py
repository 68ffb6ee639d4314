"""The judge of the exercises: small cases first, and the first one that fails is shown."""

import numpy as np


def judge(answer, cases, expected, tolerance=1e-9):
    """Print whether `answer(*case)` is `expected(*case)` in every case, or else the first case where it is not."""
    for number, case in enumerate(cases, start=1):
        want = expected(*case)
        try:
            got = answer(*(np.copy(v) if isinstance(v, np.ndarray) else v for v in case))
        except Exception as error:
            got = f"{type(error).__name__}: {error}"
        if not _agree(got, want, tolerance):
            print(f"not yet, the first wrong case is number {number} of {len(cases)}:")
            print(f"  {answer.__name__}({', '.join(map(_text, case))})")
            print(f"    expected  {_text(want)}")
            print(f"    got       {_text(got)}")
            return
    print(f"RIGHT, in all {len(cases)} cases.")


def _agree(got, want, tolerance):
    if got is None or isinstance(got, str) or isinstance(want, (bool, str)):
        return isinstance(got, type(want)) and got == want
    try:
        got = np.asarray(got, dtype=float)
    except (TypeError, ValueError):
        return False
    size = np.abs(want).max(initial=1.0)
    return got.shape == np.shape(want) and bool(np.abs(got - want).max(initial=0.0) <= tolerance * size)


def _text(value):
    if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind == "f":
        return "[" + ", ".join(f"{v:.6g}" for v in np.round(value, 9) + 0.0) + "]"
    return f"{value:.6g}" if isinstance(value, float) else str(value)

"""libsdca: its projections, in double precision, by ../libsdca.cpp. A batch is projected row by row."""

import ctypes
from pathlib import Path

import numpy as np

LIBRARY = ctypes.CDLL(Path(__file__).parents[4] / "build" / "others-source" / "libsdca.so")
NUMBER, COUNT = ctypes.c_double, ctypes.c_long


def projected(name, a, *options):
    """Returns the projection of each row of `a`. An option is a count if it is an int, and else a number."""
    x = np.array(a, dtype=np.float64, order="C")
    forms = [COUNT(option) if isinstance(option, int) else NUMBER(option) for option in options]
    for row in x.reshape(-1, x.shape[-1]):
        getattr(LIBRARY, name)(row.ctypes.data_as(ctypes.c_void_p), COUNT(row.size), *forms)
    return x


def project_knapsack(a, total, lower=0.0, upper=1.0):
    return projected("knapsack_eq", a, float(lower), float(upper), float(total))


def project_capped_simplex(a, cap, radius=1.0, bias=0.0):
    return projected("knapsack_le", a, float(cap), float(radius), float(bias))


def project_topk_cone(a, k, bias=0.0):
    return projected("topk_cone_biased", a, int(k), float(bias)) if bias else projected("topk_cone", a, int(k))


def project_topk_simplex(a, k, radius=1.0, bias=0.0):
    more = [float(bias)] if bias else []
    return projected("topk_simplex_biased" if bias else "topk_simplex", a, int(k), float(radius), *more)

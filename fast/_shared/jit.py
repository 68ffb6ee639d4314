"""The one place that decides how Numba compiles the kernels of this package."""

import os

import numba

# Numba's cache does not notice a change in a kernel of another file. So it is used only if its folder is given.
CACHE = bool(os.environ.get("NUMBA_CACHE_DIR"))


def kernel(function):
    """Compile a kernel: NumPy's rules for division, no reordering of sums, NaN and inf as IEEE 754 defines them."""
    return numba.njit(error_model="numpy", nogil=True, cache=CACHE)(function)


def step_kernel(function, **flags):
    """Compile a kernel that allocates no array: without counts of references, whose updates take longer than a step."""
    return numba.njit(error_model="numpy", nogil=True, cache=CACHE, _nrt=False, **flags)(function)


def inner_kernel(function, **flags):
    """Compile a kernel that allocates no array and that only other kernels call: without wrappers for other callers."""
    return step_kernel(function, no_cpython_wrapper=True, no_cfunc_wrapper=True, **flags)


def inner_inlined(function):
    """Compile a small helper, which only other kernels call, into each of its callers."""
    return inner_kernel(function, forceinline=True)


def summing_kernel(function):
    """Compile a kernel whose sums may be reordered, and so vectorised. NaN and inf still follow IEEE 754."""
    return numba.njit(error_model="numpy", nogil=True, cache=CACHE, fastmath={"reassoc", "contract"})(function)


def inlined(function):
    """Compile a small helper of a kernel into each of its callers."""
    return numba.njit(error_model="numpy", nogil=True, cache=CACHE, inline="never", forceinline=True)(function)


def inlined_sum(function):
    """Compile a small helper into each of its callers, where its sums may be reordered."""
    flags = {"forceinline": True, "fastmath": {"reassoc", "contract"}}
    return numba.njit(error_model="numpy", nogil=True, cache=CACHE, **flags)(function)


def parallel_kernel(function):
    """Compile a kernel whose prange loops run on as many threads as NUMBA_NUM_THREADS allows."""
    return numba.njit(error_model="numpy", parallel=True, cache=CACHE)(function)

"""The one place that decides how Numba compiles the kernels of this package, and that they are cached."""

import numba
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.core.sigutils import normalize_signature

from .cache import KernelCache

# NumPy's rules for division. No kernel is called through a C pointer, so none needs a wrapper for that.
# What is not set here would be taken over from the caller for which a kernel happens to be compiled first.
OPTIONS = {"nopython": True, "error_model": "numpy", "no_cfunc_wrapper": True, "fastmath": False, "forceinline": False}
OPTIONS |= {"_nrt": True}  # counts the references to arrays
REORDERED = {"reassoc", "contract"}  # what LLVM may do to a sum


class Kernel(CPUDispatcher):
    """A compiled function, which gets a wrapper for Python only when Python calls it.

    Most kernels are called by kernels only. A wrapper takes Python's objects apart, and for named tuples of arrays this
    is often more code than the kernel. Without these wrappers, a first call takes a quarter less time.
    """

    def __init__(self, py_func, locals=None, targetoptions=None, **options):
        super().__init__(py_func, locals, targetoptions, **options)
        self._cache, self._wraps, self._unwrapped = KernelCache(py_func), True, set()

    def get_call_template(self, args, kws):
        """Compile for a kernel that calls this one."""
        self._wraps = False
        try:
            return super().get_call_template(args, kws)
        finally:
            self._wraps = True

    def compile(self, sig):
        """Compile for these types, or load what was compiled. What has no wrapper is compiled again to have one."""
        with global_compiler_lock:
            types, _ = normalize_signature(sig)
            if self._wraps and types in self._unwrapped:
                self._unwrapped.remove(types)
                self.overloads.pop(types, None)
            self._cache.wrapped = self._wraps
            self._compiler.targetoptions["no_cpython_wrapper"] = not self._wraps
            return super().compile(sig)

    def add_overload(self, cres):
        """Add what was compiled. Without a wrapper, Python does not get to see it."""
        if self._wraps:
            super().add_overload(cres)
        else:
            types = tuple(cres.signature.args)
            self.overloads[types] = cres
            self._unwrapped.add(types)


def _dispatcher(function, **options):
    if numba.config.DISABLE_JIT:
        return function
    return Kernel(function, targetoptions=OPTIONS | options)


def kernel(function):
    """Compile a kernel: NumPy's rules for division, no reordering of sums, NaN and inf as IEEE 754 defines them."""
    return _dispatcher(function, nogil=True)


def borrowing_kernel(function):
    """Compile a kernel that neither allocates nor returns arrays, so references to its caller's arrays are not counted.

    For named tuples of arrays, counting is a large part of what is compiled, and can take longer than to read a short
    row. Numba refuses to compile an allocation without counting. Never return a tuple of arrays: it is not refused.
    """
    return _dispatcher(function, nogil=True, _nrt=False)


def borrowing_inlined(function):
    """Compile a small helper of borrowing kernels into each of its callers."""
    return _dispatcher(function, nogil=True, forceinline=True, _nrt=False)


def summing_kernel(function):
    """Compile a kernel whose sums may be reordered, and so vectorised. NaN and inf still follow IEEE 754."""
    return _dispatcher(function, nogil=True, fastmath=REORDERED)


def inlined(function):
    """Compile a small helper of a kernel into each of its callers."""
    return _dispatcher(function, nogil=True, inline="never", forceinline=True)


def inlined_sum(function):
    """Compile a small helper into each of its callers, where its sums may be reordered."""
    return _dispatcher(function, nogil=True, forceinline=True, fastmath=REORDERED)


def merged(function):
    """Let Numba copy a part of one kernel into it before it compiles that.

    Otherwise LLVM optimises the part alone, with all that it calls, and then once more in its caller. A small function
    is better a kernel of its own: Numba takes longer to copy it than LLVM to compile it.
    """
    return _dispatcher(function, nogil=True, inline="always")

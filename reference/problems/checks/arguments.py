"""Checks of single arguments: numbers, arrays, matrices, labels and visiting orders."""

import os
from numbers import Integral, Real

import numpy as np

GRAM_ROUNDINGS = 1e3  # of its largest entry, by which an exact kernel may miss symmetry: its entries are sums
GRAM_ROWS, GRAM_COLUMNS = 64, 256  # of a block, 128 kB
LONGEST_VALUE = 80  # characters of a value in a message
FLOATS = np.dtype(np.float64), np.dtype(np.float32)  # the kinds of numbers that are not converted, the usual first

# The one rule for numbers near overflow: no argument is above these in magnitude. All arithmetic is in float64, where
# the product of two numbers of 1e140 still has room for a sum of 1e28 of them. So every float32 is allowed.
LARGEST = {np.dtype(np.float32): float(np.finfo(np.float32).max), np.dtype(np.float64): 1e140}
LARGEST_NUMBER = LARGEST[np.dtype(np.float64)]
LARGEST_FLOAT = float(np.finfo(np.float64).max)  # of a result on the way, which need only be finite
PLAIN_NUMBERS = float, int, np.float64  # the types of most numbers, which need no other question than their range
LARGEST_INTEGER = 2**63 - 1  # int64 holds it
LARGEST_COUNT = 2**31 - 1  # of a count that no array bounds, such as epochs: a loop or an array has this length
MOST_CLASSES = 2**24  # where labels alone tell how many there are; a larger label is a key, not a number of a class

# --- numbers -------------------------------------------------------------------------------------------------------


def finite_number(value, name, largest=LARGEST_NUMBER):
    """Returns a finite real number as a float; ``|value| <= largest``."""
    if type(value) in PLAIN_NUMBERS and -largest <= value <= largest:
        return float(value)
    is_array = isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "iuf"
    try:
        is_number = is_array or (isinstance(value, Real) and not isinstance(value, (bool, np.bool_)))
        number = float(value) if is_number else np.nan
    except OverflowError:  # an integer or a fraction that is larger than any float
        number = LARGEST_NUMBER * LARGEST_NUMBER
    if not np.isfinite(number):
        raise ValueError(f"{name} must be a finite number, got {_of_its_kind(value)}")
    if abs(number) > largest:
        raise ValueError(too_large(name, brief(value), largest))
    return number


def too_large(name, value, largest):
    """Returns the message for a number that is above the largest allowed."""
    return f"{name} must be at most {largest:.7g} in magnitude, got {value}"


def nonnegative(value, name, largest=LARGEST_NUMBER):
    """Returns a real number in 0..largest as a float."""
    if type(value) in PLAIN_NUMBERS and 0 <= value <= largest:
        return float(value)
    number = finite_number(value, name, largest)
    if number < 0:
        raise ValueError(f"{name} must be >= 0, got {value!r}")
    return number


def positive(value, name):
    """Returns a finite real number > 0 as a float."""
    number = finite_number(value, name)
    if number <= 0:
        raise ValueError(f"{name} must be > 0, got {value!r}")
    return number


def count(value, name, largest=LARGEST_COUNT, smallest=1):
    """Returns an integer in smallest..largest as an int."""
    if type(value) in (int, np.int64) and smallest <= value <= largest:
        return int(value)
    is_integer = isinstance(value, Integral) and not isinstance(value, (bool, np.bool_))
    if not is_integer or not smallest <= value <= largest:
        raise ValueError(f"{name} must be an integer in {smallest}..{largest}, got {_of_its_kind(value)}")
    return int(value)


def _of_its_kind(value):
    """Returns a value for a message, and that it is a string if it is one: '1' is easily taken for a number."""
    return f"the string {value!r}" if isinstance(value, str) else brief(value)


def thread_count(n_jobs):
    """Returns the number of threads: an integer >= 1, or -1 for as many as this process may run at the same time."""
    if type(n_jobs) is int and n_jobs >= 1:
        return n_jobs
    if not isinstance(n_jobs, Integral) or isinstance(n_jobs, (bool, np.bool_)) or (n_jobs < 1 and n_jobs != -1):
        raise ValueError(f"n_jobs must be an integer >= 1, or -1 for all processors, got {n_jobs!r}")
    if n_jobs >= 1:
        return int(n_jobs)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def choice(value, name, options):
    """Returns a text that is one of the options."""
    if not isinstance(value, str) or value not in options:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, options))}, got {value!r}")
    return value


# --- arrays --------------------------------------------------------------------------------------------------------


def real_array(values, name, ndims):
    """Returns a non-empty float32 or float64 array with one of the given numbers of dimensions.

    NaN and infinities are not refused here: a caller uses `finite_array`, or a kernel that sees them.
    """
    if type(values) is np.ndarray and values.dtype in FLOATS and values.ndim in ndims and values.size:
        return values
    if hasattr(values, "tocsr"):
        raise ValueError(f"{name} must be a dense array, got a sparse one: {type(values).__name__}")
    try:
        array = np.asarray(values)
        if array.dtype not in FLOATS:
            if array.dtype.kind not in "biuf" and not (array.dtype == object and array.size):
                raise TypeError
            if array.dtype == object and any(isinstance(value, (str, bytes)) for value in array.flat):
                raise TypeError
            with np.errstate(over="ignore"):  # too large a number becomes inf, which is refused later
                array = array.astype(np.float64)
    except OverflowError:  # an integer that is larger than any float
        raise ValueError(too_large(name, brief(values), LARGEST_NUMBER)) from None
    except (TypeError, ValueError):
        raise ValueError(f"{name} must hold real numbers, got {brief(values)}") from None
    if array.ndim not in ndims:
        raise ValueError(f"{name} must have {' or '.join(map(str, ndims))} dimensions, got shape {array.shape}")
    if array.size == 0:
        raise ValueError(f"{name} must not be empty, got shape {array.shape}")
    return array


def finite_array(array, name, largest=None):
    """Returns the array itself if it is within LARGEST, or another bound. Its two extremes show this, no temporary."""
    largest = LARGEST[array.dtype] if largest is None else largest
    if not -largest <= array.min() <= array.max() <= largest:
        where = tuple(int(i) for i in np.argwhere(~(np.abs(array) <= largest))[0])
        raise ValueError(not_in_range(name, array[where], largest, f"at index {where if len(where) > 1 else where[0]}"))
    return array


def not_in_range(name, value, largest, place):
    """Returns the message for an entry of an array that is NaN, infinite or too large."""
    got = f"{value} {place}"
    return too_large(name, got, largest) if np.isfinite(value) else f"{name} must be finite, got {got}"


def points(a, name="a"):
    """Returns the finite point (d,) or points (n, d) to project."""
    return finite_array(real_array(a, name, (1, 2)), name)


def scores_and_labels(scores, y):
    """Returns finite scores (n, m) and labels (n,) in 0..m-1."""
    scores = finite_array(real_array(scores, "scores", (2,)), "scores")
    return scores, labels(y, len(scores), scores.shape[1])


def labels(y, n, m=MOST_CLASSES, name="y"):
    """Returns integer labels (n,) in 0..m-1 as int64."""
    array = integers(y, f"{name} must hold integers 0..m-1")
    if array.shape != (n,):
        raise ValueError(f"{name} must have shape ({n},), one label a row, got shape {array.shape}")
    if array.min() < 0 or array.max() >= m:
        raise ValueError(f"{name} must hold integers in 0..{m - 1}, got {array[(array < 0) | (array >= m)][0]}")
    return array.astype(np.int64)


def integers(values, demand):
    """Returns an array of integers within the range of int64. `demand` begins the message."""
    try:
        array = np.asarray(values)
        if array.dtype.kind == "f" and not isinstance(values, np.ndarray):
            array = np.asarray(values, object)  # a list with an integer beyond int64 would be an array of floats
    except ValueError:  # rows of different lengths
        array = np.zeros(0, object)
    are_integers = array.dtype.kind in "iu"
    if are_integers or all(isinstance(value, Integral) for value in array.flat):  # NumPy keeps larger ones as objects
        extreme = int(array.max(initial=0) if are_integers else max(array.flat, key=abs, default=0))
        if abs(extreme) > LARGEST_INTEGER:
            raise ValueError(f"{demand} of at most {LARGEST_INTEGER} in magnitude, got {brief(extreme)}")
    if not are_integers:
        raise ValueError(f"{demand}, got {brief(values)}")
    return array


def features_and_labels(X, y, name="X", sparse=False):
    """Returns features (n, d), labels (n,) and the number of classes m >= 2. With `sparse`, X may be CSR or CSC."""
    X = features(X, name) if sparse else finite_array(real_array(X, name, (2,)), name)
    y, m = training_labels(y, X.shape[0])
    return X, y, m


def features(X, name="X"):
    """Returns a finite matrix of at least one row and column, dense or CSR, float32 or float64. CSC becomes CSR."""
    return csr_matrix(X, name) if hasattr(X, "tocsr") else finite_array(real_array(X, name, (2,)), name)


def row_of(X):
    """Returns a function that returns row i of a dense or CSR matrix as a float64 vector."""
    if hasattr(X, "tocsr"):
        return lambda i: X[[i]].toarray()[0].astype(np.float64)
    return lambda i: X[i].astype(np.float64)


def csr_matrix(X, name):
    """Returns a non-empty CSR matrix of finite floats, its columns ascending in each row. CSC is converted."""
    if X.format not in ("csr", "csc") or X.dtype.kind not in "biuf":
        raise ValueError(f"{name} must be dense, CSR or CSC, and real, got {X.format} of {X.dtype}")
    if len(X.shape) != 2 or 0 in X.shape:
        raise ValueError(f"{name} must have two dimensions and not be empty, got shape {X.shape}")
    lines, indexed = X.shape if X.format == "csr" else X.shape[::-1]
    rises = len(X.indptr) == lines + 1 and X.indptr[0] == 0 and (np.diff(X.indptr) >= 0).all()
    if not (rises and X.indptr[-1] == len(X.indices) == len(X.data)):
        raise ValueError(f"{name} must have an indptr that rises from 0 to {len(X.indices)}, got {brief(X.indptr)}")
    outside = X.indices[(X.indices < 0) | (X.indices >= indexed)]
    if outside.size:  # a kernel, or the conversion, would read and write outside the arrays
        what = "column" if X.format == "csr" else "row"
        raise ValueError(f"{name} must have {what} indices in 0..{indexed - 1}, got {outside[0]}")
    X = X.tocsr()
    X = X if X.dtype in FLOATS else X.astype(np.float64)
    in_range = np.abs(X.data) <= LARGEST[X.dtype]
    if not in_range.all():
        entry = int(np.argmin(in_range))
        place = int(np.searchsorted(X.indptr, entry, side="right")) - 1, int(X.indices[entry])
        raise ValueError(not_in_range(name, X.data[entry], LARGEST[X.dtype], f"at index {place}"))
    ascending = np.diff(X.indices) > 0
    ends = X.indptr[1:-1]
    ascending[ends[(ends > 0) & (ends < len(X.indices))] - 1] = True
    if not ascending.all():  # kernels need each column once a row; the flags of X can be out of date
        X = type(X)((X.data.copy(), X.indices.copy(), X.indptr.copy()), shape=X.shape)
        X.sum_duplicates()
    return X


def training_labels(y, n):
    """Returns labels (n,) of at least two classes, and the number of classes: the largest label plus one."""
    y = labels(y, n)
    if (y == y[0]).all():
        raise ValueError(f"y must hold at least two classes, got only {y[0]}")
    return y, int(y.max()) + 1


def gram_and_labels(K, y):
    """Returns a Gram matrix (n, n), labels (n,) and the number of classes.

    The matrix must be symmetric with a diagonal >= 0, and ``|K_ij| <= sqrt(K_ii K_jj)``; these are cheap to check.
    """
    K, y, m = features_and_labels(K, y, name="K")
    if K.shape[0] != K.shape[1]:
        raise ValueError(f"K must be square, got shape {K.shape}")
    if K.diagonal().min() < 0:
        raise ValueError(f"K must have a diagonal >= 0, got {K.diagonal().min()}")
    rounding = GRAM_ROUNDINGS * np.finfo(K.dtype).eps * max(K.max(), -K.min())
    asymmetry, excess = _gram_errors(K)
    if asymmetry > rounding:
        raise ValueError(f"K must be symmetric, got |K - K'| up to {asymmetry:.3g}")
    if excess > rounding:
        raise ValueError(f"K must be positive semidefinite, got |K_ij| above sqrt(K_ii K_jj) by {excess:.3g}")
    return K, y, m


def _gram_errors(K):
    """Returns the maxima of |K - K'| and of |K_ij| - sqrt(K_ii K_jj), from blocks of K that stay in the cache."""
    norms, asymmetry, excess = np.sqrt(K.diagonal().astype(np.float64)), 0.0, -np.inf
    for first in range(0, len(K), GRAM_ROWS):
        rows = slice(first, first + GRAM_ROWS)
        for start in range(first, len(K), GRAM_COLUMNS):
            columns = slice(start, start + GRAM_COLUMNS)
            upper, lower = K[rows, columns], K[columns, rows].T
            asymmetry = max(asymmetry, np.abs(upper - lower).max())
            largest = np.maximum(np.abs(upper), np.abs(lower))
            excess = max(excess, (largest - np.outer(norms[rows], norms[columns])).max())
    return asymmetry, excess


def visiting_orders(order, n, max_epochs, seed):
    """Returns an iterator over the orders in which epochs visit the n examples, each (n,).

    `order` is (n,) or (epochs, n). If it is None, each order is drawn from `seed`.
    """
    if order is None:
        try:
            generator = np.random.default_rng(seed)
        except (TypeError, ValueError):
            raise ValueError(f"seed must be an integer >= 0, got {seed!r}") from None
        return (generator.permutation(n) for _ in range(max_epochs))
    order = integers(order, f"order must hold integers of shape ({n},) or (epochs, {n})")
    if order.ndim not in (1, 2) or order.shape[-1] != n or order.size == 0:
        raise ValueError(f"order must hold integers of shape ({n},) or (epochs, {n}), got {brief(order)}")
    if order.min() < 0 or order.max() >= n:
        raise ValueError(f"order must hold indices in 0..{n - 1}, got {order.min()}..{order.max()}")
    order = np.ascontiguousarray(order, dtype=np.int64)
    return (order for _ in range(max_epochs)) if order.ndim == 1 else iter(order[:max_epochs])


def in_range(values, dtype, name):
    """Returns the values in their final dtype, if they are finite in it."""
    with np.errstate(over="ignore"):
        final = values.astype(dtype)
    if not np.isfinite(final).all():
        most = f"{np.finfo(final.dtype).max:.7g}"
        raise ValueError(f"{name} must stay within the range of {final.dtype}, {most}, got {np.abs(values).max()}")
    return final


def brief(value):
    """Returns a short text for a value in a message."""
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype}, shape {value.shape}"
    try:
        text = repr(value)
    except Exception:  # such as of an integer of more than 4300 digits, which Python refuses to print
        text = f"{type(value).__name__} of {value.bit_length()} bits" if isinstance(value, int) else f"{type(value)}"
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 3] + "..."


def flag(value, name):
    """Returns True or False as a bool."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False, got {brief(value)}")
    return bool(value)

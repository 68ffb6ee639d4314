"""Names for the types of arguments and answers. They say little more than array: shapes and ranges are checked."""

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt


class Sparse(Protocol):
    """A matrix of scipy.sparse, or whatever else can become CSR."""

    def tocsr(self) -> Any: ...


Array = npt.ArrayLike  # of numbers, of flags or of labels
Matrix = npt.ArrayLike | Sparse
Floats = npt.NDArray[np.floating]
Integers = npt.NDArray[np.integer]
History = np.recarray[Any, np.dtype[np.void]]  # one record an epoch, an iteration or a round

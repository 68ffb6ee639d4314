"""What a fit of the top-k entropy changes and reads: dense duals, the weights that belong to them, and the examples."""

import numpy as np

from reference.problems import checks

from ..._shared.threads import MOST_NUMBERS, ranges
from ..models import KernelModel, LinearModel
from .passes import EntropyDuals

BLOCK = 64  # examples. In a larger block, the steps between the products take longer than the products
KEPT_BLOCKS = 2**27  # bytes that blocks may take for being kept from pass to pass
CLASSES_OF_A_PRODUCT = 128  # weights of so many classes are one product, and may be the work of one thread

# Newton's method takes as long as about so many passes, with features and with inner products. With inner products, it
# also needs a factorization, which takes as long as n / 20 products of K with a vector. A pass takes as long as m.
PASSES_OF_NEWTON, PASSES_OF_KERNEL_NEWTON, PRODUCTS_OF_FACTORIZATION = 8, 100, 1 / 20
FEATURES_OF_STEP = 600  # in whose products a step between two products takes as long

LEAST_WEIGHTS_OF_BLOCKS = 2**12  # fewer weights stay in the fastest cache, so that products of matrices save nothing


class LinearEntropyModel(LinearModel):
    """Features, weights in the layout of `LinearModel`, duals (n, m), and where the search of each step begins."""

    passes_of_newton = PASSES_OF_NEWTON  # of which a fit has to expect more before that method takes over

    def __init__(self, X, y, m, n_jobs, duals):
        super().__init__(X, y, m, n_jobs)
        self._start_duals(duals)

    def _start_duals(self, duals):
        self.duals = EntropyDuals(duals, np.full(len(duals), np.nan), np.zeros(len(duals), np.int64))
        self.in_blocks = self.is_linear and not self.by_features and self.weights.size >= LEAST_WEIGHTS_OF_BLOCKS
        self.number_of_blocks, self._blocks = -(-len(duals) // BLOCK), {}
        self.number_of_visits = self.number_of_blocks if self.in_blocks else len(duals)
        self.work.moved[:] = np.arange(self.m)

    def block(self, b, dtype):
        """Returns (the examples of block b, their features in this dtype, their inner products).

        The examples are b, b + number of blocks, ..., so that a block has several classes even if they are sorted.
        """
        if (b, dtype) not in self._blocks:
            rows = np.arange(b, len(self.X), self.number_of_blocks)
            X = self.X[b :: self.number_of_blocks].astype(dtype, copy=False)
            block = rows, X, (X @ X.T).astype(np.float64, copy=False)
            if self.X.size * np.dtype(dtype).itemsize + 8 * BLOCK * len(self.X) > KEPT_BLOCKS:
                return block
            self._blocks[b, dtype] = block
        return self._blocks[b, dtype]

    def returned_duals(self, rows):
        """Returns the duals of some examples, rounded to the dtype of X, in float64."""
        duals = self.duals.rows[rows]
        if self.X.dtype == np.float64:
            return duals
        return checks.in_range(duals, self.X.dtype, "duals").astype(np.float64)

    def recompute_weights(self, as_returned):
        """Recompute the weights from the duals; with `as_returned`, from the duals rounded to the dtype of X."""
        n, d = self.X.shape
        if self.by_features:
            duals = self.returned_duals(slice(None)) if as_returned else self.duals.rows
            self.weights[:] = self.X.T @ duals
            return
        self.weights[:] = 0.0
        for rows in (slice(*part) for part in ranges(n, max(MOST_NUMBERS // d, 1))):
            duals = self.returned_duals(rows) if as_returned else self.duals.rows[rows]
            self._add_products(self.X[rows].astype(np.float64, copy=False), duals)

    def squared_norm_now(self):
        """Returns |W|^2."""
        return np.vdot(self.weights, self.weights)

    def features(self):
        """Returns features (n, d) with the inner products of the examples."""
        return self.X

    def weights_of_features(self):
        """Returns the weights (m, d) of these features."""
        return np.ascontiguousarray(self.weights.T if self.by_features else self.weights)

    def products_of_pass(self):
        """Returns how many products of Newton's method take as long as a pass."""
        n = self.X.shape[0]
        return (2 * self.X.size + FEATURES_OF_STEP * n) / self.features().size

    def _add_products(self, X, duals):
        def add_to(first, last):
            self.weights[first:last] += duals[:, first:last].T @ X

        self.each(add_to, ranges(self.m, CLASSES_OF_A_PRODUCT))


class KernelEntropyModel(KernelModel, LinearEntropyModel):
    """Inner products instead of features, and the transposed duals (m, n) instead of weights."""

    def __init__(self, K, y, m, n_jobs, duals):
        KernelModel.__init__(self, K, y, m, n_jobs)
        self._start_duals(duals)
        self._features = None

    @property
    def passes_of_newton(self):
        return PASSES_OF_KERNEL_NEWTON + PRODUCTS_OF_FACTORIZATION * len(self.X) / self.m

    def features(self):
        if self._features is None:
            self._features = _features_of(self.X)
        return self._features

    def weights_of_features(self):
        return self.weights @ self.features()

    def squared_norm_now(self):
        """Returns |W|^2."""
        return np.vdot(self.weights, np.ascontiguousarray(self.X @ self.weights.T).T)

    def recompute_weights(self, as_returned):
        self.weights[:] = (self.returned_duals(slice(None)) if as_returned else self.duals.rows).T


def _features_of(K):
    """Returns features L (n, rank) with L L' = K up to rounding, by a Cholesky factorization with pivots."""
    from scipy.linalg.lapack import dpstrf

    rounding = np.finfo(K.dtype).eps * K.diagonal().max()
    factor, pivots, rank, _ = dpstrf(K.astype(np.float64).T, tol=rounding, lower=True, overwrite_a=True)
    L = np.empty((len(K), rank))
    L[pivots - 1] = np.tril(factor[:, :rank])
    return L

"""fit_topk_entropy_kernel with a cap of 1/k instead of sigma/k: the domain of "beta"."""

from tests.mutants._altered import altered

FUNCTION = "fit_topk_entropy_kernel"
REASON = "certificate"

fit_topk_entropy_kernel = altered(
    "entropy_fits", "log_rest[0] <= log_sigma - np.log(k)", "log_rest[0] <= -np.log(k)"
).fit_topk_entropy_kernel

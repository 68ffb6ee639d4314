"""topk_entropy with 1 - sigma by subtraction: it has no digits for an example that is misclassified clearly."""

from tests.mutants._altered import altered

FUNCTION = "topk_entropy"
REASON = "not finite"

topk_entropy = altered(
    "entropy_losses",
    'return checks.in_range(np.logaddexp(0, values), scores.dtype, "the loss")',
    "return (-np.log(1 - 1 / (1 + np.exp(-values)))).astype(scores.dtype)",
).topk_entropy

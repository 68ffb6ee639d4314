"""truncated_topk_entropy_gradient that forgives, of rivals with equal scores, those with the highest index."""

from tests.mutants._altered import altered

FUNCTION = "truncated_topk_entropy_gradient"
REASON = "differs from the ground truth"

truncated_topk_entropy_gradient = altered(
    "entropy_losses", 'np.argsort(-h, axis=1, kind="stable")', 'np.argsort(h, axis=1, kind="stable")[:, ::-1]'
).truncated_topk_entropy_gradient

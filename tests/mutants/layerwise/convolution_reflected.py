"""network_scores with the kernel reflected, as in a convolution of signal processing."""

from tests.mutants._altered import altered

FUNCTION = "network_scores"
REASON = "differs from the ground truth"

network_scores = altered(
    "layerwise.scoring",
    "return windows.transpose(0, 1, 3, 4, 2).reshape(",
    "return windows[..., ::-1, ::-1].transpose(0, 1, 3, 4, 2).reshape(",
).network_scores

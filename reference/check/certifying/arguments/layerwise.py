"""The arguments of networks that are trained layer by layer."""

from ....problems import checks


def network_scores(X, layers, weights):
    """Check the images, the layers and the weights. Returns the images."""
    _, shape, _ = checks.images(X)
    parts = checks.network_weights(weights)
    checked = checks.network_layers(layers, shape, parts[-1].shape[1] if parts else 1)
    checks.network_weights(weights, checked)
    return {"X": checks.real_array(X, "X", (2, 3, 4))}


def fit_layerwise(X, y, layers, weights, seed, progress, **options):
    """Check the problem and the start. Returns nothing that is converted."""
    names = ("loss", "groups", "regularization", "proximity", "tol", "max_epochs", "max_rounds", "method")
    problem = checks.layerwise_problem(X, y, layers, *(options[name] for name in names))
    checks.layerwise_start(weights, problem, seed)
    checks.flag(progress, "progress")
    return {}

"""Wrong versions of the walks of Wsabie."""

import reference
from tests.mutants import altered, wrong

# Its adagrad adds up the squares over the coordinates instead of taking their mean.
adagrad_sums = altered("fit_wsabie", "np.mean(gradient**2, axis=1)", "np.sum(gradient**2, axis=1)", phrase="adagrad")

# It divides by the sum of adagrad instead of its root.
adagrad_without_root = altered("fit_wsabie", "np.sqrt(sums)", "sums", phrase="adagrad")

# It keeps the prototypes in the ball but not the rows of W.
ball_without_W = altered(
    "fit_wsabie", "W = None if fit.embedding is None else _within(fit.embedding, max_norm)",
    "W = fit.embedding", phrase="max_norm="
)

# Its chain ends at a label of the example instead of passing over it.
chain_stops_at_labels = altered(
    "fit_wsabie", "chain = _chain(fit.last_violators, positive, rule.last_violators)\n",
    "chain = list(_chain(fit.last_violators, positive, rule.last_violators))\n"
    "    chain = chain[: [v in labels for v in [*chain, positive]].index(True)]\n",
    phrase="last_violators=np"
)

# It takes -1, which means no violator, for the last class, so that the chain does not end.
chain_without_end = altered(
    "fit_wsabie", "while v != NONE and v not in passed", "while v % len(last) not in passed", phrase="last_violators="
)

# It returns distances instead of their squares.
distances = altered(
    "prototype_scores", "return -((fit.prototypes[g] - z) @ (fit.prototypes[g] - z))",
    "return -np.linalg.norm(fit.prototypes[g] - z)", phrase="'euclidean'"
)

# It may draw a label of the example as a violator.
draws_the_positive = altered("fit_wsabie", "np.setdiff1d(np.arange(m), labels)", "np.arange(m)", phrase="prototypes by")

# It follows only the first link of the chain.
first_link_only = altered("fit_wsabie", "len(passed) <= Q", "len(passed) <= min(Q, 1)", phrase="it should not move")

# It counts labels of the example as violators in the chain.
labels_violate = altered(
    "fit_wsabie", " for v in chain if v not in labels)", " for v in chain)", phrase="last_violators=np"
)

# It uses the logarithm of m / trials instead of the harmonic sum as the weight.
logarithmic_weight = altered(
    "fit_wsabie", "return np.sum(1 / np.arange(1, rank + 1)) if",
    "return np.log(m / trials) if", phrase="weighting='harmonic'"
)

# It takes the gradient in W at the prototypes after their step.
moved_point = altered(
    "fit_wsabie", "fit.embedding_sums, in_W, rule)",
    "fit.embedding_sums, gradients(fit, x, positive, negative, weight)[1], rule)", phrase="embedding"
)

# Its chain is too short by one link.
one_link_too_few = altered("fit_wsabie", "len(passed) <= Q", "len(passed) < Q", phrase="it should not move")


@wrong("fit_wsabie", phrase="prototypes by")
def other_draws(X, Y, *, draws=None, seed=0, **options):
    """It ignores the draws that it is given."""
    if draws is not None:
        reference.fit_wsabie(X, Y, draws=draws, seed=seed, **options)  # which refuses what is wrong
    return reference.fit_wsabie(X, Y, seed=seed, **options)


# It concatenates embeddings and prototypes in different orders.
other_order = altered(
    "concatenate_fits", "for fit in fits]), fits[0].disc",
    "for fit in fits[::-1]]), fits[0].disc", phrase="WsabieFit(prototypes="
)

# Its gradient in W has W x instead of x, as Table 3 prints it (cut or repeated to d numbers).
printed_gradient = altered(
    "fit_wsabie", "2 * weight * np.outer(b[negative] - b[positive], x)",
    "2 * weight * np.outer(b[negative] - b[positive], np.resize(z, len(x)))", phrase="embedding by"
)

# It estimates the rank among m classes instead of the m - 1 others.
rank_of_all = altered("fit_wsabie", "(m - 1) // trials", "m // trials", phrase="weighting='harmonic'")


@wrong("fit_wsabie", "changed its input", phrase="argument start", certified=True)
def start_overwritten(X, Y, *, start=None, **options):
    """It writes its result into the prototypes that it was given."""
    fit = reference.fit_wsabie(X, Y, start=start, **options)
    if start is not None:
        start.prototypes[...] = fit.prototypes
    return fit


# It counts a margin met exactly as violated.
ties_violate = altered(
    "fit_wsabie", 'return max(checks.finite_number(difference, "a difference of scores", checks.LARGEST_FLOAT), 0.0)',
    "return difference >= 0", phrase="it should not move"
)

# It keeps the last violator of a class although nothing violates any more. The first failures are long, and stay long.
violator_kept = altered(
    "fit_wsabie", "return _remembered(fit, positive, NONE)", "return fit", phrase="last_violators=", enough=100
)

# Its gradients are not multiplied by the weight.
weight_forgotten = altered(
    "fit_wsabie", "gradients(fit, x, positive, negative, weight)\n    prototypes",
    "gradients(fit, x, positive, negative, 1.0)\n    prototypes", phrase="weighting='harmonic'"
)

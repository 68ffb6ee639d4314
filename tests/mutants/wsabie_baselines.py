"""Wrong versions of nearest means and of one-vs-all."""

from tests.mutants import altered

# It uses only the first label of each example.
first_label_only = altered("fit_nearest_means", "if g in sets.of(t)]", "if g in sets.of(t)[:1]]", phrase="np.array([[")

# It divides the weighted sums by the numbers of examples.
means_of_weighted_sums = altered(
    "fit_nearest_means", "np.average([example(t) for t in of], 0, s[of] / s[of].max())",
    "np.mean(np.array([example(t) for t in of]) * (s[of] / s[of].max())[:, None], axis=0)", phrase="sample_weight="
)

# It only leaves out the examples of weight 0.
means_without_weights = altered("fit_nearest_means", "s[of] / s[of].max()", "s[of] > 0", phrase="sample_weight=")

# It counts the prototypes that move instead of the examples that move one.
moves_count = altered(
    "fit_one_vs_all", ", rule)\n    return fit._replace(updates=fit.updates + (fit is not before))",
    ", rule)._replace(updates=fit.updates + 1)\n    return fit", "updates", phrase="they are"
)

# It updates negative classes whatever their scores are.
negatives_always_learn = altered(
    "fit_one_vs_all", '"a difference of scores", most) > 0:',
    '"a difference of scores", most) > (0 if sign > 0 else -np.inf):', phrase="it should not move"
)

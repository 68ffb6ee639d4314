"""Certified bounds for weights that some solver left behind, without duals: how far are they from the optimum?

`multiclass.certify_weights` is for classifiers, `ranking.certify_ranking_weights` for ranking SVMs. Both restore a
lower bound of the minimum at the given weights, and improve it by dual ascent. What the ascent returns is not believed:
its duals are repaired, and their value is computed again, by `certificates.duality` or `ranking_svm.bounds`.
CERTIFICATES.md, one folder up, has the mathematics.
"""

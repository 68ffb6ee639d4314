"""Kernels of the Wsabie family: `warp` draws pairs of classes and makes the steps of `fit_wsabie`.

`prototypes` and `embedding` hold what a walk changes, `vectors` the sums over one row, and `label_sets` the examples
with their sets of labels. `parts` gives a walk its random numbers. `outcomes` defines what a walk reports, and the
numbers that stand for "none". `distances` serves `prototype_scores`, `class_learners` the baselines, and `losses` the
public losses.
"""

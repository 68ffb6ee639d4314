"""The kernels of `fast.projections` and of `fast.squish_column`: one file a set, and three files of common steps.

`topk`, `capped`, `knapsack` and `squish` each project the rows of a matrix onto one family of sets. `candidates` finds
the few coordinates of a long row that can be positive, `thresholds` computes the threshold t and the cap u of
x = clip(a - t, 0, u) from them, and `warm_start` tries the threshold of the row before.
"""

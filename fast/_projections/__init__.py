"""The kernels of `fast.projections`: one file a set, and files of common steps.

`run` chooses the kernels of a call and the threads. `topk`, `capped` and `knapsack` each project onto one family of
sets. `short` finds the few coordinates that can be positive in a short row, `candidates` in a long one. `thresholds`
computes the threshold t and the cap u of x = clip(a - t, 0, u) from them, and `warm_start` tries the threshold of the
row before.
"""

"""The steps of `reference.projections`: the `knapsack`, the `topk_cone` and the `bipartite` simplex, for one row."""

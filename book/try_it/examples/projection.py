# The nearest point of the top-k simplex. Notebook 03 derives the method.
import numpy as np

import reference

a = np.array([0.5, 1.0, -1.0, 0.8])
for k in (1, 2, 3):
    z = reference.project_topk_simplex(a, k)
    print(f"k = {k}: z =", z.round(4), f" sum {z.sum():.4f}, distance {np.linalg.norm(a - z):.4f}")

# Each entry is at most the k-th part of the sum. Random points of the set are farther away:
random, k = np.random.default_rng(0), 2
z = reference.project_topk_simplex(a, k)
others = reference.project_topk_simplex(random.normal(size=(200, 4)), k)
nearest = np.linalg.norm(others - a, axis=1).min()
print(f"k = {k}: the projection is {np.linalg.norm(a - z):.4f} away, the nearest of 200 others {nearest:.4f}")

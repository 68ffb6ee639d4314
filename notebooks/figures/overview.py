"""The picture of the README: the top-k simplex of three coordinates for k = 1, 2, 3, and a point projected onto it."""

import sys
from itertools import combinations
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from scipy.spatial import ConvexHull

import reference

POINT = np.array([0.95, 0.8, 0.15])
INK, SET, ACCENT = "#22303c", "#3b7ea1", "#c4452d"


def vertices(m, k):
    """0, and r/k on every k coordinates: the (m choose k) + 1 vertices of the top-k simplex for r = 1."""
    corners = [np.zeros(m)]
    for chosen in combinations(range(m), k):
        corners.append(np.bincount(chosen, minlength=m) / k)
    return np.array(corners)


def draw(axes, k):
    corners = vertices(3, k)
    if len(corners) > 3:
        hull = ConvexHull(corners)
        faces = [corners[s] for s in hull.simplices]
        axes.add_collection3d(Poly3DCollection(faces, facecolor=SET, alpha=0.28, edgecolor=SET, linewidth=1.1))
    else:
        axes.plot(*corners.T, color=SET, linewidth=3)
    axes.scatter(*corners.T, color=SET, s=26, depthshade=False, zorder=5)
    x = reference.project_topk_simplex(POINT, k)
    axes.plot(*np.array([POINT, x]).T, color=ACCENT, linewidth=1.6, linestyle=(0, (4, 2)))
    axes.scatter(*POINT, color="white", edgecolor=ACCENT, s=42, linewidth=1.6, depthshade=False, zorder=5)
    axes.scatter(*x, color=ACCENT, s=42, depthshade=False, zorder=5)
    axes.set_title(f"k = {k}   ({', '.join(f'{v:.2f}' for v in x)})", color=INK, fontsize=12, pad=-4)
    for axis, name in zip("xyz", ("$x_1$", "$x_2$", "$x_3$"), strict=True):
        getattr(axes, f"set_{axis}lim")(0, 1.05)
        getattr(axes, f"set_{axis}ticks")([0, 0.5, 1])
        getattr(axes, f"{axis}axis").set_rotate_label(False)
        getattr(axes, f"set_{axis}label")(name, labelpad=-6)
    axes.tick_params(labelsize=7, pad=-3)
    axes.set_box_aspect((1, 1, 1))
    axes.view_init(elev=18, azim=22)


if __name__ == "__main__":
    figure = plt.figure(figsize=(11, 3.9))
    for k in (1, 2, 3):
        draw(figure.add_subplot(1, 3, k, projection="3d", computed_zorder=False), k)
    figure.subplots_adjust(left=0.01, right=0.98, bottom=0.05, top=0.93, wspace=0.02)
    figure.savefig(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_suffix(".png"), dpi=110)

"""How the notebooks look: the colours and fonts of their figures, and vectors in few digits.

Importing this module sets Matplotlib's defaults. In a notebook, a figure has twice the pixels of its place on the page.
"""

from fractions import Fraction
from io import BytesIO

import matplotlib.pyplot as plt
import numpy as np
from IPython import get_ipython
from IPython.core.pylabtools import retina_figure
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from PIL import Image
from scipy.spatial import ConvexHull

# The colours of Okabe and Ito, which colour-blind readers can tell apart
BLUE, VERMILLION, ORANGE, GREEN, PURPLE, SKY = "#0072B2", "#D55E00", "#E69F00", "#009E73", "#CC79A7", "#56B4E9"
INK, FAINT, GREY = "#22303c", "#c3ccd3", "#7f7f7f"
SET, ACCENT, SUN = BLUE, VERMILLION, ORANGE

# One colour for one method in the whole book
METHOD_COLORS = {
    "alpha": BLUE,
    "inclusive": GREEN,
    "beta": ORANGE,
    "reference": INK,
    "fast": VERMILLION,
    "ground truth": PURPLE,
    "sorting": SKY,
    "softmax": GREY,
    "no last violators": BLUE,
    "last violators": VERMILLION,
    "pairs only": GREEN,
    "oracle": PURPLE,
}

# The losses that a ranking is trained for: never in one figure with the three top-k losses or the softmax
LOSS_COLORS = {"zero_one": GREY, "auc": ORANGE, "ap": BLUE, "ndcg": GREEN}

plt.rcParams.update({
    "figure.dpi": 90,
    "figure.constrained_layout.use": True,
    "font.size": 12,
    "axes.titlesize": 12,
    "axes.titlecolor": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
})  # fmt: skip


COLORS = 128  # in the file of a figure, which is a third as large as with all colours


def sharp(figure):
    """The figure as a PNG with twice as many pixels as its place on the page, and the size of that place."""
    drawn, size = retina_figure(figure, base64=False, bbox_inches="tight")
    file = BytesIO()
    few = Image.open(BytesIO(drawn)).convert("RGB").quantize(COLORS, method=Image.Quantize.MAXCOVERAGE)
    few.save(file, format="png", optimize=True)
    return file.getvalue(), size


if get_ipython() is not None:
    get_ipython().run_line_magic("matplotlib", "inline")
    get_ipython().display_formatter.formatters["image/png"].for_type(Figure, sharp)


def vector(x, digits=3):
    """A vector as text: (0.25, 0.75, 0). Rounding noise and the sign of a zero are gone."""
    return "(" + ", ".join(f"{v:.{digits + 3}g}" for v in np.round(x, digits) + 0.0) + ")"


def below(value, bound):
    """Rounding noise as text, "below 1e-12": its digits differ between machines. A larger value is shown as it is."""
    return f"below {bound:.0e}".replace("e-0", "e-") if value < bound else f"{value:.1e}"


def draw_polytope(axes, corners, color=SET, title="", unit="1"):
    """The convex hull of points in space, a body or a segment, in a box whose sides are 0..`unit`."""
    corners = np.asarray(corners, float)
    rank = np.linalg.matrix_rank(corners - corners[0], tol=1e-9)
    if rank == 3:
        draw_faces(axes, corners, color)
    elif rank == 1:
        axes.plot(*corners.T, color=color, linewidth=3)
    axes.scatter(*corners.T, color=color, s=26, depthshade=False, zorder=5)
    side = float(Fraction(unit))
    for axis, name in zip("xyz", ("$z_1$", "$z_2$", "$z_3$"), strict=True):
        getattr(axes, f"set_{axis}lim")(0, 1.05 * side)
        getattr(axes, f"set_{axis}ticks")([side], [unit])
        getattr(axes, f"{axis}axis").set_rotate_label(False)
        getattr(axes, f"set_{axis}label")(name, labelpad=-8)
        getattr(axes, f"{axis}axis").pane.set_facecolor("#f5f7f8")
    axes.tick_params(labelsize=10, pad=-3)
    axes.set_box_aspect((1, 1, 1), zoom=0.95)
    axes.view_init(elev=18, azim=28)
    axes.set_title(title, pad=0)


def name_point(axes, x, name):
    """Write a name above a point in space, or below it if it lies on the floor."""
    halo = [withStroke(linewidth=3, foreground="white")]
    axes.text(x[0], x[1], x[2] + (0.1 if x[2] > 0 else -0.1), name, fontsize=12, color=INK, ha="center", va="center",
              zorder=9, path_effects=halo)  # fmt: skip


def draw_faces(axes, corners, color):
    """The faces of a convex hull, and those edges of the triangulation that are edges of the body."""
    hull = ConvexHull(corners)
    faces = [corners[s] for s in hull.simplices]
    axes.add_collection3d(Poly3DCollection(faces, facecolor=color, alpha=0.22, edgecolor="none"))
    edges = {}
    for simplex, normal in zip(hull.simplices, hull.equations[:, :3], strict=True):
        for i in range(3):
            edges.setdefault(tuple(sorted((simplex[i], simplex[i - 1]))), []).append(normal)
    for (i, j), (one, other) in edges.items():
        if one @ other < 1 - 1e-9:  # between two triangles of one flat face there is no edge
            axes.plot(*corners[[i, j]].T, color=color, linewidth=1.2)


def draw_thresholds(axes, a, t, u, title):
    """The entries of `a` as bars, cut at the threshold t and at t + u: the projection z is the part between the two."""
    floor, places = min(a.min(), t) - 0.25, range(1, len(a) + 1)
    axes.bar(places, a - floor, bottom=floor, color=FAINT, width=0.6)
    axes.bar(places, np.maximum(a - t - u, 0), bottom=t + u, color=SUN, width=0.6, label=r"cut off: $\nu_j$")
    axes.bar(places, np.clip(a - t, 0, u), bottom=t, color=SET, width=0.6, label="$z_j$")
    axes.axhline(t + u, color=INK, linewidth=1.4, linestyle="--", label=f"upper bound $t + u$ = {t + u:.2f}")
    axes.axhline(t, color=ACCENT, linewidth=1.4, label=f"threshold $t$ = {t:.2f}")
    axes.set(title=title, ylim=(floor, a.max() + 0.5 * (a.max() - floor)), xlabel="coordinate $j$", ylabel="$a_j$")
    axes.set_xticks(places)
    axes.legend(loc="upper left", ncols=2, fontsize=10)

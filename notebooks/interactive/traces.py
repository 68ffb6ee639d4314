"""What a figure is made of: lines, points, bars, coloured regions and bodies, as the dicts that plotly reads.

Each function returns one trace. `name` puts it into the legend. `panel` counts from 1.
"""

import numpy as np
from scipy.spatial import ConvexHull

DIGITS = 4  # significant digits of every number that is stored: a screen shows three


def numbers(values):
    """An array as nested lists of short numbers: four significant digits, and no ".0" after a whole number."""
    if np.ndim(values) > 0:
        return [numbers(value) for value in values]
    if isinstance(values, str) or values is None:
        return values
    short = float(f"{float(values):.{DIGITS}g}")
    return int(short) if short == int(short) else short


def _trace(kind, name, panel, **entries):
    axis = "" if panel == 1 else str(panel)
    place = {} if kind.endswith("3d") else {"xaxis": "x" + axis, "yaxis": "y" + axis}
    return {"type": kind, "name": name or "", "showlegend": bool(name), "hoverinfo": "skip"} | place | entries


def line(x, y, color, name=None, *, panel=1, width=2, dash="solid"):
    """The points (x, y), joined. A None among them is a gap."""
    style = {"color": color, "width": width, "dash": dash}
    return _trace("scatter", name, panel, x=numbers(x), y=numbers(y), mode="lines", line=style)


def points(x, y, color, name=None, *, panel=1, size=9, symbol="circle", edge="white"):
    """Markers at (x, y)."""
    marker = {"color": color, "size": size, "symbol": symbol, "line": {"color": edge, "width": 1}}
    entries = {"x": numbers(x), "y": numbers(y), "mode": "markers", "marker": marker, "cliponaxis": False}
    return _trace("scatter", name, panel, **entries)


def bars(x, bottom, top, color, name=None, *, panel=1, width=0.62):
    """A bar from `bottom` to `top` at each x."""
    base = np.broadcast_to(np.asarray(bottom, float), np.shape(top))
    entries = {"x": numbers(x), "y": numbers(np.subtract(top, base)), "base": numbers(base), "width": width}
    return _trace("bar", name, panel, marker={"color": color}, **entries)


def regions(x, y, labels, colors, *, panel=1, opacity=0.25):
    """A grid of rectangles around the centres x and y; labels[row, column] chooses the colour."""
    share = np.linspace(0, 1, len(colors) + 1)
    scale = [[edge, color] for color, low, high in zip(colors, share, share[1:], strict=False) for edge in (low, high)]
    entries = {"x": numbers(x), "y": numbers(y), "z": numbers(labels), "zmin": -0.5, "zmax": len(colors) - 0.5}
    return _trace("heatmap", None, panel, colorscale=scale, showscale=False, opacity=opacity, **entries)


def line3d(corners, color, name=None, *, width=4, dash="solid"):
    """Points in space, one a row, joined."""
    x, y, z = numbers(np.transpose(corners))
    style = {"color": color, "width": width, "dash": dash}
    return _trace("scatter3d", name, 1, x=x, y=y, z=z, mode="lines", line=style)


def points3d(corners, color, name=None, *, size=6):
    """Markers at points in space, one a row."""
    x, y, z = numbers(np.transpose(corners))
    marker = {"color": color, "size": size}
    return _trace("scatter3d", name, 1, x=x, y=y, z=z, mode="markers", marker=marker)


def body(corners, color, name=None):
    """The convex hull of points in space, one a row."""
    (x, y, z), (i, j, k) = numbers(np.transpose(corners)), numbers(np.transpose(ConvexHull(corners).simplices))
    return _trace("mesh3d", name, 1, x=x, y=y, z=z, i=i, j=j, k=k, color=color, opacity=0.22, flatshading=True)


def choice(traces, number):
    """The same traces, shown only if the choice of this number (0, 1, ...) is made. At first it is choice 0."""
    return [trace | {"meta": number, "visible": number == 0} for trace in traces]

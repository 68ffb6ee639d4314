"""The picture that stands in where no script runs: some positions of the slider beside each other, by Matplotlib."""

import re
from io import BytesIO

import numpy as np
from _style import draw_faces
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from PIL import Image

DASHES = {"solid": "-", "dash": "--", "dot": ":"}
MARKERS = {"circle": "o", "circle-open": "o", "square": "s", "triangle-up": "^", "diamond": "D", "cross": "P", "x": "X"}
COLUMN, ROW = 3.3, 2.6  # inches
COLORS = 128  # in the file, which is a third as large as with all colours


def png(panels, frames, slider):
    """The picture as the bytes of a PNG file: a column for each frame, a row for each panel."""
    figure = Figure(figsize=(COLUMN * len(frames), ROW * len(panels) + 0.9), layout="constrained")
    kind = {"projection": "3d", "computed_zorder": False} if panels[0].zlim else {}
    grid = figure.subplots(len(panels), len(frames), squeeze=False, subplot_kw=kind)
    names = list(zip(*([trace["name"] for trace in frame.traces] for frame in frames), strict=True))
    for axes_of_column, frame in zip(grid.T, frames, strict=True):
        values = _column(axes_of_column, panels, frame, names)
        axes_of_column[0].set_title("\n".join([f"{slider} = {frame.label}", *values]), fontsize=8.5)
    entries = [pair for axes in grid[:, 0] for pair in zip(*axes.get_legend_handles_labels(), strict=True)]
    figure.legend(*zip(*entries, strict=True), loc="outside lower center", ncols=5, fontsize=9)
    drawn, file = BytesIO(), BytesIO()
    figure.savefig(drawn, format="png")
    few = Image.open(drawn).convert("RGB").quantize(COLORS, method=Image.Quantize.MAXCOVERAGE)
    few.save(file, format="png", optimize=True)
    return file.getvalue()


def _column(all_axes, panels, frame, names_of_all):
    """Draws one frame. Returns what stands above it: its note, and the names that change from frame to frame."""
    values = [_text(frame.note)] if frame.note else []
    for trace, names in zip(frame.traces, names_of_all, strict=True):
        changes = len(set(names)) > 1
        values += [_text(trace["name"])] if changes else []
        label = trace["name"].split(" = ")[0] if changes else trace["name"]
        _draw(all_axes[int(trace.get("xaxis", "x")[1:] or 1) - 1], trace, _text(label) or None)
    for axes, panel in zip(all_axes, panels, strict=True):
        _frame(axes, panel)
    return values


def _text(label):
    """Plotly's marks in a text, as Matplotlib writes them."""
    return re.sub(r"<sub>(.*?)</sub>", r"$_{\1}$", label.replace("<br>", "\n"))


def _frame(axes, panel):
    axes.set(xlabel=_text(panel.x), ylabel=_text(panel.y), xlim=panel.xlim, ylim=panel.ylim)
    if panel.ticks:
        axes.set_xticks(range(1, len(panel.ticks) + 1), panel.ticks)
    if panel.square:
        axes.set_aspect("equal", adjustable="box")
    if panel.zlim:
        axes.set(zlabel=_text(panel.z), zlim=panel.zlim)
        axes.set_box_aspect((1, 1, 1), zoom=0.9)
        axes.view_init(elev=18, azim=28)
        axes.tick_params(labelsize=7, pad=-3)
        axes.locator_params(nbins=4)


def _draw(axes, trace, label):
    kinds = {"scatter": _scatter, "scatter3d": _scatter, "bar": _bar, "heatmap": _regions, "mesh3d": _body}
    kinds[trace["type"]](axes, trace, label)


def _scatter(axes, trace, label):
    place = [np.array(trace[axis], float) for axis in "xyz" if axis in trace]
    if trace["mode"] == "lines":
        style = trace["line"]
        width = style["width"] * 0.7
        axes.plot(*place, DASHES[style["dash"]], color=style["color"], linewidth=width, label=label)
        return
    marker, symbol = trace["marker"], trace["marker"].get("symbol", "circle")
    color, edge = marker["color"], marker.get("line", {}).get("color")
    style = {"depthshade": False, "zorder": 5} if "z" in trace else {"edgecolor": edge, "zorder": 3, "clip_on": False}
    style |= {"facecolor": "none", "edgecolor": color} if symbol.endswith("open") else {"facecolor": color}
    axes.scatter(*place, s=(marker["size"] * 0.7) ** 2, marker=MARKERS[symbol], label=label, **style)


def _bar(axes, trace, label):
    color, base = trace["marker"]["color"], trace["base"]
    axes.bar(trace["x"], trace["y"], bottom=base, color=color, width=trace["width"], label=label)


def _regions(axes, trace, label):
    colors = ListedColormap([color for _, color in trace["colorscale"][::2]])
    limits = {"vmin": trace["zmin"], "vmax": trace["zmax"]}
    axes.pcolormesh(trace["x"], trace["y"], trace["z"], cmap=colors, alpha=trace["opacity"], linewidth=0, **limits)


def _body(axes, trace, label):
    draw_faces(axes, np.transpose([trace[axis] for axis in "xyz"]), trace["color"])

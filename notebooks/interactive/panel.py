"""Where traces are drawn: panels below each other, or one view into space, as the layout that plotly reads."""

from typing import NamedTuple

from _style import FAINT, INK

FONT = 13
PANEL_HEIGHT, SQUARE_HEIGHT, SPACE_HEIGHT, GAP = 250, 330, 400, 70  # in pixels
NOTE_HEIGHT, LEGEND_HEIGHT = 44, 48  # two lines of each above the panels: enough at a width of 420 pixels
MENU_HEIGHT, SLIDER_HEIGHT = 44, 140
EYE, CENTER = {"x": 1.7, "y": 1.0, "z": 0.6}, {"x": 0, "y": 0, "z": -0.12}  # all of the box is seen at 420 pixels


class Panel(NamedTuple):
    """Names and limits of two axes; of three if `zlim` is given. `ticks` are the texts at x = 1, 2, ... if given."""

    x: str
    y: str
    xlim: tuple
    ylim: tuple
    ticks: tuple = ()
    z: str = ""
    zlim: tuple = ()
    square: bool = False


def layout(panels, has_menu=False):
    """The axes, margins and fonts of all panels, the first one on top."""
    in_space = bool(panels[0].zlim)
    heights = [SQUARE_HEIGHT if panel.square else PANEL_HEIGHT for panel in panels]
    inner = SPACE_HEIGHT if in_space else sum(heights) + (len(panels) - 1) * GAP
    top = NOTE_HEIGHT + LEGEND_HEIGHT + has_menu * MENU_HEIGHT
    height = inner + top + SLIDER_HEIGHT
    axes = {"scene": _space(panels[0])} if in_space else {}
    for number, panel in enumerate(() if in_space else panels):
        name, start = "" if number == 0 else str(number + 1), inner - sum(heights[:number]) - number * GAP
        domain = [round((start - heights[number]) / inner, 4), round(start / inner, 4)]
        axes[f"xaxis{name}"] = _axis(panel.x, panel.xlim) | {"anchor": f"y{name}"} | _ticks(panel)
        axes[f"yaxis{name}"] = _axis(panel.y, panel.ylim) | {"anchor": f"x{name}", "domain": domain}
        if panel.square:
            axes[f"yaxis{name}"] |= {"scaleanchor": f"x{name}", "constrain": "domain"}
            axes[f"xaxis{name}"] |= {"constrain": "domain"}
    place = {"x": 0, "xanchor": "left", "yref": "container", "yanchor": "top"}
    legend = place | {"orientation": "h", "itemclick": False, "itemdoubleclick": False}
    return axes | {
        "height": height,
        "margin": {"t": top, "b": SLIDER_HEIGHT, "l": 60, "r": 15},
        "font": {"color": INK, "size": FONT},
        "legend": legend | {"y": round(1 - NOTE_HEIGHT / height, 4)},
        "title": place | {"y": 1, "xref": "paper", "pad": {"t": FONT + 2}, "font": {"size": FONT + 1}},
        "barmode": "overlay",
        "dragmode": "orbit" if in_space else False,
        "paper_bgcolor": "white",
        "plot_bgcolor": "white",
    }


def _axis(name, limits):
    style = {"gridcolor": "#eceff1", "linecolor": INK, "showline": True, "ticks": "outside", "tickcolor": INK}
    style |= {"zeroline": False, "fixedrange": True}
    return style | {"title": {"text": name, "standoff": 8}, "range": list(limits)}


def _ticks(panel):
    return {"tickvals": list(range(1, len(panel.ticks) + 1)), "ticktext": list(panel.ticks)} if panel.ticks else {}


def _space(panel):
    scene = {"aspectmode": "cube", "camera": {"eye": EYE, "center": CENTER}}
    for axis, name, limits in zip("xyz", panel[:2] + (panel.z,), (panel.xlim, panel.ylim, panel.zlim), strict=True):
        scene[f"{axis}axis"] = {"title": {"text": name}, "range": list(limits), "gridcolor": FAINT, "color": INK,
                                "backgroundcolor": "#f5f7f8", "showbackground": True, "nticks": 4}  # fmt: skip
    return scene

"""A figure with a slider, for Jupyter and for the web: it needs no kernel once it is computed.

The output holds three forms of the same numbers: plotly's JSON, a PNG picture of some positions for readers without
scripts, and a sentence that says what is seen.
"""

from base64 import b64encode
from typing import NamedTuple

from . import panel, still

PLOTLY = "application/vnd.plotly.v1+json"


class Frame(NamedTuple):
    """One position of the slider: its label, all traces, and a note that is written above the panels.

    Every frame of a figure has the same traces in the same order.
    """

    label: str
    traces: list
    note: str = ""


class SliderFigure:
    """Frames, one at a time, in panels below each other; `slider` names what the slider changes.

    The figure opens at the frame `start`. `alt` says what is seen, and is the text of the output. `choices` are the
    entries of a menu, see `traces.choice`. `stills` are the frames of the still picture, or, with a menu, pairs of a
    frame and a choice.
    """

    def __init__(self, panels, frames, *, slider, alt, stills, start=0, choices=()):
        self.panels, self.frames, self.slider, self.alt = tuple(panels), list(frames), slider, " ".join(alt.split())
        self.start, self.stills, self.choices = start, stills, tuple(choices)

    def __repr__(self):
        return self.alt

    def _repr_mimebundle_(self, include=None, exclude=None):
        image = still.png(self.panels, [self._still(which) for which in self.stills], self.slider)
        return {PLOTLY: self.spec(), "image/png": b64encode(image).decode(), "text/plain": self.alt}

    def spec(self):
        """The figure as plotly's JSON. A frame holds only what changes from frame to frame."""
        first = self.frames[self.start]
        moving = self._moving()
        frames = [
            {
                "name": frame.label,
                "data": [{key: frame.traces[i][key] for key in ("type", *keys)} for i, keys in moving.items()],
                "traces": list(moving),
                "layout": {"title": {"text": frame.note}},
            }
            for frame in self.frames
        ]
        layout = panel.layout(self.panels, bool(self.choices)) | {"sliders": [self._slider()]}
        layout["title"] = layout["title"] | {"text": first.note}
        if self.choices:
            layout["updatemenus"] = [self._menu()]
        config = {"displayModeBar": False, "responsive": True}
        return {"data": first.traces, "layout": layout, "frames": frames, "config": config}

    def _still(self, which):
        """A frame as it is seen with one choice of the menu, whose name is written behind the label."""
        if not self.choices:
            return self.frames[which]
        frame, choice = self.frames[which[0]], which[1]
        seen = [trace for trace in frame.traces if trace.get("meta", choice) == choice]
        return Frame(f"{frame.label}, {self.choices[choice]}", seen, frame.note)

    def _moving(self):
        """The numbers of the traces that are not the same in all frames, and the entries in which they differ."""
        first = self.frames[self.start].traces
        different = {
            i: [key for key in trace if any(frame.traces[i][key] != trace[key] for frame in self.frames)]
            for i, trace in enumerate(first)
        }
        return {i: keys for i, keys in different.items() if keys}

    def _slider(self):
        at_once = {"mode": "immediate", "frame": {"duration": 0, "redraw": True}, "transition": {"duration": 0}}
        steps = [{"label": f.label, "method": "animate", "args": [[f.label], at_once]} for f in self.frames]
        shown = {"prefix": f"{self.slider} = ", "xanchor": "left", "font": {"size": panel.FONT + 2}}
        return {"active": self.start, "steps": steps, "currentvalue": shown, "pad": {"t": 55}, "x": 0, "len": 1}

    def _menu(self):
        """A menu that shows the traces of one choice, and those of no choice."""
        traces = self.frames[0].traces
        buttons = [
            {"label": name, "method": "restyle", "args": [{"visible": [t.get("meta", i) == i for t in traces]}]}
            for i, name in enumerate(self.choices)
        ]
        place = {"x": 1, "xanchor": "right", "y": 1, "yanchor": "bottom", "pad": {"b": 8}}
        return {"type": "dropdown", "buttons": buttons, "active": 0, "showactive": True} | place

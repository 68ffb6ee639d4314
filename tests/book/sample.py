"""A notebook with a figure that has a slider and a menu: Plotly's JSON, and the picture that stands in for it."""

import base64
import io

import matplotlib
import nbformat
from matplotlib.figure import Figure

from book.notebooks import PLOTLY, for_the_web

matplotlib.use("agg")
VALUES = (1, 2, 3)
MODES = ("lines", "markers")
AXES = 55  # pixels below the panel that belong to its axis; the slider begins there
ALT = "A line from 0 to the value that the slider sets: 1, 2 or 3."


def interactive():
    """Plotly's figure as a dict: a line, a frame and a slider's step for each of its end points, and a menu."""
    steps = [
        {"label": str(v), "method": "animate", "args": [[str(v)], {"mode": "immediate", "frame": {"duration": 0}}]}
        for v in VALUES
    ]
    frames = [
        {
            "name": str(v),
            "data": [{"type": "scatter", "x": [0, 1], "y": [0, v]}],
            "layout": {"title": {"text": f"a line<br>up to {v}"}},
        }
        for v in VALUES
    ]
    slider = {"steps": steps, "currentvalue": {"prefix": "value = "}, "pad": {"t": AXES}}
    buttons = [{"label": mode, "method": "restyle", "args": [{"mode": mode}]} for mode in MODES]
    layout = {"height": 500, "margin": {"t": 100, "b": 150}, "sliders": [slider], "updatemenus": [{"buttons": buttons}]}
    return {"data": frames[0]["data"], "layout": layout, "frames": frames}


def picture():
    """The static figure, as a PNG in base64."""
    figure, file = Figure(figsize=(4, 3)), io.BytesIO()
    figure.subplots().plot([0, 1], [0, VALUES[0]])
    figure.savefig(file, format="png", metadata={"Software": None})
    return base64.b64encode(file.getvalue()).decode()


def cells():
    """The notebook as it is stored, before the book's step."""
    data = {PLOTLY: interactive(), "image/png": picture(), "text/plain": ALT}
    output = nbformat.v4.new_output("display_data", data)
    cell = nbformat.v4.new_code_cell("show()", outputs=[output], metadata={"alt": ALT}, execution_count=1)
    language = {"language_info": {"name": "python", "pygments_lexer": "ipython3"}}
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# A sample"), cell], metadata=language)


def notebook():
    """The notebook as the book shows it."""
    return nbformat.from_dict(for_the_web(cells(), lambda text: text))

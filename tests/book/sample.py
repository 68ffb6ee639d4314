"""A notebook with a figure that has a slider: Plotly's JSON, and the picture that stands in for it."""

import base64
import io

import matplotlib
import nbformat
from matplotlib.figure import Figure

from book.notebooks import PLOTLY, for_the_web

matplotlib.use("agg")
VALUES = (1, 2, 3)
ALT = "A line from 0 to the value that the slider sets: 1, 2 or 3."


def interactive():
    """Plotly's figure as a dict: a line, and a frame and a slider's step for each of its end points."""
    steps = [
        {"label": str(v), "method": "animate", "args": [[str(v)], {"mode": "immediate", "frame": {"duration": 0}}]}
        for v in VALUES
    ]
    frames = [{"name": str(v), "data": [{"type": "scatter", "x": [0, 1], "y": [0, v]}]} for v in VALUES]
    return {"data": frames[0]["data"], "layout": {"sliders": [{"steps": steps}]}, "frames": frames}


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

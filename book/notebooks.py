"""A notebook for the web: links that work, alt texts on its figures, and figures that can be moved.

A cell's metadata `alt` describes the figure that the cell draws. An interactive figure is an output with Plotly's JSON
and a picture. The book shows the picture; where JavaScript runs, `static/figures.js` replaces it by the figure.
"""

import json

PLOTLY = "application/vnd.plotly.v1+json"
DATA = '<script type="application/json" class="plotly-data">{}</script>'


def for_the_web(notebook, link):
    """Returns `notebook` (a dict) as the book shows it; `link` maps Markdown text to text with the book's links."""
    return notebook | {"cells": [_cell(cell, link) for cell in notebook["cells"]]}


def _cell(cell, link):
    if cell["cell_type"] == "markdown":
        return cell | {"source": link("".join(cell["source"]))}
    if cell["cell_type"] != "code":
        return cell
    metadata = dict(cell["metadata"])
    if "alt" in metadata:
        metadata["mystnb"] = metadata.get("mystnb", {}) | {"image": {"alt": metadata["alt"].replace("\n", " ")}}
    outputs = [shown for output in _merged(cell["outputs"]) for shown in _shown(output)]
    return cell | {"metadata": metadata, "outputs": outputs}


def _merged(outputs):
    """Returns the outputs with what a cell printed in one piece; a notebook may store half a line in each."""
    merged = []
    for output in outputs:
        last = merged[-1] if merged else {}
        if output["output_type"] == "stream" and output["name"] == last.get("name"):
            merged[-1] = last | {"text": "".join(last["text"]) + "".join(output["text"])}
        else:
            merged.append(output)
    return merged


def _shown(output):
    """Yields an output as it is, or an interactive figure as two: its picture, and its data for the script."""
    data = dict(output.get("data", {}))
    figure = data.pop(PLOTLY, None)
    if figure is None:
        yield output
        return
    if "image/png" not in data:
        raise ValueError("an interactive figure has no image/png, which stands in where JavaScript is off")
    data.pop("text/html", None)
    yield output | {"data": data}
    html = DATA.format(json.dumps(figure, separators=(",", ":")).replace("</", r"<\/"))
    yield {"output_type": "display_data", "metadata": {}, "data": {"text/html": html}}

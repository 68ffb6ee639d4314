"""Sends the judge messages of its own: outputs that are none, and text that no file can hold."""

import reference

WORD = "cell simplex: left out, malformed answer"
type(reference).channel.send({"outputs": [{"output_type": "error", "traceback": 3, "evalue": "\ud800"}], "raised": 5})


def simplex(a, radius):
    raise ValueError("\ud800")

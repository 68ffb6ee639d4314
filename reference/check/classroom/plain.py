"""Text, numbers and pictures made of what students send: nothing in them is a command for a terminal or a browser."""

import re

MOST_NOTES = 30
BASE64 = re.compile(r"[A-Za-z0-9+/=\s]*")
UNSEEN = re.compile(r"[^\x20-\x7e\xa0-\u02ff\u0370-\u1fff\u2010-\u2027\u2030-\u205e\u2070-\ud7ff]")


def one_line(text, most=300):
    """Returns text from a student's process as a part of one line, without what a terminal could take for a command."""
    return UNSEEN.sub(lambda found: f"\\x{ord(found[0]):02x}" if found[0] != "\n" else " / ", str(text))[:most]


def few(notes):
    """Returns not too many of the notes."""
    return notes if len(notes) <= MOST_NOTES else [*notes[:MOST_NOTES], f"and {len(notes) - MOST_NOTES} more notes"]


def stream(text):
    """Returns the output of a cell that printed this text."""
    return {"output_type": "stream", "name": "stdout", "text": text}


def output(sent):
    """An output of a student's cell, made of nothing but text and pictures, whatever the process sent."""
    kind = sent.get("output_type") if isinstance(sent, dict) else None
    if kind == "error":
        frames = [str(frame) for frame in sent.get("traceback", ())]
        return {"output_type": "error", "ename": str(sent.get("ename")), "evalue": str(sent.get("evalue")),
                "traceback": frames}  # fmt: skip
    data = sent.get("data") if kind == "display_data" else None
    if isinstance(data, dict):
        data = {str(key): str(text) for key, text in data.items() if key in ("text/plain", "image/png")}
        if not BASE64.fullmatch(data.get("image/png", "")):
            del data["image/png"]
        return {"output_type": "display_data", "data": data, "metadata": {}} if data else stream("")
    return stream(str(sent.get("text", "")) if kind == "stream" else "")

"""The papers that docstrings name by number, and what the web shows instead."""


def setup(app):
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""Test vectors: instances and right answers as files of JSON lines, for an implementation in any language.

`python -m reference.check --export FOLDER` writes them, `--verify FOLDER` judges the answers that another program wrote
beside them, and `--command "PROGRAM"` asks a running program. `encoding` turns values into JSON and back, `schema`
describes the lines, `export` and `verify` write and read the files, and `program` runs the program.
"""

from .export import export
from .program import Program
from .verify import verify

__all__ = ["Program", "export", "verify"]

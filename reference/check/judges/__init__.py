"""The judges: they compare an answer with the ground truth and compute its certificate. A file for each family."""

from . import (
    prototypes,
    wsabie,
)

__all__ = [
    "prototypes",
    "wsabie",
]

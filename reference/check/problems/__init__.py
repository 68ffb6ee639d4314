"""The catalogue of instances: a file for each family. `_base` defines what an instance is."""

from . import (
    prototypes,
    wsabie,
)

__all__ = [
    "prototypes",
    "wsabie",
]

"""Simpler and tiny instances, from which the smallest failing one is found. A file for each family."""

from . import (
    wsabie,
)

__all__ = [
    "wsabie",
]

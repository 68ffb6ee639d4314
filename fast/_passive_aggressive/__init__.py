"""Kernels of the passive-aggressive family: `squish` projects a column, `updates` makes a pass of exact updates."""

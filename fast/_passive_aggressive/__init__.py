"""Kernels of the passive-aggressive family: `updates` makes a pass of exact updates, each a projection."""

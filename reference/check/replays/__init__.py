"""Replays of algorithms whose answer is no optimum: the same steps, computed in another way than by the twins.

A replay has an evaluation of its own for each step, and says where rounding decides. It uses NumPy and the parts of the
ground truth that need no solver. Judges and `certify` compare answers with it.
"""

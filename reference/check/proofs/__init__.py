"""What proofs of all families share: bounds of an objective and of its minimum, and the rounding in them."""

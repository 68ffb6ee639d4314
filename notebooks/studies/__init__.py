"""The studies whose stored numbers the notebooks read: `make study` runs one of them."""

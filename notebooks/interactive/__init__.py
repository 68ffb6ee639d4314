"""The interactive figures of the notebooks: one module a figure, each with a function `figure` that computes it.

`traces` is what is drawn, `panel` where, `still` draws it with Matplotlib, and `slider` puts it together.
"""

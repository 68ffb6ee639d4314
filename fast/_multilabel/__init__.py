"""The kernels of `fast.multilabel`.

`rows` has the losses of an example and their gradients, `dual_step` its best row of duals, and `ascent` the passes over
all examples with their certificate. For the hinge, `rounds` makes passes over the duals that may move. `lists` finds
them, `listed_steps` moves them, and `conjugate` accelerates the passes. `newton` takes over where passes are slow.
"""

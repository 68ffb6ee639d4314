"""The kernels of `fast.multilabel`.

`rows` has the losses of an example and their gradients, `dual_step` its best row of duals, and `ascent` the passes over
all examples with their certificate. `newton` takes over from the passes where they converge slowly.
"""

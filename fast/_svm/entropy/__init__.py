"""The kernels of the top-k entropy (`entropy_losses`, `entropy_fits`).

shares    the losses of one example, and the shares of its rivals: the gradient
step      the dual step of one example, by one threshold
passes    the steps of all examples, one by one or in blocks
models    features or inner products, with dense duals: none of them is ever 0
newton_cg Newton's method by conjugate gradients, where passes are slow
ascent    epochs of passes, each with a certificate
truncated the truncated top-k entropy by a gradient method
"""

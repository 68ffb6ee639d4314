"""The kernels of the top-k entropy (`entropy_losses`, `entropy_fits`).

exponential exponentials of several classes at a time
shares    the losses of one example, and the shares of its rivals: the gradient
step      the dual step of one example, by one threshold
passes    the steps of all examples, one by one or in blocks
models    features or inner products, with dense duals: none of them is ever 0
start     a step along the gradient, which is enough if the regularization is strong
newton_cg Newton's method by conjugate gradients, where passes are slow
ascent    epochs of passes, each with a certificate
truncated the truncated top-k entropy by a gradient method
"""

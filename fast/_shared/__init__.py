"""What the kernels of several families share.

`jit` decides how Numba compiles, `cache` keeps what was compiled, `bits` reads floats as integers, and `order` holds
the sorts, a heap and a shuffle. `examples` is the one way in which kernels read examples, dense or CSR. `planes` is the
cutting-plane method, and `recorder` keeps the best weights and the history of a certified fit.
"""

"""The Wright omega function: omega + log omega = z. The dual steps of entropies are its values.

Two forms keep all digits. For z < SMALL, omega = W(x), where x = exp(z) and W is Lambert's function: W(x)/x is near 1,
and a rational function approximates it to 6e-17. For larger z, an approximation to 3e-4 or better is improved by one
step of Fritsch, Shafer and Crowley's iteration, which multiplies the number of right digits by four. Nothing overflows,
because the exponential of a large z is not taken. The coefficients interpolate at Chebyshev nodes.

Source: F. N. Fritsch, R. E. Shafer, W. P. Crowley, "Algorithm 443: Solution of the transcendental equation
w exp(w) = x", Communications of the ACM 16, 1973.
"""

import numpy as np

from .jit import borrowing_inlined, borrowing_kernel

SMALL, MIDDLE = -2.0, 6.0  # W is evaluated below the first, and the asymptotic series above the second


@borrowing_kernel
def omega(z):
    """Returns omega(z) for any finite z, with a relative error of at most four roundings (or of the least number)."""
    if z < SMALL:
        return lambert_of_small(np.exp(z))
    return omega_of_large(z)


@borrowing_inlined
def lambert_of_small(x):
    """Returns W(x), that is omega(log x), for 0 <= x <= exp(SMALL)."""
    above, below = lambert_ratio(x)
    return above / below


@borrowing_inlined
def lambert_ratio(x):
    """Returns two positive numbers whose ratio is W(x)."""
    above = 3.5889082747803905685 + x * (0.22466336873041163899 - x * 0.014752023295797458932)
    above = x * (7.4285271502968513728 + x * above)
    below = x * (11.818428377104470863 + x * (9.239151476351955027 + x * 2.2342423217278765646))
    return x * (1.0 + x * (4.889901226787314801 + above)), 1.0 + x * (5.8899012267872332187 + below)


@borrowing_inlined
def middle_ratio(z):
    """Returns two positive numbers whose ratio is omega(z) to 3e-4, for SMALL <= z <= MIDDLE."""
    above = 0.524858374155 + z * (0.214956978095 + z * (0.0458927484709 + z * 0.00428645842212))
    below = 0.287327940592 + z * (0.0656703000501 + z * (0.00410733640691 + z * 9.26144287727e-6))
    return 0.567127876061 + z * above, 1.0 + z * below


@borrowing_kernel
def omega_of_large(z):
    """Returns omega(z) for z >= SMALL."""
    if z < MIDDLE:
        above, below = middle_ratio(z)
        w = above / below
    else:
        log = np.log(z)
        second, third = log * (log - 2) / 2, log * (2 * log * log - 9 * log + 6) / 6
        w = z - log + (log + (second + third / z) / z) / z
    step = ((z - w) - np.log(w)) / (1 + w)
    ratio, long = step / (1 + w), 2 + step * (4 / 3)
    return w + w * step * (long - ratio) / (long - 2 * ratio)

"""The dual step of the top-k entropy for one example (`reference._svm.entropy_step` derives it).

    max_u  <h, u> - sum_j u_j log u_j - (1-sigma) log(1-sigma) - alpha/2 (|u|^2 + sigma^2)
    subject to  0 <= u_j <= sigma/k,  sigma = sum u <= 1.

Let z be h in descending order, g the number of rivals at the cap, share = 1 - g/k, and q = 1 + g/k^2. For a threshold t
    alpha u_j = omega(h_j - t + log alpha)          for the rest, which have `share` of sigma;
    alpha q w = omega(alpha q - share t - 1/k sum of the g largest z + g/k log(sigma/k) + log(alpha q)),  w = 1-sigma.
The second line puts sigma = 1-w into the equation of the reference. It changes nothing at the root of sigma + w = 1,
and makes the sum less curved. For g = 0 the label is then one more class, and k does not matter.

The root is found by Halley's method, which needs no more functions than Newton's: the derivatives of omega are
omega/(1+omega) and omega/(1+omega)^3. It starts from the threshold of the last visit of the example. The exponentials
of all rivals are taken once. When t changes, the arguments of Lambert's W change by a common factor, and W of a small
argument is a rational function. The last change of t, which is short, is made in the shares by Taylor's series.
"""

import numpy as np

from ..._shared.jit import borrowing_inlined, borrowing_kernel, inlined_sum
from ..._shared.omega import MIDDLE, SMALL, lambert_ratio, middle_ratio, omega
from .exponential import exponentials
from .shares import capped_softmax, largest_in_order, soft_plus

LEAST_ALPHA = 1e-18  # below it, alpha changes the shares by less than a rounding
UNDERFLOW = -745.0  # exp is 0 below it. The sum of the shares is at most that of exp(h)
SMALL_ARGUMENT, MIDDLE_ARGUMENT = np.exp(SMALL), np.exp(MIDDLE)  # of Lambert's W
MOST_ROOT_STEPS = 100  # far more than Halley's method needs: bisection alone takes about 60
LEAST_SUM = 1e-290  # of omega: a smaller one, of many that underflow, tells that t is far too large
# Last changes of t, whose errors are of the order of 1e-17 and of 1e-4. If they may be rough, so may omega.
SHORT_STEP, ROUGH_STEP = 2e-6, 0.1
T_ROUNDING = 4 * float(np.finfo(np.float64).eps)
FAR_FROM_START = 20.0  # when t has changed by so much, the exponentials are taken anew, to keep their digits
AT_CAP = 1 + 1e-13  # a share above the cap by a few roundings is at the cap


@borrowing_kernel
def best_shares(h, n, alpha, k, t, g, short, top, powers, u):
    """Write the shares of the n rivals to `u`. Returns (t, g), from which the next search for this example may start.

    `t` is NaN if there is no earlier threshold. A last change of t by `short`, SHORT_STEP or ROUGH_STEP, leaves an
    error of the order of its third power. `top` and `powers` are memory for n numbers each.
    """
    size = largest_in_order(h, n, k, top)
    if alpha < LEAST_ALPHA or top[0] < UNDERFLOW:
        capped_softmax(h, n, k, top, u)
        return np.nan, 0
    if g >= k or (g > 0 and top[g] == top[g - 1]):
        g = 0
    may_decrease = g > 0
    while True:
        t, sigma = _threshold(h, n, alpha, k, t, g, short, top, powers, u)
        cap = sigma / k
        if may_decrease and top[g - 1] - t < alpha * cap + np.log(cap):
            g = 0  # the smallest of the g largest would be below the cap, so that g is too large
            may_decrease = False
            continue
        may_decrease = False
        above = next_level(top, size, g)
        if above >= k or omega(top[g] - t + np.log(alpha)) <= AT_CAP * alpha * cap:
            break
        g = above
    for j in range(n):
        u[j] = cap if h[j] > top[g] and g > 0 else min(u[j], cap)
    if sigma > 1:  # by the error of a rough last change: the shares must stay in the domain
        for j in range(n):
            u[j] /= sigma
    return t, g


@borrowing_inlined
def next_level(z, size, g):
    """Returns the first place after g with a smaller entry than z[g], in descending order."""
    g += 1
    while g < size and z[g] == z[g - 1]:
        g += 1
    return g


@borrowing_kernel
def _threshold(h, n, alpha, k, t, g, short, top, powers, u):
    """Write the shares of the rest to `u`, for a given g. Returns (t, sigma)."""
    share, curvature, cut, constant = 1 - g / k, alpha * (1 + g / k**2), top[g], -g / k * np.log(k)
    for c in range(g):
        constant -= top[c] / k
    scale, start, low, high, step = 1 / (alpha * share), np.inf, -np.inf, np.inf, 0.0
    log_alpha = np.log(alpha)
    for _ in range(MOST_ROOT_STEPS):
        if not abs(t - start) <= FAR_FROM_START:
            start = cut if np.isnan(t) else t
            total = exponentials(h, n, cut, log_alpha - start, powers)
            if g > 0:
                total = _clear_above(cut, h, n, powers)
            if np.isnan(t):
                t = _threshold_without_curvature(cut + np.log(total) - log_alpha, share, constant)
        total, first, second = _sums(h, n, powers, np.exp(start - t), log_alpha - t, short > SHORT_STEP, u)
        if not LEAST_SUM < total < np.inf:
            t = np.nan
            continue
        sigma, slope, bend = scale * total, -scale * first, scale * second
        w, own, own_slope, own_bend = _label(constant - share * t, share, curvature, g / k, sigma, slope, bend)
        excess, slope, bend = sigma - own, slope - own_slope, bend - own_bend
        low, high = (t, high) if excess > 0 else (low, t)
        if excess > -0.5:
            step = -excess / slope
            step /= max(1 + step * bend / (2 * slope), 0.5)
        else:  # to the right of the root, the logarithm of sigma + w is nearer to a line
            step = -(sigma + w) / slope * np.log(sigma + w)
        if abs(step) <= short + T_ROUNDING * (abs(t) + abs(cut)):
            break
        t = t + step if low < t + step < high else (low + high) / 2
    return t + step, _last_change(h, n, cut, step, 1 / alpha, u) / share


@borrowing_inlined
def _clear_above(cut, h, n, powers):
    """Write 0 to `powers` for the rivals at the cap. Returns the sum of the others."""
    total = 0.0
    for j in range(n):
        if h[j] > cut:
            powers[j] = 0.0
        total += powers[j]
    return total


@inlined_sum
def _sums(h, n, powers, factor, shift, is_rough, u):
    """Write omega of h + shift to `u` for the rest. Returns the sums of omega and of its two derivatives.

    powers * factor is the exponential of h + shift, 0 for the rivals at the cap. A loop without branches is vectorised.
    With omega = a/b, one division gives omega = a (a + b) / c and 1/(1+omega) = b^2 / c. Where the ratio is not exact
    enough, omega is computed afterwards.
    """
    total, first, second, large = 0.0, 0.0, 0.0, 0.0
    limit = MIDDLE_ARGUMENT if is_rough else SMALL_ARGUMENT
    for j in range(n):
        x = powers[j] * factor
        is_exact = 1.0 if x <= limit else 0.0
        above, below = lambert_ratio(min(x, SMALL_ARGUMENT))
        above_of_middle, below_of_middle = middle_ratio(min(max(h[j] + shift, SMALL), MIDDLE))
        above = above if x <= SMALL_ARGUMENT else above_of_middle
        below = below if x <= SMALL_ARGUMENT else below_of_middle
        above *= is_exact
        both = below + above
        common = 1 / (below * both)
        w, inverse = above * both * common, below * below * common
        u[j] = w
        bent = w * inverse
        total += w
        first += bent
        second += bent * inverse * inverse
        large += 1.0 - is_exact
    if large > 0:
        for j in range(n):
            if not powers[j] * factor <= limit:
                w = omega(h[j] + shift)
                inverse = 1 / (1 + w)
                u[j] = w
                total += w
                first += w * inverse
                second += w * inverse * inverse * inverse
    return total, first, second


@inlined_sum
def _last_change(h, n, cut, step, scale, u):
    """Replace omega at t by the shares of the rest at t + step, by Taylor's series. Returns their sum."""
    sigma = 0.0
    for j in range(n):
        inverse = 1 / (1 + u[j])
        u[j] *= (1 - step * inverse * (1 - step / 2 * inverse * inverse)) * scale
        sigma += u[j] if h[j] <= cut else 0.0
    return sigma


@borrowing_inlined
def _label(level, share, curvature, at_cap, sigma, slope, bend):
    """Returns w, and 1-w with its two derivatives in t. `at_cap` is g/k.

    log w + curvature w = curvature + level. If w is near 1, then 1-w is found from this equation, to keep its digits.
    """
    level_slope, level_bend = -share, 0.0
    if at_cap > 0:
        relative = slope / sigma
        level += at_cap * np.log(sigma)
        level_slope += at_cap * relative
        level_bend = at_cap * (bend / sigma - relative * relative)
    value = omega(curvature + level + np.log(curvature))
    inverse = 1 / (1 + value)
    w, first = value / curvature, value * inverse / curvature
    rest = 1 - w
    if w > 0.5:
        rest += (np.log1p(-rest) - curvature * rest - level) / (1 / w + curvature)
    return w, rest, -first * level_slope, -first * (inverse * inverse * level_slope * level_slope + level_bend)


@borrowing_inlined
def _threshold_without_curvature(log_sum, share, constant):
    """Returns t for alpha = 0, where the shares of the rest are exp(h - t), from the logarithm of the sum of exp(h)."""
    value = share * (log_sum - np.log(share)) - constant
    return log_sum - np.log(share) - (value - soft_plus(value))

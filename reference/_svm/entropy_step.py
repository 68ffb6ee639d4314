"""The dual step of the top-k entropy for one example: a small concave problem with one unknown threshold.

The problem is, with h_j = s_j - s_y from the scores without the example's own part, and alpha = r |x|^2,
    max_u  <h, u> - sum_j u_j log u_j - (1-sigma) log(1-sigma) - alpha/2 (|u|^2 + sigma^2)
    subject to  0 <= u_j <= sigma/k,  sigma = sum u <= 1.

Let z be h in descending order. The g largest are at the cap: u = sigma/k. Call the others the rest. The slope of the
Lagrangian in one of the rest is h_j - log u_j - alpha u_j - t, where t is the same for all of them. It is 0 at
    u_j = omega(h_j - t + log alpha) / alpha,
as omega + log omega is the argument of omega. The rest have the share 1 - g/k of sigma. The cap couples all entries:
its multipliers are what the slopes of the g largest leave, and they add up to
    t + log(1-sigma) - alpha sigma = 1/k sum_{g largest} (log(sigma/k) + alpha sigma/k + t - z_j).

This is an equation for w = 1-sigma, given t. To compute w as 1-sigma would lose its digits where sigma is near 1. So w
is computed from the equation, and t is found from sigma(t) + w(t) = 1. Both terms decrease in t.
"""

import numpy as np

EPS = np.finfo(np.float64).eps
MOST_STEPS = 200  # far more than Newton's method needs: bisection alone takes about 60


def best_shares(h, alpha, k):
    """Returns the maximiser u (m-1,). alpha > 0."""
    order = np.argsort(-h, kind="stable")
    z, u = h[order], np.empty(len(h))
    for g in range(k):
        t = _root(lambda t, g=g: _sum_of_shares(t, z, g, alpha, k)[:2], z[g])
        _, _, log_rest, log_sigma = _sum_of_shares(t, z, g, alpha, k)
        if log_rest[0] <= log_sigma - np.log(k):
            break
    u[order[:g]] = np.exp(log_sigma) / k
    u[order[g:]] = np.exp(log_rest)
    return u


def _sum_of_shares(t, z, g, alpha, k):
    """Returns log(sigma + w) for a threshold t, its slope in t, the logs of the rest, and log sigma.

    Logarithms neither overflow nor underflow: log omega(x) = x - omega(x).
    """
    from scipy.special import wrightomega  # takes long to import, and only the entropy needs it

    share, x = 1 - g / k, z[g:] - t + np.log(alpha)
    omegas = wrightomega(x)
    log_rest = x - omegas - np.log(alpha)
    log_sigma = np.logaddexp.reduce(log_rest) - np.log(share)
    slope = -np.exp(log_rest - np.log(share) - log_sigma) @ (1 / (1 + omegas))  # of log sigma
    sigma, square = np.exp(log_sigma), alpha * (1 + g / k**2)
    log_w = -share * t + square * sigma - z[:g].sum() / k + g / k * (log_sigma - np.log(k))
    slope_w = -share + (square * sigma + g / k) * slope
    log_sum = np.logaddexp(log_sigma, log_w)
    total_slope = np.exp(log_sigma - log_sum) * slope + np.exp(log_w - log_sum) * slope_w
    return log_sum, total_slope, log_rest, log_sigma


def _root(function, t):
    """Returns the root of a decreasing function, which returns (value, slope): by Newton's method in a bracket."""
    low, high, step = -np.inf, np.inf, 1.0
    for _ in range(MOST_STEPS):
        value, slope = function(t)
        low, high = (t, high) if value > 0 else (low, t)
        newton = t - value / slope
        if not low < newton < high:
            newton = (low + high) / 2
        if not np.isfinite(newton):  # one side has no bound yet
            newton, step = (t + step if value > 0 else t - step), 2 * step
        if abs(newton - t) <= EPS * abs(t) or newton == t:
            break
        t = newton
    return newton

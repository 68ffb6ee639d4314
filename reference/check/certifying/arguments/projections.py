"""The arguments of projections and squished columns."""

from .... import contract


def project_simplex(a, radius, n_jobs):
    """Check the points, the radius and the number of threads. Returns points and radius."""
    checked = {"a": contract.points(a), "radius": contract.nonnegative(radius, "radius")}
    contract.thread_count(n_jobs)
    return checked


def project_knapsack(a, total, lower, upper, weights, n_jobs):
    """Check the points, the set, which must not be empty, and the number of threads. Returns points and set."""
    a = contract.points(a)
    total, lower, upper, weights = contract.knapsack(total, lower, upper, weights, a.shape[-1], a.dtype)
    contract.thread_count(n_jobs)
    return {"a": a, "total": total, "lower": lower, "upper": upper, "weights": weights}


def project_capped_simplex(a, cap, radius, bias, n_jobs):
    """Check the cap and what `_biased` checks. Returns cap, points, radius and bias."""
    return {"cap": contract.nonnegative(cap, "cap"), **_biased(a, radius, bias, n_jobs)}


def project_topk_cone(a, k, bias, n_jobs):
    """Check the points, the bias, the number of threads and k in 1..d. Returns points, bias and k."""
    checked = _biased(a, 1.0, bias, n_jobs)
    del checked["radius"]
    return {**checked, "k": contract.count(k, "k", checked["a"].shape[-1])}


def project_topk_simplex(a, k, radius, bias, n_jobs):
    """Check what `_biased` checks and k in 1..d. Returns points, radius, bias and k."""
    checked = _biased(a, radius, bias, n_jobs)
    return {**checked, "k": contract.count(k, "k", checked["a"].shape[-1])}


def project_bipartite_simplex(b, c, radius, n_jobs):
    """Check the points, the radius and the number of threads. Returns both points and the radius."""
    b, c = contract.two_points(b, c)
    b, c, radius = contract.finite_array(b, "b"), contract.finite_array(c, "c"), contract.nonnegative(radius, "radius")
    contract.thread_count(n_jobs)
    return {"b": b, "c": c, "radius": radius}


def squish_column(z, lower, upper):
    """Check the columns and the interval of their entries. Returns columns and both bounds."""
    z = contract.points(z, "z")
    lower, upper = contract.interval(lower, upper, z.dtype)
    return {"z": z, "lower": lower, "upper": upper}


def _biased(a, radius, bias, n_jobs):
    """Check the points, the radius, the bias and the number of threads. Returns points, radius and bias."""
    checked = {"a": contract.points(a), "radius": contract.nonnegative(radius, "radius")}
    checked["bias"] = contract.nonnegative(bias, "bias")
    contract.thread_count(n_jobs)
    return checked

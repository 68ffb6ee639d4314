"""A right bound in a function that prints its progress."""

LOSES = {"bound_of_planes": 2}
FEEDBACK = "its answers are right in all random cases; but it prints"
SAYS = []


def lower_bound(offsets, slopes, shares, regularization):
    slope = shares @ slopes
    bound = offsets @ shares - slope @ slope / (2 * regularization)
    print(len(shares), "planes, bound", bound)
    return -slope / regularization, bound

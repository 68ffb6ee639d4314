"""Takes the estimate 0 at its word: found at the last draw, the step weighs nothing."""

LOSES = {"step_weight": 4}
FEEDBACK = "an estimate of 0 gives you a weight of 0"


def weight_of(m, trials):
    return sum(1 / i for i in range(1, (m - 1) // trials + 1))

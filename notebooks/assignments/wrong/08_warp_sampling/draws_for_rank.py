"""Takes the number of draws for the rank: the longer the search, the worse the class, it seems."""

LOSES = {"step_weight": 4}
FEEDBACK = "you take the number of draws for the rank"


def weight_of(m, trials):
    return sum(1 / i for i in range(1, trials + 1))

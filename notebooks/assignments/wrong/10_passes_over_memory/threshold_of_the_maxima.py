"""Takes the threshold of the maxima for that of all numbers, and reads nothing."""

LOSES = {"threshold_of_blocks": 5}
FEEDBACK = "you return the threshold of the maxima alone"


def find_threshold(maxima, read, radius):
    return threshold_of(maxima, radius)

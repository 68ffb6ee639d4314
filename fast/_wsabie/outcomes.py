"""What the kernels of this folder report, and every number that stands for "none" or for a failure."""

from typing import NamedTuple

from reference.problems.checks import NONE

NO_CLASS = NONE  # the violator where there is none, as `WsabieFit.last_violators` holds it

NOT_KEPT = -1  # the place of a prototype in a RowLog that does not hold it

# The status of a Draw.
VIOLATED = 0  # a drawn class violates the margin: the two prototypes and W move
NOT_VIOLATED = 1  # no drawn class violates it: the label forgets its last violator
SKIPPED = 2  # a class of the chain of last violators violates it: nothing is drawn and nothing moves
UNUSABLE = 3  # the example has no label, or all: it is passed over
OUT_OF_NUMBERS = 4  # too few random numbers are left: the step is not made and changes nothing
OUT_OF_RANGE = 5  # a difference of scores is not finite

# What `first_violator` returns where it finds no violator; the index of a violator is 1 or more.
NO_VIOLATOR, NOT_FINITE = 0, -1


class Draw(NamedTuple):
    """What was drawn for one step: an example, one of its labels, and classes until one violates the margin."""

    status: int
    positive: int  # the label that was drawn
    violator: int  # NO_CLASS unless the status is VIOLATED
    trials: int  # how many classes were drawn
    used: int  # how many numbers of the walk are used after this step
    size: int  # how many entries of the example are not 0
    squared: float  # its squared norm; both are 0 if the example is dense and there is no embedding


class Walked(NamedTuple):
    """What a call of a walk has done."""

    steps: int
    moves: int  # how many of these steps moved a prototype
    used: int  # how many numbers they used
    finite: bool  # False if the next step met a difference of scores that is not finite

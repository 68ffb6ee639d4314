"""The walks of the study `wsabie_regime`: those of `fast.fit_wsabie`, and controls that it does not offer.

The compiled parts of a step are those of `fast`. Only the loop around them is written here, and one way to draw.
"""

from typing import NamedTuple

import numpy as np

from fast._shared.jit import borrowing_kernel
from fast._wsabie.embedding import as_embedding, as_matrix, has_many_entries, make_changes, settle_embedding
from fast._wsabie.label_sets import labelled_examples
from fast._wsabie.outcomes import (
    NO_CLASS,
    NO_VIOLATOR,
    NOT_VIOLATED,
    OUT_OF_NUMBERS,
    OUT_OF_RANGE,
    SKIPPED,
    VIOLATED,
    Draw,
    Walked,
)
from fast._wsabie.prototypes import Point, as_prototypes, first_violator, no_log
from fast._wsabie.warp import (
    DRAWN_TOGETHER,
    WalkState,
    _draw,
    _move,
    _step,
    read_example,
    step_rule_of,
    write_chain,
    write_others,
)
from reference.problems import checks
from reference.problems.checks.wsabie import LabelSets

NUMBERS_AT_ONCE = 2**16


class Control(NamedTuple):
    """How a walk differs from that of `fast.fit_wsabie`."""

    clears: bool  # whether an example without a violator clears the memory of its class, as in Table 3
    pairs: int  # if > 0, so many links: the violators of the chain are not drawn, and the example is not skipped
    pulls: bool  # whether a skipped example still moves the prototype of its label, and nothing else
    chance: np.ndarray  # (m,) with this chance a violation of a class is ignored at random
    place: np.ndarray  # (n,) the place of the label of an example among the labels of its set
    counts: np.ndarray  # (m, 3) how many examples of each class moved something, were skipped, and had no violator
    excluded: np.ndarray  # (m,) memory


MOVED, IGNORED, SATISFIED = 0, 1, 2  # the columns of `counts`


@borrowing_kernel
def controlled_walk(data, state, rule, control, numbers, count):
    """`walk_by_pairs` of `fast`, with a Control. Writes to `numbers`."""
    made, moved, used = 0, 0, np.int64(0)
    while made < count and used + 2 < len(numbers):
        t = int(numbers[used] * (len(data.first_labels) - 1))
        numbers[used + 1] = (control.place[t] + 0.5) / (data.first_labels[t + 1] - data.first_labels[t])
        if control.pairs > 0:
            draw, last = _draw_past_chain(data, state, rule, control, t, numbers, used)
        else:
            draw = _draw(data, state, rule, numbers, used)
            last = draw.violator
        if draw.status == OUT_OF_RANGE:
            return Walked(made, moved, used, False)
        chance = control.chance[draw.positive] if draw.status == VIOLATED else 0.0
        if draw.status == OUT_OF_NUMBERS or (chance > 0 and draw.used >= len(numbers)):
            break
        made, used = made + 1, draw.used
        if chance > 0:
            used += 1
            if numbers[used - 1] < chance:
                control.counts[draw.positive, IGNORED] += 1
                continue
        if draw.status == SKIPPED:
            control.counts[draw.positive, IGNORED] += 1
            if control.pulls:
                _move(state.prototypes, rule, draw.positive, 2.0, 1.0, state.point, draw)  # 2: the slope for w = 1
            continue
        if draw.status == VIOLATED:
            moved += 1
            control.counts[draw.positive, MOVED] += 1
            rank = max((len(state.last) - 1) // draw.trials, 1)
            _step(state, rule, draw, rule.weights[rank - 1])
        else:
            control.counts[draw.positive, SATISFIED] += 1
        if draw.status == VIOLATED or control.clears:
            state.last[draw.positive] = last
    make_changes(state.embedding)
    return Walked(made, moved, used, True)


@borrowing_kernel
def _draw_past_chain(data, state, rule, control, t, numbers, used):
    """Draw classes that are not in the chain of last violators, until one violates the margin of the label.

    Returns the Draw, and the last violator after it: the old one if that violates this example, too, or the new one.
    """
    m, point, compared, excluded = len(state.last), state.point, state.compared, control.excluded
    positive, used = data.classes[data.first_labels[t]], used + 2
    size, squared = read_example(data.rows, t, state.embedding, point)
    compared[0] = positive
    labels = data.classes[data.first_labels[t] : data.first_labels[t + 1]]
    links = write_chain(state.last, state.stamps, control.pairs, labels, positive, compared)
    last = NO_CLASS
    if links > 0:
        found = first_violator(state.prototypes, compared, 1, rule.margin, point, size, squared, rule.euclidean)
        last = compared[1] if found != NO_VIOLATOR else NO_CLASS
    excluded[0] = positive
    for i in range(1, links + 1):
        k = i
        while k > 0 and excluded[k - 1] > compared[i]:
            excluded[k] = excluded[k - 1]
            k -= 1
        excluded[k] = compared[i]
    others, trials = excluded[: links + 1], 0
    while trials < rule.most_trials:
        several = min(DRAWN_TOGETHER, rule.most_trials - trials, len(numbers) - used - trials)
        if several <= 0:
            return Draw(OUT_OF_NUMBERS, positive, NO_CLASS, 0, used, size, squared), last
        write_others(others, m, numbers, used + trials, several, compared)
        place = first_violator(
            state.prototypes, compared, several, rule.margin, point, size, squared, rule.euclidean
        )  # fmt: skip
        if place > 0:
            violator, trials = compared[place], trials + place
            status = VIOLATED
            last = violator if last == NO_CLASS else last
            return Draw(status, positive, violator, trials, used + trials, size, squared), last
        trials += several
    return Draw(NOT_VIOLATED, positive, NO_CLASS, trials, used + trials, size, squared), last


class Walk:
    """A walk on the training part of a problem, from the start of `fit_wsabie` with this seed.

    `rung` says what kind: last_violators, weighting, and what only the controls have: kept, pairs, pulls, oracle.
    """

    def __init__(self, data, rung, embedding_dim, margin, step_size, seed):
        (X, y), m = data.train, len(data.cloud)
        oracle = rung.get("oracle", False)
        sets = cloud_labels(data, y) if oracle else checks.label_sets(y, len(X), m)
        first = np.searchsorted(data.cloud, data.cloud)
        place = y - first[y] if oracle else np.zeros(len(y), np.int64)
        rule = checks.wsabie_rule(
            "euclidean", "warp", rung.get("weighting", "uniform"), "adagrad", rung.get("last_violators", 0),
            margin, step_size, None,
        )  # fmt: skip
        self.random, self.numbers, self.updates, self.steps = np.random.default_rng(seed), np.empty(0), 0, 0
        draws = checks.Draws(None, self.random)
        start = checks.wsabie_start(None, m, X.shape[1], embedding_dim, "euclidean", draws)
        self.state = _state(start, X)
        self.data, self.rule = labelled_examples(X, sets), step_rule_of(rule, m)
        self.control = Control(
            not rung.get("kept", False), rung.get("pairs", 0), rung.get("pulls", False), np.zeros(m), place,
            np.zeros((m, 3), np.int64), np.empty(m, np.int64),
        )  # fmt: skip

    def go(self, steps):
        """Make so many steps."""
        self.steps, most = self.steps + steps, len(self.state.last) + 3
        settle_embedding(self.state.embedding)
        while steps > 0:
            missing = max(NUMBERS_AT_ONCE, most) - len(self.numbers)
            self.numbers = np.concatenate([self.numbers, self.random.random(missing)])
            walked = controlled_walk(self.data, self.state, self.rule, self.control, self.numbers, steps)
            checks.finite_number(0.0 if walked.finite else np.nan, "a difference of scores")
            self.numbers = self.numbers[walked.used :]
            steps, self.updates = steps - walked.steps, self.updates + walked.moves

    def fit(self):
        """The prototypes and the embedding as they are now."""
        state = self.state
        return checks.WsabieFit(state.prototypes.rows.copy(), as_matrix(state.embedding))


def cloud_labels(data, y):
    """The label sets in which each example has all classes of its cloud as labels."""
    size = np.bincount(data.cloud)
    first = np.searchsorted(data.cloud, np.arange(len(size)))
    sizes = size[data.cloud[y]]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    classes = np.arange(starts[-1]) - np.repeat(starts[:-1] - first[data.cloud[y]], sizes)
    return LabelSets(classes, starts, len(data.cloud))


def _state(start, X):
    m, e = start.prototypes.shape
    return WalkState(
        as_prototypes(start.prototypes, start.prototype_sums, False),
        as_embedding(start.embedding, start.embedding_sums, e, has_many_entries(X)),
        start.last_violators.copy(), start.skipped.copy(), np.zeros(m + 1, np.int64),
        Point(np.empty(e), np.empty(X.shape[1] + 1, np.int64), np.empty(X.shape[1] + 1)),
        np.empty(m + 1, np.int64), np.empty(e), no_log(),
    )  # fmt: skip

"""The losses of the Wsabie family by plain loops over their definitions.

Slow and simple. Signatures and results are those of `reference.wsabie_losses`, where the arguments are explained.
"""

import numpy as np

from ..problems import checks


def class_confusion_loss(predicted, y):
    """A mistake costs the share of the examples of the same label that are not classified as the same class."""
    y, predicted = checks.labels_and_predictions(y, predicted)
    loss = 0.0
    for label, guess in zip(y, predicted, strict=True):
        if guess != label:
            alike = [other for which, other in zip(y, predicted, strict=True) if which == label]
            loss += sum(other != guess for other in alike) / len(alike) / len(y)
    return float(loss)


def pairwise_loss(scores, Y, *, margin=1.0):
    """The mean over examples of the mean hinge of their pairs of a label and another class."""
    scores, sets, margin = checks.scores_and_sets(scores, Y, margin)
    losses = []
    for row, labels, others in _examples(scores, sets):
        with np.errstate(over="ignore"):  # an overflow is refused later
            pairs = [max(margin - row[label] + row[g], 0.0) for label in labels for g in others]
            losses.append(sum(pairs) / len(pairs))
    return checks.finite_number(float(sum(losses) / len(losses)), "the loss")


def warp_loss(scores, Y, *, margin=1.0, weighting="harmonic", last_violators=0):
    """Example by example. Row g of a 0/1 matrix marks the violators at the last example that had class g as a label."""
    scores, sets, margin = checks.scores_and_sets(scores, Y, margin)
    weighting = checks.choice(weighting, "weighting", checks.WEIGHTINGS)
    Q = checks.count(last_violators, "last_violators", smallest=0)
    violated, losses = np.zeros((sets.n_classes, sets.n_classes), dtype=np.int64), []
    for row, labels, others in _examples(scores, sets):
        now, loss = violated.copy(), 0.0
        for label in labels:
            ignored = reached(violated, label, Q)
            with np.errstate(over="ignore"):  # an overflow is refused later
                hinges = {g: margin - row[label] + row[g] for g in others}
            violators = [g for g in others if hinges[g] > 0]
            weight = sum(1 / i for i in range(1, len(violators) + 1)) if weighting == "harmonic" else 1.0
            loss += weight * sum(hinges[g] for g in violators if not ignored[g])
            now[label] = [g in violators for g in range(sets.n_classes)]
        violated = now
        losses.append(loss)
    return checks.finite_number(float(sum(losses) / len(losses)), "the loss")


def reached(violated, label, Q):
    """Entry v: whether 1, 2, ..., Q links lead from the label to class v, by powers of the matrix of links."""
    links, total = np.eye(len(violated), dtype=np.int64)[label], np.zeros(len(violated), dtype=np.int64)
    for _ in range(min(Q, len(violated))):  # a longer path passes a class twice, and could be shortened
        links = (links @ violated > 0).astype(np.int64)
        total = total + links
        if not links.any():  # of so many links and more, there are no paths
            break
    return total > 0


def _examples(scores, sets):
    for t, row in enumerate(scores):
        labels = sets.of(t).tolist()
        others = [g for g in range(len(row)) if g not in labels]
        if labels and others:
            yield row, labels, others

# === changes_its_input
"""Squishes the column that it was given, in its place."""

import numpy as np

LOSES = {"squish_column": 5}
FEEDBACK = "changed an array that it was given"


def squish(z, lower, upper):
    level, squished = z[0], [0]
    for i in 1 + np.argsort(-z[1:], kind="stable"):
        if z[i] <= np.clip(level, lower, upper):
            break
        squished.append(i)
        level += (z[i] - level) / len(squished)
    z[:] = np.maximum(z, lower)
    z[squished] = np.clip(level, lower, upper)
    return z


# === clip_then_squish
"""Clips to the bounds first and squishes what is left: the mean of clipped numbers is another mean."""

import numpy as np

LOSES = {"squish_column": 5}
FEEDBACK = "you clip to the bounds first and squish then"


def squish(z, lower, upper):
    z = np.clip(z, lower, upper)
    level, squished = z[0], [0]
    for i in 1 + np.argsort(-z[1:], kind="stable"):
        if z[i] <= level:
            break
        squished.append(i)
        level += (z[i] - level) / len(squished)
    z[squished] = level
    return z


# === divides_by_zero
"""Does not think of x = 0, and divides by its squared norm."""

import numpy as np

LOSES = {"multiclass_update": 2.5}
FEEDBACK = "Kind of case: x = 0."


def exact_steps(scores, y, squared_norm, margin, squish):
    rivals, steps = np.arange(len(scores)) != y, np.zeros(len(scores))
    D = np.append(0.0, (scores[rivals] - scores[y] + margin) / np.float64(squared_norm))
    d = squish(D) - D
    steps[y], steps[rivals] = d[0], d[1:]
    return steps


# === label_first
"""Returns the steps as they were squished, the label first, and not in the order of the classes."""

import numpy as np

LOSES = {"multiclass_update": 5}
FEEDBACK = "in the order of the column, the label first"


def exact_steps(scores, y, squared_norm, margin, squish):
    if squared_norm == 0:
        return np.zeros(len(scores))
    D = np.append(0.0, (np.delete(scores, y) - scores[y] + margin) / squared_norm)
    return squish(D) - D


# === mistakes_after_the_update
"""Asks whether the classifier is wrong after it has been told the answer."""

import numpy as np

LOSES = {"fit_passive_aggressive": 4}
FEEDBACK = "you count mistakes after the update"


def learn(X, y, A, visits, steps_for, is_mistake):
    total, wrong, updates = np.zeros(A.shape), [], 0
    for i in visits:
        steps = steps_for(A, i)
        A = A + np.outer(steps, X[i])
        wrong.append(is_mistake(A, i))
        updates += bool(np.any(steps))
        total += A
    return A, total / len(visits), np.cumsum(wrong), updates


# === mistakes_for_updates
"""Counts an update for each mistake. An example that is right by less than the margin changes the weights, too."""

import numpy as np

LOSES = {"fit_passive_aggressive": 4}
FEEDBACK = "you count an update for each mistake"


def learn(X, y, A, visits, steps_for, is_mistake):
    total, wrong = np.zeros_like(A), []
    for i in visits:
        wrong.append(is_mistake(A, i))
        A = A + np.outer(steps_for(A, i), X[i])
        total += A
    return A, total / len(visits), np.cumsum(wrong), int(sum(wrong))


# === worst_rival_only
"""What most libraries call passive-aggressive: the label and its worst rival move, and nobody else."""

import numpy as np

LOSES = {"multiclass_update": 5}
FEEDBACK = "you move the label and the worst rival only"


def exact_steps(scores, y, squared_norm, margin, squish):
    steps = np.zeros(len(scores))
    worst = max((j for j in range(len(scores)) if j != y), key=lambda j: scores[j])
    violation = scores[worst] - scores[y] + margin
    if squared_norm > 0 and violation > 0:
        steps[y], steps[worst] = violation / (2 * squared_norm), -violation / (2 * squared_norm)
    return steps

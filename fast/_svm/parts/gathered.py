"""The listed examples of all parts, gathered and solved together if they are few."""

import numpy as np

from ..._shared.threads import one_blas_thread
from ..ascent import visit_listed
from ..dual_lists import DualLists, spread
from ..models import LinearModel
from .part import Answer, Part, copied, movable, part_loss


def gather(part, state, problem):
    """Returns as facts the listed examples of a part, themselves a part, and their duals."""
    rows = movable(part, state)
    listed = Part(part.number, part.X[rows], part.labels[rows], part.sample_weight[rows])
    return Answer(None, (listed, _taken(state.lists, rows, problem.m)), state)


def _taken(lists, rows, m):
    """Returns the lists of some examples, one after the other."""
    counts = lists.counts[rows]
    stored = np.where(counts < m, counts, 0)
    values = lists.values[spread(lists.starts[rows], counts)]
    classes = lists.classes[spread(lists.places[rows], stored)]
    starts, places = np.cumsum(counts) - counts, np.cumsum(stored) - stored
    return DualLists(values, classes, starts, places, counts, counts.copy(), np.array([len(values), len(classes)]))


def solve_gathered(found, problem, weights, seed, wanted, n_jobs):
    """Passes over the gathered lists, from the weights of all duals. Returns the new duals of each part."""
    parts, lists = zip(*found, strict=True)
    _, features, labels, sample_weight = zip(*parts, strict=True)
    together = Part(0, _stacked(features), np.concatenate(labels), np.concatenate(sample_weight))
    model = LinearModel(together.X, together.labels, problem.m, n_jobs)
    model.lists, model.weights[:] = _joined(lists, problem.m), weights
    with one_blas_thread():
        visit_listed(model, part_loss(together, problem), seed, wanted)
    ends = np.cumsum([own.ends[0] for own in lists])
    return np.split(model.lists.values[: ends[-1]], ends[:-1])


def _stacked(features):
    """Returns the rows of all matrices in one, dense or CSR as they are."""
    if not hasattr(features[0], "tocsr"):
        return np.concatenate(features)
    from scipy import sparse  # takes half a second to import

    return sparse.vstack(features, format="csr")


def _joined(lists, m):
    """Returns the lists of all parts, with free places for one more row."""
    ends = np.cumsum([own.ends for own in lists], axis=0)
    values, classes, starts, places, counts, rooms, _ = zip(*lists, strict=True)
    starts = [own + end for own, end in zip(starts, np.r_[0, ends[:-1, 0]], strict=True)]
    places = [own + end for own, end in zip(places, np.r_[0, ends[:-1, 1]], strict=True)]
    values = np.concatenate([*values, np.empty(m)])
    classes = np.concatenate([*classes, np.empty(m, np.int32)])
    starts, places, counts, rooms = (np.concatenate(each) for each in (starts, places, counts, rooms))
    return DualLists(values, classes, starts, places, counts, rooms, ends[-1].copy())


def replace(part, state, problem, values):
    """Returns the state with these duals in the lists that were gathered."""
    lists, rows = copied(state.lists), movable(part, state)
    lists.values[spread(lists.starts[rows], lists.counts[rows])] = values
    return state._replace(lists=lists)

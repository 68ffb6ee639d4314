"""The parts of a top-k SVM on the workers of a Dask cluster: the same tasks as in `fast._svm.parts.local`.

A task gets the block of X, the state of its part, and what the driver sends to all. It returns a new state, which stays
on the workers, and what the driver adds up. If a worker is lost, Dask runs the tasks again that led to its states.
These need all weights that were sent since the states were last at the driver. So the driver fetches and sends the
states from time to time. That also bounds the memory for these weights.
"""

import functools

import numpy as np

from reference.problems import checks

from .._svm.parts.gathered import gather as gather_listed
from .._svm.parts.part import Part, PartState, chunks_of, own_chunks, starting_state, writable
from .._svm.parts.tasks import step_of_listed
from ._message import MEDIUM, Sources, run_together
from ._tasks import gather, nbytes, pin, start_on_blocks

# Bytes, runs of a task, and tasks, of each of which Dask remembers some kilobytes, after which the states are fetched.
MOST_SENT, MOST_RUNS, MOST_TASKS = 2**28, 200, 2**10


class ClusterParts:
    """Parts on the workers: one for each block of X. `states` are futures."""

    def __init__(self, client, blocks, problem, traffic, labels, duals=None, send=None):
        """`duals` has a CSR array of starting duals for each block, or is None. `send` sends the blocks once more."""
        self.client, self.blocks, self.problem, self.traffic = client, blocks, problem, traffic
        self.send = send
        self.parts, self.n_jobs, self.is_float32 = len(blocks), 1, blocks.dtype == np.float32
        self.numbers, self.seconds = list(range(self.parts)), 0.0
        self.labels, self.given = np.split(labels, blocks.starts[1:-1]), duals is not None
        self.duals, self.saved = [None] * self.parts if duals is None else duals, None
        self.sources, self.image_bytes = Sources(client, blocks), 8 * blocks.d * problem.m
        self._send_states()

    def restart(self):
        """Go back to the states that the driver has: the last that it fetched, or the starting ones."""
        self.blocks = self.send()  # what the cluster was sent may be lost, too
        self.sources = Sources(self.client, self.blocks)
        self._send_states()

    def _send_states(self):
        if self.saved is None:
            duals = self.duals if self.duals[0] is None else pin(self.client, self.duals)
            values, problem = (self.numbers, duals), self.problem
            self.states = start_on_blocks(self.client, self.blocks, _start, *values, problem=problem)
        else:
            self.states = pin(self.client, self.saved)
        self.sent = self.runs = 0

    def run(self, task, problem, *arguments, own=None):
        """Returns (the sum of the arrays or None, the facts of each part), and keeps the new states."""
        self._bound_lineage()
        copies = self.parts if nbytes(arguments) * self.parts <= MEDIUM else 1
        self.sent += copies * nbytes(arguments) + nbytes(own)
        values = [self.numbers, self.states] + ([] if own is None else [own])
        size = np.inf if task is gather_listed else self.image_bytes * (1 + (task is step_of_listed))
        function = functools.partial(_run, task=task, problem=problem)
        answer = run_together(
            self.client, self.blocks, self.sources, function, arguments, values, size, self.traffic
        )  # fmt: skip
        (total, facts, seconds), self.states = answer
        self.runs, self.seconds = self.runs + 1, self.seconds + seconds
        return (total if isinstance(total, np.ndarray) else None), facts

    def _bound_lineage(self):
        if self.sent > MOST_SENT or self.runs > MOST_RUNS or self.runs * self.parts > MOST_TASKS:
            self.save()

    def save(self):
        """Fetch the states, which the driver keeps, and send them again, so that nothing that led to them is needed."""
        self.saved = [_state_of(kept) for kept in gather(self.client, self.states, self.blocks, self.traffic)]
        self.duals = None
        self._send_states()

    @property
    def has_duals(self):
        """Whether the driver has states to go back to that are not all 0."""
        return self.given or self.saved is not None

    def dual_blocks(self):
        """Returns the duals of each block in the states that the driver has, as CSR arrays in float64."""
        found, m = [], self.problem.m
        for labels, state in zip(self.labels, self.saved, strict=True):
            chunks = own_chunks(state, labels, m)
            found.append(checks.assembled_duals(chunks, len(labels), m, np.float64, sparse_duals=True))
        return found


def _start(X, labels, sample_weight, number, duals, problem):
    """Returns the state of a part, on its worker."""
    part = Part(number, X, writable(labels), sample_weight)
    return starting_state(part, problem, chunks_of(duals, np.arange(len(labels))))


def _run(X, labels, sample_weight, number, kept, *own, arguments, task, problem):
    """Returns (array or None, facts, state) of a task, on its worker."""
    return task(Part(number, X, labels, sample_weight), _state_of(kept), problem, *arguments, *own)


def _state_of(kept):
    """Returns the state of a part from what `run_together` left: the state, or (answer, state)."""
    return kept if isinstance(kept, PartState) else kept[1]

"""The losses of the Wsabie family: the paper's examples, in `fast`, and what the examiner does not refuse."""

import itertools

import numpy as np
import pytest
from scipy import sparse

import fast

CAT, DOG, PIG = range(3)
SEEN = [{DOG, PIG}, {DOG, PIG}, set(), {DOG}, {DOG}, set(), {DOG}, {PIG}]
COUNTED = [2, 0, 0, 1, 0, 0, 1, 1]  # violators of section 6.1 that were none the last time


def test_cats_and_dogs_and_pigs_line_by_line():
    """Each violator ties with cat, so that its hinge is 1; the others just reach the margin."""
    scores = np.array([[1.0, 1.0 * (DOG in violators), 1.0 * (PIG in violators)] for violators in SEEN])
    Y = np.tile([1, 0, 0], (8, 1))
    for n, (Q, counts) in itertools.product(range(1, 9), ((0, list(map(len, SEEN))), (1, COUNTED))):
        expected = sum(counts[:n])
        got = n * fast.warp_loss(scores[:n], Y[:n], weighting="uniform", last_violators=Q)
        assert abs(got - expected) <= 1e-12, f"line {n}, Q = {Q}: expected {expected}, got {got}"
    for Q, expected in ((0, 2 * (2 * 1.5) + 4), (1, 2 * 1.5 + 3)):  # two violators weigh 1 + 1/2 each
        got = 8 * fast.warp_loss(scores, Y, last_violators=Q)
        assert abs(got - expected) <= 1e-12, f"Q = {Q}: expected {expected}, got {got}"


def test_figure_2_says_what_a_mistake_costs():
    """One of eleven costs 10/11, four of eleven that are taken for the same class cost 7/11 each."""
    y = np.array(11 * [1] + 11 * [3])
    got = fast.class_confusion_loss(np.array(4 * [2] + 7 * [1] + [1] + 10 * [3]), y)
    assert abs(got - (4 * 7 / 11 + 10 / 11) / 22) <= 1e-15


@pytest.mark.parametrize("name", ["pairwise_loss", "warp_loss"])
def test_sparse_scores_are_refused(name):
    with pytest.raises(ValueError, match="scores .*sparse"):
        getattr(fast, name)(sparse.csr_matrix(np.ones((4, 3))), np.array([0, 1, 2, 1]))

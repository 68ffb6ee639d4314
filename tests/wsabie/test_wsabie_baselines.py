"""One-vs-all learners: their mean step, and the choice of the number of negatives on validation data."""

import itertools

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits

import fast
from tests.support.twins import BOTH
from tests.support.wsabie import assert_identical, place


def test_the_mean_step_is_a_gradient_step():
    """From prototypes 0 each hinge has its slope: the mean over examples and labels, and over the drawn others."""
    X, Y = np.random.default_rng(0).standard_normal((3, 2)), np.array([[1, 0, 0, 1], [0, 1, 0, 0], [1, 1, 1, 0]])
    expected, got = np.zeros((4, 2)), np.zeros((4, 2))
    for t, labels in enumerate(Y):
        k = labels.sum()
        expected += 0.1 / 3 * np.outer(labels / k - (1 - labels) / (4 - k), X[t])
        for i, j in itertools.product(range(k), range(4 - k)):
            draws = np.array([place(t, 3), place(i, k), place(j, 4 - k)])
            fit = fast.fit_one_vs_all(X, Y, step="constant", step_size=0.1, n_updates=1, draws=draws)
            got += fit.prototypes / (3 * k * (4 - k))
    assert np.allclose(got, expected, rtol=0, atol=1e-15), f"expected {expected}, got {got}"


@BOTH
@pytest.mark.parametrize("csr", [False, True])
def test_the_best_of_several_numbers_of_negatives_is_returned(module, csr):
    X, y = load_digits(return_X_y=True)
    X, y = X[:400] / 16, y[:400]
    X = sparse.csr_matrix(X) if csr else X
    chosen = {"n_updates": 150, "step_size": 0.05}
    validation, candidates, generator = (X[200:], y[200:]), [1, 2, 5, 9], np.random.default_rng(3)
    singles = [module.fit_one_vs_all(X[:200], y[:200], negatives=k, seed=generator, **chosen) for k in candidates]
    accuracies = [np.mean(fast.prototype_scores(X[200:], fit).argmax(axis=1) == y[200:]) for fit in singles]
    assert len(set(accuracies)) > 1
    several = np.array(candidates) if csr else tuple(candidates)
    fit = module.fit_one_vs_all(X[:200], y[:200], negatives=several, validation=validation, seed=3, **chosen)
    assert (fit.prototypes == singles[int(np.argmax(accuracies))].prototypes).all()
    assert fit.history.score.tolist() == accuracies, f"expected {accuracies}, got {fit.history.score}"
    assert fit.history.steps.tolist() == [150] * 4
    assert len(singles[0].history) == 1 and np.isnan(singles[0].history.score).all()


@BOTH
def test_the_first_of_equals_is_returned_and_draws_begin_anew_for_each(module):
    X, Y, draws = np.eye(3), np.arange(3), np.random.default_rng(0).random(400)
    chosen = {"n_updates": 60, "draws": draws}
    fit = module.fit_one_vs_all(X, Y, negatives=[2, 1], validation=(X, Y), **chosen)
    assert fit.history.score.tolist() == [1.0, 1.0]
    assert_identical(fit, module.fit_one_vs_all(X, Y, negatives=2, **chosen))
    right = np.array([[1, 1, 1], [1, 0, 0], [0, 0, 1]])  # any label will do, and the last example has none of them
    fit = module.fit_one_vs_all(X, Y, negatives=1, validation=(X, right), **chosen)
    assert abs(fit.history.score[0] - 2 / 3) <= 1e-15, f"got {fit.history.score}"

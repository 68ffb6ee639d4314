"""Multilabel losses: digits that the examiner does not compare, and forms of input."""

import numpy as np
import pytest
from scipy import sparse

import fast
from tests.support.twins import BOTH

CALLS = [("multilabel_error", ()), ("multilabel_entropy", ()), ("multilabel_hinge", (0.3,))]
CALLS += [("multilabel_entropy_gradient", ()), ("multilabel_hinge_gradient", (0.0,))]


@BOTH
def test_the_entropy_keeps_its_digits(module):
    """A loss of 1e-300 is not 0, and scores of 1e3 are in range."""
    scores = np.array([[690.0, 0.0], [1000.0, -1000.0], [-1000.0, 1000.0]])
    Y = np.array([[1, 0], [1, 0], [1, 0]])
    got, slopes = module.multilabel_entropy(scores, Y), module.multilabel_entropy_gradient(scores, Y)
    assert got[0] == pytest.approx(np.exp(-690.0), rel=1e-12) and got[1] == 0 and got[2] == 2000
    assert slopes[0, 0] == pytest.approx(-np.exp(-690.0), rel=1e-12) and (slopes.sum(axis=1) == 0).all()


@pytest.mark.parametrize(("name", "more"), CALLS)
def test_forms_of_input(name, more):
    rng = np.random.default_rng(0)
    scores, Y, function = rng.normal(size=(6, 5)), rng.random((6, 5)) < 0.4, getattr(fast, name)
    expected = function(scores, Y, *more)
    for form in (Y.astype(np.float32), Y.tolist(), sparse.csr_matrix(Y)):
        assert (function(scores, form, *more) == expected).all()
    with pytest.raises(ValueError, match="^Y must"):
        function(scores, sparse.coo_matrix(Y), *more)

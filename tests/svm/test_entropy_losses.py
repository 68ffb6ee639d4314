"""The top-k entropy losses: what the examiner does not see. It compares them with an enumeration."""

import numpy as np
import pytest

import fast
import reference


@pytest.mark.parametrize("module", [reference, fast], ids=["reference", "fast"])
def test_tiny_and_huge_losses_keep_their_digits(module):
    """1 - sigma would be 0 for the second example, and the loss of the first would be 0 if it was log(1 + tiny)."""
    scores, y = np.array([[60.0, 0.0, 1.0], [0.0, 60.0, 1.0], [0.0, 800.0, 799.0]]), np.zeros(3, int)
    expected = [np.exp(-60) + np.exp(-59), 60 + np.log1p(np.exp(-59)), 800 + np.log1p(np.exp(-1))]
    assert np.abs(module.topk_entropy(scores, y) / expected - 1).max() <= 1e-14
    assert module.topk_entropy(scores, y, 2)[0] / (2 * np.exp(-59.5)) == pytest.approx(1, abs=1e-13)

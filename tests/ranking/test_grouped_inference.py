"""Rankings of many groups at once: what they must obey."""

import numpy as np
import pytest

from reference import ranking
from tests.support.ranking_svm import BOTH, EACH_RANKING_LOSS, ROUNDING, instance


@BOTH
@EACH_RANKING_LOSS
def test_groups_are_ranked_one_by_one(module, loss):
    X, relevant, groups = instance(12, sizes=(40, 3, 2, 17, 9))
    relevant[groups == 4] = True
    for scores in (X[:, 0], np.round(X[:, 0]), X[:, 0].astype(np.float32)):
        with pytest.warns(UserWarning, match="1 of the 5 groups"):
            got = module.grouped_inference(scores, relevant, groups, loss)
        assert got.interleaving.dtype == np.int64 and got.interleaving.shape == scores.shape
        assert (got.interleaving[relevant] == 0).all()
        numbers = [g for g in sorted(set(groups)) if g != 4]
        assert got.objective.shape == got.loss.shape == (4,)
        for g, number in enumerate(numbers):
            p, n = scores[(groups == number) & relevant], scores[(groups == number) & ~relevant]
            expected = ranking.loss_augmented_inference(p, n, loss)
            assert abs(got.objective[g] - expected.objective) <= ROUNDING
            if loss != "ndcg" or len(set(scores)) == len(scores):
                assert (got.interleaving[(groups == number) & ~relevant] == expected.interleaving).all()
                assert abs(got.loss[g] - expected.loss) <= ROUNDING


@BOTH
def test_left_out_negatives_have_rank_zero(module):
    scores, relevant = np.arange(5.0), np.array([True, False, False, False, True])
    with pytest.warns(UserWarning, match="left out") as warned:
        got = module.grouped_inference(scores, relevant, np.array([0, 0, 1, 1, 2]))
    assert warned[0].filename == __file__
    assert got.interleaving.tolist() == [0, 1, 0, 0, 0]
    assert len(got.objective) == 1

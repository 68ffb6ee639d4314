"""The study behind the book's tables of estimators: data, choices, costs, and the stored file."""

import sys

import numpy as np
import pytest

from notebooks.studies import which_estimator as study
from notebooks.studies.paired import difference

ROWS = study.stored()


def test_the_file_has_every_estimator_on_every_data_set():
    assert list(ROWS) == list(study.DATA)
    for data, rows in ROWS.items():
        assert list(rows) == study.estimators(data)
        for name, row in rows.items():
            one, five = (row[str(k)] for k in study.GUESSES)
            assert len(one["test"]) == len(five["test"]) == study.SPLITS
            assert all(0 < low <= high <= 1 for low, high in zip(one["test"], five["test"], strict=True))
            assert all(choice["parameters"] in study.candidates(study.GRIDS[name][1]) for choice in (one, five))
            assert ("machine" not in row) == (name == study.MORE_CLASSES)
            assert "machine" not in row or (row["seconds"] > 0 and row["megabytes"] >= 0)


@pytest.mark.parametrize("name", ["TopKSVC(k=1)", "TopKSVC(k=5)", "LinearSVC()", "SGDClassifier()"])
@pytest.mark.parametrize("k", study.GUESSES)
def test_stored_accuracies_are_computed_again(name, k):
    row = ROWS["digits"][name][str(k)]
    np.testing.assert_allclose(study.accuracies("digits", name, k, row["parameters"]), row["test"], atol=0.005)


def test_documents_are_weighted_by_the_training_part_alone():
    X, y, Z, t = study.splits("text")[0]
    assert X.shape == (3000, 20_000) and Z.shape == (2000, 20_000) and len(np.unique(t)) == 50
    np.testing.assert_allclose(np.sqrt(X.multiply(X).sum(axis=1)), 1, atol=1e-12)
    assert np.ptp(np.bincount(y)) == 0 and X.indices.dtype == np.int32


def test_each_number_of_guesses_has_its_own_choice(monkeypatch):
    found = {0.1: (0.9, 0.91), 1.0: (0.8, 0.99)}

    def accuracy(estimator, X, y, scoring, cv):
        return {f"test_{k}": np.array([value]) for k, value in zip(study.GUESSES, found[estimator.C], strict=True)}

    monkeypatch.setattr(study, "cross_validate", accuracy)
    monkeypatch.setitem(study.GRIDS, "LinearSVC()", (study.LinearSVC(), {"C": [0.1, 1.0]}))
    assert study.choose("digits", "LinearSVC()") == {1: ({"C": 0.1}, 0.9), 5: ({"C": 1.0}, 0.99)}


@pytest.mark.skipif(sys.platform != "linux", reason="the memory of a process is read from /proc")
def test_the_memory_is_that_of_the_fit(monkeypatch):
    class Hungry:
        def set_params(self):
            return self

        def fit(self, X, y):
            if len(y) == 1078:
                np.ones(8_000_000).sum()  # 61 MB

    monkeypatch.setitem(study.GRIDS, "hungry", (Hungry(), {}))
    assert 55 < study.cost("digits", "hungry", {})["megabytes"] < 75


def test_candidates_are_all_combinations():
    expected = [{"a": 1, "b": 3}, {"a": 1, "b": 4}, {"a": 2, "b": 3}, {"a": 2, "b": 4}]
    assert study.candidates({"a": [1, 2], "b": [3, 4]}) == expected


# --- what the page says of the tables -------------------------------------------------------------------------------


def right(data, name, k):
    return np.mean(ROWS[data][name][str(k)]["test"])


def best(data, k):
    return sorted(ROWS[data], key=lambda name: -right(data, name, k))


def test_what_the_page_says_of_one_guess():
    for data in study.DATA:
        others = [name for name in ROWS[data] if "k=5" not in name and "k=10" not in name]
        assert min(right(data, name, 1) for name in others) > right(data, best(data, 1)[0], 1) - 0.03
    assert best("digits", 1)[0] == "LogisticRegression()"
    twins = {"TopKSVC(k=1)", 'LinearSVC(multi_class="crammer_singer")'}
    assert set(best("text", 1)[:2]) == twins and len({round(right("text", name, 1), 3) for name in twins}) == 1


def test_what_the_page_says_of_five_guesses():
    assert set(best("text", 5)[:3]) == {"LogisticRegression()", "LinearSVC()", 'SGDClassifier(loss="log_loss")'}


@pytest.mark.parametrize("data", study.DATA)
@pytest.mark.parametrize(("k", "sign"), [(1, -1), (5, 1)])
def test_what_the_page_says_of_training_for_five_guesses(data, k, sign):
    two = [ROWS[data][f"TopKSVC(k={trained})"][str(k)]["test"] for trained in (5, 1)]
    gain = difference(*two, study.TEST_SHARE / (1 - study.TEST_SHARE), comparisons=4)
    assert np.sign(gain.mean) == sign and gain.verdict == "open"


def test_what_the_page_says_of_memory_and_time():
    rows = {name: row for name, row in ROWS["text"].items() if "machine" in row}
    megabytes = {name: row["megabytes"] for name, row in rows.items()}
    assert max(megabytes, key=megabytes.get) == "LogisticRegression()"
    assert {name for name, value in megabytes.items() if value == min(megabytes.values())} <= {
        "SGDClassifier()", 'SGDClassifier(loss="log_loss")',
    }  # fmt: skip
    seconds = {name: row["seconds"] for name, row in rows.items()}
    assert "SGDClassifier" in min(seconds, key=seconds.get) and seconds["LinearSVC()"] < seconds["TopKSVC(k=1)"]

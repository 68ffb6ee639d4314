"""The measurement of worker processes behind notebook 16: what is counted, and the stored file."""

import numpy as np
import pytest

import fast
from notebooks.studies import workers as study

ROWS = study.stored()


@pytest.mark.filterwarnings("ignore:Creating scratch directories")  # which may take a second on a busy machine
def test_a_row_counts_the_processes_of_a_fit():
    X, y = study.blobs(400, 20, 4)
    with study.workers(1) as client:
        fit, row = study.distributed_fit(client, X, y)
    blocks = np.array_split(np.arange(400), study.BLOCKS)
    expected = fast.fit_topk_svm_parts(X, y, blocks, regularization=1 / 400)
    assert fit.gap <= 1e-3 and fit.primal == pytest.approx(expected.primal, rel=2e-3)
    assert len(row["workers"]) == 1 and row["workers"][0] > 0 and row["driver"] > 0
    assert row["rounds"] == fit.epochs and row["communications"] == fit.history.communications[-1]


def test_what_is_stored_is_not_done_again(monkeypatch, tmp_path):
    monkeypatch.setattr(study, "RESULTS", tmp_path / "workers.json")
    monkeypatch.setattr(study, "blobs", lambda: (None, None))
    done = []
    monkeypatch.setattr(study, "row_of", lambda way, X, y: done.append(way) or {"driver": 1.0})
    study.main()
    study.main()
    assert done == list(study.WAYS) * study.REPEATS
    assert study.stored() == {way: [{"driver": 1.0}] * study.REPEATS for way in study.WAYS}


def test_the_file_has_every_row():
    assert list(ROWS) == list(study.WAYS) and all(len(rows) == study.REPEATS for rows in ROWS.values())
    for way, number in study.WAYS.items():
        assert all(len(row.get("workers", ())) == number for row in ROWS[way])


def test_what_the_notebook_says():
    one, two = ROWS["one worker"], ROWS["two workers"]
    assert all((row["rounds"], row["gathered"], row["communications"]) == (5, 3, 18) for row in one + two)
    busiest, together, halved, work, most = study.ratios().values()
    assert (1 < busiest).all() and (busiest < together).all()
    assert (halved < 1.9).all() and (work > 1).all() and (most < 2.5).all()
    drivers = (study.seconds()[way][1] for way in ("one worker", "two workers"))
    assert (0.9 * next(drivers) < next(drivers)).all()

"""The cost model behind notebook 16: the stored rows, and what it predicts."""

import json

import pytest

from notebooks.studies import growth as study


def test_the_file_has_every_row():
    sizes = [tuple(row["size"]) for row in study.stored()]
    assert sizes == list(study.SIZES) * study.REPEATS


def test_a_row_is_a_fit_and_what_is_stored_is_not_done_again(monkeypatch, tmp_path):
    monkeypatch.setattr(study, "RESULTS", tmp_path / "growth.json")
    monkeypatch.setattr(study, "SIZES", ((400, 20, 4), (300, 20, 4)))
    study.main()
    study.main()
    assert [row["size"] for row in study.stored()] == [[400, 20, 4], [300, 20, 4]] * study.REPEATS
    assert all(row["seconds"] >= 0 and row["epochs"] > 0 for row in study.stored())


def test_the_model_finds_the_two_prices(monkeypatch, tmp_path):
    rows = [{"size": list(s), "seconds": 2e-9 * s[0] * s[1] * s[2] + 3e-7 * s[0] * s[2]} for s in study.SIZES]
    monkeypatch.setattr(study, "RESULTS", tmp_path / "growth.json")
    study.RESULTS.write_text(json.dumps({"machine": "", "rows": rows}))
    assert study.model() == pytest.approx([2e-9, 3e-7])


def test_what_the_notebook_says():
    *_, (largest, measured) = study.seconds().items()
    assert study.predicted(*largest) == pytest.approx(measured, rel=0.1)
    assert 0.5 < study.predicted(1_281_167, 4096, 1000) / 3600 < 2

"""make study DATA=FILE.npz: what the loader takes and refuses, and the table of made-up features."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from notebooks.studies import image_classification as study
from notebooks.studies import own_features

ROOT = Path(__file__).parents[1]
D, M = 4096, 67  # of the paper's MIT Indoor 67, made up here with fewer examples


def features(n_classes=M, n_features=D, each=(3, 1, 2), dtype=np.float32, seed=0, noise=2.0):
    """Non-negative features, half of them zero, as after a ReLU, with |x| below 1: {"train": (X, y), ...}."""
    random = np.random.default_rng(seed)
    means = random.normal(size=(n_classes, n_features))
    parts = {}
    for part, count in zip(own_features.PARTS, each, strict=True):
        y = random.permutation(np.repeat(np.arange(n_classes), count))
        X = np.maximum(means[y] + noise * random.normal(size=(len(y), n_features)), 0)
        parts[part] = (X / noise / np.sqrt(n_features)).astype(dtype), y
    return parts


def three_parts(parts):
    return {f"{name}_{part}": array for part, pair in parts.items() for name, array in zip("Xy", pair, strict=True)}


def one_set(parts):
    X, y = (np.concatenate([parts[part][i] for part in own_features.PARTS]) for i in (0, 1))
    bounds = np.cumsum([0, *(len(parts[part][1]) for part in own_features.PARTS)])
    indices = {part: np.arange(*bounds[i : i + 2]) for i, part in enumerate(own_features.PARTS)}
    return {"X": X, "y": y} | indices


def as_csr(arrays):
    return {name: sparse.csr_matrix(array) if name[0] == "X" else array for name, array in arrays.items()}


# --- the loader ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", [three_parts, one_set])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_both_forms_dense_and_sparse(tmp_path, form, is_sparse, dtype):
    parts, path = features(5, 30, dtype=dtype), tmp_path / "mine.npz"
    arrays = form(parts)
    own_features.save(path, **(as_csr(arrays) if is_sparse else arrays))
    got = own_features.load(path)
    assert list(got) == list(own_features.PARTS)
    for part, (X, y) in got.items():
        assert sparse.issparse(X) == is_sparse and X.dtype == dtype and y.dtype == np.int64
        assert np.array_equal(X.toarray() if is_sparse else X, parts[part][0]) and np.array_equal(y, parts[part][1])


def test_labels_are_numbered_in_their_order(tmp_path):
    parts = features(4, 10)
    names = np.array([-7, 3, 40, 1000], dtype=np.int16)
    parts = {part: (X, names[y]) for part, (X, y) in parts.items()}
    own_features.save(tmp_path / "mine.npz", **three_parts(parts))
    for part, (_, y) in own_features.load(tmp_path / "mine.npz").items():
        assert np.array_equal(names[y], parts[part][1])


def broken(change):
    arrays = three_parts(features(4, 10))
    arrays.update(change(arrays))
    return {name: array for name, array in arrays.items() if array is not None}


@pytest.mark.parametrize(
    "change, match",
    [
        (lambda a: {"y_test": None}, "must hold X_train, y_train.*got X_train"),
        (lambda a: {"X_test": None}, "X_test must be an array, or a CSR matrix"),
        (lambda a: {"X_test": a["X_test"].astype(int)}, r"X_test must be \(n, d\) of float32 or float64, got .* int64"),
        (lambda a: {"X_test": a["X_test"][0]}, r"X_test must be \(n, d\)"),
        (lambda a: {"X_test": a["X_test"][:, :9]}, "test must have as many features as train, got 9"),
        (lambda a: {"y_train": a["y_train"][1:]}, r"y_train must be \(12,\) integers"),
        (lambda a: {"y_train": a["y_train"] + 0.5}, "y_train must be .* of float64"),
        (lambda a: {"y_test": a["y_test"] + 1}, r"each label of test must occur in train, got \[4\]"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(tmp_path, change, match):
    own_features.save(tmp_path / "mine.npz", **broken(change))
    with pytest.raises(ValueError, match=match):
        own_features.load(tmp_path / "mine.npz")


@pytest.mark.parametrize("index", [np.array([0, 24]), np.array([-1]), np.array([0.0]), np.array([[1]])])
def test_a_split_must_be_indices(tmp_path, index):
    own_features.save(tmp_path / "mine.npz", **(one_set(features(4, 10)) | {"test": index}))
    with pytest.raises(ValueError, match="test must be indices of 0..23"):
        own_features.load(tmp_path / "mine.npz")


def test_other_files_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="does not exist"):
        own_features.load(tmp_path / "none.npz")
    np.save(tmp_path / "mine.npy", np.zeros(3))
    with pytest.raises(ValueError, match="is not one"):
        own_features.load(tmp_path / "mine.npy")


# --- the table -------------------------------------------------------------------------------------------------------


def test_only_the_rows_that_the_classes_allow():
    assert own_features.fitting(["top-3 alpha", "softmax", "top-4 alpha", "top-10 beta"], 4) == [
        "top-3 alpha",
        "softmax",
    ]
    assert set(own_features.ROWS) <= set(study.METHODS)
    with pytest.raises(ValueError, match="got top-7 alpha"):
        own_features.fitting(["top-7 alpha"], 20)


def test_the_table_of_deep_features(tmp_path, capsys):
    parts, path = features(noise=5.0), tmp_path / "indoor.npz"
    own_features.save(path, **three_parts(parts))
    stored = own_features.table(path, ["top-5 alpha"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{3 * M} examples to train, {D} features, {M} classes"
    (X, y), (Z, t) = parts["train"], parts["test"]
    row = stored["top-5 alpha"]
    fits = {v: study.learn("top-5 alpha", X, y, v).scores(Z) for v in set(row["chosen"])}
    again = [study.hits(fits[v], t)[:, column].sum() for column, v in enumerate(row["chosen"])]
    assert np.abs(np.subtract(again, row["test"])).max() <= 2  # warm and cold fits agree up to their gaps
    assert 10 * len(t) / M < row["test"][0] < row["test"][-1]
    assert [line.split()[0] for line in lines[3:]] == ["top-5"]


def test_sparse_features_give_the_same_table(tmp_path):
    arrays, rows = three_parts(features(12, 60, (6, 3, 3), np.float64)), ["top-3 beta", "softmax", "SVM one-vs-all"]
    own_features.save(tmp_path / "dense.npz", **arrays)
    own_features.save(tmp_path / "sparse.npz", **as_csr(arrays))
    dense, thin = (own_features.table(tmp_path / f"{name}.npz", rows) for name in ("dense", "sparse"))
    for name in rows:
        assert np.abs(np.subtract(dense[name]["test"], thin[name]["test"])).max() <= 1, name


def test_few_classes_are_all_guessed(tmp_path):
    own_features.save(tmp_path / "mine.npz", **three_parts(features(4, 20)))
    row = own_features.table(tmp_path / "mine.npz", ["top-2 alpha"])["top-2 alpha"]
    assert row["test"][study.COLUMNS.index(4) :] == [8, 8, 8]


def test_a_stored_row_is_not_computed_again_and_not_taken_for_another_file(tmp_path, monkeypatch):
    path = tmp_path / "mine.npz"
    own_features.save(path, **three_parts(features(4, 20)))
    first = own_features.table(path, ["top-1 alpha"])
    monkeypatch.setattr(study, "learn", lambda *_: pytest.fail("computed again"))
    assert own_features.table(path, ["top-1 alpha"]) == first
    own_features.save(path, **three_parts(features(4, 20, seed=1)))
    with pytest.raises(ValueError, match="the file has changed since"):
        own_features.table(path, ["top-1 alpha"])


def test_the_command(tmp_path, capsys):
    path = tmp_path / "mine.npz"
    own_features.save(path, **three_parts(features(4, 20)))
    study.main(["--data", str(path), "--rows", "top-2 alpha"])
    assert "top-2 alpha" in capsys.readouterr().out
    assert set(json.loads(path.with_suffix(".table.json").read_text())) == {"checksums", "top-2 alpha"}


def test_make_study_passes_the_file():
    done = subprocess.run(
        ["make", "--dry-run", "study", "DATA=my features.npz", "ARGS=--rows softmax"], cwd=ROOT, capture_output=True,
        text=True, timeout=60,
    )  # fmt: skip
    assert '--data "my features.npz" --rows softmax' in done.stdout, done.stderr

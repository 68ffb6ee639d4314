"""The loaders: what they return on real files, and what they say where a file is missing or wrong."""

import hashlib
import os
from pathlib import Path

import numpy as np
import pytest

from reference import datasets

# Of the seeded splits, as little-endian int64.
SPLIT_MD5, STRATIFIED_MD5 = "8507e41dc430909154245eb7d07224af", "bd9e116caddb8ece7437316adeb30140"

# The images of each class in the full set.
CALTECH_CLASSES = [
    798, 435, 435, 200, 798, 55, 42, 42, 47, 54, 46, 33, 128, 98, 43, 85, 91, 49, 43, 123, 47, 59, 62, 107, 47, 69,
    73, 70, 50, 51, 57, 67, 52, 65, 68, 75, 64, 53, 64, 85, 67, 67, 45, 34, 34, 51, 99, 100, 42, 54, 88, 80, 31, 64,
    86, 114, 61, 81, 78, 41, 66, 43, 39, 87, 32, 76, 55, 35, 39, 47, 37, 45, 53, 34, 57, 82, 59, 49, 40, 63, 39, 84,
    57, 35, 64, 45, 86, 59, 64, 35, 85, 49, 86, 75, 239, 37, 59, 34, 56, 38, 60,
]  # fmt: skip


def need(name):
    """Skip the test, with a reason, unless MARGINALIA_DATA holds the file."""
    folder = os.environ.get("MARGINALIA_DATA")
    if not folder or not Path(folder, name).is_file():
        pytest.skip(f"needs {name}: set MARGINALIA_DATA to a folder that holds it")


# --- digits --------------------------------------------------------------------------------------------------------


def test_digits():
    X, y = datasets.load_digits()
    assert X.shape == (1797, 64) and X.dtype == np.float64
    assert X.min() == 0 and X.max() == 1
    assert y.dtype == np.int64 and np.unique(y).tolist() == list(range(10))
    first_row = X[0].reshape(8, 8)[0] * 16
    assert first_row.tolist() == [0, 0, 5, 13, 9, 1, 0, 0]


# --- Caltech-101 silhouettes ---------------------------------------------------------------------------------------


def test_caltech_full():
    need(datasets.CALTECH_FULL)
    X, y = datasets.load_caltech101_silhouettes()
    assert X.shape == (8671, 784) and X.dtype == np.float64 and np.unique(X).tolist() == [0, 1]
    assert y.dtype == np.int64 and np.bincount(y).tolist() == CALTECH_CLASSES
    # Images are stored column by column. Class 1 is faces: their mean is its own mirror image, left and right, and a
    # chin is not a forehead.
    face = X[y == 1].mean(axis=0).reshape(28, 28, order="F")
    assert np.abs(face - face[:, ::-1]).mean() < 0.02
    assert np.abs(face - face[::-1]).mean() > 0.05


@pytest.mark.parametrize("split", ["train", "validation", "test"])
def test_caltech_published_split(split):
    need(datasets.CALTECH_SPLIT)
    X, y = datasets.load_caltech101_silhouettes(split)
    assert X.shape == (datasets.CALTECH_SIZES[split], 784) and y.shape == (len(X),)
    assert y.min() == 0 and y.max() == 100


@pytest.fixture
def caltech_labels():
    """Labels with the class sizes of the full set, in a random order: the split needs no more."""
    return np.random.default_rng(0).permutation(np.repeat(np.arange(101), CALTECH_CLASSES))


def as_published(y):
    """The images of each class in each part, by the inferred rule in floating point."""
    c = np.bincount(y)
    train = np.minimum(100, c - np.floor(0.2 * c) - np.round(0.2 * c)).astype(int)
    validation = (c - train) // 2
    return train, validation, c - train - validation


@pytest.mark.parametrize("seed", range(5))
def test_caltech_split_has_the_published_sizes_and_every_image_once(caltech_labels, seed):
    parts = datasets.caltech101_split(caltech_labels, seed)
    assert [len(part) for part in parts] == [4100, 2264, 2307]
    assert np.array_equal(np.sort(np.concatenate(parts)), np.arange(8671))
    for part, expected in zip(parts, as_published(caltech_labels), strict=True):
        assert part.dtype == np.int64 and (np.diff(part) > 0).all()
        assert np.bincount(caltech_labels[part], minlength=101).tolist() == expected.tolist()


@pytest.mark.parametrize("stratified, expected", [(False, SPLIT_MD5), (True, STRATIFIED_MD5)])
def test_caltech_split_of_the_full_set_does_not_drift(stratified, expected):
    need(datasets.CALTECH_FULL)
    _, y = datasets.load_caltech101_silhouettes()
    parts = datasets.caltech101_split(y, stratified=stratified)
    assert hashlib.md5(b"".join(part.astype("<i8").tobytes() for part in parts)).hexdigest() == expected


def test_caltech_split_may_be_stratified(caltech_labels):
    parts = datasets.caltech101_split(caltech_labels, stratified=True)
    assert [len(part) for part in parts] == [4100, 2264, 2307]
    assert np.array_equal(np.sort(np.concatenate(parts)), np.arange(8671))
    for part in parts:
        expected = np.bincount(caltech_labels) * len(part) / 8671
        assert np.abs(np.bincount(caltech_labels[part], minlength=101) - expected).max() <= 1
    others = datasets.caltech101_split(np.arange(8671) % 101, stratified=True)  # which the other split refuses
    assert [len(part) for part in others] == [4100, 2264, 2307]


@pytest.mark.parametrize("stratified", [False, True])
def test_caltech_split_depends_on_the_seed_alone(caltech_labels, stratified):
    def split(seed):
        return datasets.caltech101_split(caltech_labels, seed, stratified=stratified)

    for first, second, other in zip(split(3), split(3), split(4), strict=True):
        assert np.array_equal(first, second) and not np.array_equal(first, other)


@pytest.mark.parametrize("y", [np.zeros(10, int), np.full(8671, -1), np.zeros(8671), np.arange(8671) % 101])
def test_caltech_split_rejects_other_labels(y):
    with pytest.raises(ValueError, match="y must"):
        datasets.caltech101_split(y)


# --- MQ2008 --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("part, documents, queries", [("train", 9630, 471), ("test", 2874, 156)])
def test_mq2008_packed(part, documents, queries):
    need(f"mq2008_fold1_{part}.npz")
    X, relevance, query = datasets.load_mq2008(1, part)
    assert X.shape == (documents, 46) and X.dtype == np.float64
    assert relevance.shape == query.shape == (documents,) and relevance.dtype == query.dtype == np.int64
    assert np.unique(relevance).tolist() == [0, 1, 2]
    assert len(np.unique(query)) == queries


@pytest.mark.parametrize("folder", ["MQ2008/Fold2", "Fold2"])
def test_mq2008_text(tmp_path, monkeypatch, folder):
    (tmp_path / folder).mkdir(parents=True)
    lines = ["2 qid:10 1:0.5 46:1.0 #docid = a", "0 qid:10 2:0.25 #docid = b", "1 qid:11 1:1.0 #docid = c"]
    (tmp_path / folder / "vali.txt").write_text("\n".join(lines) + "\n")
    monkeypatch.setenv("MARGINALIA_DATA", str(tmp_path))
    X, relevance, query = datasets.load_mq2008(fold=2, part="vali")
    expected = np.zeros((3, 46))
    expected[[0, 0, 1, 2], [0, 45, 1, 0]] = 0.5, 1, 0.25, 1
    assert np.array_equal(X, expected)
    assert relevance.tolist() == [2, 0, 1] and query.tolist() == [10, 10, 11]


# --- missing and wrong files, wrong arguments ----------------------------------------------------------------------


FILES = [
    (datasets.load_caltech101_silhouettes, datasets.CALTECH_FULL),
    (lambda: datasets.load_caltech101_silhouettes("test"), datasets.CALTECH_SPLIT),
]


@pytest.mark.parametrize("load, name", [*FILES, (datasets.load_mq2008, "MQ2008/Fold1/train.txt")])
def test_missing_file_says_where_to_get_it_and_which_variable_to_set(tmp_path, monkeypatch, load, name):
    monkeypatch.setenv("MARGINALIA_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"download .* set MARGINALIA_DATA") as caught:
        load()
    assert name in str(caught.value) and str(tmp_path) in str(caught.value)


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """What a download is asked for, which fails for want of a network."""
    import pooch
    import requests

    found = {}

    def retrieve(url, known_hash, fname, path):
        found.update(url=url, known_hash=known_hash, path=path)
        raise requests.ConnectionError("no route")

    monkeypatch.delenv("MARGINALIA_DATA", raising=False)
    monkeypatch.setattr(pooch, "os_cache", lambda project: tmp_path)
    monkeypatch.setattr(pooch, "retrieve", retrieve)
    return found


def test_a_download_asks_for_the_published_hash_and_is_a_missing_file_if_it_fails(asked, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no route.*download .* set MARGINALIA_DATA"):
        datasets.load_caltech101_silhouettes("train")
    assert asked["url"].startswith("https://") and asked["url"].endswith(datasets.CALTECH_SPLIT)
    assert asked["known_hash"] == "md5:4483e9c14b188fd09937f9ea6f9ea777" and asked["path"] == tmp_path


def test_a_download_with_another_hash_is_not_called_missing(asked, monkeypatch):
    def refuse(*_, **__):
        raise ValueError("another hash")

    monkeypatch.setattr("pooch.retrieve", refuse)
    with pytest.raises(ValueError, match="another hash"):
        datasets.load_caltech101_silhouettes("train")


@pytest.mark.parametrize("load, name", [*FILES, (datasets.load_mq2008, "mq2008_fold1_train.npz")])
def test_wrong_file_is_refused_before_it_is_read(tmp_path, monkeypatch, load, name):
    (tmp_path / name).write_bytes(b"something else")
    monkeypatch.setenv("MARGINALIA_DATA", str(tmp_path))
    with pytest.raises(ValueError, match="not the published file"):
        load()


CLASSES = {"n_classes": 4, "n_samples": 16, "n_features": 2}
WORDS = {"n_classes": 10, "n_samples": 20, "n_words": 100}


@pytest.mark.parametrize(("load", "right", "wrong", "match"), [
    (datasets.load_mq2008, {}, {"fold": 0}, "fold must be"),
    (datasets.load_mq2008, {}, {"fold": 6}, "fold must be"),
    (datasets.load_mq2008, {}, {"part": "valid"}, "part must be"),
    (datasets.load_caltech101_silhouettes, {}, {"split": "val"},
     "split must be one of 'train', 'validation', 'test', got 'val'"),
    *((datasets.make_sibling_classes, CLASSES | {"siblings": 2}, wrong, f"{next(iter(wrong))} must be") for wrong in (
        {"n_classes": 7}, {"n_classes": 1}, {"n_samples": 3}, {"siblings": 0}, {"distance": -1.0}, {"noise": np.nan},
        {"n_features": 0})),
    *((datasets.make_overlapping_classes, CLASSES, wrong, f"{next(iter(wrong))} must be") for wrong in (
        {"n_classes": 1}, {"n_samples": 3}, {"n_features": 0}, {"distance": -1.0}, {"levels": 1})),
    (datasets.make_documents, WORDS, {"n_classes": 7}, "multiple of siblings = 5, got 7"),
    (datasets.make_documents, WORDS, {"common": 0.7, "own": 0.4}, "at most 1, got 0.7 . 0.4"),
    (datasets.make_documents, WORDS, {"own": -0.1}, "own must be >= 0"),
    (datasets.make_documents, WORDS, {"length": 0}, "length must be > 0"),
    (datasets.make_documents, WORDS, {"n_words": 0}, "n_words must be an integer"),
    (datasets.make_documents, WORDS, {"n_samples": 9}, "n_samples must be an integer"),
])  # fmt: skip
def test_what_is_out_of_range_is_refused_by_name(load, right, wrong, match):
    with pytest.raises(ValueError, match=match):
        load(**right | wrong)


def test_sibling_classes_lie_where_they_should():
    X, y, family = datasets.make_sibling_classes(12, 6000, 5, siblings=3, distance=2.0, noise=0.1, seed=4)
    assert X.shape == (6000, 5) and np.bincount(y).tolist() == 12 * [500] and np.bincount(family).tolist() == 4 * [3]
    means = np.array([X[y == g].mean(axis=0) for g in range(12)])
    # Siblings lie on a sphere of radius 2 around one centre: no further apart than its diameter, and not together.
    for members in (np.flatnonzero(family == f) for f in range(4)):
        apart = [np.linalg.norm(means[a] - means[b]) for a in members for b in members if a < b]
        assert 0.1 < min(apart) and max(apart) < 4.1
    assert X[y == 7].std(axis=0) == pytest.approx(0.1, rel=0.15)
    same = datasets.make_sibling_classes(12, 6000, 5, siblings=3, distance=0.0, noise=0.0, seed=4)[0]
    assert len(np.unique(same.round(12), axis=0)) == 4


def test_overlapping_classes_overlap_on_levels_off_centre():
    X, y = datasets.make_overlapping_classes()
    assert X.shape == (10_500, 16) and X.dtype == np.float64 and y.dtype == np.int64
    assert sorted(set(np.bincount(y))) == [403, 404] and len(np.bincount(y)) == 26
    levels = (X + 1) * 7.5
    assert np.abs(levels - levels.round()).max() < 1e-9 and levels.min() == 0 and levels.round().max() == 15
    assert np.abs(X.mean()) > 0.2
    targets = np.linalg.lstsq(np.c_[X, np.ones(len(X))], np.eye(26)[y], rcond=None)[0]
    error = np.mean((np.c_[X, np.ones(len(X))] @ targets).argmax(axis=1) != y)
    assert 0.2 < error < 0.6, f"got an error of least squares of {error}"
    again, other = (datasets.make_overlapping_classes(3, 50, 2, levels=2, seed=seed)[0] for seed in (0, 1))
    assert set(np.unique(again)) <= {-1.0, 1.0} and not np.array_equal(again, other)


# --- documents -------------------------------------------------------------------------------------------------------


def test_documents_have_words_of_the_background_and_of_two_topics():
    X, y, family = datasets.make_documents(10, 2000, 5000, siblings=5, length=80, common=0.3, own=0.2, seed=1)
    assert X.shape == (2000, 5000) and X.dtype == np.float64 and X.indices.dtype == np.int32
    assert np.bincount(y).tolist() == [200] * 10 and family.tolist() == [0] * 5 + [1] * 5
    lengths = X.sum(axis=1)
    assert lengths.mean() == pytest.approx(80, rel=0.02) and lengths.min() >= 1 and X.data.min() >= 1
    frequency = X.sum(axis=0) / X.sum()
    assert frequency[0] == pytest.approx(0.5 / (1 / np.arange(1, 5001)).sum(), rel=0.1)  # half of the words, 1 / rank
    # The words that are much more frequent in a class than elsewhere: those of its topic, and of its family's.
    means = np.array([X[y == g].mean(axis=0) for g in range(10)])
    of_family = means[:5].mean(axis=0) - means[5:].mean(axis=0)
    of_class = means[0] - means[1:5].mean(axis=0)
    assert of_family[np.argsort(-of_family)[:100]].sum() == pytest.approx(0.3 * 80, rel=0.35)
    assert of_class[np.argsort(-of_class)[:100]].sum() == pytest.approx(0.2 * 80, rel=0.25)


def test_documents_depend_on_the_seed_and_have_a_word_at_least():
    one, same, other = (datasets.make_documents(4, 30, 50, siblings=2, length=0.1, seed=seed)[0] for seed in (0, 0, 1))
    assert (one != same).nnz == 0 and (one != other).nnz > 0
    assert one.sum(axis=1).tolist().count(1) > 20 and one.sum(axis=1).min() == 1

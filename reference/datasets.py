"""Data for notebooks and tests: digits, Caltech-101 silhouettes, LETOR MQ2008, synthetic mixtures and documents.

The digits come with scikit-learn. The silhouettes and MQ2008 are published for research without a stated licence, so
this project does not contain them. Their loaders read them from the folder that the environment variable
MARGINALIA_DATA names or, if it is not set, from pooch's cache for this project. They check the hash of every file whose
hash is known.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import numpy as np

from reference.problems import checks
from reference.problems.checks.types import Array, Floats, Integers

from ._shared.synthetic import make_documents, make_overlapping_classes, make_sibling_classes

__all__ = ["caltech101_split", "load_caltech101_silhouettes", "load_digits", "load_mq2008"]
__all__ += ["make_documents", "make_overlapping_classes", "make_sibling_classes"]

CALTECH_URL = "https://people.cs.umass.edu/~marlin/data/"
CALTECH_FULL = "caltech101_silhouettes_28.mat"
CALTECH_SPLIT = "caltech101_silhouettes_28_split1.mat"
CALTECH_SIZES = {"train": 4100, "validation": 2264, "test": 2307}
CALTECH_MOST_IN_TRAINING = 100  # images of a class
MQ2008_FEATURES = 46

HASHES = {
    CALTECH_FULL: "md5:1432d2809e8bf111f1104a234731ddb1",
    CALTECH_SPLIT: "md5:4483e9c14b188fd09937f9ea6f9ea777",
    "mq2008_fold1_train.npz": "sha256:cafcc65d16dea95128d79e6858e268c16e45ff255a68c49e1bee4538b51f131c",
    "mq2008_fold1_test.npz": "sha256:1766e22bbf463a1e4dc03c7da5e536c15514b01de8a9bd10484403ec099a0bed",
}


def load_digits() -> tuple[Floats, Integers]:
    """Load the 1797 handwritten digits that come with scikit-learn, 8 x 8 pixels each.

    Returns
    -------
    X : array, shape (1797, 64), float64
        Pixels scaled to 0..1 (the file holds 0..16); ``X[i].reshape(8, 8)`` is the image.
    y : array, shape (1797,), int64
        The digit, 0..9.

    Examples
    --------
    >>> X, y = load_digits()
    >>> X.shape, float(X.max()), y[:5].tolist()
    ((1797, 64), 1.0, [0, 1, 2, 3, 4])
    """
    from sklearn import datasets

    X, y = datasets.load_digits(return_X_y=True)
    return X / 16, y.astype(np.int64)


def load_caltech101_silhouettes(split: str | None = None) -> tuple[Floats, Integers]:
    """Load the outlines of the objects in the Caltech-101 photographs, 28 x 28 pixels each.

    If MARGINALIA_DATA is not set, the file (700 kB) is downloaded once over https and kept in pooch's cache.

    Parameters
    ----------
    split : None, "train", "validation" or "test"
        None returns all 8671 images of the full file. The others return a part of the published split, which is a
        file of its own. Without that file, `caltech101_split` draws parts of the same sizes from the full set.

    Returns
    -------
    X : array, shape (n, 784), float64
        Pixels, 0 on the object and 1 on the background. Each image is stored column by column:
        ``X[i].reshape(28, 28, order="F")`` is the image.
    y : array, shape (n,), int64
        The class, 0..100 (the file counts from 1).

    Raises
    ------
    ValueError
        `split` is none of these, or the md5 of the file is not that of the published file.
    FileNotFoundError
        The file is not in the folder that MARGINALIA_DATA names, or it cannot be downloaded.

    Notes
    -----
    n is 8671 for all images, and 4100, 2264 and 2307 for the parts.

    References
    ----------
    * Paper (Marlin, Swersky, Chen, de Freitas: Inductive Principles for Restricted Boltzmann Machine Learning, 2010).
    """
    from scipy.io import loadmat

    if split is None:
        contents = loadmat(_caltech_file(CALTECH_FULL))
        X, y = contents["X"], contents["Y"]
    else:
        part = {"validation": "val"}.get(checks.choice(split, "split", tuple(CALTECH_SIZES)), split)
        contents = loadmat(_caltech_file(CALTECH_SPLIT))
        X, y = contents[f"{part}_data"], contents[f"{part}_labels"]
    return X.astype(np.float64), y.ravel().astype(np.int64) - 1


def caltech101_split(y: Array, seed: int = 0, *, stratified: bool = False) -> tuple[Integers, Integers, Integers]:
    r"""Split the full Caltech set at random into 4100 images to train, 2264 to validate and 2307 to test.

    These are the sizes of the published split. The number of images that each class gives to each part follows a rule
    inferred from them, see the notes. Which images they are is drawn at random, so a result on these parts is a
    result on another draw of the published experiment.

    Parameters
    ----------
    y : array, shape (8671,), integers
        The labels that `load_caltech101_silhouettes` returns.
    seed : int
        Determines the shuffle.
    stratified : bool
        If True, every part holds its share of every class to within one image, for any labels. The parts have the
        same sizes, but results on them do not reproduce published ones: the frequent classes, which are easy, make
        up more of the training part and less of the test part.

    Returns
    -------
    train, validation, test : arrays of indices into `y`, sorted, int64
        Each image is in exactly one part.

    Raises
    ------
    ValueError
        `y` is not 8671 integers >= 0 or, unless `stratified`, its classes do not have the sizes of the full set's.

    Notes
    -----
    Let a class have c images. The training part gets :math:`\min(100, c - \lfloor 0.2 c \rfloor - \text{round}(0.2 c))`
    of them: 60 %, but 100 at most. Of the remaining r images, the validation part gets :math:`\lfloor r / 2 \rfloor`,
    and the test part the others. This rule gives exactly 4100, 2264 and 2307 images. It is inferred from these three
    numbers: no document that we could read states it. It gives 19 images to the training part from the one class that
    has 31. The accuracies of Table 1 of the paper support it with five guesses, and hardly with one (notebook 14).

    Stratified: the j-th image of a shuffled class of c images gets the position (j + 1/2) / c, so that the positions of
    every class are spread evenly over 0..1. The images are sorted by position and cut twice. Both cost O(n log n).

    References
    ----------
    * Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), Table 1.
    """
    y = checks.labels(y, sum(CALTECH_SIZES.values()))
    shuffled = np.random.default_rng(seed).permutation(len(y))
    parts = _stratified_parts(y, shuffled) if stratified else _capped_parts(y, shuffled)
    return tuple(np.sort(part) for part in parts)


def _capped_parts(y, shuffled):
    """Returns the three parts by the inferred rule, class after class in the shuffled order."""
    parts = [], [], []
    for label in np.unique(y):
        members = shuffled[y[shuffled] == label]
        fifth, rounded = len(members) // 5, (2 * len(members) + 5) // 10
        train = min(CALTECH_MOST_IN_TRAINING, len(members) - fifth - rounded)
        cuts = train, train + (len(members) - train) // 2
        for part, some in zip(parts, np.split(members, cuts), strict=True):
            part.append(some)
    parts = [np.concatenate(part) for part in parts]
    expected, got = list(CALTECH_SIZES.values()), [len(part) for part in parts]
    if got != expected:
        raise ValueError(
            f"y must be the labels of the full Caltech set, whose parts have {expected} images, got labels with {got}: "
            "pass the labels of load_caltech101_silhouettes(), or stratified=True"
        )
    return parts


def _stratified_parts(y, shuffled):
    """Returns the three parts in which each class has its share."""
    position = np.empty(len(y))
    for label in np.unique(y):
        members = shuffled[y[shuffled] == label]
        position[members] = (np.arange(len(members)) + 0.5) / len(members)
    by_position = shuffled[np.argsort(position[shuffled], kind="stable")]
    return np.split(by_position, np.cumsum(list(CALTECH_SIZES.values()))[:-1])


def load_mq2008(fold: int = 1, part: str = "train") -> tuple[Floats, Integers, Integers]:
    """Load LETOR 4.0 MQ2008: documents with a relevance for a query, and 46 features each.

    To get the data, download MQ2008.rar from Microsoft Research's LETOR 4.0 page, unpack it, and set MARGINALIA_DATA
    to the folder that holds the folder MQ2008.

    Parameters
    ----------
    fold : int, 1..5
    part : "train", "vali" or "test"

    Returns
    -------
    X : array, shape (n, 46), float64
        Features, as published: scaled to 0..1 within each query.
    relevance : array, shape (n,), int64
        0, 1 or 2.
    query : array, shape (n,), int64
        The number of the document's query.

    Raises
    ------
    ValueError
        `fold` or `part` is none of these, or the hash of the file is not that of the published file.
    FileNotFoundError
        The folder has none of ``MQ2008/Fold1/train.txt``, ``Fold1/train.txt`` and ``mq2008_fold1_train.npz`` (for the
        default arguments).

    References
    ----------
    * Paper (Qin, Liu: Introducing LETOR 4.0 Datasets, 2013), arXiv:1306.2597.
    """
    fold = checks.count(fold, "fold", 5)
    part = checks.choice(part, "part", ("train", "vali", "test"))
    text, packed = Path(f"Fold{fold}", f"{part}.txt"), f"mq2008_fold{fold}_{part}.npz"
    for path in (data_folder() / "MQ2008" / text, data_folder() / text):
        if path.is_file():
            return _read_letor(path)
    path = data_folder() / packed
    if not path.is_file():
        raise FileNotFoundError(
            f"{data_folder()} must hold MQ2008/{text.as_posix()} or {packed}, got neither: download MQ2008.rar from "
            "Microsoft Research's LETOR 4.0 page, unpack it, and set MARGINALIA_DATA to the folder that holds MQ2008"
        )
    with np.load(_checked(path), allow_pickle=False) as arrays:
        return arrays["features"].astype(np.float64), *(arrays[name].astype(np.int64) for name in ("relevance", "qid"))


def data_folder() -> Path:
    """Returns the Path of the folder with the files: MARGINALIA_DATA or, if it is not set, pooch's cache."""
    if os.environ.get("MARGINALIA_DATA"):
        return Path(os.environ["MARGINALIA_DATA"])
    (pooch,) = checks.require("the folder of downloads", "datasets", "pooch")
    return Path(pooch.os_cache("marginalia"))


def _read_letor(path):
    from sklearn.datasets import load_svmlight_file

    X, relevance, query = load_svmlight_file(str(path), n_features=MQ2008_FEATURES, query_id=True, zero_based=False)
    return X.toarray(), relevance.astype(np.int64), query.astype(np.int64)


def _caltech_file(name):
    path = data_folder() / name
    if path.is_file():
        return _checked(path)
    where = f"download it from {CALTECH_URL}{name} and set MARGINALIA_DATA to the folder that holds it"
    if os.environ.get("MARGINALIA_DATA"):
        raise FileNotFoundError(f"{name} is not in {data_folder()}: {where}")
    pooch, requests = checks.require("a download", "datasets", "pooch", "requests")
    try:
        return pooch.retrieve(CALTECH_URL + name, HASHES[name], fname=name, path=data_folder())
    except requests.RequestException as error:
        raise FileNotFoundError(f"{name} could not be downloaded ({error}): {where}") from error


def _checked(path):
    """Returns the path. ValueError if the hash of the file is not the one that is known for its name."""
    if path.name in HASHES:
        algorithm, expected = HASHES[path.name].split(":")
        got = hashlib.new(algorithm, path.read_bytes(), usedforsecurity=False).hexdigest()
        if got != expected:
            raise ValueError(
                f"{path} is not the published file: its {algorithm} must be {expected}, got {got}: download it again"
            )
    return path

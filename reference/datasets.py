"""Data for the notebooks and the tests: digits, Caltech-101 silhouettes and LETOR MQ2008, and made-up siblings.

Digits ship with scikit-learn. The other two are published for research without a stated licence, so this project ships
neither: a loader reads them from the folder named by the environment variable MARGINALIA_DATA, or, where that is not
set, from the cache that pooch keeps for this project, and checks every file whose hash is known.
"""

import hashlib
import os
from pathlib import Path

import numpy as np

from reference import contract

__all__ = ["caltech101_split", "load_caltech101_silhouettes", "load_digits", "load_mq2008", "make_sibling_classes"]

CALTECH_URL = "https://people.cs.umass.edu/~marlin/data/"
CALTECH_FULL = "caltech101_silhouettes_28.mat"
CALTECH_SPLIT = "caltech101_silhouettes_28_split1.mat"
CALTECH_SIZES = {"train": 4100, "validation": 2264, "test": 2307}
MQ2008_FEATURES = 46

HASHES = {
    CALTECH_FULL: "md5:1432d2809e8bf111f1104a234731ddb1",
    CALTECH_SPLIT: "md5:4483e9c14b188fd09937f9ea6f9ea777",
    "mq2008_fold1_train.npz": "sha256:cafcc65d16dea95128d79e6858e268c16e45ff255a68c49e1bee4538b51f131c",
    "mq2008_fold1_test.npz": "sha256:1766e22bbf463a1e4dc03c7da5e536c15514b01de8a9bd10484403ec099a0bed",
}


def load_digits():
    """The 1797 handwritten digits that ship with scikit-learn, 8 x 8 pixels each.

    Returns
    -------
    X : array, shape (1797, 64), float64
        Pixels scaled to 0..1 (the file holds 0..16); `X[i].reshape(8, 8)` is the image.
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


def load_caltech101_silhouettes(split=None):
    """Outlines of the objects in the Caltech-101 photographs, 28 x 28 pixels each.

    Without MARGINALIA_DATA the file is downloaded once (700 kB) over https and kept in pooch's cache.

    Parameters
    ----------
    split : None, "train", "validation" or "test"
        None for all 8671 images of the full file; otherwise that part of the published split, which is a file of its
        own. Where that file cannot be had, `caltech101_split` cuts the full set into parts of the same sizes.

    Returns
    -------
    X : array, shape (n, 784), float64
        Pixels, 0 on the object and 1 on the background, each image column by column:
        `X[i].reshape(28, 28, order="F")` is the image.
    y : array, shape (n,), int64
        The class, 0..100 (the file counts from 1).

    Raises
    ------
    ValueError
        `split` is none of these, or the file is not the published one (its md5 is wrong).
    FileNotFoundError
        The file is neither in the folder nor to be downloaded.

    Notes
    -----
    n is 8671, or 4100, 2264 and 2307.
    Source: B. Marlin, K. Swersky, B. Chen, N. de Freitas, "Inductive principles for restricted Boltzmann machine
    learning", AISTATS 2010.
    """
    from scipy.io import loadmat

    if split is None:
        contents = loadmat(_caltech_file(CALTECH_FULL))
        X, y = contents["X"], contents["Y"]
    else:
        part = {"validation": "val"}.get(contract.choice(split, "split", tuple(CALTECH_SIZES)), split)
        contents = loadmat(_caltech_file(CALTECH_SPLIT))
        X, y = contents[f"{part}_data"], contents[f"{part}_labels"]
    return X.astype(np.float64), y.ravel().astype(np.int64) - 1


def caltech101_split(y, seed=0):
    """A seeded, stratified split of the full Caltech set into parts of the published sizes: 4100, 2264 and 2307.

    It is not the published split, and a number measured on it is not a reproduction of a published one.

    Parameters
    ----------
    y : array, shape (8671,), integers
        The labels that `load_caltech101_silhouettes()` returns.
    seed : int
        Of the shuffle.

    Returns
    -------
    train, validation, test : arrays of indices into `y`, sorted, int64
        Every part holds its share of every class to within one image; together they hold each image once.

    Raises
    ------
    ValueError
        `y` is not 8671 integers >= 0.

    Notes
    -----
    The j-th image of a shuffled class of size c stands at (j + 1/2) / c, so that every class spreads evenly over 0..1;
    the images are sorted by where they stand and cut twice. O(n log n).
    """
    y = contract.labels(y, sum(CALTECH_SIZES.values()))
    shuffled = np.random.default_rng(seed).permutation(len(y))
    position = np.empty(len(y))
    for label in np.unique(y):
        members = shuffled[y[shuffled] == label]
        position[members] = (np.arange(len(members)) + 0.5) / len(members)
    by_position = shuffled[np.argsort(position[shuffled], kind="stable")]
    cuts = np.cumsum(list(CALTECH_SIZES.values()))[:-1]
    return tuple(np.sort(part) for part in np.split(by_position, cuts))


def load_mq2008(fold=1, part="train"):
    """LETOR 4.0 MQ2008: documents judged for queries, 46 features each.

    To get it, download MQ2008.rar from Microsoft Research's LETOR 4.0 page, unpack it, and set MARGINALIA_DATA to the
    folder that holds the folder MQ2008.

    Parameters
    ----------
    fold : int, 1..5
    part : "train", "vali" or "test"

    Returns
    -------
    X : array, shape (n, 46), float64
        Features, scaled to 0..1 within a query by those who published them.
    relevance : array, shape (n,), int64
        0, 1 or 2.
    query : array, shape (n,), int64
        Which query a document was judged for.

    Raises
    ------
    ValueError
        `fold` or `part` is none of these, or the file is not what it should be.
    FileNotFoundError
        The folder holds neither MQ2008/Fold1/train.txt nor Fold1/train.txt nor mq2008_fold1_train.npz (say).

    Notes
    -----
    Source: T. Qin, T.-Y. Liu, "Introducing LETOR 4.0 datasets", arXiv:1306.2597, 2013.
    """
    fold = contract.count(fold, "fold", 5)
    part = contract.choice(part, "part", ("train", "vali", "test"))
    text, packed = Path(f"Fold{fold}", f"{part}.txt"), f"mq2008_fold{fold}_{part}.npz"
    for path in (data_folder() / "MQ2008" / text, data_folder() / text):
        if path.is_file():
            return _read_letor(path)
    path = data_folder() / packed
    if not path.is_file():
        raise FileNotFoundError(
            f"neither MQ2008/{text.as_posix()} nor {packed} is in {data_folder()}: download MQ2008.rar from Microsoft "
            "Research's LETOR 4.0 page, unpack it, and set MARGINALIA_DATA to the folder that holds MQ2008"
        )
    with np.load(_checked(path), allow_pickle=False) as arrays:
        return arrays["features"].astype(np.float64), *(arrays[name].astype(np.int64) for name in ("relevance", "qid"))


def make_sibling_classes(
    n_classes=10_000, n_samples=100_000, n_features=64, *, siblings=4, distance=0.5, noise=1.0, seed=0
):
    """Classes that come in families: siblings are hard to tell apart, classes of different families are not.

    Parameters
    ----------
    n_classes : int
        m, a multiple of `siblings`.
    n_samples : int, >= n_classes
        n; each class has n // m of them or one more.
    n_features : int
        d.
    siblings : int
        How many classes a family has.
    distance : float, >= 0
        Of a class from the centre of its family, along a direction of its own. 0 makes siblings the same.
    noise : float, >= 0
        Standard deviation of an example around its class, in every direction. The centres of families are drawn with
        standard deviation 1 in every direction.
    seed : int

    Returns
    -------
    X : array, shape (n, d), float64
    y : array, shape (n,), int64
        The class, 0..m-1, in random order.
    family : array, shape (m,), int64
        The family of each class, 0..m/siblings-1.

    Raises
    ------
    ValueError
        A number is out of range, or `n_classes` is not a multiple of `siblings`.

    Examples
    --------
    >>> X, y, family = make_sibling_classes(6, 12, 3, siblings=2)
    >>> X.shape, np.bincount(y), family
    ((12, 3), array([2, 2, 2, 2, 2, 2]), array([0, 0, 1, 1, 2, 2]))
    """
    m, d = contract.count(n_classes, "n_classes", smallest=2), contract.count(n_features, "n_features")
    n, siblings = contract.count(n_samples, "n_samples", smallest=m), contract.count(siblings, "siblings", m)
    distance, noise = contract.nonnegative(distance, "distance"), contract.nonnegative(noise, "noise")
    if m % siblings:
        raise ValueError(f"n_classes must be a multiple of the {siblings} siblings, got {m}")
    rng, family = np.random.default_rng(seed), np.arange(m) // siblings
    directions = rng.normal(size=(m, d))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    classes = rng.normal(size=(m // siblings, d))[family] + distance * directions
    y = rng.permutation(np.arange(n) % m)
    return classes[y] + noise * rng.normal(size=(n, d)), y, family


def data_folder():
    """Where the files are looked for: MARGINALIA_DATA, or else pooch's cache for this project, as a Path."""
    if os.environ.get("MARGINALIA_DATA"):
        return Path(os.environ["MARGINALIA_DATA"])
    import pooch

    return Path(pooch.os_cache("marginalia"))


def _read_letor(path):
    from sklearn.datasets import load_svmlight_file

    X, relevance, query = load_svmlight_file(str(path), n_features=MQ2008_FEATURES, query_id=True, zero_based=False)
    return X.toarray(), relevance.astype(np.int64), query.astype(np.int64)


def _caltech_file(name):
    path = data_folder() / name
    if path.is_file():
        return _checked(path)
    where = f"download it from {CALTECH_URL}{name} and set MARGINALIA_DATA to the folder that you put it in"
    if os.environ.get("MARGINALIA_DATA"):
        raise FileNotFoundError(f"{name} is not in {data_folder()}: {where}")
    import pooch
    import requests

    try:
        return pooch.retrieve(CALTECH_URL + name, HASHES[name], fname=name, path=data_folder())
    except requests.RequestException as error:
        raise FileNotFoundError(f"{name} could not be downloaded ({error}): {where}") from error


def _checked(path):
    """The path itself, if the file's hash is the one known for its name (or none is known)."""
    if path.name in HASHES:
        algorithm, expected = HASHES[path.name].split(":")
        got = hashlib.new(algorithm, path.read_bytes(), usedforsecurity=False).hexdigest()
        if got != expected:
            raise ValueError(f"{path} is not the published file: its {algorithm} is {got}, not {expected}")
    return path

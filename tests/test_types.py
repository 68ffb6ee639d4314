"""Types for users: mypy accepts what is right in a user's file, and finds what is wrong there before it runs.

The file is checked strictly, and the packages are not: what they do inside is their own affair.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# What a user's types do not depend on: the modules that these packages are made of take mypy most of its time.
CONFIG = """\
[mypy]
[mypy-numba.*,scipy.*,sklearn.*,dask.*,distributed.*,rich.*,IPython.*,matplotlib.*,pooch.*,cvxpy.*,threadpoolctl.*]
follow_imports = skip
"""
BEGINNING = """\
import numpy as np

import fast
import fast.distributed as on_dask
import reference
from fast.estimators import PassiveAggressiveTopKClassifier, RankingSVC, TopKSVC, WsabieClassifier, topk_scorer
from reference import datasets
from reference.check import certify, certify_weights

X, y = datasets.load_digits()
network: reference.LayerwiseFit
start: fast.WsabieFit
"""
RIGHT = (
    "x = fast.project_topk_simplex([0.5, 2.0, -1.0], k=2) / 2",
    "total: float = reference.project_knapsack(X, 1.5, upper=np.ones(64), n_jobs=-1).sum(axis=1).max().item()",
    "svc = TopKSVC(k=3, gamma=0.1, random_state=np.random.default_rng(0)).fit(X, y.tolist(), sample_weight=X[:, 0])",
    "guesses = svc.predict_topk(X[:5], k=2).tolist(), svc.coef_.T @ np.ones(10), np.log(svc.predict_proba(X))",
    "accuracy: float = topk_scorer(3)(svc, X, y) + WsabieClassifier.from_preset('WSABIE_PP', margin=1.0).score(X, y)",
    "ranks = RankingSVC(loss='ndcg').fit(X, y, qid=y).predict(X).argsort()",
    "ok = certify('project_simplex', x, [0.5, 2.0], radius=1.0).ok and certify_weights(X, y, X.T, regularization=1.0)",
    "fit = on_dask.fit_topk_svm(['a.npz', 'b.npz'], k=2, regularization=1e-3, client=None)",
    "shares = (X @ fit.weights).argmax(axis=1), fit.history.gap.min(), f'{fit.gap:.1e} {fit.epochs + 1}'",
    "p: float = fast.fit_topk_svm(X, y, k=3, regularization=0.1).primal + reference.topk_hinge(X, y, 2, 'beta').mean()",
    "walk = fast.fit_wsabie(X, y, n_updates=100, **fast.WSABIE), fast.fit_multilabel(X, X > 0, regularization=0.1)",
    "slope = fast.fit_ranking_svm(X, y > 4, groups=y, loss='ndcg', regularization=0.1).slope @ X[0]",
    "net = fast.fit_layerwise(X, y, [('dense', 3)], loss='multiclass', regularization=1e-3).weights[0].shape",
    "sizes = [len(weights) for weights in network.weights], start.embedding is None or start.embedding.size",
)
# Each line, and the kind of error that mypy must find there.
WRONG = {
    "fast.project_simplex(X, radus=1.0)": "call-arg",
    "fast.project_simplx(X)": "attr-defined",
    "reference.project_topk_cone(X, '2')": "arg-type",
    "fast.project_bipartite_simplex(X, X).sum()": "attr-defined",
    "TopKSVC(k='3')": "arg-type",
    "TopKSVC(regularization=0.1)": "call-arg",
    "PassiveAggressiveTopKClassifier().fit(X, y, sample_weight=X[:, 0])": "arg-type",
    "certify_weights(X, y, X.T)": "call-arg",
    "on_dask.fit_ranking_svm(X, y > 4, regularization=0.1).gapp": "attr-defined",
    "start.embedding.shape": "union-attr",
    "fast.fit_topk_svm(X, y, k=3)": "call-arg",
    "reference.topk_hinge(X, y, '2')": "arg-type",
    "fast.fit_multilabel(X, X > 0, regularization=0.1, max_epoch=5)": "call-arg",
    "fast.fit_ranking_svm(X, y > 4, regularization=0.1).epochs": "attr-defined",
    "fast.fit_passive_aggressive(X, y).averaged.shape": "union-attr",
    "fast.fit_wsabie(X, y, embedding_dim='3', n_updates=100)": "arg-type",
}


@pytest.fixture(scope="module")
def errors_of(tmp_path_factory):
    """A function of lines: returns the kinds of the errors that mypy finds in each of them, when they are a file."""
    folder = tmp_path_factory.mktemp("types")
    (folder / "mypy.ini").write_text(CONFIG, encoding="utf-8")
    options = ("--strict", "--follow-imports=silent", f"--cache-dir={folder / 'cache'}")
    environment = os.environ | {"MYPYPATH": str(ROOT)}

    def errors_of(lines):
        path = folder / "users_file.py"
        path.write_text(BEGINNING + "\n".join(lines) + "\n", encoding="utf-8")
        command = [sys.executable, "-m", "mypy", *options, path.name]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1) and not done.stderr, done.stdout[-2000:] + done.stderr[-2000:]
        found = re.findall(r"^users_file\.py:(\d+): error: .*\[([\w-]+)\]$", done.stdout, re.MULTILINE)
        assert len(found) == done.stdout.count("error:"), done.stdout[-2000:]
        before = BEGINNING.count("\n")
        assert all(int(number) > before for number, _ in found), done.stdout[-2000:]
        return [[kind for number, kind in found if int(number) == before + i] for i in range(1, len(lines) + 1)]

    return errors_of


def test_mypy_accepts_lines_that_are_right(errors_of):
    assert dict(zip(RIGHT, errors_of(RIGHT), strict=True)) == {line: [] for line in RIGHT}


def test_mypy_finds_the_error_in_each_line(errors_of):
    assert dict(zip(WRONG, errors_of(list(WRONG)), strict=True)) == {line: [kind] for line, kind in WRONG.items()}

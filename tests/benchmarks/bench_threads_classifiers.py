"""Classification with two threads against one. It needs two idle processors: with other work on them, it shows less."""

import numpy as np
from scipy import sparse

import fast
from fast._shared.threads import one_blas_thread, threads
from fast._svm.certificate import certify
from fast._svm.dual_lists import append_duals
from fast._svm.hinge import KIND_NUMBERS
from fast._svm.models import LinearModel
from fast._svm.sdca_step import TopKLoss
from fast.estimators import PassiveAggressiveTopKClassifier, TopKSVC, TopPushClassifier, WsabieClassifier
from reference.problems import checks
from tests.benchmarks.problems import mixture

AIM = 1 / 1.6
GAP = 1e-3


def cases(quick=False):
    repeats = 3 if quick else 21
    for name, (X, y) in (("mixture", mixture(quick)), ("sparse", _sparse_examples(quick))):
        at = f"{name} {X.shape[0]} x {X.shape[1]}, {y.max() + 1} classes"
        yield _case(f"look of fit_topk_svm at all examples, {at}", _look(X, y), repeats)
        yield _case(f"fit_topk_svm, {at}", _fit(X, y), repeats // 3)
        yield from _predictions(X, y, at, repeats)
    X, y = mixture(True)
    push = TopPushClassifier(C=0.01, multi_class="ovr", random_state=0)
    yield _case("TopPushClassifier, one problem a class, 12 classes", _estimator(push, X, y), repeats)
    wsabie = WsabieClassifier(embedding_dim=32, n_ensemble=4, epochs=1 if quick else 20, random_state=0)
    yield _case("WsabieClassifier, 4 members", _estimator(wsabie, X, y), repeats)


def _case(work, run, repeats):
    """`run(n_jobs)` returns the work as a function."""
    one, two = run(1), run(2)
    return {"work": f"{work}, two threads against one", "ours": two, "theirs": one, "aim": AIM, "repeats": repeats}


def _look(X, y):
    """The look alone, at the duals of a fit."""
    n, m = X.shape[0], int(y.max()) + 1
    duals = fast.fit_topk_svm(X, y, regularization=1 / n, tol=10 * GAP).duals
    options = checks.svm_options(n, m, 1, "alpha", 1 / n, GAP, 1, None)
    loss = TopKLoss(KIND_NUMBERS[options.kind], options.k, options.radius, options.sample_weight)

    def run(n_jobs):
        model = LinearModel(X, y, m, n_jobs)
        append_duals(model.lists, 0, duals, y)

        def look():
            with threads(n_jobs) as model.each, one_blas_thread():
                return certify(model, loss, options, lists_anew=True)

        return look

    return run


def _fit(X, y):
    return lambda n_jobs: lambda: fast.fit_topk_svm(X, y, regularization=1 / len(y), tol=GAP, n_jobs=n_jobs)


def _estimator(model, X, y):
    return lambda n_jobs: lambda: model.set_params(n_jobs=n_jobs).fit(X, y)


def _predictions(X, y, at, repeats):
    few = slice(0, 1000)
    for model in (
        PassiveAggressiveTopKClassifier(max_iter=1, random_state=0),
        WsabieClassifier(embedding_dim=32, epochs=1, random_state=0),
        TopKSVC(kernel="rbf", tol=0.5, random_state=0),
    ):
        model.fit(X[few], y[few])
        for method, options in (("predict", {}), ("predict_topk", {"k": 5})):

            def run(n_jobs, model=model, method=method, options=options):
                return lambda: getattr(model.set_params(n_jobs=n_jobs), method)(X, **options)

            yield _case(f"{type(model).__name__}.{method}, {at}", run, repeats)


def _sparse_examples(quick):
    """Returns CSR rows of 100 entries, of which 15 are features of the class."""
    n, d, m = (600, 2000, 12) if quick else (10_000, 20_000, 100)
    rng = np.random.default_rng(1)
    y = np.concatenate([np.arange(m), rng.integers(0, m, n - m)])
    columns = rng.integers(0, d, (n, 100))
    columns[:, :15] = (15 * y[:, None] + np.arange(15)) % d
    X = sparse.csr_matrix((np.full(100 * n, 0.1), columns.ravel(), 100 * np.arange(n + 1)), shape=(n, d))
    X.sum_duplicates()
    return X, y

"""scikit-learn: LinearSVC(multi_class="crammer_singer"), which is LIBLINEAR. Its C is 1 / (regularization n)."""

from sklearn.svm import LinearSVC


def fit_topk_svm(X, y, *, k=1, kind="alpha", regularization, tol=1e-3, max_epochs=1000, order=None, seed=0):
    model = LinearSVC(multi_class="crammer_singer", C=1 / (regularization * len(X)), tol=1e-6, fit_intercept=False,
                      max_iter=1_000_000, random_state=seed)  # fmt: skip
    return {"weights": model.fit(X, y).coef_.T}

"""fit_topk_svm_parts that adds the changes of all parts, each made as if the others stayed: sigma' = 1."""

import reference

FUNCTION = "fit_topk_svm_parts"
REASON = "differs from algorithm 1"


def fit_topk_svm_parts(X, y, parts, *, combine="conjugate", sigma=None, max_rounds=1000, **options):
    reference.fit_topk_svm_parts(
        X, y, parts, **{**options, "tol": 1e9}, combine=combine, sigma=sigma, max_rounds=max_rounds
    )
    options |= {"combine": "adding", "sigma": 1.0, "max_rounds": min(max_rounds, 100)}
    return reference.fit_topk_svm_parts(X, y, parts, **options)

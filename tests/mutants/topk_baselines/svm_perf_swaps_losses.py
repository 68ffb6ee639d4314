"""fit_svm_perf with the two losses exchanged."""

import reference

FUNCTION = "fit_svm_perf"
REASON = "differs from the ground truth"

OTHER = {"recall": "precision", "precision": "recall"}


def fit_svm_perf(X, relevant, *, loss="recall", **options):
    return reference.fit_svm_perf(X, relevant, loss=OTHER.get(loss, loss) if isinstance(loss, str) else loss, **options)

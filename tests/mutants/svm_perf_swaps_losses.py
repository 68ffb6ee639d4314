"""fit_svm_perf with precision where recall belongs, and the other way round."""

import reference

OTHER = {"recall": "precision", "precision": "recall"}


def fit_svm_perf(X, relevant, *, loss="recall", **options):
    return reference.fit_svm_perf(X, relevant, loss=OTHER.get(loss, loss) if isinstance(loss, str) else loss, **options)

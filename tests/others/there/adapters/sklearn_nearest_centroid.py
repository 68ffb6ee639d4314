"""scikit-learn: NearestCentroid. Its centroids are our prototypes; the other fields have the values of means."""

from sklearn.neighbors import NearestCentroid

WALKED = {"prototype_sums": None, "embedding_sums": None, "last_violators": None, "skipped": None, "history": None}


def fit_nearest_means(X, Y, *, n_classes=None):
    means = NearestCentroid().fit(X, Y).centroids_
    return {"prototypes": means, "embedding": None, "discriminant": "euclidean", "steps": 0, "updates": 0, **WALKED}

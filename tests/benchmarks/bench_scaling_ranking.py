"""Loss-augmented inference for more and more negatives or positives, compared with np.argsort of the negatives."""

import numpy as np

from fast import ranking
from reference import ranking as reference
from tests.benchmarks.scaling import point

NEGATIVES = (100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
POSITIVES = (1, 10, 100, 1000, 10_000, 100_000)
BATCH = 20_000  # negatives in all calls together, at least, so that the branch predictor cannot learn one call


def cases(quick=False):
    repeats, fixed = (3, 1000) if quick else (9, 100_000)
    for N in (100, 1000) if quick else NEGATIVES:
        for loss in ("ap", "ndcg"):
            yield _inference(f"{loss}, P = 100", loss, ("N", N), 100, N, repeats)
            yield _inference(f"{loss}, P = N/10", loss, ("N", N), N // 10, N, repeats)
        yield _inference("ap, P = 100, scores ascending", "ap", ("N", N), 100, N, repeats, np.sort)
        if N <= 30_000:
            yield _inference("reference, ap, P = 100", "ap", ("N", N), 100, N, 3, method=reference)
    for P in (1, 100) if quick else POSITIVES:
        for loss in ("ap", "ndcg"):
            yield _inference(f"{loss}, N = {fixed}", loss, ("P", P), P, fixed, repeats)


def _inference(series, loss, size, P, N, repeats, arrange=np.copy, method=ranking):
    rng = np.random.default_rng(P + N)
    calls = 1 if method is reference else max(1, BATCH // N)
    scores = [(rng.standard_normal(P) + 1, arrange(rng.standard_normal(N))) for _ in range(calls)]
    return point(
        "inference", series, size, "np.argsort",
        lambda: [method.loss_augmented_inference(p, n, loss) for p, n in scores],
        lambda: [np.argsort(n) for _, n in scores],
        repeats, calls=calls,
    )  # fmt: skip

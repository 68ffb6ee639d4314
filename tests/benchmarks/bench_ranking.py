"""Loss-augmented inference, against a sort of the negatives alone, the greedy algorithm, and itself in two threads."""

import numpy as np

from fast import ranking


def cases(quick=False):
    repeats = 11 if quick else 51
    for loss in ("ap", "ndcg"):
        for shift in (0, 1, 2):
            yield _large(loss, shift, 10**5 if quick else 10**6, repeats)
    for loss in ("ap", "ndcg"):
        yield from _not_random(loss, 10**5 if quick else 10**6, repeats)
        yield from _balanced(loss, repeats)
    for loss, at_least in (("ap", 1 / 10), ("ndcg", 1 / 30)):
        for shift in (0, 1, 2):
            yield _middle(loss, shift, at_least, repeats)
    yield from _threads_against_one(10**6, 5 if quick else 21)


def _large(loss, shift, N, repeats):
    rng = np.random.default_rng(shift)
    p, n = rng.standard_normal(1000) + shift, rng.standard_normal(N)
    return {
        "work": f"loss_augmented_inference, {loss}, P = 1000, N = {N:.0e}, shift {shift}, against np.argsort",
        "ours": lambda: ranking.loss_augmented_inference(p, n, loss),
        "theirs": lambda: np.argsort(n),
        "at_least": 1,
        "aim": 0.3,
        "repeats": repeats,
    }


def _not_random(loss, N, repeats):
    """Scores that are equal, sorted or skewed, and as many positives as negatives, against np.argsort of all scores."""
    rng = np.random.default_rng(0)
    few, many = rng.standard_normal(1000), rng.standard_normal(N)
    for name, p, n in (
        ("all equal", np.zeros(1000), np.zeros(N)),
        ("ascending", few, np.sort(many)),
        ("exponential", rng.exponential(size=1000), rng.exponential(size=N)),
        ("log-normal", np.exp(3 * few), np.exp(3 * many)),
        ("P = N", rng.standard_normal(N), many),
    ):
        scores = np.concatenate([p, n])
        yield {
            "work": f"loss_augmented_inference, {loss}, N = {N:.0e}, {name}, against np.argsort of all scores",
            "ours": lambda p=p, n=n: ranking.loss_augmented_inference(p, n, loss),
            "theirs": lambda scores=scores: np.argsort(scores),
            "repeats": max(repeats // 5, 5),
        }


def _balanced(loss, repeats):
    """As many positives as negatives; so many small ones that the branch predictor cannot learn them."""
    rng = np.random.default_rng(0)
    for P, batch in ((100, 300), (10**4, 3), (10**5, 1)):
        pairs = [(rng.standard_normal(P) + 1, rng.standard_normal(P)) for _ in range(batch)]
        together = [np.concatenate(pair) for pair in pairs]
        yield {
            "work": f"loss_augmented_inference, {loss}, {P} + {P} samples, against np.argsort of all",
            "ours": lambda pairs=pairs: [ranking.loss_augmented_inference(p, n, loss) for p, n in pairs],
            "theirs": lambda together=together: [np.argsort(scores) for scores in together],
            "calls": (batch, batch),
            "repeats": max(repeats // 5, 5),
        }


def _threads_against_one(N, repeats):
    """Two threads against one. It needs two idle processors."""
    rng = np.random.default_rng(0)
    for P in (10**3, 10**4, 10**5, 10**6):
        p, n = rng.standard_normal(P) + 1, rng.standard_normal(N)
        for loss in ("ap", "ndcg"):
            yield {
                "work": f"loss_augmented_inference, {loss}, P = {P:.0e}, N = {N:.0e}, two threads against one",
                "ours": lambda p=p, n=n, loss=loss: ranking.loss_augmented_inference(p, n, loss, n_jobs=2),
                "theirs": lambda p=p, n=n, loss=loss: ranking.loss_augmented_inference(p, n, loss),
                "repeats": repeats,
            }


def _middle(loss, shift, at_least, repeats, batch=16):
    """The size of a class of VOC 2011. Scores differ in each call, so that the branch predictor cannot learn them."""
    rng = np.random.default_rng(shift)
    scores = [(rng.standard_normal(227) + shift, rng.standard_normal(4619)) for _ in range(batch)]

    def run(method):
        return lambda: [ranking.loss_augmented_inference(p, n, loss, method=method) for p, n in scores]

    return {
        "work": f"loss_augmented_inference, {loss}, P = 227, N = 4619 ({batch} times), shift {shift}, against greedy",
        "ours": run("quicksort"),
        "theirs": run("greedy"),
        "at_least": at_least,
        "aim": at_least / 2,
        "repeats": max(repeats // 5, 5),
    }

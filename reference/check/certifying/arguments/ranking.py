"""The arguments of rankings, their losses and slopes."""

from ....problems import checks

RANKINGS = {"ap": "ap", "ndcg": "ndcg", "auc": "auc"}


def ap_loss(interleaving, n_positive):
    """Check the ranks, which are in 1..P+1, and the number P of positives. Returns both."""
    ranks, P = checks.interleaving(interleaving, n_positive)
    return {"interleaving": ranks, "n_positive": P}


def ndcg_loss(interleaving, n_positive):
    """Check and return what `ap_loss` does."""
    return ap_loss(interleaving, n_positive)


def rank_loss(interleaving, n_positive, loss):
    """Check what `ap_loss` checks and the loss. Returns the ranks and the number of positives."""
    checked = ap_loss(interleaving, n_positive)
    checks.qs_loss(loss, RANKINGS)
    return checked


def interleaving_ranks(positive_scores, negative_scores):
    """Check the scores of both classes. Returns them."""
    p, n = checks.two_classes(positive_scores, negative_scores)
    return {"positive_scores": p, "negative_scores": n}


def loss_augmented_inference(positive_scores, negative_scores, loss, method, n_jobs):
    """Check the scores, the loss, the method and the number of threads. Returns the scores of both classes."""
    checked = interleaving_ranks(positive_scores, negative_scores)
    checks.qs_loss(loss, RANKINGS)
    checks.choice(method, "method", ("quicksort", "greedy"))
    checks.thread_count(n_jobs)
    return checked


def semigradient(positive_scores, negative_scores, interleaving):
    """Check the scores, and one rank for each negative. Returns the scores of both classes and the ranks."""
    p, n = checks.two_classes(positive_scores, negative_scores)
    ranks, _ = checks.interleaving(interleaving, len(p), len(n))
    return {"positive_scores": p, "negative_scores": n, "interleaving": ranks}


def grouped_inference(scores, relevant, groups, loss, n_jobs):
    """Check the scores, the relevance, the groups, the loss and the number of threads. Returns scores and relevance."""
    scores, relevant, *_ = checks.grouped_scores(scores, relevant, groups)
    checks.qs_loss(loss, RANKINGS)
    checks.thread_count(n_jobs)
    return {"scores": scores, "relevant": relevant}

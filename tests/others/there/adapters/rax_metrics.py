"""rax: ap_metric and ndcg_metric, compiled, in double precision."""

import jax
import rax
from rankings import ranked

jax.config.update("jax_enable_x64", True)
AP, NDCG = jax.jit(rax.ap_metric), jax.jit(rax.ndcg_metric)


def ap_loss(interleaving, n_positive):
    relevant, scores = ranked(interleaving, n_positive)
    return 1 - float(AP(scores, relevant.astype(float)))


def ndcg_loss(interleaving, n_positive):
    relevant, scores = ranked(interleaving, n_positive)
    return 1 - float(NDCG(scores, relevant.astype(float)))

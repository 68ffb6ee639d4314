"""The functions that are examined: for each its instances, its judge, simpler instances, and its place in the papers.

To add a function, write a generator of cases and a judge (a ground truth and a certificate), and add a line here.
"""

from functools import partial

from . import judges, problems, simpler
from .judging.sparse import sparse_cases
from .judging.specs import SPECS
from .judging.subject import Subject, subject_of
from .replays import direct_loss, streams


def _baseline(name, place):
    cases, verdict = getattr(problems.baselines, name), judges.baselines.fit(name)
    truth, shrinking = partial(judges.baselines.optimum, name), simpler.baselines
    return Subject(cases, verdict, truth, shrinking.samples, shrinking.tiny_samples, 2, place)


def _online(name, truth, shorter, tiny, positional, place):
    cases, verdict = getattr(problems.online, name), getattr(judges.online, name)
    return Subject(cases, verdict, truth, shorter, tiny, positional, place)


def _rank_loss(name, place):
    cases, verdict = getattr(problems.ranking, name), judges.ranking.loss(name)
    truth, tiny = partial(judges.ranking.true_loss, name), simpler.ranking.tiny_interleavings
    return Subject(cases, verdict, truth, simpler.ranking.interleaving, tiny, 2, place)


def _ranking(name, truth, positional, place):
    cases, verdict = getattr(problems.ranking, name), getattr(judges.ranking, name)
    return Subject(cases, verdict, truth, simpler.ranking.scores, simpler.ranking.tiny_scores, positional, place)


def _grouped(name, truth, place):
    cases, verdict = getattr(problems.ranking_svm, name), getattr(judges.ranking_svm, name)
    return Subject(cases, verdict, truth, simpler.ranking_svm.samples, simpler.ranking_svm.tiny_samples, 2, place)


SUBJECTS = {name: subject_of(spec) for name, spec in SPECS.items()} | {
    "fit_top_push": _baseline("fit_top_push", "004, sections 2.3 and 6.2; Li, Jin and Zhou 2014"),
    "fit_svm_perf": _baseline("fit_svm_perf", "004, sections 2.3 and 6.2; Joachims 2005"),
    "squish_column": _online(
        "squish_column",
        judges.online.true_column,
        simpler.online.column,
        simpler.online.tiny_columns,
        1,
        "001, column squishing; Bittorf et al. 2012, Algorithm 5",
    ),
    "multiclass_update": _online(
        "multiclass_update",
        judges.online.true_update,
        simpler.online.update,
        simpler.online.tiny_updates,
        3,
        "001, the exact update; Crammer et al. 2006 for pa1 and pa2; 004, section 4, for k > 1",
    ),
    "fit_passive_aggressive": _online(
        "fit_passive_aggressive",
        streams.replay,
        simpler.online.stream,
        simpler.online.tiny_streams,
        2,
        "001; Crammer et al. 2006, Figure 1, with the exact update of 001",
    ),
    "ap_loss": _rank_loss("ap_loss", "002, section 2.2, AP loss"),
    "ndcg_loss": _rank_loss("ndcg_loss", "002, section 2.2, NDCG loss; the discount is that of the text, not of [6]"),
    "rank_loss": _rank_loss("rank_loss", "002, supplement, section 1, condition (C1)"),
    "interleaving_ranks": _ranking(
        "interleaving_ranks",
        judges.ranking.true_ranks,
        2,
        "002, section 3, the definition of the interleaving rank; a tie counts against the positive",
    ),
    "loss_augmented_inference": _ranking(
        "loss_augmented_inference",
        judges.ranking.true_inference,
        2,
        "002, problem (6), Observation 2 and algorithm 1; supplement, Observation 3",
    ),
    "semigradient": _ranking("semigradient", judges.ranking.true_gradient, 3, "002, eq. (5)"),
    "grouped_inference": _grouped(
        "grouped_inference", judges.ranking_svm.true_rankings, "002, eq. (6), group by group"
    ),
    "fit_ranking_svm": _grouped(
        "fit_ranking_svm", judges.ranking_svm.optimum, "002, problem (4); Joachims, Finley and Yu 2009 for the planes"
    ),
    "fit_direct_loss": Subject(
        problems.ranking_learners.fit_direct_loss,
        judges.ranking_learners.fit_direct_loss,
        direct_loss.trail,
        simpler.ranking_learners.steps,
        simpler.ranking_learners.tiny_steps,
        2,
        "002, section 2.1; Song et al. 2016 and Hazan et al. 2010 for the step",
    ),
    "fit_latent_ranking_svm": Subject(
        problems.ranking_learners.fit_latent_ranking_svm,
        judges.ranking_learners.fit_latent_ranking_svm,
        judges.ranking_learners.true_rounds,
        simpler.ranking_learners.windows,
        simpler.ranking_learners.tiny_windows,
        3,
        "002, section 4.2; Behl et al. 2014 for the rounds",
    ),
    "network_scores": Subject(
        problems.layerwise.network_scores,
        judges.layerwise.network_scores,
        judges.layerwise.true_scores,
        simpler.layerwise.scores,
        simpler.layerwise.tiny_scores,
        3,
        "Berrada, Zisserman and Kumar 2017, section 2, piecewise linear networks",
    ),
    "fit_layerwise": Subject(
        problems.layerwise.fit_layerwise,
        judges.layerwise.fit_layerwise,
        judges.layerwise.optimum,
        simpler.layerwise.training_set,
        simpler.layerwise.tiny_training_sets,
        3,
        "Berrada, Zisserman and Kumar 2017, with tighter bounds; 002, section 4.3",
    ),
}
TAKES_CSR = {
    "fit_top_push": {},
    "fit_svm_perf": {},
    "fit_passive_aggressive": {},
    "fit_ranking_svm": {},
    "fit_direct_loss": {},
    "fit_latent_ranking_svm": {},
}
for _name, _options in TAKES_CSR.items():
    _sparse = sparse_cases(SUBJECTS[_name].cases, **_options)
    SUBJECTS[_name] = SUBJECTS[_name]._replace(csr=_sparse)

"""The functions that are examined: for each its instances, its judge, simpler instances, and its place in the papers.

To add a function, write a generator of cases and a judge (a ground truth and a certificate), and add a line here.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from . import judges, problems, simpler
from .replays import direct_loss, streams, walks


class Subject(NamedTuple):
    """One public function and all that is needed to examine it."""

    cases: Callable  # (generator, quick) -> Case, ...
    judge: Callable  # (case, reply) -> Outcome
    truth: Callable  # arguments -> the right answer; raises ValueError if the arguments are wrong
    simpler: Callable  # arguments -> simpler arguments, ...
    tiny: Callable  # (generator, arguments) -> tiny arguments like these, ...
    positional: int  # the number of arguments that are passed by position
    place: str  # the section or equation of the paper
    csr: Callable | None = None  # like `cases`, with CSR input; None if the function takes arrays only


def _projection(name, place):
    cases, verdict = getattr(problems.projections, name), judges.projections.projection(name)
    truth, shrinking = partial(judges.projections.true_projection, name), simpler.projections
    return Subject(cases, verdict, truth, shrinking.point, shrinking.tiny_points, 1, place)


def _loss(name, place):
    cases, verdict, truth = getattr(problems.svm, name), judges.svm.loss(name), partial(judges.svm.true_loss, name)
    return Subject(cases, verdict, truth, simpler.svm.scores, simpler.svm.tiny_scores, 2, place)


def _multilabel_loss(name, place):
    cases, verdict = getattr(problems.multilabel, name), judges.multilabel.loss(name)
    truth, shrinking = partial(judges.multilabel.true_loss, name), simpler.multilabel
    return Subject(cases, verdict, truth, shrinking.scores, shrinking.tiny_scores, 2, place)


def _fit(name, place, positional=2):
    cases, verdict, truth = getattr(problems.svm, name), judges.svm.fit(name), partial(judges.svm.optimum, name)
    return Subject(cases, verdict, truth, simpler.svm.training_set, simpler.svm.tiny_training_sets, positional, place)


def _entropy_loss(name, place):
    cases, verdict = getattr(problems.entropy, name), judges.entropy.loss(name)
    truth = partial(judges.entropy.true_loss, name)
    return Subject(cases, verdict, truth, simpler.svm.scores, simpler.svm.tiny_scores, 2, place)


def _entropy_fit(name, place):
    cases, verdict = getattr(problems.entropy, name), judges.entropy.fit(name)
    truth, shrinking = partial(judges.entropy.optimum, name), simpler.svm
    return Subject(cases, verdict, truth, shrinking.training_set, shrinking.tiny_training_sets, 2, place)


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


def _prototypes(name, truth, shorter, tiny, positional, place):
    cases, verdict = getattr(problems.prototypes, name), getattr(judges.prototypes, name)
    return Subject(cases, verdict, truth, shorter, tiny, positional, place)


def _wsabie_loss(name, place):
    cases, verdict = getattr(problems.prototypes, name), judges.prototypes.loss(name)
    truth, shrinking = partial(judges.prototypes.true_loss, name), simpler.wsabie
    return Subject(cases, verdict, truth, shrinking.losses, shrinking.tiny_losses, 2, place)


MULTILABEL = "Lapin, Hein and Schiele 2018, the multilabel losses"
SUBJECTS = {
    "project_simplex": _projection("project_simplex", "004, section 4.1"),
    "project_knapsack": _projection("project_knapsack", "004, section 4.1, and Kiwiel's algorithm cited there"),
    "project_capped_simplex": _projection("project_capped_simplex", "004, section 5, eq. (10) and the text after it"),
    "project_topk_cone": _projection("project_topk_cone", "004, section 4.2, Lemma 3, eq. (7) and (8), and Lemma 4"),
    "project_topk_simplex": _projection("project_topk_simplex", "004, section 4.3, Lemma 5; then Lemma 3, eq. (7)"),
    "project_bipartite_simplex": Subject(
        problems.projections.project_bipartite_simplex,
        judges.projections.project_bipartite_simplex,
        judges.projections.true_pair,
        simpler.projections.pair,
        simpler.projections.tiny_pairs,
        2,
        "Lapin, Hein and Schiele 2018, the multilabel SVM: sum u = sum v <= radius",
    ),
    "multilabel_error": _multilabel_loss("multilabel_error", f"{MULTILABEL}; a tie counts against the example"),
    "multilabel_hinge": _multilabel_loss("multilabel_hinge", MULTILABEL),
    "multilabel_hinge_gradient": _multilabel_loss("multilabel_hinge_gradient", MULTILABEL),
    "multilabel_entropy": _multilabel_loss("multilabel_entropy", MULTILABEL),
    "multilabel_entropy_gradient": _multilabel_loss("multilabel_entropy_gradient", MULTILABEL),
    "fit_multilabel": Subject(
        problems.multilabel.fit_multilabel,
        judges.multilabel.fit_multilabel,
        judges.multilabel.optimum,
        simpler.multilabel.training_set,
        simpler.multilabel.tiny_training_sets,
        2,
        f"{MULTILABEL}, and their duals",
    ),
    "topk_error": _loss("topk_error", "004, section 2, the definition of err_k; a tie counts against the example"),
    "topk_hinge": _loss("topk_hinge", "004, eq. (3) and (5); alpha ranks the rivals only, so that Proposition 3 holds"),
    "topk_hinge_gradient": _loss(
        "topk_hinge_gradient", "004, section 2; with smoothing, Lapin, Hein and Schiele 2016, section 2"
    ),
    "fit_topk_svm": _fit("fit_topk_svm", "004, Theorem 1, algorithm 1 and Proposition 4"),
    "fit_topk_svm_kernel": _fit("fit_topk_svm_kernel", "004, Theorem 1 (W' x_i = A K_i) and algorithm 1"),
    "fit_topk_svm_parts": _fit(
        "fit_topk_svm_parts", "004, Theorem 1 and algorithm 1; Ma et al. 2015, algorithm 1, for the parts", 3
    ),
    "topk_entropy": _entropy_loss("topk_entropy", "Lapin, Hein and Schiele 2016, section 2.3"),
    "topk_entropy_gradient": _entropy_loss("topk_entropy_gradient", "Lapin, Hein and Schiele 2016, section 2.3"),
    "truncated_topk_entropy": _entropy_loss("truncated_topk_entropy", "Lapin, Hein and Schiele 2016, section 2.4"),
    "truncated_topk_entropy_gradient": _entropy_loss(
        "truncated_topk_entropy_gradient", "Lapin, Hein and Schiele 2016, section 2.4"
    ),
    "fit_topk_entropy": _entropy_fit(
        "fit_topk_entropy", "Lapin, Hein and Schiele 2016, section 3, with |U|/k in the second equation of the step"
    ),
    "fit_topk_entropy_kernel": _entropy_fit(
        "fit_topk_entropy_kernel", "Lapin, Hein and Schiele 2016, section 3 (W' x_i = A K_i)"
    ),
    "fit_truncated_topk_entropy": Subject(
        problems.entropy.fit_truncated_topk_entropy,
        judges.entropy.fit_truncated_topk_entropy,
        judges.entropy.stationary,
        simpler.svm.training_set,
        simpler.svm.tiny_training_sets,
        2,
        "Lapin, Hein and Schiele 2016, section 2.4",
    ),
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
    "prototype_scores": _prototypes(
        "prototype_scores",
        judges.prototypes.true_scores,
        simpler.wsabie.scores,
        simpler.wsabie.tiny_scores,
        2,
        "003, section 2, the two discriminants",
    ),
    "concatenate_fits": _prototypes(
        "concatenate_fits",
        judges.prototypes.true_concatenation,
        simpler.wsabie.fits,
        simpler.wsabie.tiny_fits,
        1,
        "003, section 8.3 and Table 8, the ensembles",
    ),
    "fit_nearest_means": _prototypes(
        "fit_nearest_means",
        judges.prototypes.true_means,
        simpler.wsabie.means,
        simpler.wsabie.tiny_means,
        2,
        "003, section 2, nearest means",
    ),
    "fit_one_vs_all": _prototypes(
        "fit_one_vs_all",
        judges.prototypes.true_learners,
        simpler.wsabie.walk,
        simpler.wsabie.tiny_walks,
        2,
        "003, section 8.3; adagrad: section 7, eq. (16)",
    ),
    "fit_wsabie": Subject(
        problems.wsabie.fit_wsabie,
        judges.wsabie.fit_wsabie,
        judges.wsabie.true_walk,
        simpler.wsabie.walk,
        simpler.wsabie.tiny_walks,
        2,
        "003, Table 3 (with 2 (b_- - b_+) x' for the gradient in W), eq. (13) for weights, eq. (16) for adagrad",
    ),
    "class_confusion_loss": _wsabie_loss("class_confusion_loss", "003, section 6, eq. (6) and (7)"),
    "pairwise_loss": _wsabie_loss("pairwise_loss", "003, section 4, eq. (8), divided by n"),
    "warp_loss": _wsabie_loss("warp_loss", "003, eq. (11) to (13); (14) and (15) with last violators; divided by n"),
}
BOTH, ONLY_Y = ("X", "Y"), ("Y",)
TAKES_CSR = {
    "multilabel_error": {"names": ONLY_Y},
    "multilabel_hinge": {"names": ONLY_Y},
    "multilabel_hinge_gradient": {"names": ONLY_Y},
    "multilabel_entropy": {"names": ONLY_Y},
    "multilabel_entropy_gradient": {"names": ONLY_Y},
    "fit_multilabel": {"names": BOTH},
    "fit_topk_svm": {},
    "fit_topk_svm_parts": {},
    "fit_topk_entropy": {},
    "fit_truncated_topk_entropy": {},
    "fit_top_push": {},
    "fit_svm_perf": {},
    "fit_passive_aggressive": {},
    "fit_ranking_svm": {},
    "fit_direct_loss": {},
    "fit_latent_ranking_svm": {},
    "prototype_scores": {},
    "fit_nearest_means": {"names": BOTH},
    "fit_one_vs_all": {"names": BOTH},
    "fit_wsabie": {"names": BOTH, "is_sound": lambda given: "seed" in given or walks.is_sound(given)},
    "pairwise_loss": {"names": ONLY_Y},
    "warp_loss": {"names": ONLY_Y},
}
for _name, _options in TAKES_CSR.items():
    _sparse = problems.csr.sparse_cases(SUBJECTS[_name].cases, **_options)
    SUBJECTS[_name] = SUBJECTS[_name]._replace(csr=_sparse)

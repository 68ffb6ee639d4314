"""The functions that are examined: for each its instances, its judge, simpler instances, and its place in the papers.

To add a function, write a generator of cases and a judge (a ground truth and a certificate), and add a line here.
"""

from functools import partial

from . import judges, problems, simpler
from .judging.sparse import sparse_cases
from .judging.specs import SPECS
from .judging.subject import Subject, subject_of
from .replays import walks


def _prototypes(name, truth, shorter, tiny, positional, place):
    cases, verdict = getattr(problems.prototypes, name), getattr(judges.prototypes, name)
    return Subject(cases, verdict, truth, shorter, tiny, positional, place)


def _wsabie_loss(name, place):
    cases, verdict = getattr(problems.prototypes, name), judges.prototypes.loss(name)
    truth, shrinking = partial(judges.prototypes.true_loss, name), simpler.wsabie
    return Subject(cases, verdict, truth, shrinking.losses, shrinking.tiny_losses, 2, place)


SUBJECTS = {name: subject_of(spec) for name, spec in SPECS.items()} | {
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
    "prototype_scores": {},
    "fit_nearest_means": {"names": BOTH},
    "fit_one_vs_all": {"names": BOTH},
    "fit_wsabie": {"names": BOTH, "is_sound": lambda given: "seed" in given or walks.is_sound(given)},
    "pairwise_loss": {"names": ONLY_Y},
    "warp_loss": {"names": ONLY_Y},
}
for _name, _options in TAKES_CSR.items():
    _sparse = sparse_cases(SUBJECTS[_name].cases, **_options)
    SUBJECTS[_name] = SUBJECTS[_name]._replace(csr=_sparse)

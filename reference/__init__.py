"""The algorithms of the papers, line by line in NumPy, to be read. `fast` has the same functions, compiled.

`reference.problems` has what the two share: what each function promises, checks of arguments, types of results.
`reference.ground_truth` (slow and simple) and `reference.check` (the examiner) are imported by name only, so that
``import reference`` stays light.

Large numbers have one rule: no argument is above 1e140 in magnitude, so that products and sums have room in float64.
Where an answer is float32, numbers are also at most the largest float32. Counts are at most 2**31 - 1, and labels that
alone tell the number of classes are below 2**24. A ValueError names what is larger, and the largest that is allowed.
"""

from typing import TYPE_CHECKING

from reference import (
    datasets,
    entropy_fits,
    entropy_losses,
    layerwise,
    losses,
    multilabel,
    passive_aggressive,
    projections,
    ranking,
    ranking_learners,
    ranking_svm,
    topk_baselines,
    topk_svm,
    topk_svm_parts,
    wsabie,
    wsabie_baselines,
    wsabie_losses,
)
from reference.entropy_fits import fit_topk_entropy, fit_topk_entropy_kernel, fit_truncated_topk_entropy
from reference.entropy_losses import (
    topk_entropy,
    topk_entropy_gradient,
    truncated_topk_entropy,
    truncated_topk_entropy_gradient,
)
from reference.layerwise import fit_layerwise, network_scores
from reference.losses import topk_error, topk_hinge, topk_hinge_gradient
from reference.multilabel import (
    fit_multilabel,
    multilabel_entropy,
    multilabel_entropy_gradient,
    multilabel_error,
    multilabel_hinge,
    multilabel_hinge_gradient,
)
from reference.passive_aggressive import fit_passive_aggressive, multiclass_update, squish_column
from reference.problems.checks import (
    AUC,
    WARP,
    WSABIE,
    WSABIE_PP,
    DirectLossFit,
    Inference,
    LatentRankingFit,
    LayerwiseFit,
    PassiveAggressiveFit,
    QSLoss,
    RankingSVMFit,
    TopKSVMFit,
    TopRankFit,
    TruncatedEntropyFit,
    WsabieFit,
)
from reference.projections import (
    project_bipartite_simplex,
    project_capped_simplex,
    project_knapsack,
    project_simplex,
    project_topk_cone,
    project_topk_simplex,
)
from reference.ranking import (
    ap_loss,
    interleaving_ranks,
    loss_augmented_inference,
    ndcg_loss,
    rank_loss,
    semigradient,
)
from reference.ranking_learners import fit_direct_loss, fit_latent_ranking_svm
from reference.ranking_svm import fit_ranking_svm, grouped_inference
from reference.topk_baselines import fit_svm_perf, fit_top_push
from reference.topk_svm import fit_topk_svm, fit_topk_svm_kernel
from reference.topk_svm_parts import fit_topk_svm_parts
from reference.wsabie import concatenate_fits, fit_wsabie, prototype_scores
from reference.wsabie_baselines import fit_nearest_means, fit_one_vs_all
from reference.wsabie_losses import class_confusion_loss, pairwise_loss, warp_loss

__all__ = [
    "project_simplex",
    "project_knapsack",
    "project_capped_simplex",
    "project_topk_cone",
    "project_topk_simplex",
    "project_bipartite_simplex",
    "topk_error",
    "topk_hinge",
    "topk_hinge_gradient",
    "fit_topk_svm",
    "fit_topk_svm_kernel",
    "fit_topk_svm_parts",
    "multilabel_error",
    "multilabel_hinge",
    "multilabel_hinge_gradient",
    "multilabel_entropy",
    "multilabel_entropy_gradient",
    "fit_multilabel",
    "topk_entropy",
    "topk_entropy_gradient",
    "truncated_topk_entropy",
    "truncated_topk_entropy_gradient",
    "fit_topk_entropy",
    "fit_topk_entropy_kernel",
    "fit_truncated_topk_entropy",
    "fit_top_push",
    "fit_svm_perf",
    "squish_column",
    "multiclass_update",
    "fit_passive_aggressive",
    "ap_loss",
    "ndcg_loss",
    "rank_loss",
    "interleaving_ranks",
    "loss_augmented_inference",
    "semigradient",
    "grouped_inference",
    "fit_ranking_svm",
    "fit_direct_loss",
    "fit_latent_ranking_svm",
    "network_scores",
    "fit_layerwise",
    "fit_nearest_means",
    "fit_one_vs_all",
    "fit_wsabie",
    "prototype_scores",
    "concatenate_fits",
    "class_confusion_loss",
    "pairwise_loss",
    "warp_loss",
    "AUC",
    "WARP",
    "WSABIE",
    "WSABIE_PP",
    "TopKSVMFit",
    "PassiveAggressiveFit",
    "QSLoss",
    "Inference",
    "RankingSVMFit",
    "TopRankFit",
    "TruncatedEntropyFit",
    "DirectLossFit",
    "LatentRankingFit",
    "LayerwiseFit",
    "WsabieFit",
    "projections",
    "losses",
    "topk_svm",
    "topk_svm_parts",
    "entropy_losses",
    "entropy_fits",
    "topk_baselines",
    "multilabel",
    "passive_aggressive",
    "ranking",
    "ranking_svm",
    "ranking_learners",
    "layerwise",
    "wsabie",
    "wsabie_losses",
    "wsabie_baselines",
    "datasets",
]

if TYPE_CHECKING:
    __version__: str
else:  # a type checker would take any misspelt name for one that this function knows

    def __getattr__(name):
        """Look the version up when it is asked for, since that takes long."""
        if name != "__version__":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from reference.problems.checks import version

        return version()

"""What both sides share: checks of arguments and types of results, and nothing that computes an answer.

Every check returns the argument in the one form that the methods read, or raises a ValueError that names the argument
and its value. `reference` and `fast` call the same checks, so that they refuse the same input.

arguments   single numbers and arrays           online       passive-aggressive updates
sets        sets that are projected onto        ranking      rankings, queries and their learners
svm         the top-k SVM                       wsabie       the Wsabie family
parts       the top-k SVM on parts of examples  walk         the random numbers of a walk
qs_loss     losses for the quicksort            multilabel   multilabel losses and fits
results     what a fit returns                  reporting    the progress bar and the warnings
extras      missing packages, the version       statement    how a twin completes its docstring
types       names for types
"""

from .arguments import (
    LARGEST,
    LARGEST_FLOAT,
    LARGEST_NUMBER,
    MOST_CLASSES,
    brief,
    choice,
    count,
    csr_matrix,
    features,
    features_and_labels,
    finite_array,
    finite_number,
    flag,
    gram_and_labels,
    in_range,
    integers,
    labels,
    nonnegative,
    not_in_range,
    points,
    positive,
    real_array,
    row_of,
    scores_and_labels,
    thread_count,
    training_labels,
    visiting_orders,
)
from .extras import require, require_later, version
from .multilabel import (
    MULTILABEL_LOSSES,
    MultilabelOptions,
    indicator,
    loss_smoothing,
    multilabel_duals,
    multilabel_options,
    proper_rows,
)
from .online import (
    LARGEST_STEP,
    LEAST_CURVATURE,
    VARIANTS,
    UpdateRule,
    model_and_example,
    passes,
    shortest,
    stream,
    stream_rule,
    update_rule,
    warn_of_zeros,
)
from .parts import COMBINATIONS, PartsRule, parts_history, parts_of, parts_rule
from .qs_loss import QSLoss
from .ranking import (
    group_shares,
    grouped_scores,
    interleaving,
    qs_loss,
    ranking_options,
    reduced_samples,
    sorted_bags,
    sorted_groups,
    start,
    two_classes,
)
from .reporting import progress_bar, warn, warn_unless_converged
from .results import (
    DirectLossFit,
    Inference,
    LatentRankingFit,
    LayerwiseFit,
    PassiveAggressiveFit,
    RankingSVMFit,
    TopKSVMFit,
    TopRankFit,
    TruncatedEntropyFit,
    WsabieFit,
)
from .sets import bounds, interval, knapsack, one_cap, two_points
from .statement import documented_by
from .svm import (
    KINDS,
    SVMOptions,
    assembled_duals,
    dual_chunks,
    example_weights,
    finite_objective,
    relative_gap,
    squared_norms,
    starting_duals,
    svm_history,
    svm_options,
    topk_loss,
)
from .walk import MOST_UPDATES, Curve, Draws, frozen_classes, stages, warn_if_frozen
from .wsabie import (
    AUC,
    NONE,
    WARP,
    WEIGHTINGS,
    WSABIE,
    WSABIE_PP,
    features_and_fit,
    fits_to_concatenate,
    label_sets,
    labels_and_predictions,
    negatives_to_try,
    one_vs_all_rule,
    rounded,
    scores_and_sets,
    sets_of_all_classes,
    weights_of_means,
    wsabie_rule,
    wsabie_start,
    zero_fit,
)

# The types in signatures. A strict type checker knows only these as names of this module, and all others as Any.
__all__ = [
    "DirectLossFit",
    "Inference",
    "LatentRankingFit",
    "LayerwiseFit",
    "PassiveAggressiveFit",
    "QSLoss",
    "RankingSVMFit",
    "TopKSVMFit",
    "TopRankFit",
    "TruncatedEntropyFit",
    "WsabieFit",
]

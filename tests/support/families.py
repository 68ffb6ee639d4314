"""Which functions are tested in a folder of tests."""

# The modules of each folder.
FAMILIES = {
    "projections": ("projections",), "multilabel": ("multilabel",), "passive_aggressive": ("passive_aggressive",),
    "svm": ("losses", "topk_svm", "topk_svm_parts", "entropy_losses", "entropy_fits", "topk_baselines"),
    "ranking": ("ranking", "ranking_svm", "ranking_learners"), "layerwise": ("layerwise",),
    "wsabie": ("wsabie", "wsabie_baselines", "wsabie_losses"),
}  # fmt: skip


def is_of_family(name, family):
    """True if a public function, by its name, is of a family."""
    import reference  # not with this module: tests/conftest.py first sets the number of threads

    return getattr(reference, name).__module__.split(".")[1] in FAMILIES[family]

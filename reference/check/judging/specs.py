"""The families and their Specs: the one table of what is examined, in the order of the report."""

import importlib

FAMILIES = ("projections", "multilabel", "topk_svm", "entropy", "wsabie", "wsabie_baselines", "wsabie_losses")
HERE = __name__.rpartition(".judging")[0]
SPECS = {spec.name: spec for family in FAMILIES for spec in importlib.import_module(f"{HERE}.{family}").SPECS}

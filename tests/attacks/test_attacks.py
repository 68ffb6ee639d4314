"""A sample of the attacks (`python -m tests.attacks` makes all), and attacks on certificates that are known to be wrong."""

import pytest

from reference.check import Certificate
from reference.check.certifying import CERTIFIED

from . import judging, replays, values
from .running import FAMILIES, attack_family

FEW = {"fit_layerwise", "fit_wsabie", "fit_topk_entropy", "fit_topk_entropy_kernel", "fit_multilabel", "fit_topk_svm_parts"}
KNOWN = [family for family in FAMILIES if family.name in ("fit_topk_svm", "project_simplex", "topk_hinge", "fit_one_vs_all")]


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_no_false_proof_and_no_false_alarm_in_a_sample(family):
    _, failures = attack_family(family, 1 if family.name in FEW else 2, seed=1)

    assert not failures, failures[0]


def test_each_certified_function_is_attacked():
    assert {family.name for family in FAMILIES} == set(CERTIFIED)


@pytest.mark.parametrize("family", KNOWN, ids=lambda family: family.name)
@pytest.mark.parametrize("is_ok, expected", [(True, "false proof"), (False, "false alarm")])
def test_a_certificate_that_always_says_the_same_is_found_out(monkeypatch, family, is_ok, expected):
    for module in (judging, values, replays):
        monkeypatch.setattr(module, "certify", lambda *_, **__: Certificate(0.0, 0.0, is_ok, ""))
    _, failures = attack_family(family, 4, seed=2)

    assert expected in {failure.verdict.kind for failure in failures}

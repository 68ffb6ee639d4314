"""A sample of the attacks that `python -m tests.attacks` makes, and attacks on certificates that are wrong."""

import json
from pathlib import Path

import numpy as np
import pytest

from reference.check import Certificate
from reference.check.judging.specs import SPECS

from . import judging, replays, values
from .running import FAMILIES, attack, attack_family
from .shrinking import shrunk, snippet

STORED = Path(__file__).parents[2] / "notebooks" / "results" / "attacks.json"
SLOW = ("fit_layerwise", "fit_wsabie", "fit_topk_entropy", "fit_topk_entropy_kernel", "fit_multilabel")
SLOW += ("fit_topk_svm_parts",)
MISLED = ("fit_topk_svm", "project_simplex", "topk_hinge", "fit_one_vs_all")


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_no_false_proof_and_no_false_alarm_in_a_sample(family):
    _, failures = attack_family(family, 1 if family.name in SLOW else 2, seed=1)

    assert not failures, failures[0]


def test_each_certified_function_is_attacked():
    assert {family.name for family in FAMILIES} == set(SPECS)


def test_the_stored_result_has_no_false_proof_and_no_false_alarm():
    rows = json.loads(STORED.read_text(encoding="utf-8"))["rows"]

    assert set(rows) == set(SPECS)
    for row in rows.values():
        assert row["problems"] >= 500 and row["adversarial"] >= 1500 and row["right"] >= 500, row
        assert row["false_proofs"] == 0 and row["false_alarms"] == 0, row


@pytest.mark.parametrize("family", [one for one in FAMILIES if one.name in MISLED], ids=lambda family: family.name)
@pytest.mark.parametrize("is_ok, expected", [(True, "false proof"), (False, "false alarm")])
@pytest.mark.filterwarnings("ignore")
def test_a_certificate_that_always_says_the_same_is_found_out(monkeypatch, family, is_ok, expected):
    for module in (judging, values, replays):
        monkeypatch.setattr(module, "certify", lambda *_, **__: Certificate(0.0, 0.0, is_ok, ""))
    with np.errstate(all="ignore"):
        kinds = (verdict.kind for number in range(4) for *_, verdict in attack(family, number, seed=2))
        assert expected in kinds  # the attacks end with the first


def test_a_failure_is_shrunk_to_a_smaller_one_of_the_same_kind(monkeypatch):
    monkeypatch.setattr(judging, "certify", lambda *_, **__: Certificate(0.0, 0.0, True, ""))
    family = next(one for one in FAMILIES if one.name == "fit_topk_svm")
    _, failures = attack_family(family, 1, seed=2)
    failure = next(one for one in failures if one.verdict.gross)

    smaller = shrunk(failure, family, seconds=1.0)

    assert smaller.verdict.kind == "false proof" and smaller.verdict.gross
    assert len(snippet(smaller)) < len(snippet(failure))
    assert 'certify("fit_topk_svm", {"' in snippet(smaller)

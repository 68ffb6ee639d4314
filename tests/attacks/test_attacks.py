"""A sample of the attacks, the stored table of all of them, and attacks on certificates that are known to be wrong."""

import json
from pathlib import Path

import pytest

from reference.check import Certificate
from reference.check.certifying import CERTIFIED

from . import judging, replays, values
from .running import FAMILIES, Row, attack_family

STORED = json.loads((Path(__file__).parent / "result.json").read_text())
SLOW = ("fit_ranking_svm", "fit_latent_ranking_svm", "fit_layerwise")


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_no_false_proof_and_no_false_alarm_in_a_sample(family):
    _, failures = attack_family(family, 1 if family.name in SLOW else 4, seed=1)

    assert not failures, failures[0]


def test_each_certified_function_is_attacked():
    assert {family.name for family in FAMILIES} == set(CERTIFIED)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_the_stored_table_has_no_failure(family):
    row = Row(**STORED["rows"][family.name])

    assert row.problems >= 500
    assert row.adversarial >= 500
    assert row.right >= 500
    assert (row.false_proofs, row.false_alarms) == (0, 0)
    assert row.undecided <= 0.02 * (row.adversarial + row.right)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
@pytest.mark.parametrize("is_ok, expected", [(True, "false proof"), (False, "false alarm")])
def test_a_certificate_that_always_says_the_same_is_found_out(monkeypatch, family, is_ok, expected):
    for module in (judging, values, replays):
        monkeypatch.setattr(module, "certify", lambda *_, **__: Certificate(0.0, 0.0, is_ok, ""))
    _, failures = attack_family(family, 2 if family.name in SLOW else 4, seed=2)

    assert expected in {failure.verdict.kind for failure in failures}

"""Every measure keeps to the contract: ours, a user's in Python, a user's in rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest
from tests.risk.samples import ALL_NULLS, CATEGORY, mixed

from tacita.knowledge.programs import ProgramText
from tacita.progress import Progress, silent
from tacita.risk.catalogue import MEASURES, measure
from tacita.risk.cluster_risk import ClusterRisk
from tacita.risk.contract import breaches
from tacita.risk.identity.k_anonymity import KAnonymity
from tacita.risk.measure import Measure, Risks, Specification
from tacita.risk.null_semantics import Nulls
from tacita.risk.ruled import Ruled
from tacita.risk.sample import Sample

pytestmark = pytest.mark.slow

NEAR = {"interval-disclosure"}
"""Measures of nearness: values written as text are not near to anything."""


@pytest.mark.parametrize("name", MEASURES.names())
def test_every_measure_keeps_to_it(name: str) -> None:
    data = mixed()
    population = mixed(200).relation if name in {"k-map", "delta-presence"} else None
    for nulls in (CATEGORY, Nulls()):
        found = breaches(measure(name), data.microdata, nulls, population)
        allowed = "text and other values" if name in NEAR else "nothing"
        assert [breach for breach in found if not breach.startswith(allowed)] == []


@pytest.mark.parametrize("nulls", ALL_NULLS, ids=str)
@pytest.mark.parametrize("name", ["k-anonymity", "individual-risk", "reidentification"])
def test_under_every_meaning_of_a_null(name: str, nulls: Nulls) -> None:
    assert breaches(measure(name), mixed().microdata, nulls) == []


@pytest.mark.parametrize("program", ["k_anonymity", "individual_risk", "reidentification"])
def test_rules_keep_to_it(program: str) -> None:
    assert breaches(Ruled(ProgramText.of(program)), mixed(12).microdata) == []


def test_clusters_keep_to_it() -> None:
    assert breaches(ClusterRisk(measure("individual-risk")), mixed().microdata) == []


@dataclass(frozen=True)
class Wrong:
    """A measure of a user's that can be wrong in several ways."""

    fault: str
    name: str = "mine"
    threshold: float = 0.5

    def lacks(self, sample: Sample) -> list[str]:
        return []

    def risks(self, sample: Sample, progress: Progress = silent) -> Risks:
        right = KAnonymity().risks(sample)
        assert right.records is not None
        from sqlglot import exp

        terms = {"c0": exp.column("c0"), "c1": exp.column("c1"), "c2": exp.column("c2")}
        if self.fault == "range":
            terms["c1"] = exp.Add(this=exp.column("c1"), expression=exp.Literal.number(1))
        if self.fault == "place":
            terms["c1"] = exp.Div(this=exp.Literal.number("1.0"), expression=exp.column("c0"))
        plan = exp.select(*(exp.alias_(t, n) for n, t in terms.items())).from_(right.records.source())
        if self.fault == "lost":
            plan = plan.where(exp.GT(this=exp.column("c0"), expression=exp.Literal.number(1)))
        return replace(right, records=sample.engine.store(plan, right.records.columns))

    def reason(self, sample: Sample, record: Mapping[str, Any]) -> str:
        return "north, south or centre" if self.fault == "value" else "because"

    def specification(self, sample: Sample) -> Specification | None:
        return None


def test_a_users_own_measure_is_checked() -> None:
    assert isinstance(Wrong(""), Measure)
    assert breaches(Wrong(""), mixed().microdata) == []
    faults = {
        "range": "outside 0 to 1",
        "lost": "exactly once",
        "place": "where it stands",
        "value": "shows a value",
    }
    for fault, words in faults.items():
        assert any(words in breach for breach in breaches(Wrong(fault), mixed().microdata)), fault

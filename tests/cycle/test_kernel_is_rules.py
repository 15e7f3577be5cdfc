"""The kernels of the cycle and its rules give the same table: what a user reads in the programs is what is done.

Several small files are one run of the rules, as microdata DBs of their own: a run takes its time, however small they
are. Attributes are in the order of their names, which is how rules over plain facts break ties. Where the two do not
agree is in docs/how-to/write-a-cycle.md.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from tests.long import LONG
from tests.risk.samples import microdata

import tacita as tc
from tacita.cycle.anonymize import anonymize
from tacita.cycle.plan import Plan
from tacita.cycle.program.run import anonymize_by_rules
from tacita.cycle.suppression.routing import AttributeRoute, TupleOrder
from tacita.knowledge import programs
from tacita.model.hierarchy import ValueHierarchy
from tacita.model.microdata import Microdata
from tacita.reasoning.links import related
from tacita.risk.identity.individual_risk import IndividualRisk, RiskEstimate
from tacita.risk.identity.k_anonymity import KAnonymity
from tacita.risk.identity.reidentification import Reidentification
from tacita.risk.identity.suda import Suda
from tacita.risk.measure import Measure
from tacita.risk.null_semantics import Nulls
from tacita.rules.reasoner import Null, ReasoningOptions, reason

QUASI = ("Age", "Area", "Sector")
FILES = 2
# One is enough to see a difference; more are for whoever looks for one: TACITA_FUZZ=1, make test-long.
FUZZ = bool(os.environ.get("TACITA_FUZZ"))
SEEDS = range(100 if LONG else 10 if FUZZ else 1)
pytestmark = [pytest.mark.long, pytest.mark.slow]
Table = list[dict[str, Any]]


def tables(seed: int, *, with_nulls: bool) -> list[Table]:
    """Return a few small files; their records are few enough to be unique and many enough to look alike."""
    random = Random(seed)
    values = {name: [f"{name} {i}" for i in range(random.randint(2, 4))] for name in QUASI}

    def record(number: int) -> dict[str, Any]:
        held = {name: random.choice(values[name]) for name in QUASI}
        if with_nulls and random.random() < 0.25:
            held[random.choice(QUASI)] = None
        return {"Id": f"firm {number}", **held, "Weight": random.choice([1, 2, 3, 7])}

    return [[record(100 * n + i) for i in range(random.randint(5, 8))] for n in range(FILES)]


def by_rules(text: str, files: Sequence[Table], parameters: Mapping[str, Any], **inputs: Any) -> list[list[list[Any]]]:
    """Return what the rules make of some files: the quasi-identifiers of their records, nulls as None."""
    starts = [sum(map(len, files[:n])) for n in range(len(files))]
    facts: dict[str, list[tuple[Any, ...]]] = {"Val": [], "Cat": [], **inputs}
    for n, (file, start) in enumerate(zip(files, starts, strict=True)):
        categories = {**dict.fromkeys(QUASI, "Quasi-identifier"), "Weight": "Weight", "Id": "Identifier"}
        facts["Cat"] += [(f"db {n}", name, category) for name, category in categories.items()]
        for i, row in enumerate(file, start + 1):
            facts["Val"] += [(f"db {n}", i, name, value) for name, value in row.items()]
    result = reason(
        text, facts, options=ReasoningOptions(find=programs.find, parameters={"AnonSet": list(QUASI), **parameters})
    )
    found = {number: dict(values.items) for _, number, values in result.facts("Tuple")}
    return [
        [[_plain(found[start + i + 1][name]) for name in QUASI] for i in range(len(file))]
        for file, start in zip(files, starts, strict=True)
    ]


def _plain(value: Any) -> Any:
    return None if isinstance(value, Null) else value


def by_kernels(plan: Plan, files: Sequence[Table]) -> list[list[list[Any]]]:
    return [released(microdata(f, quasi=list(QUASI), weight="Weight", identifier=["Id"]), plan) for f in files]


def released(data: tc.Dataset, plan: Plan) -> list[list[Any]]:
    outcome = anonymize(data.microdata, plan)
    return [[row[name] for name in QUASI] for row in values(outcome.protected)]


MEASURES: dict[str, tuple[Measure, dict[str, Any]]] = {
    "k_anonymity": (KAnonymity(3), {"k": 3, "T": 0.5}),
    "reidentification": (Reidentification(0.12), {"T": 0.12}),
    "individual_risk": (IndividualRisk(RiskEstimate.RATIO, 0.45), {"T": 0.45}),
    "suda": (Suda(largest=2, k=3), {"largest": 2, "k": 3, "T": 0.5}),
}
ROUNDS = Plan(nulls=Nulls(), rounds=True, attributes=AttributeRoute.RAREST_VALUE_FIRST, take_back=False)
ORDERS: dict[str, AttributeRoute | tuple[str, ...]] = {
    "most_selective_first": AttributeRoute.MOST_SELECTIVE_FIRST,
    "most_risky_first": AttributeRoute.MOST_RISKY_FIRST,
    "given_order": ("Sector", "Age"),
}
TURNS = {"less_significant_first": TupleOrder.LESS_SIGNIFICANT_FIRST, "file_order": TupleOrder.FILE_ORDER}


@pytest.mark.slow
@pytest.mark.parametrize("risk", MEASURES)
@pytest.mark.parametrize("seed", SEEDS)
def test_all_risky_records_in_each_round(risk: str, seed: int) -> None:
    measure, parameters = MEASURES[risk]
    files = tables(seed, with_nulls=True)
    rules = by_rules(f'@use("cycle"). @bind_module("risk", "{risk}").', files, parameters)
    assert rules == by_kernels(replace(ROUNDS, measure=measure), files)
    assert changed(files, rules)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("risk", "turn", "place"),
    [
        ("k_anonymity", "less_significant_first", "most_selective_first"),
        ("k_anonymity", "file_order", "most_risky_first"),
        ("reidentification", "file_order", "given_order"),
    ][: None if FUZZ else 2],
)
@pytest.mark.parametrize("seed", SEEDS)
def test_one_record_after_the_other(risk: str, turn: str, place: str, seed: int) -> None:
    measure, parameters = MEASURES[risk]
    files = [tables(seed, with_nulls=True)[0][:6]]  # a round of the rules for each null
    text = f'''@use("cycle"). @bind_module("risk", "{risk}"). @bind_module("anonymize", "sequential_suppression").
        @bind_module("turn", "{turn}"). @bind_module("place", "{place}").'''
    inputs = {"Order": [("Sector", 1), ("Age", 2)]} if place == "given_order" else {}
    rules = by_rules(text, files, parameters, **inputs)
    plan = Plan(measure, nulls=Nulls(), tuples=TURNS[turn], attributes=ORDERS[place], take_back=False)
    assert rules == by_kernels(plan, files)
    assert changed(files, rules)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_linked_records(seed: int) -> None:
    random, measure = Random(seed), Reidentification(0.12)
    file = tables(seed, with_nulls=False)[0][:6]
    firms = [row["Id"] for row in file]
    owned = {tuple(random.sample(firms, 2)): random.choice([0.3, 0.6]) for _ in range(len(firms) // 2)}
    shares = [(*pair, share) for pair, share in owned.items()]
    text = '@use("enhanced_cycle"). @bind_module("risk", "reidentification").'
    data = microdata(file, quasi=list(QUASI), weight="Weight", identifier=["Id"])
    links = {"company_groups": related("company_groups", data.microdata, {"Own": shares})}
    plan = replace(ROUNDS, measure=measure, links=links, whole_clusters=True)
    rules = by_rules(text, [file], {"T": 0.12}, Own=shares)
    assert rules == [released(data, plan)]
    assert changed([file], rules)


def test_a_column_recoded_by_hand() -> None:
    firms = tc.sample("figure-5").microdata
    paths = [("Roma", "Center"), ("Milano", "North"), ("Torino", "North")]
    area = ValueHierarchy.from_paths("Area", paths, ["City", "Region"])
    firms = replace(firms, hierarchies={"Area": area})
    rules = anonymize_by_rules(firms, '@use("cycle"). @bind_module("anonymize", "global_recoding").')
    kernel = anonymize(firms, replace(ROUNDS, measure=KAnonymity(2), recode={"Area": 1}))
    assert values(rules.protected) == values(kernel.protected)
    assert rules.recoded == kernel.recoded == {"Area": 1}
    assert (rules.nulls, kernel.nulls) == (1, 1)


def changed(files: Sequence[Table], found: Sequence[list[list[Any]]]) -> bool:
    """Whether anything was done at all: files that are safe as they are compare nothing."""
    return any(
        row[name] != cells[place]
        for file, table in zip(files, found, strict=True)
        for row, cells in zip(file, table, strict=True)
        for place, name in enumerate(QUASI)
    )


def values(data: Microdata) -> list[dict[str, Any]]:
    return [row for batch in data.relation.batches() for row in batch.to_pylist()]

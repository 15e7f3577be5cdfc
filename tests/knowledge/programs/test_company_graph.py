"""Company control on the cases of others: a large graph, and the two readings of the paper's rules."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tacita.knowledge import programs
from tacita.rules.logic.terms import Constant
from tacita.rules.reasoner import ReasoningOptions, reason
from tacita.rules.syntax import parse


@pytest.fixture(scope="module")
def cases(shared: Path) -> Path:
    folder = shared.parent / "rules" / "cases"
    if not folder.is_dir():
        pytest.skip("the cases of the rule engine are not beside the project")
    return folder


@pytest.mark.slow
def test_large_graph(cases: Path) -> None:
    with (cases / "company/company_graph_100k.csv").open(encoding="utf-8", newline="") as lines:
        own = [(int(owner), int(company), float(share)) for owner, company, share in csv.reader(lines)]
    found = programs.find("company_control")
    assert found is not None
    result = reason(found[0], {"Own": own}, options=ReasoningOptions(source=found[1]))
    assert result.count("Control") == 93_777


@pytest.mark.parametrize(("case", "own_share"), [("company_control_paper", False), ("company_control_reflexive", True)])
def test_with_and_without_the_own_share(cases: Path, case: str, own_share: bool) -> None:
    told = json.loads((cases / "vadalog_docs.json").read_text(encoding="utf-8"))[case]
    facts = [
        tuple(term.value for term in fact.atom.arguments if isinstance(term, Constant))
        for fact in parse(told["program"]).program.facts
    ]
    found = programs.find("company_control")
    assert found is not None
    result = reason(
        found[0], {"Own": facts}, options=ReasoningOptions(parameters={"own_share": own_share}, source=found[1])
    )
    assert set(result.facts("Control")) == {tuple(pair) for pair in told["expected"]["Control"]}

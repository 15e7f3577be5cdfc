"""Every shipped program on small data: the reasoner and its oracle must both find what the files say."""

from __future__ import annotations

import pytest
from tests.knowledge.programs.running import Case, Row, all_cases, as_values
from tests.oracles.rules import Null, RecordValue, same_up_to_nulls

from tacita.errors import ReasoningError
from tacita.knowledge import programs

pytestmark = pytest.mark.slow

CASES = all_cases()


def named(case: Case) -> str:
    return f"{case.folder.parent.name}-{case.folder.name}"


def slowly(case: Case) -> Case | object:
    """The cycles run a program in a program: a second each."""
    return (
        pytest.param(case, marks=pytest.mark.slow) if case.folder.parent.name in {"cycle", "enhanced_cycle"} else case
    )


@pytest.mark.parametrize("case", [slowly(c) for c in CASES if "error" not in c.settings], ids=named)
def test_reasoner(case: Case) -> None:
    result = case.reasoned()
    found = {predicate: as_values(result.facts(predicate)) for predicate in case.expected}
    compare(case, found)
    assert len(result.violations) == case.settings.get("violations", 0)


@pytest.mark.slow
@pytest.mark.parametrize("case", [c for c in CASES if not {"error", "not_by_oracle"} & set(c.settings)], ids=named)
def test_oracle(case: Case) -> None:
    result = case.interpreted()
    compare(case, {predicate: result.facts[predicate] for predicate in case.expected})
    assert len(result.violations) == case.settings.get("violations", 0)


@pytest.mark.slow
@pytest.mark.parametrize("case", [c for c in CASES if "error" in c.settings], ids=named)
def test_refused(case: Case) -> None:
    for run in [case.reasoned] if "not_by_oracle" in case.settings else [case.reasoned, case.interpreted]:
        with pytest.raises(ReasoningError, match=case.settings["error"]):
            run()


@pytest.mark.parametrize("program", programs.names())
def test_every_program_has_cases(program: str) -> None:
    assert [case for case in CASES if case.folder.parent.name == program]


def compare(case: Case, found: dict[str, set[Row]]) -> None:
    expected = {predicate: set(rows) for predicate, rows in case.expected.items()}
    assert expected, "a case without an expectation cannot fail"
    if same_up_to_nulls(expected, found):
        return
    lines = [case.settings["about"]]
    for predicate, wanted in expected.items():
        both = {shown(row) for row in wanted} & {shown(row) for row in found[predicate]}
        lines += [f"  missing: {predicate}{s}" for s in sorted({shown(row) for row in wanted} - both)]
        lines += [f"  too much: {predicate}{s}" for s in sorted({shown(row) for row in found[predicate]} - both)]
    raise AssertionError("\n".join(lines))


def shown(row: Row) -> str:
    return "(" + ", ".join(_part(part) for part in row) + ")"


def _part(part: object) -> str:
    if isinstance(part, RecordValue):
        return "{" + ", ".join(f"{name}: {_part(value)}" for name, value in part.items) + "}"
    return "⊥" if isinstance(part, Null) else repr(part)

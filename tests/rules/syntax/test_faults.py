"""Every fault of writing as it is shown: a program beside its exact output. Run this file to write the outputs anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from tacita.rules.logic.faults import Severity, errors
from tacita.rules.syntax import parse
from tacita.rules.syntax.faults import FAULTS, MOST_FAULTS

FOLDER = Path(__file__).parent / "faults"
PROGRAMS = sorted(FOLDER.glob("*.vada"))
DOCUMENT = Path(__file__).parents[3] / "docs" / "reference" / "rule-faults.md"


def shown(program: Path) -> str:
    text = program.read_text(encoding="utf-8")
    return "".join(f"{fault.shown(text)}\n\n" for fault in parse(text, program.name).faults)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_faults_are_shown_as_agreed(program: Path) -> None:
    assert shown(program) == program.with_suffix(".txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_has_the_fault_that_it_is_named_for(program: Path) -> None:
    assert program.stem[:4] in {fault.code for fault in parse(program.read_text(encoding="utf-8")).faults}


def test_every_code_has_a_program() -> None:
    # Two hundred faults are tested below.
    assert {path.stem[:4] for path in PROGRAMS} == FAULTS.keys() - {"R137"}


@pytest.mark.parametrize("code", [code for code in FAULTS if code not in ("R129", "R137")])
def test_the_example_of_a_code_has_that_fault(code: str) -> None:
    assert code in {fault.code for fault in parse(FAULTS[code].example).faults}


def test_every_code_is_documented() -> None:
    document = DOCUMENT.read_text(encoding="utf-8")
    for code, kind in FAULTS.items():
        row = next(line for line in document.splitlines() if line.startswith(f"| {code} |"))
        assert kind.meaning in row
        assert kind.do in row.replace("`", "")


def test_a_clause_with_a_fault_does_not_hide_the_next() -> None:
    parsed = parse("A(X -> .\nB(1).\nC(§).\nD(2).\nE(X) F(X) -> G(X). H(3).\nI(X), J(X). K(4).")
    assert [fact.atom.predicate for fact in parsed.program.facts] == ["B", "D", "H", "K"]


def test_a_text_that_is_no_program_has_a_limited_number_of_faults() -> None:
    parsed = parse("this is a letter, not a program.\n" * 5_000)
    assert len(parsed.faults) == MOST_FAULTS + 1
    assert parsed.faults[-1].code == "R137"
    assert len(parse("§" * 100_000).faults) == MOST_FAULTS + 1


def test_many_warnings_do_not_refuse_a_program() -> None:
    faults = parse("@entirely_new(1).\n" * 1_000).faults
    assert not errors(faults)
    assert {fault.severity for fault in faults} == {Severity.WARNING}


if __name__ == "__main__":
    for path in PROGRAMS:
        path.with_suffix(".txt").write_text(shown(path), encoding="utf-8")
    print(f"wrote {len(PROGRAMS)} files in {FOLDER}")

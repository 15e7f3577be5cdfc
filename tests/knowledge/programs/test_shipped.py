"""What every shipped program has: a meaning, a page, checks without faults, the layout of the formatter."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tacita.knowledge import programs
from tacita.rules.logic.checks import check
from tacita.rules.logic.terms import Atom
from tacita.rules.passes.modules import link
from tacita.rules.syntax import formatted, parse, text_of

PAGE = Path(__file__).parents[3] / "docs/reference/shipped-programs.md"
NAMES = {
    "categorise",
    "close_links",
    "company_control",
    "company_groups",
    "cycle",
    "enhanced_cycle",
    "family_links",
    "file_order",
    "given_order",
    "global_recoding",
    "household_links",
    "individual_risk",
    "k_anonymity",
    "less_significant_first",
    "local_suppression",
    "most_risky_first",
    "most_selective_first",
    "reidentification",
    "sensitive_cells",
    "sequential_suppression",
    "suda",
}
# Groups of companies are found by making unknown group names equal, and then joined on them: that is the method. The
# join comes after the last equality, so that nothing depends on the order.
EXPECTED_WARNINGS = {"company_groups": {"R505"}, "enhanced_cycle": {"R505"}}


def test_names() -> None:
    assert set(programs.names()) == NAMES


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_program_is_well_formed(name: str) -> None:
    text, source = found(name)
    parsed = parse(text, source)
    assert not parsed.faults
    assert [a.text(0) for a in parsed.program.directives("module")] == [name]
    assert programs.meaning(text).endswith(".")
    assert max(map(len, text.splitlines())) <= 120
    assert formatted(text) == text
    assert parse(text_of(parsed.program), source).program == parsed.program


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_program_passes_the_checks(name: str) -> None:
    text, source = found(name)
    linked = link(parse(text, source).program, programs.find)
    assert not linked.faults
    faults = check(linked.program)
    expected = EXPECTED_WARNINGS.get(name, set())
    assert {fault.code for fault in faults} == expected, "\n".join(f.shown(linked.texts.get(source)) for f in faults)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_predicate_has_a_sentence(name: str) -> None:
    """Proofs are told in the sentences of @model; a predicate without one would read as a formula."""
    program = parse(*found(name)).program
    told = {a.text(0) for used in (name, *used_by(name)) for a in parse(*found(used)).program.directives("model")}
    derived = {
        atom.predicate
        for rule in program.rules
        for atom in rule.head
        if isinstance(atom, Atom) and not atom.is_external
    }
    assert derived - told == set()


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_rule_has_a_label(name: str) -> None:
    labels = [rule.label for rule in parse(*found(name)).program.rules]
    assert None not in labels
    assert len(set(labels)) == len(labels)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_program_is_documented(name: str) -> None:
    section = re.search(rf"^## {name}\n(.*?)(?=^## |\Z)", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert section, f"no section '{name}'"
    program = parse(*found(name)).program
    for directive in program.directives("input", "output", "param"):
        assert f"`{directive.text(0)}" in section[1], f"{name}: {directive.name} {directive.text(0)}"


@pytest.mark.parametrize("name", sorted(NAMES - {"cycle", "enhanced_cycle"}))
def test_no_module_puts_records_out(name: str) -> None:
    """Its outputs would be those of a cycle that it is plugged into, and show records that must not be released."""
    outputs = {output.text(0) for output in parse(*found(name)).program.directives("output")}
    assert not outputs & {"Tuple", "Val", "Ident", "MSU", "Su", "TupleC", "Combination"}


def used_by(name: str) -> list[str]:
    return [a.text(0) or "" for a in parse(*found(name)).program.directives("use")]


def found(name: str) -> tuple[str, str]:
    program = programs.find(name)
    assert program is not None
    return program

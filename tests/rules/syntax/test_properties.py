"""Properties of reading, printing and formatting, for generated programs and for texts that are none."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from tests.rules.syntax import strategies

from tacita.errors import RuleError
from tacita.rules.logic.program import Clause, Program
from tacita.rules.logic.terms import Item, Term
from tacita.rules.syntax import formatted, parse, text_of

patient = settings(
    deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much], max_examples=25
)


@pytest.mark.slow
@patient
@given(strategies.programs)
def test_a_printed_program_is_read_back_as_itself(program: Program) -> None:
    text = text_of(program)
    parsed = parse(text)
    assert not parsed.faults, text
    assert parsed.program == program, text


@patient
@given(strategies.terms)
def test_a_printed_term_is_read_back_as_itself(term: Term) -> None:
    (rule,) = parse(f"p(X), X = {text_of(term)} -> q(X).").program.rules
    assert rule.body[1].right == term  # type: ignore[union-attr]


@pytest.mark.slow
@patient
@given(strategies.items)
def test_a_printed_item_is_read_back_as_itself(item: Item) -> None:
    (rule,) = parse(f"p(X), {text_of(item)} -> q(X).").program.rules
    assert rule.body[1] == item


@pytest.mark.slow
@patient
@given(strategies.written())
def test_formatting_changes_the_layout_and_nothing_else(text: str) -> None:
    before = parse(text)
    assert not before.faults
    result = formatted(text)
    assert parse(result).program == before.program
    assert formatted(result) == result
    assert _ink(result) == _ink(text)
    assert not any(line != line.rstrip() for line in result.split("\n"))
    assert "\n\n\n" not in result


def _ink(text: str) -> str:
    """Return a text without its blanks."""
    return "".join(text.removeprefix("\ufeff").split())


@settings(patient, max_examples=100)
@given(strategies.soups)
def test_any_text_is_read_to_its_end(text: str) -> None:
    parsed = parse(text)
    for fault in parsed.faults:
        assert 1 <= fault.origin.line <= max(1, len(text.splitlines()))
        assert fault.shown(text)
    assert parse(text_of(parsed.program)).program == parsed.program or parsed.faults
    try:
        result = formatted(text)
    except RuleError as error:
        assert error.faults
    else:
        # What is read without a fault is read in full.
        assert _ink(result) == _ink(text)


@pytest.mark.slow
@patient
@given(strategies.clauses)
def test_every_part_knows_where_it_was_written(clause: Clause) -> None:
    text = text_of(clause)
    lines = text.splitlines()
    for part in _parts(parse(text, "here").program):
        origin = part.origin  # type: ignore[attr-defined]
        assert origin.source == "here"
        assert 1 <= origin.line <= origin.end_line <= len(lines)
        assert (origin.line, origin.column) < (origin.end_line, origin.end_column)
        assert origin.end_column <= len(lines[origin.end_line - 1]) + 1


def _parts(node: object) -> list[object]:
    """Return all parts of a program that have an origin."""
    found = [node] if hasattr(node, "origin") else []
    for name in getattr(node, "__slots__", ()):
        value = getattr(node, name)
        for part in value if isinstance(value, tuple) else (value,):
            for inner in part if isinstance(part, tuple) else (part,):
                found += _parts(inner)
    return found

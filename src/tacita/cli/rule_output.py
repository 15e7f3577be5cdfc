"""What the commands about rules print: facts as the language writes them, violations, faults."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from tacita.errors import counted, printable, without_credentials

if TYPE_CHECKING:
    from tacita.reasoning.conclusions import ProgramResult
    from tacita.rules.proofs import Proof
    from tacita.rules.reasoner.chase.violations import Violation

_VIOLATIONS, _IN_FULL, _PROVED = 20, 3, 100
"""How many violations are listed; how many of them with their proof, for people and for machines."""


def print_lines(lines: Iterable[str]) -> None:
    """Print lines as they are: sentences and facts, which a reader may want to copy or search."""
    for line in lines:
        sys.stdout.write(f"{line.rstrip()}\n")


def fact_lines(found: ProgramResult, predicate: str, show: int) -> Iterator[str]:
    """Yield the number of facts of a predicate, and the first of them as the language writes them."""
    from tacita.rules.reasoner.values import written
    from tacita.rules.syntax.literals import name_literal

    count = found.count(predicate)
    names = ", ".join(found.names(predicate))
    yield printable(f"{predicate}({names}): {counted(count, 'fact')}")
    for fact in found.facts(predicate, show) if show else []:
        yield printable(f"  {name_literal(predicate)}({', '.join(written(value) for value in fact)})")
    if 0 < show < count:
        yield f"  and {count - show:,} more; --show shows more"


def proof_lines(proof: Proof) -> Iterator[str]:
    """Yield a proof in words, and below it as a tree."""
    yield from printable(proof.as_sentences(), keep="\n").splitlines()
    yield ""
    yield from printable(proof.as_text(), keep="\n").splitlines()


def violation_lines(violations: tuple[Violation, ...], found: ProgramResult | None = None) -> Iterator[str]:
    """Yield the violations that were found; of the first some, below each, how what clashes came about."""
    if not violations:
        return
    from tacita.rules.reasoner.values import written

    yield f"{counted(len(violations), 'violation')}:"
    for place, violation in enumerate(violations[:_VIOLATIONS]):
        clash = " and ".join(written(value) for value in violation.clash or ())
        values = ", ".join(f"{name} = {written(value)}" for name, value in violation.values.items())
        said = ": ".join(part for part in (f"rule {violation.rule}", violation.text, clash) if part)
        yield printable(f"  {said}{f' ({values})' if values else ''}; {violation.policy.value}")
        if found is not None and place < _IN_FULL:
            proof = found.why(violation, limit=4, most=20, contributors=5)
            yield from (f"    {line}" for line in printable(proof.as_text(), keep="\n").splitlines()[1:])
    if len(violations) > _VIOLATIONS:
        yield f"  and {len(violations) - _VIOLATIONS:,} more; --json shows all"


def violation_dicts(found: ProgramResult) -> list[dict[str, Any]]:
    """Return the violations as JSON knows them; of very many, only the first have a proof."""
    from tacita.reasoning.json_values import json_value

    return [
        {
            "rule": violation.rule,
            "text": violation.text,
            "values": {name: json_value(value) for name, value in violation.values.items()},
            "clash": json_value(violation.clash) if violation.clash else None,
            "policy": violation.policy.value,
            "why": proof_dict(found.why(violation)) if place < _PROVED else None,
        }
        for place, violation in enumerate(found.violations)
    ]


def proof_dict(proof: Proof) -> dict[str, Any]:
    """Return a proof as JSON knows it, and in words."""
    return {"sentences": proof.as_sentences().splitlines(), "proof": proof.as_json()}


def fault_dict(fault: Any) -> dict[str, Any]:
    """Return a fault of a program as JSON knows it."""
    return {
        "code": fault.code,
        "severity": fault.severity.value,
        "message": without_credentials(fault.message),
        "do": fault.do or None,
        "source": fault.origin.source,
        "line": fault.origin.line,
        "column": fault.origin.column,
        "end_line": fault.origin.end_line,
        "end_column": fault.origin.end_column,
    }

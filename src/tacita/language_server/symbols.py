"""The outline of a program: its rules by label and head, its facts by predicate, its annotations."""

from __future__ import annotations

from dataclasses import dataclass

from tacita.language_server.document import Document
from tacita.rules.logic.dependencies import head_predicates
from tacita.rules.logic.origin import Origin
from tacita.rules.logic.program import Directive, Fact, Rule
from tacita.rules.logic.terms import Denial


@dataclass(frozen=True, slots=True)
class Symbol:
    """One entry of the outline."""

    name: str
    sort: str
    """``rule``, ``fact`` or ``annotation``."""
    detail: str
    origin: Origin


def symbols(document: Document) -> list[Symbol]:
    """Return the outline; neighbouring facts of one predicate are one entry."""
    found: list[Symbol] = []
    for clause in document.reading.parsed.program.clauses:
        if isinstance(clause, Rule):
            found.append(_rule(clause))
        elif isinstance(clause, Fact):
            name = clause.atom.predicate
            if found and (found[-1].sort, found[-1].name) == ("fact", name):
                found[-1] = Symbol(name, "fact", "facts", found[-1].origin.to(clause.origin))
            else:
                found.append(Symbol(name, "fact", "fact", clause.origin))
        elif isinstance(clause, Directive):
            found += [Symbol(f"@{a.name}", "annotation", a.text(0) or "", a.origin) for a in clause.annotations]
    return found


def _rule(rule: Rule) -> Symbol:
    heads = ", ".join(head_predicates(rule))
    if not heads:
        denial = next((item for item in rule.head if isinstance(item, Denial)), None)
        heads = f"never: {denial.text}" if denial else "an equality"
    label = f"[{rule.label}] " if rule.label is not None else ""
    return Symbol(f"{label}{heads}", "rule", "", rule.origin)

"""Values of parameters as people type them: ``k=3``, ``AnonSet=[Area, Sector]``, ``name=Rossi``."""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable
from typing import Any

from tacita.errors import UsageError, did_you_mean, listed
from tacita.rules.logic.terms import Constant, ListOf, SetOf, Term
from tacita.rules.syntax import parse


def parsed_parameters(pairs: Iterable[str]) -> dict[str, Any]:
    """Return parameters given as NAME=VALUE.

    >>> parsed_parameters(["k=3", "T=0.5", "AnonSet=[Area, Sector]", "city=Reggio Emilia"])
    {'k': 3, 'T': 0.5, 'AnonSet': ['Area', 'Sector'], 'city': 'Reggio Emilia'}
    """
    values: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name.strip().removeprefix("$"):
            raise UsageError(f"--param '{pair}' is not NAME=VALUE", do="write for example --param k=3")
        name = name.strip().removeprefix("$")
        if name in values:
            raise UsageError(f"--param names '{name}' twice", do="leave one of them out; a list is k=[1, 2]")
        values[name] = value_of(text.strip())
    return values


def check_parameters(given: Iterable[str], known: Collection[str], source: str) -> None:
    """Raise if a parameter is given that a program does not have: a misspelt one would change nothing, in silence."""
    for name in given:
        if name not in known:
            names = sorted(k for k in known if "." not in k)
            raise UsageError(
                f"the program has no parameter '{name}'{did_you_mean(name, known)}",
                where=source,
                do=f"use one of: {listed(names, 20)}" if names else "leave it out: the program has no parameters",
            )


def value_of(text: str) -> Any:
    """Return the value that a text means: as in the language if it is one there, else the text itself.

    >>> value_of('"3"'), value_of("3"), value_of("true"), value_of("2024-01-31")
    ('3', 3, True, '2024-01-31')
    """
    parsed = parse(f"p({text}).")
    atoms = [fact.atom for fact in parsed.program.facts]
    if not parsed.faults and len(atoms) == 1 and len(atoms[0].arguments) == 1:
        value = _python(atoms[0].arguments[0])
        if value is not None:
            return value
    if text.startswith("[") and text.endswith("]"):
        items = next(csv.reader([text[1:-1]], skipinitialspace=True), [])
        return [value_of(item.strip()) for item in items if item.strip()]
    return text


def _python(term: Term) -> Any:
    if isinstance(term, Constant):
        return term.value
    if isinstance(term, ListOf | SetOf):
        items = [_python(item) for item in term.items]
        if any(item is None for item in items):
            return None
        return items if isinstance(term, ListOf) else frozenset(items)
    return None

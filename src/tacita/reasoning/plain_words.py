"""Rules as English sentences: "If X owns W of Y, and W is more than 0.5, then X controls Y."

Atoms speak through their ``@model`` sentences where there are some; what has no words of its own stays as written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from tacita.rules.logic.binding import existentials
from tacita.rules.logic.program import Fact, Rule
from tacita.rules.logic.signatures import Signature
from tacita.rules.logic.terms import (
    Access,
    Aggregate,
    Atom,
    Blank,
    Call,
    Case,
    Comparison,
    Constant,
    Denial,
    HeadItem,
    IsNull,
    Item,
    ListOf,
    Member,
    Negation,
    Operation,
    Pack,
    Pair,
    Parameter,
    SetOf,
    Similar,
    Subset,
    Term,
    Unpack,
    Update,
    aggregates,
)
from tacita.rules.syntax import text_of

_COMPARED = {
    "=": "is",
    "!=": "is not",
    "<": "is less than",
    "<=": "is at most",
    ">": "is more than",
    ">=": "is at least",
}
_AGGREGATED = {
    "msum": "the sum of",
    "sum": "the sum of",
    "mprod": "the product of",
    "prod": "the product of",
    "mmin": "the smallest",
    "min": "the smallest",
    "mmax": "the largest",
    "max": "the largest",
    "munion": "the set of all",
    "collect": "the set of all",
    "avg": "the mean of",
}
_COMBINED = {"union": "together with", "minus": "without", "intersect": "in common with"}
_CALLED = {"size": "the size of", "keys": "the attributes of", "length": "the length of", "year": "the year of"}
_GAP = re.compile(r"\[([^\[\]]+)\]")


@dataclass(frozen=True, slots=True)
class Words:
    """How the predicates, parameters and external predicates of a program are said."""

    signatures: Mapping[str, Signature] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)
    """Parameters and their values, as written."""
    modules: Mapping[str, str] = field(default_factory=dict)
    """External predicates and the modules behind them."""

    def rule(self, rule: Rule) -> str:
        """Return a rule as one sentence.

        >>> from tacita.rules.syntax import parse
        >>> Words().rule(parse('Own(X, Y, W), W > 0.5 -> Control(X, Y).').program.rules[0])
        'If Own(X, Y, W), and W is more than 0.5, then Control(X, Y).'
        """
        body = ", and ".join(self.item(item) for item in rule.body)
        return f"If {body}, then {self._head(rule)}." if body else _capital(f"{self._head(rule)}.")

    def fact(self, fact: Fact) -> str:
        """Return a fact as one sentence."""
        return _capital(f"{self.item(fact.atom)}.")

    # -- heads and bodies ----------------------------------------------------------------------------------------------

    def _head(self, rule: Rule) -> str:
        new = [v.name for v in existentials(rule)]
        said = " and ".join(self._head_item(item) for item in rule.head)
        if not new:
            return said
        some = f"a new unknown {new[0]}" if len(new) == 1 else f"new unknowns {_listed(new)}"
        return f"there {'is' if len(new) == 1 else 'are'} {some} such that {said}"

    def _head_item(self, item: HeadItem) -> str:
        if isinstance(item, Denial):
            return f"something is wrong: {item.text}" if item.text else "something is wrong: this must not be"
        if isinstance(item, Comparison):
            return f"{self.term(item.left)} and {self.term(item.right)} are the same"
        return self.item(item)

    def item(self, item: Item) -> str:
        """Return what an item of a body says."""
        match item:
            case Atom():
                return self._atom(item)
            case Negation(items):
                return self._negation(items)
            case Comparison(operator, left, right):
                if isinstance(left, Call) and operator == "=" and right == Constant(True):
                    return text_of(item)
                return f"{self.term(left)} {_COMPARED[operator]} {self.term(right)}"
            case Similar(left, right):
                return f"{self.term(left)} is similar to {self.term(right)}"
            case Member(member, SetOf(items) | ListOf(items), is_negated):
                options = _listed([self.term(i) for i in items], "or")
                return f"{self.term(member)} is {'none of' if is_negated else 'one of'} {options}"
            case Member(member, collection, is_negated):
                return f"{self.term(member)} is {'not ' if is_negated else ''}in {self.term(collection)}"
            case Subset(part, whole):
                return f"{self.term(part)} is a part of {self.term(whole)}"
            case IsNull(term, is_negated):
                return f"{self.term(term)} is {'known' if is_negated else 'unknown'}"
        raise TypeError(f"{type(item).__name__} is not an item")

    def _atom(self, atom: Atom) -> str:
        if atom.is_external:
            arguments = ", ".join(self.term(a) for a in atom.arguments)
            module = self.modules.get(atom.predicate)
            return f"#{atom.predicate}({arguments}){f' by the module {module}' if module else ''}"
        signature = self.signatures.get(atom.predicate)
        if signature is None or not signature.meaning or len(signature.columns) != len(atom.arguments):
            return text_of(atom)
        said = dict(zip(signature.columns, (self.term(a) for a in atom.arguments), strict=True))
        return _GAP.sub(lambda gap: said.get(gap[1].partition(":")[0], gap[0]), signature.meaning)

    def _negation(self, items: tuple[Item, ...]) -> str:
        inside = " and ".join(self.item(item) for item in items)
        return f"it is not the case that {inside}" if len(items) == 1 else f"it is not the case that ({inside})"

    # -- terms ---------------------------------------------------------------------------------------------------------

    def term(self, term: Term) -> str:  # noqa: PLR0912 - a case for each kind of term
        """Return what a term is."""
        match term:
            case Blank():
                return "something"
            case Parameter(name):
                value = self.parameters.get(name)
                return f"${name} ({value})" if value is not None else f"${name}"
            case Aggregate():
                return self._aggregate(term)
            case Access(record, key):
                return f"the {self.term(key)} of {self.term(record)}"
            case Update(record, key, value):
                return f"{self.term(record)} with {self.term(key)} changed to {self.term(value)}"
            case Pair(first, second):
                return f"({self.term(first)}, {self.term(second)})"
            case SetOf(items):
                return f"{{{', '.join(self.term(i) for i in items)}}}"
            case Case(conditions, then, otherwise):
                holds = " and ".join(self.item(c) for c in conditions)
                return f"{self.term(then)} if {holds}, else {self.term(otherwise)}"
            case Operation(operator, (left, right)) if operator in _COMBINED:
                return f"{self.term(left)} {_COMBINED[operator]} {self.term(right)}"
            case Operation(operator, (left, right)) if aggregates(term):
                return f"{self.term(left)} {operator} {self.term(right)}"
            case Call(function, (argument,)) if function in _CALLED:
                return f"{_CALLED[function]} {self.term(argument)}"
            case Unpack(record):
                return self.term(record)
            case Pack(variable):
                return variable.name
        return text_of(term)

    def _aggregate(self, aggregate: Aggregate) -> str:
        over = _listed([v.name for v in aggregate.contributors or ()])
        value = self.term(aggregate.value) if aggregate.value is not None else ""
        if aggregate.function in {"mcount", "count"}:
            return f"the number of different {over or value}" if over or value else "the number of matches"
        if isinstance(aggregate.value, Case | Operation):
            value = f"({value})"
        said = f"{_AGGREGATED[aggregate.function]} {value}"
        return f"{said} over all {over}" if over else said


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _listed(names: list[str], last: str = "and") -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {last} {names[-1]}"

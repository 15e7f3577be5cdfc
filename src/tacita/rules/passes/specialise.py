"""Staging: rules that speak of any attribute become rules about the columns that the dictionary knows.

``VSet[A]`` with A from the dictionary is a column once A is known, and ``munion((A, V))`` over all values of a tuple is
the tuple itself. So a rule is unfolded over what is known before the data are read: the static predicates. Nothing is
lost: where an attribute depends on the data, the rule stays as it is and runs on records as values.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from tacita.rules.logic.binding import scheduled
from tacita.rules.logic.dependencies import body_predicates, head_predicates
from tacita.rules.logic.program import Clause, Program, Rule
from tacita.rules.logic.terms import (
    Access,
    Aggregate,
    Atom,
    Blank,
    Comparison,
    Constant,
    Item,
    Node,
    Pair,
    SetOf,
    Term,
    Update,
    Value,
    Variable,
    aggregates,
    rewritten,
    variables,
    walk,
)
from tacita.rules.passes.data_predicates import ROWS, taken_for_granted

Answer: TypeAlias = Callable[[Program, Sequence[Item], Sequence[str]], list[dict[str, Value]]]
"""Evaluates items over the static part of a program; gives the values of some variables."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known before the data are read."""

    attributes: tuple[str, ...]
    released: tuple[str, ...]
    """The attributes that make up a tuple where a program takes ``Tuple`` for granted: quasi-identifiers and weight."""
    static: frozenset[str]
    """Predicates whose facts are known."""
    answer: Answer
    has_values: bool = True
    """Whether the data say what ``Val`` is, and not the program."""


def specialised(program: Program, known: Known) -> Program:
    """Return the program with its rules unfolded over the dictionary."""
    static = _static(program, known.static)
    clauses: list[Clause] = []
    for clause in program.clauses:
        if isinstance(clause, Rule) and not set(head_predicates(clause)) & static:
            clauses += _unfolded(clause, program, static, known)
        else:
            clauses.append(clause)
    clauses += taken_for_granted(program, clauses, known.attributes, known.released)
    return replace(program, clauses=tuple(clauses))


def static_part(program: Program, static: Collection[str]) -> Program:
    """Return the clauses that derive static predicates."""
    kept = _static(program, static)
    return replace(
        program,
        clauses=tuple(
            c
            for c in program.clauses
            if not isinstance(c, Rule)
            or (set(head_predicates(c)) <= kept and {p for p, _ in body_predicates(c.body)} <= kept)
        ),
    )


def _static(program: Program, known: Collection[str]) -> set[str]:
    """Return the predicates that follow from what is known: everything else may depend on the data."""
    defined: dict[str, list[Rule]] = {}
    for rule in program.rules:
        for predicate in head_predicates(rule):
            defined.setdefault(predicate, []).append(rule)
    static = {*known, *(f.atom.predicate for f in program.facts if f.atom.predicate not in defined), *defined}
    static -= {"Val", "Tuple", ROWS}
    while True:
        bad = {
            predicate
            for predicate in static
            for rule in defined.get(predicate, ())
            if any(source not in static for source, _ in body_predicates(rule.body))
        }
        if not bad:
            return static
        static -= bad


# -- one rule ----------------------------------------------------------------------------------------------------------


def _unfolded(rule: Rule, program: Program, static: set[str], known: Known) -> list[Rule]:
    whole = _whole_tuple(rule)
    names = _attribute_variables(rule)
    if not names and whole is None:
        return [_instance(rule, rule.body, {})] if _names_columns(rule, known) else [rule]
    items = _static_items(rule, static)
    bound = {v.name for item in items if isinstance(item, Atom) for v in variables(item)}
    if not names <= bound:
        return [rule]
    wanted = sorted(bound)
    answers = known.answer(static_part(program, static), items, wanted)
    if whole is not None:
        attributes = sorted({str(a[whole.attribute]) for a in answers if a.get(whole.attribute) in known.attributes})
        return [whole.rule(rule, attributes)]
    if any(not isinstance(answer[name], str) for answer in answers for name in names):
        return [rule]  # sets of attributes: the rule runs on records as values
    rest = tuple(item for item in rule.body if item not in items)
    fitting = [answer for answer in answers if _fits(answer, names, known)]
    # Where a route knows no better, the attribute that stands first in the data comes first.
    fitting.sort(key=lambda answer: [known.attributes.index(str(answer[name])) for name in sorted(names)])
    return [_instance(rule, rest, answer) for answer in fitting]


def _names_columns(rule: Rule, known: Known) -> bool:
    """Whether all values that a rule reads are those of attributes that it names itself: ``Val(M, I, "Area", V)``."""
    if not known.has_values:
        return False
    read = [i.arguments[2] for i in rule.body if isinstance(i, Atom) and i.predicate == "Val" and len(i.arguments) == 4]
    return bool(read) and all(isinstance(a, Constant) and a.value in known.attributes for a in read)


def _fits(answer: Mapping[str, Value], names: set[str], known: Known) -> bool:
    return all(answer[name] in known.attributes for name in names)


def _instance(rule: Rule, body: tuple[Item, ...], answer: Mapping[str, Value]) -> Rule:
    """Return a rule for one answer of its static part."""

    def change(node: Node) -> Node:
        if isinstance(node, Variable) and node.name in answer:
            return Constant(answer[node.name], node.origin)
        return node

    items: list[Item] = []
    for place, item in enumerate(body):
        new = rewritten(item, change)
        items += _columns(new, place) if isinstance(new, Atom) and new.predicate == "Val" else [new]
    head = tuple(rewritten(item, change) for item in rule.head)
    return replace(rule, body=tuple(items), head=head)


def _columns(atom: Atom, place: int) -> list[Item]:
    """Return a value of a known attribute as what stands in its column."""
    microdata, identifier, attribute, value = atom.arguments
    tuple_ = identifier.name if isinstance(identifier, Variable) else place  # values of two tuples are in two rows
    row = Variable(f"_row_{tuple_}_{_safe(attribute)}", atom.origin)
    column = Access(row, attribute, atom.origin)
    if isinstance(value, Blank):  # every tuple has a value, whatever it is
        return [Atom(ROWS, (microdata, identifier, value), origin=atom.origin)]
    read = Atom(ROWS, (microdata, identifier, row), origin=atom.origin)
    return [read, Comparison("=", value, column, atom.origin)]


def _safe(term: Term) -> str:
    return str(term.value) if isinstance(term, Constant) else "any"


def _attribute_variables(rule: Rule) -> set[str]:
    """Return the variables that name an attribute: keys of records, and the attribute of ``Val``."""
    attributes: set[str] = set()
    for item in (*rule.body, *rule.head):
        for node in walk(item):
            if isinstance(node, Access | Update) and isinstance(node.key, Variable):
                attributes.add(node.key.name)
            if isinstance(node, Atom) and node.predicate == "Val" and len(node.arguments) == 4:
                attribute = node.arguments[2]
                if isinstance(attribute, Variable):
                    attributes.add(attribute.name)
    # A variable that an assignment computes is no key that the dictionary could give.
    return attributes


def _static_items(rule: Rule, static: set[str]) -> list[Item]:
    atoms = [
        item
        for item in rule.body
        if isinstance(item, Atom)
        and item.predicate in static
        and not any(isinstance(node, Access | Update) for node in walk(item))
    ]
    names = {v.name for atom in atoms for v in variables(atom)}
    conditions = [
        item
        for item in rule.body
        if not isinstance(item, Atom) and not aggregates(item) and variables(item) and _within(item, names, static)
    ]
    kept: list[Item] = [*atoms, *conditions]
    while True:  # what cannot be answered alone stays with the data
        stuck = [u.item for u in scheduled(kept).unbound]
        rest = [item for item in kept if item not in stuck]
        if len(rest) == len(kept):
            return [] if stuck else kept
        kept = rest


def _within(item: Item, names: set[str], static: set[str]) -> bool:
    inside = all(n.predicate in static for n in walk(item) if isinstance(n, Atom))
    records = any(isinstance(n, Access | Update) for n in walk(item))
    return inside and not records and all(v.name in names for v in variables(item))


# -- whole tuples ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _WholeTuple:
    """``Val(M, I, A, V), ..., VSet = munion((A, V)) -> Tuple(M, I, VSet)``: all values of a tuple, gathered again."""

    value: Atom
    attribute: str
    record: str

    def rule(self, rule: Rule, attributes: Sequence[str]) -> Rule:
        """Return the rule that takes the tuple as it is, cut down to some attributes."""
        microdata, identifier, _, _ = self.value.arguments
        row = Variable("_row", self.value.origin)
        cut = Access(row, SetOf(tuple(Constant(name) for name in attributes)), self.value.origin)
        read = Atom(ROWS, (microdata, identifier, row), origin=self.value.origin)
        take = Comparison("=", Variable(self.record), cut, self.value.origin)
        return replace(rule, body=(read, take))


def _whole_tuple(rule: Rule) -> _WholeTuple | None:
    values = [i for i in rule.body if isinstance(i, Atom) and i.predicate == "Val" and len(i.arguments) == 4]
    gathers = [i for i in rule.body if isinstance(i, Comparison) and i.operator == "=" and aggregates(i)]
    if len(values) != 1 or len(gathers) != 1:
        return None
    value, gather = values[0], gathers[0]
    record, union = gather.left, gather.right
    if not isinstance(record, Variable) or not isinstance(union, Aggregate) or union.function != "munion":
        return None
    pair = union.value
    if not isinstance(pair, Pair) or (pair.first, pair.second) != value.arguments[2:] or union.contributors is not None:
        return None
    attribute, outside = value.arguments[2], {v.name for v in variables(*value.arguments[:2])}
    named = {v.name for item in rule.head if isinstance(item, Atom) for v in variables(item)}
    if not isinstance(attribute, Variable) or named != outside | {record.name}:
        return None
    return _WholeTuple(value, attribute.name, record.name)

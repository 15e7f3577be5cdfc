"""From a match back to what the rule asked for: facts that were found, conditions that held, what was not there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tacita.rules.logic.steps import Absent, Assign, Enumerate, Match, Step, Test
from tacita.rules.logic.terms import (
    Aggregate,
    Atom,
    Blank,
    Comparison,
    Condition,
    IsNull,
    Item,
    Member,
    Node,
    Similar,
    Subset,
    Variable,
    rewritten,
    walk,
)
from tacita.rules.proofs.finding.trail import Values, argument, operand, operands
from tacita.rules.proofs.tree import Binding, Computes, GroundFact, Holds, Misses, Premise, Uses
from tacita.rules.reasoner.values import written
from tacita.rules.syntax import text_of


def premises(steps: Sequence[Step], values: Values, start: int = 0) -> tuple[Premise, ...]:
    """Return what a match of some steps rests on, in the order of the steps."""
    found: list[Premise] = []
    for place, step in enumerate(steps, start):
        match step:
            case Match(atom):
                found.append(Uses(matched(atom, place, values)))
            case Assign(_, Aggregate()):
                pass  # the aggregate itself says it
            case Assign(variable, term):
                found.append(Computes(variable.name, text_of(term), values.get(variable.name)))
            case Enumerate(variable, collection):
                found.append(Computes(variable.name, f"a member of {text_of(collection)}", values.get(variable.name)))
            case Test(condition) if not _is_fixed(condition):
                found.append(held(condition, place, values))
            case Absent(negation):
                found.append(Misses(text_of(negation), shown(negation.items, values)))
    return tuple(found)


def _is_fixed(condition: Condition) -> bool:
    """Whether a condition says nothing of the facts: ``true = true``, where a parameter stood."""
    return not any(isinstance(node, Variable | Aggregate) for node in walk(condition))


def matched(atom: Atom, place: int, values: Values) -> GroundFact:
    """Return the fact that a step matched."""
    return GroundFact(atom.predicate, tuple(values[argument(place, i)] for i in range(len(atom.arguments))))


def held(condition: Condition, place: int, values: Values) -> Holds:
    """Return a condition with the values that it compared."""
    terms = operands(condition)
    compared = tuple(values.get(operand(place, i)) for i in range(len(terms)))
    return Holds(text_of(condition), operator(condition), compared, tuple(map(text_of, terms)))


def operator(condition: Condition) -> str:
    """Return how a condition compares its terms, as the language writes it."""
    match condition:
        case Comparison(sign):
            return sign
        case Member(_, _, is_negated):
            return "not in" if is_negated else "in"
        case Subset():
            return "subset of"
        case IsNull(_, is_negated):
            return "is not null" if is_negated else "is null"
        case Similar():
            return "~"


def shown(items: Sequence[Item], values: Values) -> str:
    """Return items with the values of their variables in their place; what is open is ``_``, or keeps its name."""
    times = Counter(node.name for item in items for node in walk(item) if isinstance(node, Variable))

    def change(node: Node) -> Node:
        if not isinstance(node, Variable):
            return node
        if node.name in values:
            return Variable(written(values[node.name]))  # a name is printed as it is, and so may stand for any value
        return Blank() if times[node.name] == 1 else node

    return ", ".join(text_of(rewritten(item, change)) for item in items)


def binding(names: Sequence[str], values: Values) -> Binding:
    """Return the values of a rule's own variables."""
    return tuple((name, values[name]) for name in names if name in values and not name.startswith("_"))

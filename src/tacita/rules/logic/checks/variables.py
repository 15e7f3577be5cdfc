"""R301 to R307: variables without a value, variables that occur once, facts that are not ground."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tacita.rules.logic.binding import Schedule, Unbound
from tacita.rules.logic.checks.codes import Suggestions, fault
from tacita.rules.logic.checks.subject import Subject
from tacita.rules.logic.faults import Fault, Origin
from tacita.rules.logic.program import Rule
from tacita.rules.logic.terms import (
    Aggregate,
    Atom,
    Blank,
    Comparison,
    Constant,
    Item,
    Member,
    Negation,
    Node,
    Subset,
    Variable,
    children,
    walk,
)
from tacita.rules.logic.terms import variables as variables_of


def variables(subject: Subject) -> Iterator[Fault]:
    """Find variables that have no value, that look misspelt, or that stand in a fact."""
    for fact in subject.program.facts:
        for node in walk(fact.atom):
            if isinstance(node, Variable | Blank):
                name = node.name if isinstance(node, Variable) else "_"
                do = f'write a value; a text stands in quotes: "{name}"' if name != "_" else "write a value"
                yield fault("R304", f"{name} in a fact: a fact states values, not variables", node.origin, do)
    counts = _counts(subject)
    for number, (body, head) in enumerate(subject.nodes):
        rule, schedule = subject.rules[number], subject.schedules[number]
        yield from _of_rule(rule, schedule, body, head, counts[number])


def _counts(subject: Subject) -> list[Counter[str]]:
    """Return how often each variable of a rule was written; passes may have taken one rule apart."""
    counts = [Counter(n.name for part in both for n in part if isinstance(n, Variable)) for both in subject.nodes]
    pieces: dict[Origin, list[int]] = {}
    for number, rule in enumerate(subject.rules):
        if rule.origin.line:
            pieces.setdefault(rule.origin, []).append(number)
    for numbers in (numbers for numbers in pieces.values() if len(numbers) > 1):
        nodes = (node for number in numbers for part in subject.nodes[number] for node in part)
        whole = Counter(name for name, _ in {(n.name, n.origin) for n in nodes if isinstance(n, Variable)})
        for number in numbers:
            counts[number] = whole
    return counts


def _of_rule(
    rule: Rule, schedule: Schedule, body: list[Node], head: list[Node], counts: Counter[str]
) -> Iterator[Fault]:
    missing = list(schedule.unbound)
    if any(isinstance(node, Aggregate | Comparison) for node in head):
        for item in rule.head:
            missing += _unbound_in_head(item, schedule)
    named = {unbound.variable.name for unbound in missing}
    hidden = _hidden(rule, schedule)
    for unbound in {u.variable.name: u for u in reversed(missing)}.values():
        if unbound.variable.name not in hidden:
            bound = Suggestions(sorted(name for name in schedule.bound if name in counts))
            yield _unsafe(unbound, bound)
    for name, (first, second) in hidden.items():
        message = f"{name} is in a negation and {second}, but nothing gives it a value"
        do = f"bind {name} by an atom that is not negated, or use another name (or _) inside the negation"
        yield fault("R306", message, first.origin, do)
    reported = named | hidden.keys()
    routed = _routed(rule) & schedule.bound
    if not _counts_matches(body) and not _counts_matches(head):
        for node in body:
            if not isinstance(node, Variable) or counts[node.name] > 1:
                continue
            if not node.name.startswith("_") and node.name not in reported | routed:
                message = f"{node.name} occurs only once{_near(node.name, counts)}"
                yield fault("R302", message, node.origin, "write _ if you mean anything")
    yield from _new(rule, schedule, reported, head)
    if any(isinstance(node, Blank) for part in (body, head) for node in part):
        yield from _blanks(rule)


def _routed(rule: Rule) -> set[str]:
    """Return the variables that matches are ordered or chosen by: such a one matters even if it occurs once."""
    route = rule.annotation("route")
    terms = [term for _, term in route.named] if route is not None else []
    texts = {n.value for term in terms for n in walk(term) if isinstance(n, Constant) and isinstance(n.value, str)}
    return {text.removeprefix("-") for text in texts}


def _near(name: str, others: Counter[str]) -> str:
    """Return the question whether another variable was meant; short names are alike by chance."""
    return Suggestions(n for n in others if n != name and min(len(n), len(name)) > 2).of(name)


def _counts_matches(nodes: list[Node]) -> bool:
    """Whether an aggregate counts every different match: there a variable matters even if it occurs once."""
    return any(isinstance(node, Aggregate) and node.contributors is None for node in nodes)


def _unsafe(unbound: Unbound, bound: Suggestions) -> Fault:
    variable, item = unbound.variable, unbound.item
    where, place = _use(variable.name, item)
    near = bound.nearest(variable.name) if len(variable.name) > 2 else None
    hint = f"; did you mean '{near}'?" if near else ""
    do = f"bind {variable.name} by an atom that is not negated, or by {variable.name} = ..."
    return fault("R301", f"nothing gives {variable.name} a value, and {where} needs one{hint}", place.origin, do)


def _use(name: str, item: Node) -> tuple[str, Variable]:
    """Return how an item uses a variable, and where."""
    words, place, aggregate = _words(item), None, None
    for node in walk(item):
        if isinstance(node, Aggregate) and any(v.name == name for v in variables_of(node)):
            aggregate = node
        if place is None and isinstance(node, Variable) and node.name == name:
            place = node
    if aggregate is not None:
        contributors = {v.name for v in aggregate.contributors or ()}
        words = (
            f"{aggregate.function}, which counts it as a contributor," if name in contributors else aggregate.function
        )
    assert place is not None
    return words, place


def _words(item: Node) -> str:
    if isinstance(item, Comparison):
        is_made = (
            isinstance(item.left, Variable) and item.left.name.startswith("_t") and item.origin == item.right.origin
        )
        return "the argument of an atom" if is_made else f"the comparison with {item.operator}"
    if isinstance(item, Member):
        return "'not in'" if item.is_negated else "'in'"
    if isinstance(item, Negation):
        return "the negation"
    if isinstance(item, Atom):
        return f"the head atom '{item.predicate}'"
    return "'subset of'" if isinstance(item, Subset) else "this condition"


def _unbound_in_head(item: Node, schedule: Schedule) -> Iterator[Unbound]:
    """Yield what a head needs and what cannot be a new value: the sides of an equality, the insides of aggregates."""
    parts = [item] if isinstance(item, Comparison) else [n for n in walk(item) if isinstance(n, Aggregate)]
    for part in parts:
        for variable in variables_of(part):
            if variable.name not in schedule.bound and isinstance(item, Atom | Comparison):
                yield Unbound(variable, item)


def _hidden(rule: Rule, schedule: Schedule) -> dict[str, tuple[Variable, str]]:
    """Return the variables that stand in a negation and elsewhere, and are bound nowhere: local to none of them."""
    negations = [item for item in rule.body if isinstance(item, Negation)]
    if not negations:
        return {}
    hidden: dict[str, tuple[Variable, str]] = {}
    seen: dict[str, Variable] = {}
    for negation in negations:
        for variable in variables_of(negation):
            if variable.name in schedule.bound:
                continue
            if variable.name in seen:
                hidden.setdefault(variable.name, (variable, "in another one"))
            seen[variable.name] = variable
    for item in rule.head:
        for variable in variables_of(item):
            if variable.name in seen:
                hidden.setdefault(variable.name, (seen[variable.name], "in the head"))
    return hidden


def _new(rule: Rule, schedule: Schedule, reported: set[str], head: list[Node]) -> Iterator[Fault]:
    in_head = {node.name: node for node in reversed(head) if isinstance(node, Variable)}
    declared = {v.name for v in rule.exists}
    new = [v for v in in_head.values() if v.name not in schedule.bound | reported | declared]
    for variable in new:
        if len(variable.name) > 2:
            hint = Suggestions(v.name for v in variables_of(*rule.body) if len(v.name) > 2).of(variable.name)
            if hint:
                do = f"write it as in the body, or say 'exists {variable.name}:' before the head if it is new"
                message = f"{variable.name} is in the head only, so a new value is made for it{hint}"
                yield fault("R303", message, variable.origin, do)
    for variable in rule.exists:
        name = variable.name
        if name in schedule.bound:
            do = f"leave out 'exists {name}', or use another name in the head"
            yield fault("R307", f"'exists {name}', but the body gives {name} a value", variable.origin, do)
        elif name not in in_head:
            yield fault("R307", f"'exists {name}', but {name} is not in the head", variable.origin, "leave it out")


def _blanks(rule: Rule) -> Iterator[Fault]:
    """Anything will do where an atom of the body is looked up, and nowhere else."""
    for item in rule.body:
        for blank in _values(item):
            do = "write a variable that an atom binds, or leave the condition out"
            yield fault("R305", "_ has no value, and one is needed here", blank.origin, do)
    for head in rule.head:
        for node in walk(head):
            if isinstance(node, Blank):
                do = "write a variable; with 'exists Z:' before the head, a new value is made for it"
                yield fault("R305", "_ in a head does not say which value", node.origin, do)


def _values(item: Item) -> Iterator[Blank]:
    waiting: list[Node] = [item]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Blank):
            yield node
        elif isinstance(node, Atom):
            waiting += (argument for argument in node.arguments if not isinstance(argument, Blank))
        else:
            waiting += children(node)

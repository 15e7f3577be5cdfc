"""R402 and R504: positions of recursive predicates that hold the value of an aggregate.

Each rule aggregates on its own: what another rule or a fact says there is a fact beside the value of the aggregate.

Inside the recursion such a value still grows (or shrinks). It may feed an aggregate of the same direction and pass a
threshold in that direction; joined, copied or compared for equality, an intermediate value would become a fact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tacita.rules.logic.binding import Absent, Assign, Enumerate, Match, Schedule, Step, Test, head_terms
from tacita.rules.logic.checks.codes import fault
from tacita.rules.logic.checks.subject import Subject
from tacita.rules.logic.faults import Fault, Origin
from tacita.rules.logic.monotonicity import GROWING, UseKind, thresholds
from tacita.rules.logic.nulls import Position, name_of
from tacita.rules.logic.program import Rule
from tacita.rules.logic.terms import (
    Aggregate,
    Atom,
    Call,
    Case,
    Comparison,
    Constant,
    Denial,
    Node,
    Operation,
    Pack,
    Parameter,
    Term,
    Variable,
    aggregates,
    children,
    variables,
)

_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_TAKEN_FOR_ONE = {"mmin", "mmax", "munion"}
"""Of the smallest values of two rules a reader expects the smaller one; two sums are two sums."""


def recursive_values(subject: Subject) -> Iterator[Fault]:
    """Find uses of values that are not final yet, and positions that several rules give a value to."""
    for component, rules in subject.recursive_rules.items():
        positions: dict[Position, tuple[Aggregate, Rule]] = {}
        for number, rule in rules:
            for position, aggregate in _values(rule, subject, number).items():
                positions.setdefault(position, (aggregate, rule))
        if not positions:
            continue
        yield from _mixed(subject, positions)
        members = frozenset(subject.components[component])
        for number, rule in rules:
            if any(isinstance(item, Atom) and name_of(item) in members for item in rule.head):
                yield from _Reading(rule, subject.schedules[number], positions).faults()


def _values(rule: Rule, subject: Subject, number: int) -> dict[Position, Aggregate]:
    """Return the head positions of a rule that hold the value of an aggregate."""
    by_term: dict[int, Aggregate] = {
        id(use.where): use.aggregate for use in subject.uses[number] if use.kind is UseKind.VALUE
    }
    return {
        (name_of(item), at): by_term[id(term)]
        for item in rule.head
        if isinstance(item, Atom)
        for at, term in enumerate(item.arguments)
        if id(term) in by_term
    }


# -- R402 --------------------------------------------------------------------------------------------------------------


def _mixed(subject: Subject, positions: Mapping[Position, tuple[Aggregate, Rule]]) -> Iterator[Fault]:
    wanted = {predicate for predicate, _ in positions}
    for number, rule in enumerate(subject.rules):
        own = None
        for item in rule.head:
            if not isinstance(item, Atom) or name_of(item) not in wanted:
                continue
            own = _values(rule, subject, number) if own is None else own
            for at, term in enumerate(item.arguments):
                position = (name_of(item), at)
                if position in positions and (other := positions[position])[1] is not rule:
                    function = own[position].function if position in own else None
                    if function != other[0].function or function in _TAKEN_FOR_ONE:
                        yield _several(position, function, other, term.origin)
    for fact in subject.program.facts:
        for at, term in enumerate(fact.atom.arguments):
            if (position := (name_of(fact.atom), at)) in positions:
                yield _several(position, None, positions[position], term.origin)


def _several(position: Position, function: str | None, other: tuple[Aggregate, Rule], origin: Origin) -> Fault:
    predicate, at = position
    here = f"by {function}" if function else "without an aggregate"
    message = (
        f"argument {at + 1} of '{predicate}' is computed {here} here and by {other[0].function} in "
        f"{other[1].name} ({other[1].origin}), each on its own, so that it may have several values for one group"
    )
    final = other[0].function.removeprefix("m")
    final = "collect" if final == "union" else final
    return fault("R402", message, origin, f"take the {final} of the values in a later rule, outside the recursion")


# -- R504 --------------------------------------------------------------------------------------------------------------


class _Reading:
    """One rule of a recursion, and what it does with the values that its body reads."""

    def __init__(self, rule: Rule, schedule: Schedule, positions: Mapping[Position, tuple[Aggregate, Rule]]) -> None:
        self.rule, self.schedule, self.positions = rule, schedule, positions
        self.read: dict[str, str] = {}
        """The variables that stand for such a value, and the aggregate that it comes from."""
        self.derived: dict[str, int] = {}
        """Whether such a variable, or one computed from it, grows (1) or shrinks (-1) with the recursion."""

    def faults(self) -> Iterator[Fault]:
        for step in self.schedule.steps:
            if isinstance(step, Match):
                yield from self._matched(step.atom)
        if not self.derived:
            return
        for step in self.schedule.steps:
            if not isinstance(step, Match):
                yield from self._step(step)
        for term in head_terms(self.rule):
            yield from self._head(term)
        yield from self._contributors()

    def _matched(self, atom: Atom) -> Iterator[Fault]:
        for at, argument in enumerate(atom.arguments):
            term = argument.variable if isinstance(argument, Pack) else argument
            if isinstance(term, Variable) and term.name in self.derived:
                yield self._fault(f"{term.name} is looked up in '{name_of(atom)}' as if it were final", term)
            position = (name_of(atom), at)
            if position not in self.positions:
                continue
            function = self.positions[position][0].function
            if isinstance(term, Variable):
                if self._is_joined(term, atom):
                    yield self._fault(f"{term.name} is joined with another argument", term, function)
                self.read[term.name] = function
                self.derived[term.name] = 1 if function in GROWING else -1
            elif isinstance(term, Constant | Parameter):
                yield self._fault(f"argument {at + 1} of '{name_of(atom)}' is compared with a value", term, function)

    def _is_joined(self, variable: Variable, atom: Atom) -> bool:
        """Whether an atom before, or another argument of this one, has the same variable."""
        for step in self.schedule.steps:
            if isinstance(step, Match):
                same = sum(variable.name == v.name for argument in step.atom.arguments for v in _direct(argument))
                if step.atom is atom:
                    return same > 1
                if same and variable.name not in self.derived:
                    return True
        return False

    def _step(self, step: Step) -> Iterator[Fault]:
        if isinstance(step, Assign):
            inner = polarity(step.term, self.derived) if not aggregates(step.term) else 0
            if inner is None:
                yield from self._named(step.term, "is used to compute something that may grow or shrink")
            elif inner:
                self.derived[step.variable.name] = inner
            yield from self._under_aggregates(step.term)
        elif isinstance(step, Enumerate):
            # The members of a set that grows come in one by one; each of them stays.
            if not isinstance(step.collection, Variable):
                yield from self._named(step.collection, "is used in a set that is computed from it")
        elif isinstance(step, Test):
            yield from self._condition(step)
        elif isinstance(step, Absent):
            yield from self._named(step.negation, "is used in a negation")

    def _condition(self, step: Test) -> Iterator[Fault]:
        condition = step.condition
        yield from self._under_aggregates(condition)
        if isinstance(condition, Comparison):
            left, right = _measured(condition.left), _measured(condition.right)
            for side, operator, other in (
                (left, condition.operator, right),
                (right, _FLIPPED.get(condition.operator, condition.operator), left),
            ):
                if isinstance(side, Variable) and side.name in self.derived and not self._mentions(other):
                    direction = thresholds("msum" if self.derived[side.name] > 0 else "mmin")
                    if operator not in direction:
                        what = f"{side.name} is compared with {condition.operator}, which a later value may undo"
                        yield self._fault(what, condition)
                    return
        yield from self._named(condition, "is used in a condition that a later value may undo")

    def _head(self, term: Term) -> Iterator[Fault]:
        yield from self._under_aggregates(term)
        yield from self._named(term, "is copied into the head, where values that are overtaken would stay")

    def _under_aggregates(self, node: Node) -> Iterator[Fault]:
        for aggregate in aggregates(node):
            inner = polarity(aggregate.value, self.derived) if aggregate.value is not None else 0
            wanted = 1 if aggregate.function in GROWING else -1
            if inner is None or (inner and inner != wanted):
                verb = {1: "grows", -1: "shrinks"}.get(inner or 0, "may grow or shrink")
                what = f"what stands under {aggregate.function} {verb} with the recursion"
                yield self._fault(what, aggregate)
            for contributor in aggregate.contributors or ():
                if contributor.name in self.derived:
                    what = f"{contributor.name} is a contributor, so that each of its values would count"
                    yield self._fault(what, aggregate)

    def _contributors(self) -> Iterator[Fault]:
        """Without contributors every match counts, one with a value that was overtaken too."""
        items = [item for item in (*self.rule.body, *self.rule.head) if not isinstance(item, Denial)]
        for aggregate in (a for item in items for a in aggregates(item)):
            if aggregate.function in ("msum", "mcount", "mprod") and aggregate.contributors is None:
                if (
                    aggregate.function == "mcount"
                    and aggregate.value is not None
                    and not self._mentions(aggregate.value)
                ):
                    continue
                name = next(iter(self.read))
                what = f"{aggregate.function} has no contributors, so that each value of {name} would count"
                yield self._fault(what, aggregate)

    def _mentions(self, node: Node) -> bool:
        return any(v.name in self.derived for v in variables(node))

    def _named(self, node: Node, what: str) -> Iterator[Fault]:
        """Yield a fault for each such variable in a part, but for those inside aggregates."""
        waiting: list[Node] = [node]
        while waiting:
            part = waiting.pop()
            if isinstance(part, Variable) and part.name in self.derived:
                yield self._fault(f"{part.name} {what}", part)
            elif not isinstance(part, Aggregate):
                waiting += children(part)

    def _fault(self, what: str, node: Node, function: str | None = None) -> Fault:
        function = function or next(iter(self.read.values()))
        more, most = thresholds(function)
        direction = "grows" if function in GROWING else "shrinks"
        message = f"a value of {function} {direction} inside its recursion, but {what}"
        kind = "msum, mcount, mmax or munion" if function in GROWING else "mmin or mprod"
        do = (
            f"allowed inside the recursion: under {kind} with contributors, or compared with {more} or {most}; "
            "use the final value in a rule outside the cycle"
        )
        return fault("R504", message, node.origin, do)


def _direct(argument: Term) -> tuple[Variable, ...]:
    if isinstance(argument, Pack):
        return (argument.variable,)
    return (argument,) if isinstance(argument, Variable) else ()


def _measured(term: Term) -> Term:
    """Return the set whose size a term is, else the term."""
    return term.arguments[0] if isinstance(term, Call) and term.function == "size" and term.arguments else term


_RISING = frozenset(
    {"sqrt", "exp", "ln", "floor", "ceil", "round", "least", "greatest", "size", "number", "integer", "first", "second"}
)


def polarity(term: Term, known: Mapping[str, int]) -> int | None:
    """Return 1 if a term grows when some variables move as they do, -1 if it shrinks, 0 if it does not depend on them,
    None if it may do both. Factors are taken to be non-negative, as shares, counts and risks are.

    >>> from tacita.rules.logic.terms import Variable
    >>> d, w = Variable("D"), Variable("W")
    >>> polarity(Operation("+", (d, w)), {"D": 1}), polarity(Operation("-", (w, d)), {"D": 1})
    (1, -1)
    >>> polarity(Operation("-", (d, d)), {"D": 1}) is None
    True
    """
    match term:
        case Variable(name):
            return known.get(name, 0)
        case Operation("-", (one,)):
            return _times(polarity(one, known), -1)
        case Operation("+" | "union" | "intersect", operands):
            return _together(polarity(operand, known) for operand in operands)
        case Operation("-" | "minus" | "/", (left, right)):
            return _together((polarity(left, known), _times(polarity(right, known), -1)))
        case Operation("*", operands):
            sign = -1 if sum(_is_negative(operand) for operand in operands) % 2 else 1
            return _times(_together(polarity(operand, known) for operand in operands), sign)
        case Call(function, arguments) if function in _RISING:
            return _together(polarity(argument, known) for argument in arguments)
        case Case(conditions, then, otherwise) if not any(v.name in known for v in variables(*conditions)):
            return _together((polarity(then, known), polarity(otherwise, known)))
    return None if any(v.name in known for v in variables(term)) else 0


def _is_negative(term: Term) -> bool:
    return isinstance(term, Constant) and isinstance(term.value, int | float) and term.value < 0


def _times(direction: int | None, sign: int) -> int | None:
    return None if direction is None else direction * sign


def _together(directions: Iterable[int | None]) -> int | None:
    moving = {direction for direction in directions if direction != 0}
    return moving.pop() if len(moving) == 1 else None if moving else 0

"""The types of all arguments, found by compiling each rule against what is known so far until nothing changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from tacita.rules.logic.dependencies import body_predicates
from tacita.rules.logic.faults import Fault
from tacita.rules.logic.origin import Origin
from tacita.rules.logic.program import Fact
from tacita.rules.logic.terms import Atom, Constant
from tacita.rules.logic.types import NOTHING, TEXT, Type, joined
from tacita.rules.reasoner.derivations import Derivation
from tacita.rules.reasoner.layout import Layout, Position
from tacita.rules.reasoner.terms import constant_type


class Signatures:
    """What is known of the arguments of every predicate, while it is being found out."""

    def __init__(self, new_table: Callable[[], str]) -> None:
        self._new_table = new_table
        self.layouts: dict[str, Layout] = {}
        self.faults: dict[tuple[str, int], Fault] = {}
        self._origins: dict[tuple[str, int], Origin] = {}

    def declare(self, predicate: str, positions: Sequence[Position], names: tuple[str, ...] = ()) -> None:
        """Say what an input holds."""
        self.layouts[predicate] = Layout(predicate, self._new_table(), tuple(positions), names)

    def learn(self, atom: Atom, found: Sequence[Position]) -> bool:
        """Join what one rule or fact says with what is known; return whether that is news."""
        before = self.layouts.get(atom.predicate)
        if before is None:
            self.declare(atom.predicate, found)
            for i, argument in enumerate(atom.arguments):
                self._origins.setdefault((atom.predicate, i), argument.origin)
            return True
        positions = []
        for i, (old, new) in enumerate(zip(before.positions, found, strict=True)):
            type_ = joined(old.type, new.type)
            if type_ is None:
                self._clash(atom, i, old.type, new.type)
                type_ = old.type
            elif old.type == NOTHING and new.type != NOTHING:
                self._origins[atom.predicate, i] = atom.arguments[i].origin
            positions.append(Position(type_, old.is_nullable or new.is_nullable))
        if tuple(positions) == before.positions:
            return False
        self.layouts[atom.predicate] = Layout(atom.predicate, before.table, tuple(positions), before.names)
        return True

    def _clash(self, atom: Atom, i: int, old: Type, new: Type) -> None:
        there = self._origins.get((atom.predicate, i))
        where = f" ({there})" if there and there.line else " in its input"
        self.faults.setdefault(
            (atom.predicate, i),
            Fault(
                "R411",
                f"argument {i + 1} of {atom.predicate} is {new} here, and {old} elsewhere{where}",
                atom.arguments[i].origin,
                "use one type everywhere; text(X), number(X) and integer(X) convert",
            ),
        )

    def settle(self) -> None:
        """Take what has no value anywhere for text."""
        for predicate, layout in self.layouts.items():
            if any(p.type == NOTHING for p in layout.positions):
                positions = tuple(
                    Position(TEXT if p.type == NOTHING else p.type, p.is_nullable) for p in layout.positions
                )
                self.layouts[predicate] = Layout(predicate, layout.table, positions, layout.names)


def learn_facts(signatures: Signatures, facts: Iterable[Fact], constant: Callable[[Fact], Sequence[Position]]) -> None:
    """Take the types of the program's own facts."""
    for fact in facts:
        signatures.learn(fact.atom, constant(fact))


def position_of(term: object) -> Position:
    """Return what a constant says of its position."""
    assert isinstance(term, Constant)
    return Position(constant_type(term.value))


def infer(
    signatures: Signatures,
    derivations: Sequence[Derivation],
    order: Sequence[Sequence[str]],
    arities: Mapping[str, int],
) -> None:
    """Find the types of everything that rules derive, component by component."""
    home = {predicate: number for number, component in enumerate(order) for predicate in component}
    by_component: dict[int, list[Derivation]] = {}
    for derivation in derivations:
        for number in {home[atom.predicate] for atom in derivation.heads}:
            by_component.setdefault(number, []).append(derivation)
    for number, component in enumerate(order):
        rules = by_component.get(number, [])
        _settle_component(signatures, rules)
        for predicate in component:
            if predicate not in signatures.layouts:  # nothing ever derives it
                signatures.declare(predicate, [Position(TEXT)] * arities.get(predicate, 0))
        if any(not _is_ready(signatures, derivation) for derivation in rules):
            _settle_component(signatures, rules)
    signatures.settle()
    # What was taken for text in the end may matter to others.
    for number in range(len(order)):
        _settle_component(signatures, by_component.get(number, []))


def _settle_component(signatures: Signatures, rules: Sequence[Derivation]) -> None:
    changed = True
    while changed:
        changed = False
        for derivation in rules:
            if not _is_ready(signatures, derivation):
                continue
            body = derivation.bound()
            for atom in derivation.heads:
                cells = derivation.head_cells(body, atom)
                found = [Position(cell.type, cell.label is not None) for cell in cells]
                changed |= signatures.learn(atom, found)


def _is_ready(signatures: Signatures, derivation: Derivation) -> bool:
    return all(predicate in signatures.layouts for predicate, _ in body_predicates(derivation.rule.body))

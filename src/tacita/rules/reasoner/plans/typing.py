"""The types of all arguments, found by compiling each rule against what is known so far until nothing changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tacita.rules.logic.dependencies import body_predicates
from tacita.rules.logic.faults import Fault, Origin
from tacita.rules.logic.terms import Atom, Variable
from tacita.rules.logic.types import NOTHING, RowType, Type, joined
from tacita.rules.reasoner.plans.derivations import RuleDerivation
from tacita.rules.reasoner.plans.layout import FactLayout, Position


class Signatures:
    """What is known of the arguments of every predicate, while it is being found out."""

    def __init__(self, new_table: Callable[[], str]) -> None:
        self._new_table = new_table
        self.layouts: dict[str, FactLayout] = {}
        self.faults: dict[tuple[str, int], Fault] = {}
        self._origins: dict[tuple[str, int], Origin] = {}

    def declare(self, predicate: str, positions: Sequence[Position], names: tuple[str, ...] = ()) -> None:
        """Say what an input holds."""
        self.layouts[predicate] = FactLayout(predicate, self._new_table(), tuple(positions), names)

    def learn(self, atom: Atom, derived: Sequence[Position]) -> bool:
        """Join what one rule or fact says with what is known; return whether that is news."""
        before = self.layouts.get(atom.predicate)
        if before is None:
            self.declare(atom.predicate, derived)
            for i, argument in enumerate(atom.arguments):
                self._origins.setdefault((atom.predicate, i), argument.origin)
            return True
        positions = []
        for i, (old, new) in enumerate(zip(before.positions, derived, strict=True)):
            type_ = joined(old.type, new.type)
            if type_ is None:
                self._clash(atom, i, old.type, new.type)
                type_ = old.type
            elif old.type == NOTHING and new.type != NOTHING:
                self._origins[atom.predicate, i] = atom.arguments[i].origin
            positions.append(Position(type_, old.is_nullable or new.is_nullable))
        if tuple(positions) == before.positions:
            return False
        self.layouts[atom.predicate] = FactLayout(atom.predicate, before.table, tuple(positions), before.names)
        return True

    def nullable(self) -> frozenset[tuple[str, int]]:
        """Return the positions where nulls are known to be: while only inputs are declared, those of the data."""
        return frozenset(
            (layout.predicate, i)
            for layout in self.layouts.values()
            for i, p in enumerate(layout.positions)
            if p.is_nullable or (isinstance(p.type, RowType) and p.type.nullable)
        )

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


def infer(
    signatures: Signatures,
    derivations: Sequence[RuleDerivation],
    order: Sequence[Sequence[str]],
    arities: Mapping[str, int],
) -> None:
    """Find the types of everything that rules derive, component by component."""
    home = {predicate: number for number, component in enumerate(order) for predicate in component}
    by_component: dict[int, list[RuleDerivation]] = {}
    for derivation in derivations:
        for number in {home[atom.predicate] for atom in derivation.heads}:
            by_component.setdefault(number, []).append(derivation)
    late = False
    for number, component in enumerate(order):
        rules = by_component.get(number, [])
        _settle_component(signatures, rules)
        for predicate in component:
            if predicate not in signatures.layouts:  # nothing ever derives it
                signatures.declare(predicate, [Position(NOTHING)] * arities.get(predicate, 0))
        if any(not _is_ready(signatures, derivation) for derivation in rules):
            _settle_component(signatures, rules)
            late |= any(not _is_ready(signatures, derivation) for derivation in rules)
    changed = late  # rules that make new versions read what depends on the old ones
    while changed:
        changed = False
        for number in range(len(order)):
            changed |= _settle_component(signatures, by_component.get(number, []))
    if any(derivation.equality is not None for derivation in derivations):
        merging: dict[tuple[str, int], Type] = {}
        while _settle_equalities(signatures, derivations, merging):
            for number in range(len(order)):
                _settle_component(signatures, by_component.get(number, []))


def _settle_equalities(
    signatures: Signatures, derivations: Sequence[RuleDerivation], merging: dict[tuple[str, int], Type]
) -> bool:
    """Give the places of nulls a type that holds what equality rules may make of them, back to where they come from.

    A place without a type takes any; one of integers whose nulls may become numbers is one of numbers from then on.
    `merging` are the places that equality rules reach, with what may come there.
    """
    changed = False
    for derivation in derivations:
        if derivation.is_empty or not _is_ready(signatures, derivation):
            continue
        wanted: dict[str, Type] = {}
        merged: dict[str, Type] = {}
        if derivation.equality is not None:
            terms = derivation.bound().terms
            sides = (derivation.equality.left, derivation.equality.right)
            both = joined(*(terms.cell(side).type for side in sides))
            wanted = {s.name: both for s in sides if isinstance(s, Variable) and both is not None}
            merged = dict(wanted)
        for atom in derivation.heads:
            layout = signatures.layouts[atom.predicate]
            for i, (argument, position) in enumerate(zip(atom.arguments, layout.positions, strict=True)):
                if isinstance(argument, Variable):
                    wanted[argument.name] = position.type
                    if (atom.predicate, i) in merging:
                        merged[argument.name] = merging[atom.predicate, i]
        invented = {v.name for v in derivation.existentials}
        for atom in derivation.heads:  # what one rule makes is one null, in whatever atom it stands
            for argument, position in zip(atom.arguments, signatures.layouts[atom.predicate].positions, strict=True):
                if isinstance(argument, Variable) and argument.name in invented:
                    wanted[argument.name] = joined(wanted[argument.name], position.type) or position.type
        for atom in (*derivation.atoms, *(atom for atom in derivation.heads if invented)):
            layout = signatures.layouts[atom.predicate]
            before = len(merging), tuple(merging.values())
            changed |= signatures.learn(atom, _widened(atom, layout, wanted, merged, merging))
            changed |= before != (len(merging), tuple(merging.values()))
    return changed


def _widened(
    atom: Atom,
    layout: FactLayout,
    wanted: Mapping[str, Type],
    merged: Mapping[str, Type],
    merging: dict[tuple[str, int], Type],
) -> list[Position]:
    """Return the positions of an atom with the types that its nulls need: `wanted` only where there is none yet."""
    positions = list(layout.positions)
    for i, (argument, p) in enumerate(zip(atom.arguments, layout.positions, strict=True)):
        if not isinstance(argument, Variable) or not p.is_nullable:
            continue
        name, type_ = argument.name, p.type
        if type_ == NOTHING:
            type_ = wanted.get(name, type_)
        if name in merged:
            type_ = merging[atom.predicate, i] = joined(type_, merged[name]) or type_
        positions[i] = Position(type_, p.is_nullable)
    return positions


def _settle_component(signatures: Signatures, rules: Sequence[RuleDerivation]) -> bool:
    """Compile the rules of a component until their types are settled; return whether anything was news."""
    heads = {atom.predicate for d in rules for atom in d.heads}
    is_looping = any(atom.predicate in heads for d in rules for atom in d.atoms)
    changed, any_news = True, False
    while changed:
        changed = False
        for derivation in rules:
            if not _is_ready(signatures, derivation) or derivation.is_empty:
                continue
            body = derivation.bound()
            for atom in derivation.heads:
                cells = derivation.head_cells(body, atom)
                positions = [Position(cell.type, cell.label is not None) for cell in cells]
                changed |= signatures.learn(atom, positions)
        any_news |= changed
        changed = changed and is_looping
    return any_news


def _is_ready(signatures: Signatures, derivation: RuleDerivation) -> bool:
    return all(predicate in signatures.layouts for predicate, _ in body_predicates(derivation.rule.body))

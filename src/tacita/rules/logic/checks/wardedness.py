"""R601: dangerous joins. Whether the nulls that a rule passes on come from one atom, its ward.

A variable is harmful in a rule if it can be null, dangerous if it is passed on as well. A rule is warded if all its
dangerous variables stand in one atom that shares no harmful variable with the other atoms. In a warded program the
nulls of one fact are never confronted with those of another, and the chase can be cut off at facts that are alike.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from tacita.rules.logic.checks.codes import fault
from tacita.rules.logic.checks.subject import Subject
from tacita.rules.logic.faults import Fault, Origin
from tacita.rules.logic.nulls import Flow, Position, affected_positions, harmful, name_of
from tacita.rules.logic.program import Program, Rule
from tacita.rules.logic.terms import Atom

__all__ = ["WardReport", "WardednessReport", "affected_positions", "dangerous_joins", "wardedness"]


@dataclass(frozen=True, slots=True)
class WardReport:
    """What one rule does with the variables that can be null."""

    rule: Rule
    harmful: tuple[str, ...]
    """The variables that can be null."""
    dangerous: tuple[str, ...]
    """Those of them that are passed on to the head."""
    ward: Atom | None = None
    problem: str = ""
    """Why there is no ward, in words; nothing if there is one or none is needed."""
    place: Origin | None = None

    @property
    def is_warded(self) -> bool:
        """Whether the rule is harmless in this respect."""
        return not self.problem


@dataclass(frozen=True, slots=True)
class WardednessReport:
    """The wardedness of a program: the rules that pass on nulls, in order."""

    affected: frozenset[Position]
    rules: tuple[WardReport, ...]

    @property
    def is_warded(self) -> bool:
        """Whether every rule is warded."""
        return all(rule.is_warded for rule in self.rules)


def wardedness(program: Program, nullable: Collection[Position] = ()) -> WardednessReport:
    """Return which rules pass on nulls, and how."""
    return report(Subject(program, nullable=nullable))


def report(subject: Subject) -> WardednessReport:
    """Return which rules pass on nulls, and how."""
    rules = (_of_rule(one, subject.affected) for one in subject.flows) if subject.affected else ()
    return WardednessReport(subject.affected, tuple(r for r in rules if r.dangerous))


def dangerous_joins(subject: Subject) -> Iterator[Fault]:
    """Find dangerous joins."""
    for rule in report(subject).rules:
        if rule.problem:
            do = (
                "have one atom that holds all of them and shares only known values with the others; "
                "'is not null' makes a value known"
            )
            yield fault("R601", f"a dangerous join: {rule.problem}", rule.place or rule.rule.origin, do)


def _of_rule(one: Flow, affected: Collection[Position]) -> WardReport:
    nulls = harmful(one, affected)
    passed = dict.fromkeys(name for target in one.targets for name in target.variables if name in nulls)
    unknown = tuple(name for name in one.places if name in nulls)
    dangerous = tuple(passed)
    if not dangerous:
        return WardReport(one.rule, unknown, ())
    atoms: dict[int, Atom] = {}
    holds: dict[str, list[int]] = {}
    for name in unknown:
        for atom, _ in one.places[name]:
            atoms[id(atom)] = atom
            if id(atom) not in holds.setdefault(name, []):
                holds[name].append(id(atom))
    wards = set.intersection(*(set(holds[name]) for name in dangerous))
    if not wards:
        return WardReport(one.rule, unknown, dangerous, None, *_apart(dangerous, holds, atoms))
    problem: tuple[str, Origin] | None = None
    for ward in (place for place in holds[dangerous[0]] if place in wards):
        shared = [name for name in unknown if ward in holds[name] and len(holds[name]) > 1]
        if not shared:
            return WardReport(one.rule, unknown, dangerous, atoms[ward])
        problem = problem or _shared(shared[0], dangerous, ward, holds, atoms)
    assert problem is not None
    return WardReport(one.rule, unknown, dangerous, None, *problem)


def _apart(dangerous: tuple[str, ...], holds: dict[str, list[int]], atoms: dict[int, Atom]) -> tuple[str, Origin]:
    first = dangerous[0]
    second = next((n for n in dangerous if not set(holds[n]) & set(holds[first])), dangerous[-1])
    here, there = atoms[holds[first][0]], atoms[holds[second][0]]
    problem = (
        f"{first} in '{name_of(here)}' and {second} in '{name_of(there)}' can both be unknown, "
        "both go to the head, and no atom holds them together"
    )
    return problem, there.origin


def _shared(
    name: str, dangerous: tuple[str, ...], ward: int, holds: dict[str, list[int]], atoms: dict[int, Atom]
) -> tuple[str, Origin]:
    other = next(atoms[place] for place in holds[name] if place != ward)
    here, there = name_of(atoms[ward]), name_of(other)
    if name in dangerous:
        problem = f"{name} can be unknown, goes to the head, and joins '{here}' with '{there}'"
    else:
        problem = (
            f"{name} can be unknown and joins '{here}', from which {dangerous[0]} goes to the head, with '{there}'"
        )
    return problem, other.origin

"""Which column of a table is which argument of a predicate: by name if the names are there, else by position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tacita.errors import InputError, counted, listed
from tacita.model.relation import ColumnType
from tacita.rules.logic.program import Program
from tacita.rules.logic.types import Type
from tacita.rules.reasoner.program import arities, column_names, column_types


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a program wants of the data of a predicate."""

    predicate: str
    arity: int
    names: tuple[str, ...] = ()
    """What ``@input`` calls the arguments; nothing if it does not."""
    types: tuple[Type | None, ...] = ()

    @property
    def declared_types(self) -> dict[str, ColumnType]:
        """The types that ``@input`` declares, by the names of the arguments."""
        known = {member.value for member in ColumnType}
        return {
            name: ColumnType(str(type_))
            for name, type_ in zip(self.names, self.types, strict=False)
            if type_ is not None and str(type_) in known
        }


@dataclass(frozen=True, slots=True)
class MatchedColumns:
    """The columns in the order of the arguments, and a sentence if a person should know how they were found."""

    columns: tuple[str, ...]
    note: str = ""


def wanted(program: Program) -> Mapping[str, Wanted]:
    """Return what a program wants of the data of each of its predicates."""
    declared = {a.text(0) or "": a for a in program.directives("model")}
    declared |= {a.text(0) or "": a for a in program.directives("input") if column_names(a)}
    wishes = {}
    for predicate, arity in arities(program).items():
        annotation = declared.get(predicate)
        names = column_names(annotation) if annotation else ()
        types = column_types(annotation) if annotation else ()
        wishes[predicate] = Wanted(predicate, arity, names if len(names) == arity else (), types)
    return wishes


def by_name(wanted: Wanted, columns: Sequence[str]) -> tuple[str, ...] | None:
    """Return the columns that have the names of the arguments, capitals and blanks aside; None if one is missing."""
    if not wanted.names:
        return None
    known: dict[str, list[str]] = {}
    for column in columns:
        known.setdefault(_plain(column), []).append(column)
    names = []
    for name in wanted.names:
        same = known.get(_plain(name), [])
        if name in columns:
            names.append(name)
        elif len(same) == 1:
            names.append(same[0])
        else:
            return None
    return tuple(names)


def matched(wanted: Wanted, columns: Sequence[str], where: str, *, has_names: bool = True) -> MatchedColumns:
    """Return the columns of the arguments; raise, with both sides listed, if they cannot be told.

    `has_names` is False if the names of the columns were made up by the reader.
    """
    if has_names and (named := by_name(wanted, columns)) is not None:
        return MatchedColumns(named)
    if len(columns) == wanted.arity and not (has_names and _is_shuffled(wanted, columns)):
        return MatchedColumns(tuple(columns), _said(wanted, columns, where, has_names=has_names))
    has = counted(len(columns), "column")
    takes = counted(wanted.arity, "argument")
    sides = f"  columns: {listed(columns, 20)}" if has_names else "  the columns have no names"
    sides += f"\n  arguments: {listed(wanted.names, 20)}" if wanted.names else ""
    raise InputError(
        f"the data for {wanted.predicate} has {has}, the rules give it {takes}\n{sides}"
        if len(columns) != wanted.arity
        else f"the columns for {wanted.predicate} do not fit its arguments\n{sides}",
        where=where,
        do=f'name the columns that you mean, in order: @input("{wanted.predicate}", ["...", ...])',
    )


def _is_shuffled(wanted: Wanted, columns: Sequence[str]) -> bool:
    """Whether a column has the name of an argument at another place: by position, the two would be exchanged."""
    places = {_plain(name): place for place, name in enumerate(wanted.names)}
    return any(places.get(_plain(column), place) != place for place, column in enumerate(columns))


def _said(wanted: Wanted, columns: Sequence[str], where: str, *, has_names: bool) -> str:
    if not wanted.names and has_names:
        return f"{where}: columns taken in their order for {wanted.predicate}: {listed(columns, 8)}"
    if not has_names:
        names = f": {listed(wanted.names, 8)}" if wanted.names else ""
        return f"{where}: the first line is data, columns taken in their order for {wanted.predicate}{names}"
    pairs = [f"{column} = {name}" for column, name in zip(columns, wanted.names, strict=True)]
    return f"{where}: columns taken in their order for {wanted.predicate}: {listed(pairs, 8)}"


def _plain(name: str) -> str:
    return "".join(c for c in name.casefold() if c.isalnum())

"""Files joined by key attributes of equal names, for dependencies that only show when files are put together.

The join is an inner one, and a missing key joins nothing. One of the two sides must have each key once: otherwise all
records with a key would be paired with all, and hardly a dependency of the files would be left as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from tacita.engines.plans.terms import as_text
from tacita.engines.protocol import Relation
from tacita.errors import InputError, UsageError, counted, did_you_mean, listed
from tacita.model.attribute import Attribute
from tacita.model.dictionary import Dictionary
from tacita.model.microdata import Microdata
from tacita.model.relation import Column

_ONE, _OTHER, _ROW = "one_", "other_", "row_"


def joined(one: Microdata, other: Microdata, keys: Sequence[str]) -> tuple[Microdata, tuple[str, ...]]:
    """Return the records of two files that belong together, in the order of the first, and notes.

    Attributes of the other file whose names the first has get the name of the other file in front.
    """
    _check_keys(one, other, keys)
    repeated = [_repeated(side.relation, keys) for side in (one, other)]
    if all(repeated):
        raise InputError(
            f"{repeated[0]:,} keys of '{one.name}' and {repeated[1]:,} keys of '{other.name}' occur more than once",
            do="name more key attributes, so that at least one of the files has each key once",
        )
    names = _names(one, other, keys)
    terms: list[exp.Expr] = []
    columns: list[Column] = []
    for table, side in ((_ONE, one), (_OTHER, other)):
        for column in side.columns:
            if table == _OTHER and column.name in keys:
                continue
            place = len(columns)
            terms.append(exp.alias_(exp.column(column.physical, table=table), f"j{place}"))
            written = f"j{place}w" if column.as_written else None
            if column.as_written:
                terms.append(exp.alias_(exp.column(column.as_written, table=table), f"j{place}w"))
            name = column.name if table == _ONE else names[column.name]
            columns.append(replace(column, name=name, physical=f"j{place}", as_written=written))
    pairs = [exp.EQ(this=_key(one, key, _ONE), expression=_key(other, key, _OTHER)) for key in keys]
    plan = (
        exp.select(*terms)
        .from_(_numbered(one.relation, _ONE))
        .join(_numbered(other.relation, _OTHER), on=exp.and_(*pairs))
        .order_by(exp.column(_ROW, table=_ONE), exp.column(_ROW, table=_OTHER))
    )
    stored = one.relation.engine.store(plan, columns)
    records = stored.count()
    if not records:
        raise InputError(
            f"no record of '{one.name}' has the key of a record of '{other.name}'",
            do=f"check that {listed(list(keys))} holds the same values in both files",
        )
    notes = [f"'{one.name}' joined with '{other.name}' by {listed(list(keys))} has {counted(records, 'record')}."]
    notes += [
        f"{counted(number, 'key')} of '{side.name}' occur more than once, so records of the other file are repeated."
        for number, side in zip(repeated, (one, other), strict=True)
        if number
    ]
    attributes = [*one.dictionary, *(other.attribute(name).with_(name=new) for name, new in names.items())]
    return _described(one, stored, attributes), tuple(notes)


def _check_keys(one: Microdata, other: Microdata, keys: Sequence[str]) -> None:
    for side in (one, other):
        for key in keys:
            if key not in side.dictionary.names:
                raise UsageError(
                    f"'{side.name}' has no attribute '{key}' to join by{did_you_mean(key, side.dictionary.names)}",
                    do="name attributes that both files have",
                )
    for key in keys:
        types = [side.column(key).type for side in (one, other)]
        if types[0] is not types[1] and not all(type_.is_numeric for type_ in types):
            raise UsageError(
                f"'{key}' is {types[0]} in '{one.name}' and {types[1]} in '{other.name}'",
                do="write both files with the same type, or join by another attribute",
            )


def _names(one: Microdata, other: Microdata, keys: Sequence[str]) -> dict[str, str]:
    """Return the names of the attributes of the other file after the join."""
    taken = {*one.dictionary.names}
    names: dict[str, str] = {}
    for name in other.dictionary.names:
        if name in keys:
            continue
        new = name if name not in taken else f"{other.name}.{name}"
        if new in taken or new in names.values():
            raise UsageError(
                f"'{name}' of '{other.name}' has a name that is taken, and '{new}' is taken, too",
                do="rename the attribute, or the file",
            )
        names[name] = new
    return names


def _key(side: Microdata, key: str, table: str) -> exp.Expr:
    column = side.column(key)
    term = exp.column(column.physical, table=table)
    return as_text(term) if column.is_coded else term


def _repeated(relation: Relation, keys: Sequence[str]) -> int:
    """Return how many keys occur more than once."""
    terms = relation.physical(keys)
    is_there = [exp.Not(this=exp.Is(this=term.copy(), expression=exp.Null())) for term in terms]
    groups = (
        exp.select(exp.alias_(exp.Count(this=exp.Star()), "n"))
        .from_(relation.source())
        .where(exp.and_(*is_there))
        .group_by(*(term.copy() for term in terms))
    )
    several = exp.GT(this=exp.column("n"), expression=exp.Literal.number(1))
    plan = exp.select(exp.alias_(exp.Count(this=exp.Star()), "n")).from_(groups.subquery("g")).where(several)
    return int(relation.engine.run(plan)[0]["n"])


def _numbered(relation: Relation, name: str) -> exp.Subquery:
    names = [part for column in relation.columns for part in (column.physical, column.as_written) if part]
    row = exp.alias_(relation.engine.numbered(relation), _ROW)
    return exp.select(row, *map(exp.column, names)).from_(relation.source()).subquery(name)


def _described(one: Microdata, stored: Relation, attributes: Sequence[Attribute]) -> Microdata:
    """Return joined records with the attributes of both files; no category says what they are for together."""
    plain = tuple(attribute.with_(category=None) for attribute in attributes)
    dictionary = Dictionary(one.dictionary.name, plain, missing_as=one.dictionary.missing_as)
    return Microdata(stored, dictionary, one.source)

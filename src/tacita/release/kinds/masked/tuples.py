"""Masked records as they are handed out: identifiers and household keys gone, order shuffled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from tacita.files.declared_missing import is_declared
from tacita.model.attribute import Category
from tacita.model.relation import Column
from tacita.recipes.carry_out import MaskedMicrodata
from tacita.release.records.identifiers import identifiers_of
from tacita.release.records.tuples import Tuples, generator, in_style, store_in_order, with_numbers

_ORDER = 2**31
"""The stream of randomness of the order: steps have those of their numbers, and none of them has this one."""


def released_tuples(masked: MaskedMicrodata, seed: int, *, shuffle: bool) -> Tuples:
    """Return the tuples of a release. Spellings of the source stay where they tell nothing of known values."""
    relation = masked.released.relation
    dictionary = masked.released.dictionary
    keys = [attribute.name for attribute in dictionary.of(Category.CLUSTER_KEY)]
    gone = [name for name in (*identifiers_of(masked.original, masked.released), *keys) if name in dictionary.names]
    order = generator(seed, _ORDER).permutation(relation.count()) + 1 if shuffle else None
    taken = taken_codes(masked)
    columns = []
    terms: list[exp.Expr] = []
    for column in relation.columns:
        if column.name in gone:
            continue
        terms.append(exp.column(column.physical, table="p"))
        known, is_taken = dictionary.quasi_identifiers, column.name in taken
        spelt = _spelt(masked, column, is_known=column.name in known, is_taken=is_taken)
        terms += [exp.alias_(spelt, f"{column.physical}w")] if spelt is not None else []
        columns.append(replace(column, as_written=f"{column.physical}w" if spelt is not None else None))
    plan = exp.select(*terms).from_(with_numbers(relation).subquery("p"))
    stored = store_in_order(relation.engine, plan, columns, order)
    return Tuples(stored, tuple(gone), _touched(masked, columns), order)


def taken_codes(masked: MaskedMicrodata) -> tuple[str, ...]:
    """Return changed attributes in which a code of missing values has become a value: 99 by noise on an age.

    There the code can no longer mean missing, and empty cells have to.
    """
    relation = masked.released.relation
    taken = []
    for column in relation.columns:
        hit = None
        if column.name in masked.changed:
            hit = is_declared(column, masked.released.attribute(column.name))
        if hit is not None and relation.engine.run(exp.select("1").from_(relation.source()).where(hit).limit(1)):
            taken.append(column.name)
    return tuple(taken)


def _spelt(masked: MaskedMicrodata, column: Column, *, is_known: bool, is_taken: bool) -> exp.Expr | None:
    """Return how cells are spelt; None if as everybody does.

    Known values are spelt alike: one that is spelt otherwise than everybody's would stand out. Codes of missing values
    stay unless they are taken, and numbers of ours are written as the source writes numbers.
    """
    value = exp.column(column.physical, table="p")
    theirs: exp.Expr | None = None
    if column.as_written and not is_taken:
        theirs = exp.column(column.as_written, table="p")
    if theirs is not None and is_known:
        absent = exp.Is(this=value.copy(), expression=exp.Null())
        theirs = exp.Case(ifs=[exp.If(this=absent, true=theirs)])
    ours = in_style(masked.original.source, value, column.type)
    spellings = [spelling for spelling in (theirs, ours) if spelling is not None]
    return exp.func("coalesce", *spellings) if len(spellings) > 1 else spellings[0] if spellings else None


def _touched(masked: MaskedMicrodata, columns: Sequence[Column]) -> frozenset[str]:
    """Return the attributes that may lack values of the source: all of them, if records are left out or invented."""
    count = masked.original.relation.count()
    if masked.origin is None or len(set(masked.origin.tolist())) < count:
        return frozenset(column.name for column in columns)
    return frozenset(masked.changed)

"""Masked records as they are handed out: identifiers and household keys gone, order shuffled."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from tacita.files.contract import engine_relation
from tacita.model.attribute import Category
from tacita.recipes.carry_out import Masked
from tacita.release.shuffling import as_relation, shuffled
from tacita.release.tuples import ROW, Tuples


def identifiers_of(masked: Masked) -> tuple[str, ...]:
    """Return every attribute that was an identifier before or after."""
    found = [*masked.original.dictionary.of(Category.IDENTIFIER), *masked.released.dictionary.of(Category.IDENTIFIER)]
    return tuple(dict.fromkeys(attribute.name for attribute in found))


def released_tuples(masked: Masked, seed: int, *, shuffle: bool) -> Tuples:
    """Return the tuples of a release. What the source wrote in its own way stays only where nobody may know it."""
    import numpy as np

    relation = engine_relation(masked.released)
    dictionary = masked.released.dictionary
    keys = [attribute.name for attribute in dictionary.of(Category.CLUSTER_KEY)]
    gone = [name for name in (*identifiers_of(masked), *keys) if name in dictionary.names]
    order = shuffled(relation.count(), seed) if shuffle else None
    columns = []
    terms: list[exp.Expr] = []
    for column in relation.columns:
        if column.name in gone:
            continue
        # A value that is spelt otherwise than everybody's would stand out.
        own = column.as_written if column.name not in dictionary.quasi_identifiers else None
        columns.append(replace(column, as_written=own))
        terms += [exp.column(name, table="p") for name in (column.physical, own) if name]
    numbered = exp.select("*", exp.alias_(relation.engine.numbered(relation), ROW)).from_(relation.source())
    plan = exp.select(*terms).from_(numbered.subquery("p"))
    place: exp.Expr = exp.column(ROW, table="p")
    places = None
    if order is not None:
        places = as_relation(relation.engine, row=order, place=np.arange(1, len(order) + 1))
        on = exp.EQ(this=exp.column(ROW, table="p"), expression=exp.column("c0", table="o"))
        plan = plan.join(places.source().as_("o"), on=on)
        place = exp.column("c1", table="o")
    stored = relation.engine.store(plan.order_by(place), columns)
    if places is not None:
        relation.engine.drop(places)
    return Tuples(stored, tuple(gone), (), (), frozenset(masked.changed), order)

"""The records as they are handed out: what is dropped, what is changed, in which order they stand.

A sorted file tells what its columns do not, and a known order tells who is who.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from tacita.attacks.microdata.derivation import DerivableValues
from tacita.engines.plans.terms import as_text
from tacita.engines.protocol import Engine, Relation
from tacita.model.microdata import Microdata, Source
from tacita.model.relation import Column, ColumnType

if TYPE_CHECKING:
    import numpy as np

    from tacita.release.kinds.microdata.weights import BlurredWeights

    Array = np.ndarray[Any, np.dtype[Any]]

ROW = "row_"
ORDER, CLUSTERS, WEIGHTS = 0, 1, 2
"""Each use of randomness has a stream of its own, so that turning one off does not change the others."""


@dataclass(frozen=True, slots=True)
class Tuples:
    """What is handed out, and what only we know of it."""

    relation: Relation
    dropped: tuple[str, ...]
    """Attributes that are not released."""
    touched: frozenset[str]
    """Attributes of which at least one cell was changed."""
    order: Array | None
    """The source's record in each place of the release; None if the order was kept."""
    pseudonymised: tuple[str, ...] = ()
    renumbered: tuple[str, ...] = ()
    """Cluster keys that are released under random numbers."""
    weights: BlurredWeights | None = None
    clusters: Relation | None = field(default=None, repr=False)
    """The number of the claim's cluster in each place, if its key is dropped: ``c0``."""
    derivable: tuple[DerivableValues, ...] = ()
    """Which attributes determine hidden cells; data are released only if the steward allowed it."""


def fresh_seed() -> int:
    """Return a seed that nobody can guess."""
    return secrets.randbits(128)


GUESSED = 2**48
"""Seeds below can be tried one after the other; those that are drawn have 63 bits or more."""


def seed_notes(seed: int) -> tuple[str, ...]:
    """Return the warning that a seed can be guessed, if so: a release and its order are only as secret as the seed.

    >>> len(seed_notes(7)), seed_notes(fresh_seed() | 2**60)
    (1, ())
    """
    if seed >= GUESSED:
        return ()
    return ("this seed can be guessed, and whoever has it undoes noise and order; use one only to repeat a run",)


def generator(seed: int, use: int) -> np.random.Generator:
    """Return the random numbers of one use.

    >>> generator(7, ORDER).integers(100) == generator(7, ORDER).integers(100)
    np.True_
    """
    import numpy as np

    return np.random.Generator(np.random.PCG64DXSM(np.random.SeedSequence(seed, spawn_key=(use,))))


def random_order(records: int, seed: int) -> Array:
    """Return the number of the source's record, from 1, that stands in each place of the release.

    Every order is as probable as any other, as far as 128 bits of a seed go.

    >>> sorted(random_order(4, seed=1).tolist())
    [1, 2, 3, 4]
    """
    return generator(seed, ORDER).permutation(records) + 1


def as_relation(engine: Engine, **columns: Array) -> Relation:
    """Return arrays as a relation with the columns ``c0``, ``c1``, ... in their order."""
    import pyarrow as pa

    from tacita.engines.arrow import as_arrow

    batch = pa.RecordBatch.from_arrays([as_arrow(values) for values in columns.values()], names=list(columns))
    return engine.adopt([batch], batch.schema)


def with_numbers(relation: Relation) -> exp.Select:
    """Return the plan of a relation with the number of each record, from 1, in the column `ROW`."""
    return exp.select("*", exp.alias_(relation.engine.numbered(relation), ROW)).from_(relation.source())


def store_in_order(engine: Engine, plan: exp.Select, columns: Sequence[Column], order: Array | None) -> Relation:
    """Return what a plan gives over numbered records (`ROW` of ``p``), in the order of the release."""
    import numpy as np

    if order is None:
        return engine.store(plan.order_by(exp.column(ROW, table="p")), columns)
    places = as_relation(engine, row=order, place=np.arange(1, len(order) + 1))
    on = exp.EQ(this=exp.column(ROW, table="p"), expression=exp.column("c0", table="o"))
    plan = plan.join(places.source().as_("o"), on=on)
    stored = engine.store(plan.order_by(exp.column("c1", table="o")), columns)
    engine.drop(places)
    return stored


def in_style(source: Source, value: exp.Expr, type_: ColumnType) -> exp.Expr | None:
    """Return a number of ours as the source writes numbers, if that is not as everybody does: 1,5 for 1.5."""
    sign = dict(source.details).get("decimal", ".") if source.format in {"CSV", "TSV"} else "."
    if sign == "." or type_ is not ColumnType.NUMBER:
        return None
    return exp.func("replace", as_text(value.copy()), exp.Literal.string("."), exp.Literal.string(sign))


def with_tuples(microdata: Microdata, relation: Relation) -> Microdata:
    """Return microdata with other tuples of the same or fewer columns, and a dictionary of just those."""
    names = {column.name for column in relation.columns}
    attributes = tuple(a for a in microdata.dictionary if a.name in names)
    dictionary = replace(microdata.dictionary, attributes=attributes, scenarios={})
    return replace(microdata, relation=relation, dictionary=dictionary, readings=(), hierarchies={})

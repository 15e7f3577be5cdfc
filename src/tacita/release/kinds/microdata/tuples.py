"""The tuples as they are handed out: identifiers gone, order shuffled, nothing of an older version of a cell left.

A column may have a companion with the source's own spelling (`Column.as_written`), which files are written from. It is
taken over for cells that nobody touched, and for no other: a suppressed value must not survive in its spelling.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from tacita.cycle.outcome import Outcome
from tacita.engines.arrow import equal
from tacita.engines.plans.terms import as_text, named, number
from tacita.engines.protocol import Relation
from tacita.errors import UsageError, listed
from tacita.model.attribute import Category
from tacita.model.relation import Column, ColumnType
from tacita.release.kinds.microdata.weights import blur_weights
from tacita.release.options import ReleaseOptions
from tacita.release.records.identifiers import identifiers_of, pseudonyms
from tacita.release.records.tuples import (
    CLUSTERS,
    ROW,
    Tuples,
    as_relation,
    generator,
    in_style,
    random_order,
    store_in_order,
    with_numbers,
)

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Array = np.ndarray[Any, np.dtype[Any]]


def cluster_keys_of(outcome: Outcome) -> tuple[str, ...]:
    """Return every attribute that ties tuples together."""
    names = [a.name for a in outcome.protected.dictionary.of(Category.CLUSTER_KEY)]
    return tuple(dict.fromkeys([*names, *filter(None, [outcome.claim.cluster])]))


def touched_by(outcome: Outcome) -> frozenset[str]:
    """Return the attributes of which a cell was changed."""
    return frozenset([*outcome.decisions.per_attribute(), *(n for n, level in outcome.recoded.items() if level)])


def released_tuples(outcome: Outcome, options: ReleaseOptions, seed: int) -> Tuples:
    """Return the tuples of a release."""
    identifiers, keys = identifiers_of(outcome.original, outcome.protected), cluster_keys_of(outcome)
    _check_names(options.pseudonymise, identifiers)
    protected = outcome.protected.relation
    in_claim = [
        name for name in (*identifiers, *(() if options.keep_clusters else keys)) if name in outcome.claim.known
    ]
    if in_claim:
        raise UsageError(
            f"the intruder is supposed to know {listed(in_claim)}, which would not be released",
            do="an attribute is an identifier, a cluster key or a quasi-identifier: give it one role",
        )
    dropped = [n for n in identifiers if n not in options.pseudonymise]
    dropped += [n for n in keys if not options.keep_clusters and n not in identifiers]
    dropped += _further_drops(outcome, options, dropped)
    order = random_order(protected.count(), seed) if options.shuffle else None
    noise = blur_weights(outcome.protected, options.weights, seed) if options.weights else None
    plan = _Plan(outcome, protected, touched_by(outcome), order)
    for column in protected.columns:
        if column.name in dropped:
            continue
        if column.name in options.pseudonymise:
            assert options.key is not None
            plan.add_mapped(column, pseudonyms(protected, column.name, options.key), ColumnType.TEXT)
        elif column.name in keys:
            plan.add_mapped(column, renumber_clusters(protected, column.name, seed), ColumnType.INTEGER)
        elif noise is not None and column.name == noise.attribute:
            plan.add_by_row(column, as_relation(protected.engine, **noise.columns))
        else:
            plan.add(column)
    released = plan.store()
    cluster = outcome.claim.cluster
    return Tuples(
        released,
        tuple(dropped),
        plan.touched,
        order,
        options.pseudonymise,
        tuple(name for name in keys if name not in dropped and name not in identifiers),
        noise,
        _clusters_alone(outcome, cluster, order, seed) if cluster in dropped and cluster else None,
    )


def renumber_clusters(relation: Relation, name: str, seed: int) -> Relation:
    """Return the different values of a cluster key as text, ``c0``, and a random number for each, ``c1``.

    The numbers are 1 to m in random order: neither the key nor its order is told.
    """
    value = as_text(exp.column(relation.column(name).physical))
    there = exp.Not(this=exp.Is(this=exp.column(relation.column(name).physical), expression=exp.Null()))
    distinct = exp.select(exp.alias_(value, "c0")).distinct().from_(relation.source()).where(there)
    # In their order, so that the same seed gives the same numbers whatever the engine's threads did.
    keys = relation.engine.store(distinct.order_by("c0"), [Column(name, "c0", ColumnType.TEXT)])
    numbers = as_relation(relation.engine, number=generator(seed, CLUSTERS).permutation(keys.count()) + 1)
    left = exp.select(exp.alias_(relation.engine.numbered(keys), "at"), "c0").from_(keys.source()).subquery("k")
    right = exp.select(exp.alias_(relation.engine.numbered(numbers), "at"), exp.column("c0").as_("c1"))
    on = exp.EQ(this=exp.column("at", table="k"), expression=exp.column("at", table="n"))
    plan = exp.select(exp.column("c0", table="k").as_("c0"), exp.column("c1", table="n").as_("c1")).from_(left)
    plan = plan.join(right.from_(numbers.source()).subquery("n"), on=on)
    columns = [Column(name, "c0", ColumnType.TEXT), Column("number", "c1", ColumnType.INTEGER)]
    renamed = relation.engine.store(plan, columns)
    relation.engine.drop(keys)
    relation.engine.drop(numbers)
    return renamed


def _clusters_alone(outcome: Outcome, key: str, order: Array | None, seed: int) -> Relation:
    protected = outcome.protected.relation
    plan = _Plan(outcome, protected, frozenset(), order)
    plan.add_mapped(protected.column(key), renumber_clusters(protected, key, seed), ColumnType.INTEGER)
    return plan.store()


def _further_drops(outcome: Outcome, options: ReleaseOptions, dropped: Sequence[str]) -> list[str]:
    """Return the attributes that the steward wants dropped beside identifiers and keys."""
    for name in options.drop:
        outcome.protected.column(name)
    if needed := sorted({*outcome.claim.known, *options.pseudonymise} & {*options.drop}):
        raise UsageError(
            f"{listed(needed)} is to be dropped, but it is among the quasi-identifiers or gets a pseudonym",
            do="leave it out of --drop, or give it no other role",
        )
    if options.weights is not None and outcome.protected.dictionary.weight in options.drop:
        raise UsageError("the weight is to be dropped and to be blurred", do="give --drop or --weight-noise")
    keys = cluster_keys_of(outcome)
    if options.keep_clusters and not keys:
        raise UsageError(
            "the household key is to be kept, but no attribute is one",
            do="name it: --cluster NAME",
        )
    if options.keep_clusters and {*keys} <= {*options.drop}:
        raise UsageError(f"{listed(list(keys))} is to be dropped and to be kept", do="give --drop or --keep-clusters")
    return [name for name in dict.fromkeys(options.drop) if name not in dropped]


def _check_names(wanted: Sequence[str], identifiers: Sequence[str]) -> None:
    others = [name for name in wanted if name not in identifiers]
    if others:
        raise UsageError(
            f"{listed(others)} cannot be replaced by pseudonyms: no identifier is called so",
            do=f"name identifiers: {listed(list(identifiers))}" if identifiers else "there is no identifier",
        )


class _Plan:
    """The plan of a release while it is put together: terms, and what has to be joined for them."""

    def __init__(self, outcome: Outcome, relation: Relation, touched: frozenset[str], order: Array | None) -> None:
        self._outcome, self._relation, self.touched, self._order = outcome, relation, touched, order
        self._terms: list[exp.Expr] = []
        self._columns: list[Column] = []
        self._joins: list[tuple[exp.Expr, exp.Expr]] = []
        self._original: Relation | None = None
        self._helping: list[Relation] = []

    def add(self, column: Column) -> None:
        """Take a column as the cycle left it, with the source's spelling of cells that were not touched."""
        place = self._new(column, column.type, is_coded=column.is_coded)
        value: exp.Expr = exp.column(column.physical, table="p")
        is_known = column.name in self._outcome.claim.known
        if is_known and column.type is ColumnType.NUMBER:
            value = exp.Add(this=value, expression=number(0.0))  # -0.0 looks like 0.0 to the measure, not to a reader
        self._terms.append(named(value, place))
        if is_known and self._is_spelt_in_several_ways(column.name):
            self._spell_alike(column)
            return
        if column.name not in self.touched:
            if column.as_written:
                self._spell(exp.column(column.as_written, table="p"))
            return
        before = self._outcome.original.relation
        source = next((c for c in before.columns if c.name == column.name), None)
        ours = self._in_style(exp.column(column.physical, table="p"), column.type)
        if source is None or source.as_written is None:
            if ours is not None:
                self._spell(ours)
            return
        self._original = before
        same = exp.NullSafeEQ(
            this=as_text(exp.column(column.physical, table="p")),
            expression=as_text(exp.column(source.physical, table="s")),
        )
        decided = self._join_decided(column.name)
        untouched = exp.and_(same, exp.Is(this=exp.column("c0", table=decided), expression=exp.Null()))
        theirs = exp.column(source.as_written, table="s")
        self._spell(exp.Case(ifs=[exp.If(this=untouched, true=theirs)], default=ours))

    def _is_spelt_in_several_ways(self, name: str) -> bool:
        """Return whether one value of a known attribute has two spellings: who spells otherwise would stand out."""
        before = self._outcome.original.relation
        source = next((c for c in before.columns if c.name == name), None)
        if source is None or source.as_written is None:
            return False
        value = exp.column(source.physical)
        spelling = exp.func("coalesce", exp.column(source.as_written), exp.Literal.string(""))
        ways = exp.Count(this=exp.Distinct(expressions=[spelling]))
        there = exp.Not(this=exp.Is(this=value, expression=exp.Null()))
        counts = exp.select(exp.alias_(ways, "n")).from_(before.source()).where(there).group_by(value.copy())
        several = exp.GT(this=exp.column("n"), expression=exp.Literal.number(1))
        return bool(before.engine.run(exp.select("n").from_(counts.subquery("w")).where(several).limit(1)))

    def _spell_alike(self, column: Column) -> None:
        """Write all values of a column in one way; codes of missing values stay."""
        ours = self._in_style(exp.column(column.physical, table="p"), column.type) or exp.Null()
        if column.as_written is None:
            self._spell(exp.Cast(this=ours, to=exp.DataType(this=exp.DType.TEXT)))
            return
        stays: exp.Expr = exp.Is(this=exp.column(column.physical, table="p"), expression=exp.Null())
        if column.name in self.touched:  # a suppressed value must not survive in its spelling
            decided = exp.column("c0", table=self._join_decided(column.name))
            stays = exp.and_(stays, exp.Is(this=decided, expression=exp.Null()))
        theirs = exp.column(column.as_written, table="p")
        self._spell(exp.Case(ifs=[exp.If(this=stays, true=theirs)], default=ours))

    def add_mapped(self, column: Column, names: Relation, type_: ColumnType) -> None:
        """Take another name for each value: ``c1`` of a relation that has the values as text in ``c0``."""
        table = f"m{len(self._joins)}"
        self._helping.append(names)
        place = self._new(column, type_)
        value = as_text(exp.column(column.physical, table="p"))
        self._joins.append((names.source().as_(table), exp.EQ(this=value, expression=exp.column("c0", table=table))))
        self._terms.append(named(exp.column("c1", table=table), place))

    def add_by_row(self, column: Column, values: Relation) -> None:
        """Take a new value for each tuple: ``c1`` of a relation that has the number of the tuple in ``c0``."""
        table = f"v{len(self._joins)}"
        self._helping.append(values)
        place = self._new(column, column.type)
        on = exp.EQ(this=exp.column(ROW, table="p"), expression=exp.column("c0", table=table))
        self._joins.append((values.source().as_(table), on))
        value = exp.column("c1", table=table)
        self._terms.append(named(value, place))
        ours = self._in_style(value, column.type)
        if ours is not None:
            self._spell(ours)

    def store(self) -> Relation:
        """Run the plan, in the order of the release."""
        engine = self._relation.engine
        plan = exp.select(*self._terms, copy=False).from_(with_numbers(self._relation).subquery("p"), copy=False)
        if self._original is not None:
            on = exp.EQ(this=exp.column(ROW, table="p"), expression=exp.column(ROW, table="s"))
            plan = plan.join(with_numbers(self._original).subquery("s"), on=on, copy=False)
        for joined, condition in self._joins:
            plan = plan.join(joined, on=condition, join_type="left", copy=False)
        released = store_in_order(engine, plan, self._columns, self._order)
        for relation in self._helping:
            engine.drop(relation)
        return released

    def _new(self, column: Column, type_: ColumnType, *, is_coded: bool = False) -> str:
        place = f"c{len(self._columns)}"
        self._columns.append(Column(column.name, place, type_, is_coded=is_coded))
        return place

    def _spell(self, spelling: exp.Expr) -> None:
        last = self._columns[-1]
        self._columns[-1] = Column(last.name, last.physical, last.type, f"{last.physical}w", last.is_coded)
        self._terms.append(exp.alias_(spelling, f"{last.physical}w"))

    def _in_style(self, value: exp.Expr, type_: ColumnType) -> exp.Expr | None:
        return in_style(self._outcome.original.source, value, type_)

    def _join_decided(self, name: str) -> str:
        """Join the numbers of the tuples whose cell of an attribute was decided on; return the name of the table."""
        import pyarrow as pa
        import pyarrow.compute as pc

        log = self._outcome.decisions.table
        rows = pc.unique(log.filter(equal(log["attribute"], name))["row"])
        batch = pa.RecordBatch.from_arrays([rows], names=["row"])
        table = f"d{len(self._joins)}"
        relation = self._relation.engine.adopt([batch], batch.schema)
        self._helping.append(relation)
        on = exp.EQ(this=exp.column(ROW, table="p"), expression=exp.column("c0", table=table))
        self._joins.append((relation.source().as_(table), on))
        return table


def linked_records(outcome: Outcome, links: Relation, order: Array | None) -> pa.Table:
    """Return pairs of released records, ``one`` and ``other``, whose identifiers are linked."""
    import numpy as np
    import pyarrow as pa

    from tacita.engines.arrow import as_arrow, as_numpy

    relation = outcome.protected.relation
    identifiers = outcome.protected.dictionary.of(Category.IDENTIFIER)
    if len(identifiers) != 1:
        raise UsageError("links relate identifiers, and there is not just one", do="name it with --identifier NAME")
    key = relation.physical([identifiers[0].name])[0]
    row = exp.alias_(relation.engine.numbered(relation), "row_")
    keyed = exp.select(row, exp.alias_(as_text(key), "key_")).from_(relation.source())
    ends = [as_text(exp.column(column.physical, table="l")) for column in links.columns[:2]]
    plan = exp.select(exp.column("row_", table="a").as_("one"), exp.column("row_", table="b").as_("other"))
    plan = plan.from_(links.source().as_("l"))
    for table, end in zip(("a", "b"), ends, strict=True):
        on = exp.EQ(this=exp.column("key_", table=table), expression=end)
        plan = plan.join(keyed.copy().subquery(table), on=on)
    batches = list(relation.engine.stream(plan, 1_000_000))
    if not batches:
        return pa.table({"one": as_arrow(np.empty(0, np.int64)), "other": as_arrow(np.empty(0, np.int64))})
    table = pa.Table.from_batches(batches)
    pairs = [as_numpy(table.column(name)) for name in ("one", "other")]
    if order is not None:
        place = np.empty(len(order) + 1, dtype=np.int64)
        place[order] = np.arange(1, len(order) + 1)
        pairs = [place[pair] for pair in pairs]
    return pa.table({"one": as_arrow(pairs[0]), "other": as_arrow(pairs[1])})

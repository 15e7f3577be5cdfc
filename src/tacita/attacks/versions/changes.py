"""Two versions compared by person: records that stand out because few changed as they did.

A person's record was added, removed, or changed; or a value was suppressed in one version and is shown in the other; or
one version has the finer values of one attribute, and the other of another. Who knows both versions, and who a person
is, sees it. The record is isolated if fewer than `least` persons have the same change and the same values of all
quasi-identifiers, before and after.

Values are compared at the coarser of their two levels: recoding a whole attribute changes nobody.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from sqlglot import exp

from tacita.attacks.versions.released_version import ReleasedVersion
from tacita.engines.plans.terms import named
from tacita.engines.protocol import Relation

_MOST = 1_000
"""Isolated classes that are listed."""
_EARLIER, _LATER = "e", "l"
_SAME, _SHOWN, _SUPPRESSED, _FINER, _COARSER, _OTHER = range(6)
"""How a value of a record differs: the same; shown, suppressed, finer or coarser since; another one."""


class ChangeKind(StrEnum):
    """What happened to a record between two versions."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    SUPPRESSED_BEFORE = "suppressed before, shown now"
    SUPPRESSED_NOW = "suppressed now, shown before"
    COMBINED = "finer before in one attribute, finer now in another"


@dataclass(frozen=True, slots=True)
class IsolatedRecords:
    """Records that few others changed like: what happened, how many persons, and where the first one is."""

    kind: ChangeKind
    persons: int
    earlier_row: int | None
    """The number of the first record in the earlier source; None if it is not there."""
    later_row: int | None
    attributes: tuple[str, ...] = ()
    """The attributes that differ."""


@dataclass(frozen=True, slots=True)
class VersionChanges:
    """How two versions differ, person by person."""

    added: int
    removed: int
    changed: int
    """Persons with another value, or one that is suppressed in one version only."""
    isolated: tuple[IsolatedRecords, ...]
    classes: int
    """How many classes of isolated records there are; the first of them are listed."""
    persons: int
    """How many persons are isolated."""


def version_changes(earlier: ReleasedVersion, later: ReleasedVersion, least: int) -> VersionChanges:
    """Return how two versions in one engine differ; fewer than `least` persons with the same change are isolated."""
    comparison = _Comparison(earlier, later)
    engine = earlier.relation.engine
    table = engine.new_table()
    try:
        engine.replace(table, comparison.classes())
        n = exp.column("n")
        few = exp.LT(this=n, expression=exp.Literal.number(least))
        isolated = exp.select("*").from_(table).where(few).order_by("kind", "n", "lrow", "erow").limit(_MOST)
        rows = engine.run(isolated)
        totals = {row["kind"]: int(row["m"]) for row in engine.run(_totals(table))}
        sums = exp.select(
            named(exp.Count(this=exp.Star()), "c"),
            named(exp.func("coalesce", exp.Sum(this=n.copy()), exp.Literal.number(0)), "m"),
        )
        few_in_all = engine.run(sums.from_(table).where(few.copy()))[0]
    finally:
        engine.forget(table)
        comparison.forget()
    kinds = list(ChangeKind)
    return VersionChanges(
        totals.get(0, 0),
        totals.get(1, 0),
        sum(many for kind, many in totals.items() if kind > 1),
        tuple(
            IsolatedRecords(kinds[row["kind"]], int(row["n"]), row["erow"], row["lrow"], comparison.differing(row))
            for row in rows
        ),
        int(few_in_all["c"]),
        int(few_in_all["m"]),
    )


def _totals(table: str) -> exp.Select:
    total = named(exp.Sum(this=exp.column("n")), "m")
    return exp.select("kind", total).from_(table).group_by("kind")


class _Comparison:
    """The plan that compares two versions: one join by person."""

    def __init__(self, earlier: ReleasedVersion, later: ReleasedVersion) -> None:
        self._versions = {_EARLIER: earlier, _LATER: later}
        self._names = later.shared(earlier)
        self._known = later.known_with(earlier)
        self._lookups: dict[str, Relation] = {}
        for name in self._names:
            if earlier.attributes[name].stands_for or later.attributes[name].stands_for:
                self._lookups[name] = self._lookup(name)

    def classes(self) -> exp.Select:
        """Return the plan of classes of changes: kind, differences, values before and after, persons, first rows."""
        known = [f"{side}{at}" for side in self._versions for at in range(len(self._known))]
        codes = [f"x{at}" for at in range(len(self._names))]
        kinds = exp.select(named(self._kind(codes), "kind"), *codes, *known, "erow", "lrow")
        rows = kinds.from_(self._joined().subquery("j")).subquery("r")
        figures = [
            named(exp.Count(this=exp.Star()), "n"),
            named(exp.Min(this=exp.column("erow")), "erow"),
            named(exp.Min(this=exp.column("lrow")), "lrow"),
        ]
        is_change = exp.Not(this=exp.Is(this=exp.column("kind"), expression=exp.Null()))
        by = ["kind", *codes, *known]
        return exp.select(*by, *figures).from_(rows).where(is_change).group_by(*by)

    def differing(self, row: dict[str, object]) -> tuple[str, ...]:
        """Return the attributes that differ in a class; nothing of records that are in one version only."""
        if row["erow"] is None or row["lrow"] is None:
            return ()
        return tuple(name for at, name in enumerate(self._names) if row[f"x{at}"])

    def forget(self) -> None:
        """Drop what was stored for the comparison."""
        for relation in self._lookups.values():
            relation.engine.drop(relation)

    def _joined(self) -> exp.Select:
        """Return the plan of the persons of either version: rows, quasi-identifiers, and how values differ."""
        terms: list[exp.Expr] = []
        for side, version in self._versions.items():
            terms.append(named(self._column(side, version.row), f"{side}row"))
            terms += [named(self._value(side, name), f"{side}{at}") for at, name in enumerate(self._known)]
        terms += [named(self._difference(name), f"x{at}") for at, name in enumerate(self._names)]
        plan = self._both(exp.select(*terms), "full")
        for at, (name, relation) in enumerate(self._lookups.items()):
            pair = [
                exp.EQ(this=self._value(side, name), expression=exp.column(f"c{place}", table=f"k{at}"))
                for place, side in enumerate(self._versions)
            ]
            plan = plan.join(relation.source().as_(f"k{at}"), on=exp.and_(*pair), join_type="left")
        return plan

    def _both(self, plan: exp.Select, how: str) -> exp.Select:
        earlier, later = (version.relation.source().as_(side) for side, version in self._versions.items())
        persons = [self._column(side, version.person) for side, version in self._versions.items()]
        return plan.from_(earlier).join(later, on=exp.EQ(this=persons[0], expression=persons[1]), join_type=how)

    def _column(self, side: str, name: str) -> exp.Column:
        return exp.column(self._versions[side].relation.column(name).physical, table=side)

    def _value(self, side: str, name: str) -> exp.Column:
        return self._column(side, self._versions[side].attributes[name].column)

    def _difference(self, name: str) -> exp.Expr:
        """Return how the values of an attribute differ, as a number."""
        before, now = self._value(_EARLIER, name), self._value(_LATER, name)
        is_null = [exp.Is(this=value.copy(), expression=exp.Null()) for value in (before, now)]
        ifs = [
            _case(exp.NullSafeEQ(this=before, expression=now), _SAME),
            _case(is_null[0], _SHOWN),
            _case(is_null[1], _SUPPRESSED),
        ]
        other: exp.Expr = exp.Literal.number(_OTHER)
        if name in self._lookups:
            found_as = exp.column("c2", table=f"k{list(self._lookups).index(name)}")
            other = exp.func("coalesce", found_as, other)
        return exp.Case(ifs=ifs, default=other)

    def _kind(self, codes: Sequence[str]) -> exp.Expr:
        """Return what the differences of a record amount to: the number of a `ChangeKind`, or nothing."""

        def some(code: int) -> exp.Expr:
            ones = [exp.EQ(this=exp.column(name), expression=exp.Literal.number(code)) for name in codes]
            return exp.or_(*ones) if ones else exp.false()

        gone = [exp.Is(this=exp.column(f"{side}row"), expression=exp.Null()) for side in self._versions]
        combined = exp.and_(some(_FINER), some(_COARSER))
        conditions = (gone[0], gone[1], some(_OTHER), some(_SHOWN), some(_SUPPRESSED), combined)
        return exp.Case(ifs=[_case(condition, number) for number, condition in enumerate(conditions)])

    def _lookup(self, name: str) -> Relation:
        """Return how pairs of values of an attribute differ that was coarsened in one of the versions."""
        import pyarrow as pa

        before, now = self._value(_EARLIER, name), self._value(_LATER, name)
        there = [exp.Not(this=exp.Is(this=value.copy(), expression=exp.Null())) for value in (before, now)]
        plan = self._both(exp.select(named(before, "v"), named(now, "w")).distinct(), "inner").where(*there)
        pairs = [(row["v"], row["w"]) for row in self._versions[_LATER].relation.engine.run(plan)]
        meanings = [version.attributes[name].meaning for version in self._versions.values()]
        codes = [_relation(meanings[0](one), meanings[1](two)) for one, two in pairs]
        table = pa.table(
            {
                "before": pa.array([one for one, _ in pairs], pa.string()),
                "now": pa.array([two for _, two in pairs], pa.string()),
                "code": pa.array(codes, pa.int64()),
            }
        )
        return self._versions[_LATER].relation.engine.adopt(table.to_batches(), table.schema)


def _relation(before: frozenset[str], now: frozenset[str]) -> int:
    """Return how what a value stands for differs.

    >>> [_relation(frozenset(one), frozenset(two)) for one, two in (("ab", "ab"), ("ab", "a"), ("a", "ab"), ("a", "b"))]
    [0, 3, 4, 5]
    """
    if before == now:
        return _SAME
    if now < before:
        return _FINER
    return _COARSER if before < now else _OTHER


def _case(condition: exp.Expr, code: int) -> exp.If:
    return exp.If(this=condition, true=exp.Literal.number(code))

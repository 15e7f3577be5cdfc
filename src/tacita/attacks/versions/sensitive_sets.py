"""Whether the sensitive values that are possible for a person shrink from one version to the next.

In each version a person hides among those with the same quasi-identifiers, and may have any sensitive value that occurs
there. Who has both versions intersects the two sets. m-invariance (Xiao and Tao, 2007) demands that the sets are equal;
here a person counts as disclosed if one value is left, though each version left several.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from tacita.attacks.versions.released_version import ReleasedVersion
from tacita.engines.plans.terms import named

_EARLIER, _LATER = "e", "l"


@dataclass(frozen=True, slots=True)
class ShrunkenSets:
    """How the possible values of one sensitive attribute changed for persons who are in both versions."""

    attribute: str
    varying: int
    """Persons whose set is another one in the two versions: these are not m-invariant."""
    disclosed: int
    """Persons for whom one value is left, though each version has several."""
    earlier_row: int | None = None
    later_row: int | None = None
    """The first of these in the earlier and in the later source."""


def shrunken_sets(earlier: ReleasedVersion, later: ReleasedVersion) -> tuple[ShrunkenSets, ...]:
    """Return what happened to each sensitive attribute that both versions have."""
    names = [name for name in later.shared(earlier) if name in later.sensitive or name in earlier.sensitive]
    known = [name for name in later.known_with(earlier) if name not in names]
    return tuple(_shrunken(earlier, later, name, known) for name in names) if known else ()


def _shrunken(earlier: ReleasedVersion, later: ReleasedVersion, name: str, known: list[str]) -> ShrunkenSets:
    engine = later.relation.engine
    versions = {_EARLIER: earlier, _LATER: later}
    tables: dict[str, str] = {}

    def stored(of: str, plan: exp.Select) -> None:
        tables[of] = engine.new_table()
        engine.replace(tables[of], plan)

    try:
        for side, version in versions.items():
            stored(side, _values(version, name, known))
            stored(f"many_{side}", _sizes(tables[side], side, len(known)))
        stored("pairs", _pairs(versions, known))
        stored("left", _left(tables, len(known)))
        row = engine.run(_figures(tables, len(known)))[0]
    finally:
        for table in tables.values():
            engine.forget(table)
    return ShrunkenSets(name, int(row["varying"] or 0), int(row["disclosed"] or 0), row["erow"], row["lrow"])


def _values(version: ReleasedVersion, name: str, known: list[str]) -> exp.Select:
    """Return the plan of the different sensitive values in each class of quasi-identifiers."""
    relation = version.relation
    columns = relation.physical([version.attributes[one].column for one in (*known, name)])
    terms = [named(column, f"v{at}") for at, column in enumerate(columns[:-1])]
    there = exp.Not(this=exp.Is(this=columns[-1].copy(), expression=exp.Null()))
    return exp.select(*terms, named(columns[-1], "s")).from_(relation.source()).where(there).distinct()


def _sizes(values: str, side: str, width: int) -> exp.Select:
    """Return the plan of how many values each class has."""
    by = [f"v{at}" for at in range(width)]
    own = [named(exp.column(name), f"{side}{at}") for at, name in enumerate(by)]
    return exp.select(*own, named(exp.Count(this=exp.Star()), f"many_{side}")).from_(values).group_by(*by)


def _pairs(versions: Mapping[str, ReleasedVersion], known: list[str]) -> exp.Select:
    """Return the plan of pairs of classes: persons who were in one and are in the other, and the first of them."""
    terms: list[exp.Expr] = []
    for side, version in versions.items():
        columns = [version.attributes[name].column for name in known]
        terms += [named(_column(version, name, side), f"{side}{at}") for at, name in enumerate(columns)]
    by = [f"{side}{at}" for side in versions for at in range(len(known))]
    rows = [named(_column(version, version.row, side), f"{side}row") for side, version in versions.items()]
    earlier, later = versions.values()
    same_person = exp.EQ(
        this=_column(earlier, earlier.person, _EARLIER), expression=_column(later, later.person, _LATER)
    )
    inner = exp.select(*terms, *rows).from_(earlier.relation.source().as_(_EARLIER))
    inner = inner.join(later.relation.source().as_(_LATER), on=same_person)
    figures = [named(exp.Min(this=exp.column(f"{side}row")), f"{side}row") for side in versions]
    grouped = exp.select(*by, named(exp.Count(this=exp.Star()), "n"), *figures)
    return grouped.from_(inner.subquery("p")).group_by(*by)


def _left(tables: Mapping[str, str], width: int) -> exp.Select:
    """Return the plan of how many values are in the sets of both classes of a pair."""
    by = [f"{side}{at}" for side in (_EARLIER, _LATER) for at in range(width)]
    plan = exp.select(*(exp.column(name, table="p") for name in by), named(exp.Count(this=exp.Star()), "many"))
    plan = plan.from_(exp.to_table(tables["pairs"]).as_("p"))
    for side in (_EARLIER, _LATER):
        alike = [_alike("p", f"{side}{at}", f"s{side}", f"v{at}") for at in range(width)]
        if side == _LATER:
            values = (exp.column("s", table=f"s{one}") for one in (_EARLIER, _LATER))
            alike.append(exp.EQ(this=next(values), expression=next(values)))
        plan = plan.join(exp.to_table(tables[side]).as_(f"s{side}"), on=exp.and_(*alike))
    return plan.group_by(*(exp.column(name, table="p") for name in by))


def _figures(tables: Mapping[str, str], width: int) -> exp.Select:
    """Return the plan of one row: persons with another set, persons for whom one value is left, the first of them."""
    by = [f"{side}{at}" for side in (_EARLIER, _LATER) for at in range(width)]
    plan = exp.select("n", "erow", "lrow", "many", "many_e", "many_l").from_(exp.to_table(tables["pairs"]).as_("p"))
    plan = plan.join(exp.to_table(tables["left"]).as_("i"), on=exp.and_(*(_alike("p", name, "i", name) for name in by)))
    for side in (_EARLIER, _LATER):
        alike = [_alike("p", f"{side}{at}", f"m{side}", f"{side}{at}") for at in range(width)]
        plan = plan.join(exp.to_table(tables[f"many_{side}"]).as_(f"m{side}"), on=exp.and_(*alike))
    many, before, now = (exp.column(name) for name in ("many", "many_e", "many_l"))
    one = exp.Literal.number(1)
    varies = exp.or_(exp.NEQ(this=many, expression=before), exp.NEQ(this=many.copy(), expression=now))
    disclosed = exp.and_(
        exp.EQ(this=many.copy(), expression=one),
        exp.GT(this=before.copy(), expression=one.copy()),
        exp.GT(this=now.copy(), expression=one.copy()),
    )

    def where(condition: exp.Expr, name: str) -> exp.Expr:
        return exp.Case(ifs=[exp.If(this=condition.copy(), true=exp.column(name))])

    return exp.select(
        named(exp.Sum(this=where(varies, "n")), "varying"),
        named(exp.Sum(this=where(disclosed, "n")), "disclosed"),
        named(exp.Min(this=where(disclosed, "erow")), "erow"),
        named(exp.Min(this=where(disclosed, "lrow")), "lrow"),
    ).from_(plan.subquery("f"))


def _column(version: ReleasedVersion, name: str, side: str) -> exp.Column:
    return exp.column(version.relation.column(name).physical, table=side)


def _alike(left: str, one: str, right: str, other: str) -> exp.Expr:
    return exp.NullSafeEQ(this=exp.column(one, table=left), expression=exp.column(other, table=right))

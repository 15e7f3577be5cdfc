"""Two versions compared without a key: combinations of values that are a little more or less frequent than before.

Every recipient can do this. A combination that occurs once or twice more often than before shows that somebody with
these values was added, or that more were added than removed.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from tacita.attacks.versions.released_version import ReleasedVersion
from tacita.engines.plans.terms import named


@dataclass(frozen=True, slots=True)
class CountDifferences:
    """How many combinations of quasi-identifiers changed in frequency."""

    combinations: int
    """Combinations whose frequency is another one."""
    few: int
    """Of these, those that differ by fewer records than must not stand out."""
    earlier_row: int | None = None
    later_row: int | None = None
    """A record of the first of these, in the earlier and in the later source."""


def count_differences(earlier: ReleasedVersion, later: ReleasedVersion, least: int) -> CountDifferences:
    """Return how frequencies of combinations differ; attributes that are coarser in one version are left out."""
    names = [
        name
        for name in later.known_with(earlier)
        if earlier.attributes[name].stands_for == later.attributes[name].stands_for
    ]
    if not names:
        return CountDifferences(0, 0)
    by = [f"v{at}" for at in range(len(names))]
    both = exp.union(_records(earlier, names, -1), _records(later, names, 1), distinct=False)
    difference = exp.Sum(this=exp.column("sign"))
    changed = (
        exp.select(
            *by, named(difference, "d"), *(named(exp.Min(this=exp.column(row)), row) for row in ("erow", "lrow"))
        )
        .from_(both.subquery("b"))
        .group_by(*by)
        .having(exp.NEQ(this=difference.copy(), expression=exp.Literal.number(0)))
        .subquery("c")
    )
    few = exp.LT(this=exp.Abs(this=exp.column("d")), expression=exp.Literal.number(least))

    def where(condition: exp.Expr, value: exp.Expr) -> exp.Expr:
        return exp.Case(ifs=[exp.If(this=condition, true=value)])

    figures = [
        named(exp.Count(this=exp.Star()), "n"),
        named(exp.Count(this=where(few, exp.Literal.number(1))), "few"),
        *(named(exp.Min(this=where(few.copy(), exp.column(row))), row) for row in ("erow", "lrow")),
    ]
    row = earlier.relation.engine.run(exp.select(*figures).from_(changed))[0]
    return CountDifferences(int(row["n"]), int(row["few"]), row["erow"], row["lrow"])


def _records(version: ReleasedVersion, names: list[str], sign: int) -> exp.Select:
    relation = version.relation
    terms: list[exp.Expr] = [
        named(term, f"v{at}")
        for at, term in enumerate(relation.physical([version.attributes[name].column for name in names]))
    ]
    row = relation.physical([version.row])[0]
    number = exp.Cast(this=exp.Null(), to=exp.DataType(this=exp.DType.BIGINT))
    own, other = ("erow", "lrow") if sign < 0 else ("lrow", "erow")
    step = exp.Neg(this=exp.Literal.number(1)) if sign < 0 else exp.Literal.number(1)
    places = {own: row, other: number}
    terms += [named(step, "sign"), named(places["erow"], "erow"), named(places["lrow"], "lrow")]
    return exp.select(*terms).from_(relation.source())

"""Two files of the same persons put together without a key: by the values that both of them show.

A value that few records have, such as an income to the last digit or a pseudonym, says which record of one file is
which of the other. Whoever puts them together knows the quasi-identifiers of both, and may find a record alone with
them that neither file isolates.

Among records with the same common values the link is certain if in one of the files all of them have the same
quasi-identifiers. Records with a common value that is suppressed are linked by the attributes that no record lacks, and
by each of the others alone. That somebody may be in one file only is not counted in their favour.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from tacita.attacks.versions.released_version import ReleasedVersion
from tacita.engines.plans.terms import named
from tacita.engines.protocol import Relation

_EARLIER, _LATER = "e", "l"


@dataclass(frozen=True, slots=True)
class LinkedRecords:
    """Records that two files isolate together and neither does alone."""

    records: int
    links: tuple[str, ...] = ()
    """The common attributes by which they are linked."""
    attributes: tuple[str, ...] = ()
    """The quasi-identifiers of both files."""
    earlier_row: int | None = None
    later_row: int | None = None
    """The first of them in the earlier and in the later source."""


def linked_records(earlier: ReleasedVersion, later: ReleasedVersion, least: int) -> LinkedRecords:
    """Return the records whose quasi-identifiers of both files fewer than `least` have, where the link is certain."""
    common = [name for name in later.marked() if name in earlier.marked()]
    known = {*earlier.known, *later.known}
    own = [[name for name in version.attributes if name in known] for version in (earlier, later)]
    # What only one file has is told of the records of the other; without that nothing is.
    if not common or not all(set(names) - set(common) for names in own):
        return LinkedRecords(0)
    linking = _Linking(earlier, later, common, own)
    try:
        some = [linking.isolated(links, least) for links in linking.sets()]
    finally:
        linking.forget()
    return max(some, key=lambda one: one.records, default=LinkedRecords(0))


class _Linking:
    """The plans that link two files: classes of each by common values, then one join by person."""

    def __init__(
        self, earlier: ReleasedVersion, later: ReleasedVersion, common: Sequence[str], own: Sequence[Sequence[str]]
    ) -> None:
        self._versions = {_EARLIER: earlier, _LATER: later}
        self._common, self._engine = common, later.relation.engine
        self._known = dict(zip(self._versions, own, strict=True))
        self._labels: dict[str, dict[str, Relation]] = {}
        for name in common:
            if any(name in one.attributes and one.attributes[name].stands_for for one in (earlier, later)):
                self._labels[name] = self._labelled(name)

    def sets(self) -> Iterator[Sequence[str]]:
        """Yield the sets of attributes to link by: all, those that no record lacks, and each of the others."""
        lacking = [name for name in self._common if any(self._lacks(side, name) for side in self._versions)]
        whole = [name for name in self._common if name not in lacking]
        sets = [tuple(self._common), tuple(whole), *((name,) for name in lacking)]
        yield from dict.fromkeys(some for some in sets if some)

    def isolated(self, links: Sequence[str], least: int) -> LinkedRecords:
        """Return the records that are isolated where files are linked by some attributes."""
        tables = {side: self._engine.new_table() for side in self._versions}
        try:
            for side, table in tables.items():
                self._engine.replace(table, self._classes(side, links))
            row = self._engine.run(self._figures(tables, len(links), least))[0]
        finally:
            for table in tables.values():
                self._engine.forget(table)
        names = tuple(dict.fromkeys(name for some in self._known.values() for name in some))
        return LinkedRecords(int(row["records"]), tuple(links), names, row["erow"], row["lrow"])

    def forget(self) -> None:
        """Drop what was stored."""
        for relations in self._labels.values():
            for relation in relations.values():
                self._engine.drop(relation)

    def _classes(self, side: str, links: Sequence[str]) -> exp.Select:
        """Return the plan of the records of a file: quasi-identifiers, links, and how many have the same of them."""
        version = self._versions[side]
        known: list[exp.Expr] = [self._column(side, version.attributes[name].column) for name in self._known[side]]
        values = [self._link(side, name, at) for at, name in enumerate(links)]
        sizes: dict[str, list[exp.Expr]] = {"alike": known, "linked": values, "both": [*values, *known]}
        terms = [
            *(
                named(self._column(side, name), alias)
                for name, alias in ((version.person, "who"), (version.row, "row"))
            ),
            *(named(term.copy(), f"k{at}") for at, term in enumerate(known)),
            *(named(term.copy(), f"v{at}") for at, term in enumerate(values)),
            *(named(_count(by), name) for name, by in sizes.items()),
        ]
        plan = exp.select(*terms).from_(version.relation.source().as_(side))
        for at, name in enumerate(links):
            if name in self._labels:
                value = self._column(side, version.marked()[name])
                same = exp.EQ(this=value, expression=exp.column("c0", table=f"m{at}"))
                source = self._labels[name][side].source().as_(f"m{at}")
                plan = plan.join(source, on=same, join_type="left")
        return plan

    def _link(self, side: str, name: str, at: int) -> exp.Expr:
        if name in self._labels:
            return exp.column("c1", table=f"m{at}")
        return self._column(side, self._versions[side].marked()[name])

    def _figures(self, tables: dict[str, str], links: int, least: int) -> exp.Select:
        """Return the plan of one row: how many records are isolated, and the first of them."""
        known = [exp.column(f"k{at}", table=side) for side, own in self._known.items() for at in range(len(own))]
        sides = list(self._versions)
        terms = [named(exp.column("row", table=side), f"{side}row") for side in sides]
        terms += [named(exp.column(name, table=side), f"{side}{name}") for side in sides for name in _SIZES]
        same = [exp.EQ(**_sides(f"v{at}")) for at in range(links)]
        terms += [named(exp.and_(*same), "is_linked"), named(_count(known), "together")]
        join = exp.select(*terms).from_(exp.to_table(tables[_EARLIER]).as_(_EARLIER))
        join = join.join(exp.to_table(tables[_LATER]).as_(_LATER), on=exp.EQ(**_sides("who")))
        certain = exp.or_(
            *(exp.EQ(this=exp.column(f"{side}linked"), expression=exp.column(f"{side}both")) for side in sides)
        )
        together = exp.column("together")
        isolated = [exp.LT(this=together, expression=exp.column(f"{side}alike")) for side in sides]
        few = exp.LT(this=together.copy(), expression=exp.Literal.number(least))
        figures = [named(exp.Count(this=exp.Star()), "records")]
        figures += [named(exp.Min(this=exp.column(f"{side}row")), f"{side}row") for side in sides]
        return exp.select(*figures).from_(join.subquery("j")).where(exp.column("is_linked"), certain, *isolated, few)

    def _lacks(self, side: str, name: str) -> bool:
        """Return whether some record of a file lacks an attribute."""
        version = self._versions[side]
        value = exp.column(version.relation.column(version.marked()[name]).physical)
        count = named(exp.Count(this=exp.Star()), "n")
        plan = exp.select(count).from_(version.relation.source()).where(exp.Is(this=value, expression=exp.Null()))
        return bool(self._engine.run(plan)[0]["n"])

    def _labelled(self, name: str) -> dict[str, Relation]:
        """Return the labels that coarse and fine values of an attribute share, for each file.

        Values that the same persons have in both files are one: whoever has both reads the fine ones as the coarse.
        """
        import pyarrow as pa

        one, other = (self._column(side, version.marked()[name]) for side, version in self._versions.items())
        persons = [self._column(side, version.person) for side, version in self._versions.items()]
        join = exp.EQ(this=persons[0], expression=persons[1])
        plan = exp.select(named(one, "v"), named(other, "w")).distinct()
        plan = plan.from_(self._versions[_EARLIER].relation.source().as_(_EARLIER))
        plan = plan.join(self._versions[_LATER].relation.source().as_(_LATER), on=join)
        home: dict[tuple[str, str], tuple[str, str]] = {}
        for row in self._engine.run(plan):
            if row["v"] is not None and row["w"] is not None:
                first, second = (_home(home, pair) for pair in ((_EARLIER, row["v"]), (_LATER, row["w"])))
                home[first] = second
        relations = {}
        for side in self._versions:
            values = [value for of, value in home if of == side]
            labels = ["\n".join(_home(home, (side, value))) for value in values]
            table = pa.table({"value": pa.array(values, pa.string()), "label": pa.array(labels, pa.string())})
            relations[side] = self._engine.adopt(table.to_batches(), table.schema)
        return relations

    def _column(self, side: str, name: str) -> exp.Column:
        return exp.column(self._versions[side].relation.column(name).physical, table=side)


_SIZES = ("alike", "linked", "both")


def _sides(name: str) -> dict[str, exp.Expr]:
    return {"this": exp.column(name, table=_EARLIER), "expression": exp.column(name, table=_LATER)}


def _count(by: Sequence[exp.Expr]) -> exp.Window:
    return exp.Window(this=exp.Count(this=exp.Star()), partition_by=[term.copy() for term in by])


def _home(home: dict[tuple[str, str], tuple[str, str]], value: tuple[str, str]) -> tuple[str, str]:
    """Return the value that stands for all that are one with another one.

    >>> _home({("e", "20"): ("l", "20-39"), ("l", "20-39"): ("l", "20-39")}, ("e", "20"))
    ('l', '20-39')
    """
    home.setdefault(value, value)
    while home[value] != value:
        home[value] = home[home[value]]
        value = home[value]
    return value

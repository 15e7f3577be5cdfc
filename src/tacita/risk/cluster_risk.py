"""Cluster risk: the probability that at least one member of a household or a company group is re-identified.

Whoever finds one member finds the others, so that all of them have the risk 1 - product of (1 - risk) over the members
(section 4.4 of the VADA-SA paper; hierarchical risk in sdcMicro). Members are records with the same cluster key, or
records whose identifiers are linked by rules (``#rel``). A link holds in both directions, and every record is linked to
itself; links are not followed further than the rules follow them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from tacita.engines.plans.terms import as_double, as_text, number
from tacita.engines.protocol import Relation
from tacita.errors import counted
from tacita.model.attribute import Category
from tacita.model.relation import ColumnType
from tacita.progress import Progress, silent
from tacita.risk.measure import RISK, ROW, Measure, Risks, Specification, stored_risks
from tacita.risk.sample import Sample

OWN, MEMBERS = "own", "members"


@dataclass(frozen=True, slots=True)
class ClusterRisk:
    """The risk of a record's whole cluster, from the risks that another measure gives its members."""

    measure: Measure
    links: Relation | None = None
    """Pairs of identifiers that belong together; without them the cluster key says who does."""
    word: str = "household"
    """What a cluster is called."""
    key: str | None = None
    """The cluster key, if the dictionary has several."""

    @property
    def name(self) -> str:
        """The measure's name with that of the clusters."""
        return f"{self.word} {self.measure.name}"

    @property
    def threshold(self) -> float:
        """The threshold of the measure underneath."""
        return self.measure.threshold

    def lacks(self, sample: Sample) -> list[str]:
        """Return what is missing to tell who belongs together."""
        if self.links is None and not sample.clusters:
            return ["no cluster key: name the household or group key with --cluster NAME"]
        if self.links is not None and len(sample.microdata.dictionary.of(Category.IDENTIFIER)) != 1:
            return ["links relate identifiers: name the identifier of the records with --identifier NAME"]
        return self.measure.lacks(sample)

    def risks(self, sample: Sample, progress: Progress = silent) -> Risks:
        """Return the cluster risk of each record, its own risk, and the number of members."""
        return self.of(sample, self.measure.risks(sample, progress))

    def of(self, sample: Sample, own: Risks) -> Risks:
        """Return the cluster risks that follow from the risks of single records."""
        assert own.records is not None
        row, risk = (exp.column(own.records.column(name).physical, table="o") for name in (ROW, RISK))
        own_risks = exp.select(exp.alias_(row, "row_"), exp.alias_(risk, "own_")).from_(own.records.source().as_("o"))
        plan = self._by_key(sample, own_risks) if self.links is None else self._by_links(sample, own_risks, self.links)
        columns = {
            ROW: ColumnType.INTEGER,
            RISK: ColumnType.NUMBER,
            OWN: ColumnType.NUMBER,
            MEMBERS: ColumnType.INTEGER,
        }
        records = stored_risks(sample.engine, plan, columns)
        notes = self._notes(records)
        return Risks(self.name, self.threshold, records, notes=notes, are_probabilities=own.are_probabilities)

    def _notes(self, records: Relation) -> list[str]:
        """Return a note if links meet nobody: identifiers may be spelt otherwise in them."""
        if self.links is None:
            return []
        most = exp.alias_(exp.Max(this=records.physical([MEMBERS])[0]), "n")
        largest = records.engine.run(exp.select(most).from_(records.source()))[0]["n"]
        return [] if largest is None or largest > 1 else [f"no link of '{self.word}' meets two records of the file"]

    def _by_key(self, sample: Sample, own_risks: exp.Select) -> exp.Select:
        keyed = _with(sample, own_risks, self.key or sample.clusters[0])
        grouped = exp.select(exp.column("key_"), *_together()).from_(keyed.subquery("k")).group_by("key_")
        known = exp.Not(this=exp.Is(this=exp.column("key_"), expression=exp.Null()))
        grouped = grouped.where(known)
        on = exp.EQ(this=exp.column("key_", table="k"), expression=exp.column("key_", table="g"))
        return _final("k").from_(keyed.subquery("k")).join(grouped.subquery("g"), on=on, join_type="left")

    def _by_links(self, sample: Sample, own_risks: exp.Select, links: Relation) -> exp.Select:
        identifier = sample.microdata.dictionary.of(Category.IDENTIFIER)[0].name
        keyed = sample.engine.new_table()
        sample.engine.replace(keyed, _with(sample, own_risks, identifier))
        one, other = (as_text(exp.column(column.physical)) for column in links.columns[:2])
        pairs = exp.union(
            *(
                exp.select(exp.alias_(a.copy(), "a"), exp.alias_(b.copy(), "b")).from_(links.source())
                for a, b in ((one, other), (other, one))
            ),
            distinct=True,
        ).subquery("p")
        mine, theirs = exp.to_table(keyed).as_("m"), exp.to_table(keyed).as_("t")
        linked = (
            exp.select(
                exp.column("row_", table="m").as_("row_"),
                exp.column("row_", table="t").as_("other_"),
                exp.column("own_", table="t").as_("own_"),
            )
            .from_(mine)
            .join(pairs, on=exp.EQ(this=exp.column("key_", table="m"), expression=exp.column("a", table="p")))
            .join(theirs, on=exp.EQ(this=exp.column("key_", table="t"), expression=exp.column("b", table="p")))
        )
        itself = exp.select("row_", exp.column("row_").as_("other_"), "own_").from_(exp.to_table(keyed))
        everybody = exp.union(linked, itself, distinct=True)
        grouped = exp.select("row_", *_together()).from_(everybody.subquery("e")).group_by("row_")
        on = exp.EQ(this=exp.column("row_", table="k"), expression=exp.column("row_", table="g"))
        return _final("k").from_(exp.to_table(keyed).as_("k")).join(grouped.subquery("g"), on=on)

    def reason(self, sample: Sample, record: Mapping[str, Any]) -> str:
        """Return how many belong together."""
        if int(record[MEMBERS]) == 1:
            return f"alone in its {self.word}"
        members = counted(int(record[MEMBERS]), "member")
        return f"one of {members} of its {self.word}; alone its risk is {record[OWN]:.4g}"

    def specification(self, sample: Sample) -> Specification | None:
        """Return nothing: Algorithm 9 is the cycle's."""
        return None


def _with(sample: Sample, own_risks: exp.Select, name: str) -> exp.Select:
    """Return row, own risk and the key of each record as text."""
    records = sample.records
    key = exp.alias_(as_text(records.physical([name])[0]), "key_")
    row = exp.alias_(sample.engine.numbered(records), "number_")
    keyed = exp.select(row, key).from_(records.source()).subquery("n")
    on = exp.EQ(this=exp.column("number_", table="n"), expression=exp.column("row_", table="e"))
    return exp.select("row_", "own_", "key_").from_(own_risks.subquery("e")).join(keyed, on=on)


def _together() -> list[exp.Expr]:
    """Return 1 - product(1 - risk), through logarithms unless somebody is certain to be found, and the members."""
    left = exp.Sub(this=number(1.0), expression=exp.column("own_"))
    certain = exp.GTE(this=exp.Max(this=exp.column("own_")), expression=number(1))
    some = exp.Case(
        ifs=[exp.If(this=exp.LT(this=exp.column("own_"), expression=number(1)), true=exp.Ln(this=exp.paren(left)))]
    )
    product = exp.Sub(this=number(1.0), expression=exp.Exp(this=exp.Sum(this=some)))
    risk = exp.Case(ifs=[exp.If(this=certain, true=as_double(number(1)))], default=product)
    return [exp.alias_(risk, "risk_"), exp.alias_(exp.Count(this=exp.Star()), "members_")]


def _final(table: str) -> exp.Select:
    own = exp.column("own_", table=table)
    # A cluster is never less risky than its riskiest member, whatever rounding did.
    risk = exp.func("greatest", exp.func("coalesce", exp.column("risk_", table="g"), own), own.copy())
    members = exp.func("coalesce", exp.column("members_", table="g"), exp.Literal.number(1))
    terms = [exp.column("row_", table=table), risk, own.copy(), members]
    return exp.select(*(exp.alias_(term, f"c{i}") for i, term in enumerate(terms)))

"""A measure written as rules: one of the paper's programs, or a domain expert's own file.

The program reads ``Tuple``, ``Cat`` and ``riskInput`` and concludes ``riskOutput(record, risk)``, as the shipped
programs do. Its parameter ``AnonSet`` is what the intruder knows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from sqlglot import exp

from tacita.engines.plans.terms import as_double, number
from tacita.engines.protocol import Relation
from tacita.errors import RuleError, UsageError, counted, did_you_mean, listed
from tacita.knowledge.programs import ProgramText
from tacita.model.attribute import Category
from tacita.model.microdata import Microdata
from tacita.model.relation import ColumnType
from tacita.progress import Progress, silent
from tacita.risk.frequencies import has_nulls
from tacita.risk.measure import RISK, ROW, Risks, Specification, stored_risks
from tacita.risk.null_semantics import Semantics
from tacita.risk.sample import Sample

if TYPE_CHECKING:
    from tacita.rules.reasoner.results import Reasoned

OUTPUT = "riskOutput"
CONCLUDED = "concluded"
"""Whether the rules say something of the record, or its risk is 1 in doubt."""


@dataclass(frozen=True, slots=True)
class Ruled:
    """The risk that a rule program concludes. A record that it says nothing of has risk 1: in doubt, protect."""

    program: ProgramText
    parameters: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    threshold: float = 0.5
    strictest: ClassVar[Semantics] = Semantics.MAYBE_MATCH
    """Rules count nulls in one way only."""

    @property
    def name(self) -> str:
        """The name of the program's file, without its folder."""
        return Path(self.program.source).name

    def lacks(self, sample: Sample) -> list[str]:
        """Return whether nulls should count as no rule counts them; else the rules say themselves what they miss."""
        if sample.nulls.are_values or sample.nulls.semantics is Semantics.MAYBE_MATCH or not has_nulls(sample):
            return []
        return [f"rules count nulls by maybe-match or as a category, not as {sample.nulls}: leave out --nulls"]

    def risks(self, sample: Sample, progress: Progress = silent) -> Risks:
        """Run the rules and return the risk of each record."""
        result = self.concluded(sample, progress)
        sample.cache[self.program, repr(self.parameters)] = result
        table, notes = self._table(result)
        records = sample.records
        every = exp.select(exp.alias_(sample.engine.numbered(records), "c0")).from_(records.source()).subquery("r")
        if table is None:
            concluded: exp.Expr = exp.alias_(exp.false(), "c2")
            plan = exp.select(exp.column("c0"), exp.alias_(as_double(number(1)), "c1"), concluded).from_(every)
        else:
            risk = exp.func("coalesce", exp.column("c1", table="o"), number(1.0))
            on = exp.EQ(this=exp.column("c0", table="r"), expression=exp.column("c0", table="o"))
            concluded = exp.alias_(exp.Not(this=exp.Is(this=exp.column("c1", table="o"), expression=exp.Null())), "c2")
            plan = exp.select(exp.column("c0", table="r").as_("c0"), exp.alias_(as_double(risk), "c1"), concluded)
            plan = plan.from_(every).join(table.subquery("o"), on=on, join_type="left")
        columns = {ROW: ColumnType.INTEGER, RISK: ColumnType.NUMBER, CONCLUDED: ColumnType.BOOLEAN}
        risks = stored_risks(sample.engine, plan, columns)
        self._check(risks)
        silent_about = records.count() - self._count_concluded(result, records.count())
        if silent_about:
            notes.append(f"the rules conclude no risk for {counted(silent_about, 'record')}: risk 1, in doubt")
        return Risks(self.name, self.threshold, risks, are_probabilities=True, notes=notes)

    def concluded(self, sample: Sample, progress: Progress = silent) -> Reasoned:
        """Return what the rules conclude of the sample."""
        from tacita.rules.reasoner import ReasoningOptions, reason

        result = reason(
            self.program.text,
            engine=sample.engine,
            data=as_rules_see(sample),
            options=ReasoningOptions(
                parameters={**self.parameters, "AnonSet": list(sample.known)},
                find=self.program.find,
                known_modules=self.program.modules(),
                progress=progress,
                source=self.name,
            ),
        )
        unknown = [name for name in self.parameters if name not in result.prepared.linked.parameters]
        if unknown:
            known = sorted(name for name in result.prepared.linked.parameters if "." not in name)
            raise UsageError(
                f"the program has no parameter '{unknown[0]}'{did_you_mean(unknown[0], known)}",
                where=self.name,
                do=f"use one of: {listed(known, 20)}" if known else "leave it out: the program has no parameters",
            )
        if OUTPUT not in result.run.layouts:
            raise RuleError(
                f"no rule concludes {OUTPUT}", where=self.name, do=f"conclude {OUTPUT}(record, risk) for each record"
            )
        if result.violations:
            first = result.violations[0]
            raise RuleError(f"rule {first.rule} refuses the data: {first.text}", where=self.name, do="see the rule")
        return result

    def _table(self, result: Reasoned) -> tuple[exp.Select | None, list[str]]:
        from tacita.rules.logic.types import INTEGER, Scalar
        from tacita.rules.reasoner.plans.cells import named
        from tacita.rules.reasoner.plans.tables import columns

        if OUTPUT not in result.predicates:
            return None, []
        layout = result.layout(OUTPUT)
        if len(layout.positions) != 2:
            raise RuleError(
                f"{OUTPUT} has {len(layout.positions)} arguments",
                where=self.name,
                do=f"conclude {OUTPUT}(record, risk)",
            )
        if (
            layout.positions[0].type != INTEGER
            or not isinstance(layout.positions[1].type, Scalar)
            or (layout.positions[1].type.name not in {"integer", "number"})
        ):
            raise RuleError(
                f"{OUTPUT} does not give a number for the number of a record",
                where=self.name,
                do=f"conclude {OUTPUT}(I, R) for the record I of Tuple(M, I, VSet) and its risk R, from 0 to 1",
            )
        record, risk = columns(layout)[:2]
        plan = exp.select(exp.alias_(record, "c0"), exp.alias_(exp.Max(this=as_double(risk)), "c1"))
        plan = plan.from_(named(layout.table)).group_by(record.copy())
        doubles = result.count(OUTPUT) - self._count_concluded(result)
        return plan, [f"{counted(doubles, 'risk')} of records that have several: the largest counts"] if doubles else []

    def _count_concluded(self, result: Reasoned, records: int | None = None) -> int:
        """Return of how many records the rules say something; raise if there are not so many."""
        from tacita.rules.reasoner.plans.cells import named
        from tacita.rules.reasoner.plans.tables import columns

        if OUTPUT not in result.predicates:
            return 0
        layout = result.layout(OUTPUT)
        record = columns(layout)[0]
        terms = {
            "n": exp.Count(this=exp.Distinct(expressions=[record])),
            "least": exp.Min(this=record.copy()),
            "greatest": exp.Max(this=record.copy()),
        }
        plan = exp.select(*(exp.alias_(term, name) for name, term in terms.items())).from_(named(layout.table))
        row = result.run.engine.run(plan)[0]
        if records is not None and row["n"] and not (row["least"] >= 1 and row["greatest"] <= records):
            raise RuleError(
                f"{OUTPUT} is concluded for what is no record: records are numbered from 1 to {records:,}",
                where=self.name,
                do=f"conclude {OUTPUT}(I, R) for the record I of Tuple(M, I, VSet)",
            )
        return int(row["n"])

    def _check(self, risks: Relation) -> None:
        """Raise if a risk is no probability."""
        outside = exp.Not(this=exp.Between(this=exp.column("c1"), low=number(0), high=number(1)))
        plan = exp.select(exp.alias_(exp.Count(this=exp.Star()), "n")).from_(risks.source()).where(outside)
        wrong = int(risks.engine.run(plan)[0]["n"])
        if wrong:
            raise RuleError(
                f"{counted(wrong, 'record')} have a risk outside 0 to 1",
                where=self.name,
                do="conclude a probability; least(1.0, R) and greatest(0.0, R) bound one",
            )

    def reason(self, sample: Sample, record: Mapping[str, Any]) -> str:
        """Return where to look: the rules have their own sentences."""
        if not record.get(CONCLUDED, True):
            return f"{self.name} concludes no risk for it, and so it counts as 1: in doubt, protect"
        return f"concluded by {self.name}"

    def specification(self, sample: Sample) -> Specification:
        """Return the program itself."""
        return Specification(self.name, {**self.parameters, "AnonSet": list(sample.known)})


def as_rules_see(sample: Sample) -> Microdata:
    """Return the microdata with what the intruder knows as quasi-identifiers, and nulls as the sample counts them."""
    dictionary = sample.microdata.dictionary.with_categories(dict.fromkeys(sample.known, Category.QUASI_IDENTIFIER))
    dictionary = replace(dictionary, missing_as=sample.nulls.missing_as)
    return replace(sample.microdata.with_dictionary(dictionary), relation=sample.records)

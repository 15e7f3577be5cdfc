"""Why a record has its risk: the proof by the rules that define the measure.

A kernel's answer is explained by running the rules on the record's neighbourhood: the records that look like it, or for
SUDA one record for each combination of values that does not single it out. That is enough for the rules to conclude the
same, however large the file is; whether they did is checked.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import combinations as subsets
from math import comb
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from tacita.engines.protocol import Relation
from tacita.errors import InternalError, UsageError
from tacita.knowledge.programs import ProgramText
from tacita.model.attribute import Category
from tacita.model.figures import figure
from tacita.model.result import Result
from tacita.risk.frequencies import has_nulls
from tacita.risk.measure import RISK, ROW, Measure, Risks
from tacita.risk.null_semantics import Semantics
from tacita.risk.ruled import CONCLUDED, OUTPUT, Ruled
from tacita.risk.sample import Sample

if TYPE_CHECKING:
    from tacita.rules.proofs import Proof

_NUMBER = "number_"
_SAME = 1e-9
_MANY_SETS = 5000
_WEIGHTED = ("individual_risk", "reidentification")


@dataclass(frozen=True, slots=True, repr=False)
class RiskExplanation(Result):
    """Why a record has its risk."""

    row: int
    measure: str
    risk: float
    reason: str
    proof: Proof | None
    """The proof by rules, if rules define the measure."""
    is_risk_of_rules: bool = True
    """Whether the rules conclude this very risk, or only the figures that it is computed from."""

    def _in_short(self) -> str:
        return f"record {self.row:,}: {figure(self.risk)} by {self.measure}"


def why(measure: Measure, sample: Sample, risks: Risks, row: int) -> RiskExplanation:
    """Return why a record has its risk."""
    record = record_of(risks, row)
    reason, proof = measure.reason(sample, record), _proof(measure, sample, record)
    specification = measure.specification(sample)
    same = specification is None or specification.same_risk
    return RiskExplanation(row, risks.measure, record[RISK], reason, proof, same)


def record_of(risks: Risks, row: int) -> dict[str, Any]:
    """Return what a measure says of one record."""
    assert risks.records is not None
    this = exp.EQ(this=risks.records.physical([ROW])[0], expression=exp.Literal.number(row))
    terms = [exp.alias_(exp.column(c.physical), f"x{i}") for i, c in enumerate(risks.records.columns)]
    rows = risks.records.engine.run(exp.select(*terms).from_(risks.records.source()).where(this))
    if not rows:
        last = risks.records.count()
        raise UsageError(f"there is no record {row}", do=f"give the number of a record, from 1 to {last:,}")
    return dict(zip((c.name for c in risks.records.columns), rows[0].values(), strict=True))


def _proof(measure: Measure, sample: Sample, record: dict[str, Any]) -> Proof | None:
    row = int(record[ROW])
    if isinstance(measure, Ruled):
        from tacita.rules.reasoner.values import written

        concluded = sample.cache.get((measure.program, repr(measure.parameters))) or measure.concluded(sample)
        if not record[CONCLUDED]:
            return None
        risks = sorted(fact[1] for fact in concluded.facts(OUTPUT) if fact[0] == row)
        risk = written(risks[-1]) if len(risks) > 1 else "_"
        proof: Proof = concluded.why(f"{OUTPUT}({row}, {risk})")
        return proof
    specification = measure.specification(sample)
    if specification is None:
        return None
    if not sample.nulls.are_values and sample.nulls.semantics is not Semantics.MAYBE_MATCH and has_nulls(sample):
        return None  # rules count nulls by maybe-match or as a category
    largest = specification.parameters.get("largest")
    near = _witnesses(sample, row, int(largest)) if largest is not None else _alike(sample, row)
    ruled = Ruled(ProgramText.of(specification.program), specification.parameters)
    near = _only_what_counts(near, weighted=specification.program in _WEIGHTED)
    concluded = ruled.concluded(near)
    concluded_risk = {fact[0]: fact[1] for fact in concluded.facts(OUTPUT)}.get(row)
    if specification.same_risk and (concluded_risk is None or abs(concluded_risk - record[RISK]) > _SAME):
        raise InternalError(f"the rules of {specification.program} do not conclude the risk that was measured")
    return concluded.why(f"{OUTPUT}({row}, _)")


def _only_what_counts(sample: Sample, *, weighted: bool) -> Sample:
    """Return the sample without attributes that the proof does not need: it shows the records that it rests on."""
    dictionary = sample.microdata.dictionary
    parts = {Category.QUASI_IDENTIFIER} | (set() if weighted else {Category.WEIGHT})
    beside = [a.name for a in dictionary if a.category in parts and a.name not in sample.known]
    hidden = dictionary.with_categories(dict.fromkeys(beside, Category.NON_IDENTIFYING))
    return replace(sample, microdata=sample.microdata.with_dictionary(hidden))


def _alike(sample: Sample, row: int) -> Sample:
    """Return the records that look like one."""
    return _part(sample, _match(sample, row, sample.known))


def _witnesses(sample: Sample, row: int, largest: int) -> Sample:
    """Return the record, and for each combination of its attributes that others have one of these."""
    largest = largest or len(sample.known)
    if sum(comb(len(sample.known), size) for size in range(1, largest + 1)) > _MANY_SETS:
        raise UsageError(
            f"a proof over all combinations of up to {largest} of {len(sample.known)} attributes would take long",
            do="ask with --param largest=3, or for an intruder who knows less",
        )
    shared: list[frozenset[str]] = []
    rows = {row}
    for size in range(min(largest, len(sample.known)), 0, -1):
        for chosen in map(frozenset, subsets(sample.known, size)):
            if any(chosen <= wider for wider in shared):
                continue
            other = _other(sample, row, sorted(chosen))
            if other is not None:
                shared.append(chosen)
                rows.add(other)
    within = exp.column(_NUMBER).isin(*(exp.Literal.number(number) for number in sorted(rows)))
    return _part(sample, within)


def _other(sample: Sample, row: int, names: Iterable[str]) -> int | None:
    another = exp.NEQ(this=exp.column(_NUMBER), expression=exp.Literal.number(row))
    condition = exp.and_(another, _match(sample, row, names))
    plan = exp.select(exp.alias_(exp.Min(this=exp.column(_NUMBER)), "n")).from_(_numbered(sample)).where(condition)
    count = sample.engine.run(plan)[0]["n"]
    return None if count is None else int(count)


def _match(sample: Sample, row: int, names: Iterable[str]) -> exp.Expr:
    """Return the condition that a record agrees with that of a row, nulls counted as the sample does."""
    terms: list[exp.Expr] = []
    this = exp.EQ(this=exp.column(_NUMBER), expression=exp.Literal.number(row))
    for name in names:
        column = sample.records.physical([name])[0]
        value = exp.select(column.copy()).from_(_numbered(sample)).where(this.copy()).subquery()
        if sample.nulls.are_values:
            terms.append(exp.NullSafeEQ(this=column, expression=value))
        else:
            absent = [exp.Is(this=term.copy(), expression=exp.Null()) for term in (column, value)]
            terms.append(exp.paren(exp.or_(exp.EQ(this=column, expression=value), *absent)))
    return exp.and_(*terms)


def _numbered(sample: Sample) -> exp.Subquery:
    number_ = exp.alias_(sample.engine.numbered(sample.records), _NUMBER)
    columns = [exp.column(column.physical) for column in sample.records.columns]
    return exp.select(number_, *columns).from_(sample.records.source()).subquery("all_records")


def _part(sample: Sample, condition: exp.Expr) -> Sample:
    """Return the records that a condition holds for, under the numbers that they have in the file."""
    relation = sample.engine.store(exp.select("*").from_(_numbered(sample)).where(condition), sample.records.columns)
    part = Relation(relation.engine, relation.table, relation.columns, _NUMBER)
    return replace(sample, microdata=replace(sample.microdata, relation=part))

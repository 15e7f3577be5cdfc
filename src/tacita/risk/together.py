"""Several measures at once: a record is safe if it is safe by each of them.

The risk of a record is the share of the measures by which it is unsafe, and any share is too much: the threshold is 0.
A file that is k-anonymous and l-diverse by this measure is k-anonymous, and it is l-diverse.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from tacita.engines.plans.terms import as_double, number
from tacita.errors import UsageError
from tacita.model.relation import ColumnType
from tacita.progress import Progress, silent
from tacita.risk.bounds import exceeds, is_above, risk_where
from tacita.risk.measure import RISK, ROW, Measure, Risks, Specification, stored_risks
from tacita.risk.null_semantics import Semantics
from tacita.risk.sample import Sample

_OF = ": "
"""Between the number of a measure and the name of its column, as in ``2: distance``."""


@dataclass(frozen=True, slots=True)
class Together:
    """Share of several measures by which a record is unsafe; it is safe if there is none.

    >>> import tacita as tc
    >>> from tacita.risk.attribute.l_diversity import LDiversity
    >>> from tacita.risk.identity.k_anonymity import KAnonymity
    >>> both = Together((KAnonymity(3), LDiversity(2)))
    >>> both.name
    'k-anonymity and l-diversity'
    >>> both.risks(Sample.of(tc.sample("patients-4-anonymous").microdata)).figures
    {'unsafe by k-anonymity': 0, 'unsafe by l-diversity': 4}
    """

    measures: tuple[Measure, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "measures", tuple(self.measures))
        if len(self.measures) < 2:
            raise UsageError("fewer than two measures should hold together", do="give two, or the measure itself")
        if any(isinstance(measure, Together) for measure in self.measures):
            raise UsageError("measures that hold together hold within others", do="give all of them in one list")

    @property
    def name(self) -> str:
        """The names of all measures."""
        return " and ".join(dict.fromkeys(measure.name for measure in self.measures))

    @property
    def threshold(self) -> float:
        """Nothing: one measure by which a record is unsafe is too many."""
        return 0.0

    @property
    def strictest(self) -> Semantics | None:
        """The way to count nulls that protects most of those that all measures know; None: the strict one."""
        stated = [getattr(measure, "strictest", None) for measure in self.measures]
        return next((semantics for semantics in stated if semantics is not None), None)

    @property
    def labels(self) -> tuple[str, ...]:
        """A name for each measure, with its number if another one is called so too."""
        names = [measure.name for measure in self.measures]
        return tuple(n if names.count(n) == 1 else f"{n} ({place})" for place, n in enumerate(names, 1))

    def lacks(self, sample: Sample) -> list[str]:
        """Return what is missing for any of the measures."""
        return list(dict.fromkeys(lack for measure in self.measures for lack in measure.lacks(sample)))

    def risks(self, sample: Sample, progress: Progress = silent) -> Risks:
        """Return the share of measures by which each record is unsafe, and the columns of all of them."""
        parts = [measure.risks(sample, progress) for measure in self.measures]
        if whole := next((risks for risks in parts if risks.records is None), None):
            raise UsageError(
                f"{whole.measure} measures the file as a whole, so it cannot hold for each record",
                do="take measures of records, such as k-anonymity; 'tacita measures' lists them",
            )
        records = stored_risks(sample.engine, *_joined(parts))
        counts = [
            exp.alias_(exp.Sum(this=_is_unsafe(records.physical([f"{n}{_OF}{RISK}"])[0], r)), f"n{n}")
            for n, r in enumerate(parts, 1)
        ]
        row = sample.engine.run(exp.select(*counts).from_(records.source()))[0]
        figures = {f"unsafe by {label}": int(row[f"n{n}"] or 0) for n, label in enumerate(self.labels, 1)}
        notes = list(dict.fromkeys(note for risks in parts for note in risks.notes))
        return Risks(self.name, self.threshold, records, figures, notes=notes)

    def reason(self, sample: Sample, record: Mapping[str, Any]) -> str:
        """Return why a record is unsafe, by each measure that finds it so; if none does, why it is safe."""
        own = [
            {name.removeprefix(f"{n}{_OF}"): value for name, value in record.items() if name.startswith(f"{n}{_OF}")}
            | {ROW: record.get(ROW)}
            for n in range(1, len(self.measures) + 1)
        ]
        pairs = list(zip(self.measures, own, strict=True))
        unsafe = [pair for pair in pairs if is_above(float(pair[1][RISK]), pair[0].threshold)]
        return "; ".join(measure.reason(sample, part) for measure, part in unsafe or pairs)

    def specification(self, sample: Sample) -> Specification | None:
        """Return nothing: each measure has rules of its own."""
        return None


def together(measures: Sequence[Measure]) -> Measure:
    """Return one measure that holds if all of them do.

    >>> from tacita.risk.identity.k_anonymity import KAnonymity
    >>> together([KAnonymity(3)])
    KAnonymity(k=3, threshold=0.5)
    """
    return measures[0] if len(measures) == 1 else Together(tuple(measures))


def parts_of(measure: Measure) -> tuple[Measure, ...]:
    """Return the measures that must hold: those of several together, or the one."""
    return measure.measures if isinstance(measure, Together) else (measure,)


def _is_unsafe(risk: exp.Expr, risks: Risks) -> exp.Expr:
    return risk_where(exceeds(risk, number(risks.threshold)))


def _joined(parts: Sequence[Risks]) -> tuple[exp.Select, dict[str, ColumnType]]:
    """Return the plan of all risks by record, and its columns."""
    columns: dict[str, ColumnType] = {ROW: ColumnType.INTEGER, RISK: ColumnType.NUMBER}
    terms: list[exp.Expr] = []
    share: exp.Expr | None = None
    rows = []
    for n, risks in enumerate(parts, 1):
        assert risks.records is not None
        table = f"k{n}"
        rows.append(exp.column(risks.records.column(ROW).physical, table=table))
        unsafe = _is_unsafe(exp.column(risks.records.column(RISK).physical, table=table), risks)
        share = unsafe if share is None else exp.Add(this=share, expression=unsafe)
        for column in risks.records.columns:
            if column.name != ROW:
                columns[f"{n}{_OF}{column.name}"] = column.type
                terms.append(exp.column(column.physical, table=table))
    assert share is not None
    total = exp.Div(this=as_double(exp.paren(share)), expression=as_double(number(len(parts))))
    every = [rows[0], total, *terms]
    plan = exp.select(*(exp.alias_(term, f"c{i}") for i, term in enumerate(every)))
    for n, risks in enumerate(parts, 1):
        assert risks.records is not None
        source = risks.records.source().as_(f"k{n}")
        if n == 1:
            plan = plan.from_(source)
        else:
            plan = plan.join(source, on=exp.EQ(this=rows[0].copy(), expression=rows[n - 1].copy()))
    return plan, columns

"""Findings in words: which outputs, which cells, by which arithmetic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tacita.arithmetic.modular.combination import combination
from tacita.arithmetic.modular.kernel_vector import SparseRows
from tacita.errors import counted
from tacita.joint.evidence import COUNT, Ints, OutputLabel
from tacita.joint.intervals import Hearer, ProtectedSum, intervals_of
from tacita.joint.judgement import ArithmeticTerm, JointReason
from tacita.joint.judging import JointFinding, JointFindings
from tacita.joint.system import SumSystem

_MOST_TERMS = 40
"""Terms of an arithmetic that is told."""
_MOST_RECORDS = 20


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Explainer:
    """Who tells findings: the outputs of the partitions, and the rows of records in their sources."""

    findings: JointFindings
    outputs: tuple[OutputLabel, ...]
    """The output that each partition belongs to."""
    rows: Ints
    least: int

    def reasons(self, most: int) -> Iterator[JointReason]:
        """Yield the first findings as reasons."""
        for finding in self.findings.findings[:most]:
            yield self._reason(finding)

    def _reason(self, finding: JointFinding) -> JointReason:
        if finding.row >= 0:
            return self._of_cell(finding)
        return self._of_persons(finding)

    def _of_cell(self, finding: JointFinding) -> JointReason:
        """Return why a cell that must stay uncertain does not."""
        system, row = finding.system, finding.row
        cell, output = self.cell(system, row), self._output(system, row)
        terms = self._terms(system, SparseRows.of([system.rows.row(row)[0].tolist()], system.unknowns))
        value = float(system.values[row])
        if finding.is_exact and terms:
            sentence = f"The cell {cell} of {output} is withheld there, and would be known exactly."
            return self._with_outputs("exact", sentence, (output,), terms, value=value)
        steps = self._steps(finding, ProtectedSum(row))
        how = "known exactly" if finding.is_exact else "known more closely than its protection allows"
        sentence = f"The cell {cell} of {output} would be {how}."
        return self._with_outputs("exact" if finding.is_exact else "interval", sentence, (output,), (), steps, value)

    def _of_persons(self, finding: JointFinding) -> JointReason:
        """Return why a few persons stand out."""
        system = finding.system
        wanted = SparseRows.of([list(finding.unknowns)], system.unknowns)
        what = "number" if system.measure == COUNT else f"sum of '{system.measure}'"
        value = float(system.truth[list(finding.unknowns)].sum())
        records = self._records(system.groups_of(finding.unknowns))
        if finding.is_dominated:
            sentence = f"The {what} over some persons would follow, and one of them dominates it."
            kind = "dominated"
        else:
            sentence = f"The {what} of fewer than {counted(self.least, 'person')} would follow."
            kind = "few persons"
        if finding.pair is not None:
            outer, inner = finding.pair.outer, finding.pair.inner
            one, two = self._output(system, outer), self._output(system, inner)
            differ = "by few contributors" if finding.is_dominated else f"by fewer than {counted(self.least, 'person')}"
            sentence = f"{self.cell(system, outer)} of {one} and {self.cell(system, inner)} of {two} differ {differ}."
            both = (self._term(system, outer, Fraction(1)), self._term(system, inner, Fraction(-1)))
            return self._with_outputs(kind, sentence, (), both, records=records, value=value)
        terms = self._terms(system, wanted) if finding.near is None else ()
        steps = () if terms else self._steps(finding, ProtectedSum(-1, finding.unknowns[0]))
        return self._with_outputs(kind, sentence, (), terms, steps, value, records)

    def _with_outputs(
        self,
        kind: str,
        sentence: str,
        first: tuple[OutputLabel, ...],
        terms: tuple[ArithmeticTerm, ...],
        steps: tuple[str, ...] = (),
        value: float | None = None,
        records: tuple[int, ...] = (),
    ) -> JointReason:
        """Return a reason with the chain of outputs: those of the arithmetic, or all of them if it is not known."""
        named = {*first, *(term.output for term in terms)} if terms else {*first, *self.outputs}
        chain = tuple(sorted(named, key=lambda one: (one.sequence == 0, one.sequence)))
        return JointReason(kind, sentence, chain, terms, steps, records, value, self.findings.is_decided)

    def cell(self, system: SumSystem, row: int) -> str:
        """Return the address of a row: the codes of a cell and its table, or a record that is like those meant."""
        at, statement = int(system.partition[row]), int(system.statement[row])
        part = self.findings.partitions[at]
        if not part.name:
            return f"the records like {self._like(system.rows.row(row)[0], system)}"
        (said,) = (one for one in part.statements if one.measure == system.measure)
        names = {
            one.name for one, own in zip(self.findings.partitions, self.outputs, strict=True) if own == self.outputs[at]
        }
        of = f" in '{part.name}'" if len(names - {""}) > 1 else ""
        return f"({said.name(statement)}){of}"

    def _like(self, unknowns: Ints, system: SumSystem) -> str:
        records = self._records(system.groups_of(unknowns.tolist()))
        return f"record {records[0]}" if records else "others"

    def _records(self, groups: Ints) -> tuple[int, ...]:
        """Return the rows of the records of some groups, the first of them."""
        units = np.flatnonzero(np.isin(self.findings.groups.group_of, groups))
        rows = np.unique(self.rows[units])
        return tuple(rows[rows > 0][:_MOST_RECORDS].tolist())

    def _output(self, system: SumSystem, row: int) -> OutputLabel:
        return self.outputs[int(system.partition[row])]

    def _term(self, system: SumSystem, row: int, factor: Fraction) -> ArithmeticTerm:
        at = int(system.partition[row])
        place = (at - self.outputs.index(self.outputs[at]), int(system.statement[row]))
        return ArithmeticTerm(
            str(factor), self.cell(system, row), self._output(system, row), place, float(system.values[row])
        )

    def _terms(self, system: SumSystem, wanted: SparseRows) -> tuple[ArithmeticTerm, ...]:
        """Return how a sum follows from published ones; nothing if it does not, or by too many."""
        factors = arithmetic(system, wanted)
        if factors is None or len(factors) > _MOST_TERMS:
            return ()
        # Positive terms first, so that it reads as a sum from which something is taken off.
        order = sorted(factors, key=lambda row: (factors[row] < 0, row))
        return tuple(self._term(system, row, factors[row]) for row in order)

    def _steps(self, finding: JointFinding, target: ProtectedSum) -> tuple[str, ...]:
        """Return how a target is bounded, without any figure."""
        system = finding.system
        everything = Hearer(np.ones(len(system.rows), np.bool_), np.zeros(system.unknowns, np.bool_))
        names = _Names(self, system)
        interval = intervals_of(system, everything, [target], names, explain=True)[target]
        return interval.outline


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Names:
    """How rows and groups are called in the steps of an attack."""

    explainer: Explainer
    system: SumSystem

    def __call__(self, target: ProtectedSum) -> str:
        if target.row >= 0:
            output = self.explainer.outputs[int(self.system.partition[target.row])]
            return f"{self.explainer.cell(self.system, target.row)} of {output}".replace("(", "").replace(")", "")
        findings = self.explainer.findings
        group = int(self.system.groups_of([target.unknown])[0])
        codes: dict[str, str] = {}
        for at, part in enumerate(findings.partitions):
            leaf = int(findings.groups.leaf[group, at])
            if leaf >= 0 and part.name:
                for place, column in enumerate(part.columns):
                    label = column.labels[int(findings.groups.leaves[at].codes[leaf, place])]
                    codes.setdefault(column.attribute, str(label))
        return ", ".join(f"{name}={code}" for name, code in codes.items()) or "other records"


def arithmetic(system: SumSystem, wanted: SparseRows) -> dict[int, Fraction] | None:
    """Return the published rows that a sum follows from, with their factors; None if it does not, or by too many.

    Unknowns that are published by themselves are taken off first; they enter last, with what they have to be taken off.
    """
    exact = np.flatnonzero(system.exact & (np.diff(system.rows.starts) > 0))
    single = exact[np.diff(system.rows.starts)[exact] == 1]
    published = np.full(system.unknowns, -1, np.int64)
    published[system.rows.columns[system.rows.starts[single[::-1]]]] = single[::-1]
    others = exact[np.diff(system.rows.starts)[exact] > 1]
    left = _without(system.rows.taken(others), published >= 0)
    used = np.flatnonzero(np.diff(left.starts) > 0)
    target = _without(wanted, published >= 0)
    factors: dict[int, Fraction] = {}
    if len(target.columns):
        chosen = combination(left.taken(used), target)
        if chosen is None:
            return None
        factors = {int(others[used[row]]): factor for row, factor in chosen.items()}
    rest: dict[int, Fraction] = {}
    for column, entry in zip(wanted.columns.tolist(), wanted.coefficients.tolist(), strict=True):
        rest[column] = rest.get(column, Fraction(0)) + entry
    for row, factor in factors.items():
        for column in system.rows.row(row)[0].tolist():
            rest[column] = rest.get(column, Fraction(0)) - factor
    for column, factor in rest.items():
        if factor:
            factors[int(published[column])] = factor
    return factors


def _without(rows: SparseRows, columns: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> SparseRows:
    """Return rows without some columns."""
    stays = ~columns[rows.columns]
    row = np.repeat(np.arange(len(rows)), np.diff(rows.starts))[stays]
    starts = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(rows)))]).astype(np.int64)
    return SparseRows(starts, rows.columns[stays], rows.coefficients[stays], rows.width)


def of_outputs(labels: Sequence[OutputLabel], partitions: Sequence[int]) -> tuple[OutputLabel, ...]:
    """Return the output of each partition; `partitions` says how many each output has."""
    return tuple(label for label, many in zip(labels, partitions, strict=True) for _ in range(many))

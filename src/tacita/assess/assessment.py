"""An assessment: what was found under each attack scenario, and the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self

from tacita.assess.comparison import Alike, AttributeRisk
from tacita.assess.finding import Finding
from tacita.assess.riskiest import RiskyRecord
from tacita.errors import UsageError, counted, did_you_mean
from tacita.model.figures import share
from tacita.model.microdata import Microdata
from tacita.model.result import Result
from tacita.risk.bounds import is_above
from tacita.risk.sample import Sample

if TYPE_CHECKING:
    from tacita.model.proposal import Proposal
    from tacita.risk.why import RiskExplanation


_CLOSED = "closed"


@dataclass(frozen=True, slots=True, repr=False)
class ScenarioAssessment:
    """What was found of the records as one intruder meets them."""

    sample: Sample
    findings: tuple[Finding, ...]
    k: int
    """The number of records that should look alike."""
    alike: Alike
    nulls: tuple[Alike, ...]
    """The same under each meaning of a null, if there are nulls."""
    attributes: tuple[AttributeRisk, ...]
    riskiest: tuple[RiskyRecord, ...]
    skipped: tuple[tuple[str, str], ...] = ()
    """Measures that could not be used, and why."""

    @property
    def name(self) -> str:
        """The name of the scenario."""
        return self.sample.scenario

    @property
    def known(self) -> tuple[str, ...]:
        """What the intruder knows."""
        return self.sample.known

    @property
    def is_safe(self) -> bool:
        """Whether no measure calls a record unsafe."""
        return not any(finding.unsafe for finding in self.findings)

    def __repr__(self) -> str:
        return f"<ScenarioAssessment '{self.name}': {', '.join(finding.name for finding in self.findings)}>"

    def __getitem__(self, measure: str) -> Finding:
        for finding in self.findings:
            if finding.name == measure:
                return finding
        names = [finding.name for finding in self.findings]
        raise UsageError(f"'{measure}' was not measured{did_you_mean(measure, names)}", do=f"use one of: {names}")


@dataclass(frozen=True, slots=True, repr=False)
class Assessment(Result):
    """What a steward asked for."""

    microdata: Microdata
    records: int
    scenarios: tuple[ScenarioAssessment, ...]
    proposals: Mapping[str, Proposal] = field(default_factory=dict)
    """Categories that were proposed, not given."""
    notes: tuple[str, ...] = ()
    tables: tuple[str, str] = ("", "")
    """Between which names the engine holds what was measured."""

    def _in_short(self) -> str:
        return f"'{self.microdata.name}': {self.verdict}"

    def close(self) -> None:
        """Forget what was measured of single records, in the engine; figures and reasons stay.

        Worth it before the next assessment of a large file in the same process; or use the assessment in a ``with``.
        """
        if self.scenarios and all(self.tables):
            self.scenarios[0].sample.engine.forget_between(*self.tables)
            for scenario in self.scenarios:
                scenario.sample.cache[_CLOSED] = True

    def _check_open(self) -> None:
        if _CLOSED in self.scenarios[0].sample.cache:
            raise UsageError("the assessment is closed: its records are forgotten", do="ask before it is closed")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def is_safe(self) -> bool:
        """Whether no measure calls a record unsafe, whatever the intruder knows."""
        return all(scenario.is_safe for scenario in self.scenarios)

    @property
    def verdict(self) -> str:
        """The answer in one sentence: whether records can be re-identified, then what could be learnt of them."""
        if not self.records:
            return "There are no records, and so nobody to protect."
        if not any(finding.is_of_records for s in self.scenarios for finding in s.findings):
            return "No measure of single records was asked for: see the figures."
        if self.is_safe:
            return f"No record of {self.records:,} is above a threshold."
        identity, attribute = self._worst(of_attributes=False), self._worst(of_attributes=True)
        if identity is None:
            assert attribute is not None
            measured = any(not f.is_of_attributes for s in self.scenarios for f in s.findings if f.is_of_records)
            safe_by_identity = f"No record of {self.records:,} is unsafe by its identity; " if measured else ""
            return f"{safe_by_identity}{self._unsafe(attribute, of_all=not measured)} by {self._by(attribute)}."
        more = "" if attribute is None else f"; attributes: {attribute[0].unsafe:,} by {self._by(attribute)}"
        return f"{self._unsafe(identity, of_all=True)} by {self._by(identity)}{more}."

    def _worst(self, *, of_attributes: bool) -> tuple[Finding, ScenarioAssessment] | None:
        """Return the measure of identity, or of attribute disclosure, by which most records are unsafe, if any is."""
        unsafe = [
            (f, s) for s in self.scenarios for f in s.findings if f.unsafe and f.is_of_attributes == of_attributes
        ]
        return max(unsafe, key=lambda pair: pair[0].unsafe, default=None)

    def _by(self, worst: tuple[Finding, ScenarioAssessment]) -> str:
        finding, scenario = worst
        return finding.name + (f" under '{scenario.name}'" if len(self.scenarios) > 1 else "")

    def _unsafe(self, worst: tuple[Finding, ScenarioAssessment], *, of_all: bool) -> str:
        finding, _ = worst
        whole = f" of {self.records:,}" if of_all else ""
        be = "is" if finding.unsafe == 1 else "are"
        return f"{counted(finding.unsafe, 'record')}{whole} ({share(finding.unsafe_share)}) {be} unsafe"

    def __getitem__(self, measure: str) -> Finding:
        return self.scenarios[0][measure]

    def why(self, row: int, measure: str | None = None) -> RiskExplanation:
        """Return why a record has its risk: the proof by the rules that define the measure."""
        from tacita.risk.why import why

        self._check_open()
        scenario = self.scenarios[0]
        finding = scenario[measure] if measure else self._telling(row)
        return why(finding.measure, scenario.sample, finding.risks, row)

    def reasons(self, row: int) -> tuple[tuple[str, float, str], ...]:
        """Return what each measure says of a record: its name, the risk, the reason."""
        from tacita.risk.why import record_of

        self._check_open()
        scenario = self.scenarios[0]
        records = [(finding, record_of(finding.risks, row)) for finding in scenario.findings if finding.is_of_records]
        return tuple((f.name, float(r["risk"]), f.measure.reason(scenario.sample, r)) for f, r in records)

    def _telling(self, row: int) -> Finding:
        """Return the measure to explain a record by: the first that calls it unsafe and has rules, or else any."""
        scenario = self.scenarios[0]
        of_records = [finding for finding in scenario.findings if finding.is_of_records]
        if not of_records:
            raise UsageError(
                "nothing was measured of single records", do="add a measure of records, such as k-anonymity"
            )
        risks = {name: risk for name, risk, _ in self.reasons(row)}
        unsafe = [finding for finding in of_records if is_above(risks[finding.name], finding.risks.threshold)]
        ruled = [finding for finding in unsafe if finding.measure.specification(scenario.sample)]
        return next(iter([*ruled, *unsafe, *of_records]))

    def write_records(self, target: str | Path, *, force: bool = False) -> None:
        """Write one row per record: its number, its frequency, and its risks."""
        from tacita.assess.records_file import write_records

        self._check_open()
        write_records(self, target, force=force)

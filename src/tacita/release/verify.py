"""Whether a release is what it says: the files unchanged, the claim true of the released file alone.

Nothing of the cycle is used. The data file is read as anybody would read it, and the measure of the claim runs on it. A
claim that cannot be checked does not hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tacita.assess.finding import Finding, finding
from tacita.cycle.outcome import DERIVABLE, Claim, still_recognisable
from tacita.engines.context import Context
from tacita.engines.protocol import Engine
from tacita.errors import InputError, TacitaError, counted
from tacita.files.read import read
from tacita.model.dictionary import MissingAs
from tacita.model.microdata import Microdata
from tacita.model.result import Result
from tacita.progress import Progress, silent
from tacita.release.file_faults import file_faults, identifier_faults, internal_faults, reading_options
from tacita.release.folder import internal_folder
from tacita.release.kinds.microdata.claimed_sample import measured
from tacita.release.manifest import INTERNAL, PUBLIC
from tacita.release.placing import put_back
from tacita.release.records_of import claim_of, manifest_of
from tacita.risk.bounds import check_bound
from tacita.risk.frequencies import has_nulls
from tacita.risk.identity.k_anonymity import KAnonymity
from tacita.risk.measure import Measure
from tacita.risk.null_semantics import STRICT
from tacita.risk.sample import Sample
from tacita.risk.together import Together
from tacita.settings import Settings


@dataclass(frozen=True, slots=True, repr=False)
class Verification(Result):
    """What was found in a release."""

    folder: Path
    claim: Claim
    records: int
    faults: tuple[str, ...]
    """Everything that is wrong; none if the claim holds."""
    unchecked: tuple[str, ...] = ()
    """Why the claim could not be checked; these are faults too."""
    held: tuple[str, ...] = ()
    """Of several measures that could not all be checked: those by which no record is unsafe, with their numbers."""
    unsafe: int | None = None
    """Records above the threshold."""
    unsafe_strict: int | None = None
    """Records below k if nobody leans on the nulls of others."""
    largest_risk: float | None = None
    has_nulls: bool = False
    """Whether a known cell is empty."""
    with_proof: bool = False
    """Whether the internal folder was there to compare with."""
    is_derivable: bool = False
    """Whether the internal folder says that hidden values can be derived, and that this was allowed."""

    def _in_short(self) -> str:
        return f"'{self.folder.name}': {self.verdict}"

    @property
    def holds(self) -> bool:
        """Whether the release is what it says."""
        return not self.faults

    @property
    def verdict(self) -> str:
        """The answer in a sentence."""
        but = f", {DERIVABLE}" if self.is_derivable else ""
        if self.holds:
            told = f"none of {counted(self.records, 'record')} is unsafe by {self.claim.measure}"
            condition = self.claim.condition(self.unsafe_strict) if self.has_nulls else ""
            if condition:
                left = ""
                if self.unsafe_strict:
                    left = f"; {still_recognisable(self.unsafe_strict, self.claim.k)}"
                return f"The claim holds if {condition}{but}: {told}{left}."
            return f"The claim holds{but}: {told}."
        if {*self.faults} - {*self.unchecked}:
            return "The claim does not hold."
        if self.held:
            told = f"none of {counted(self.records, 'record')} is unsafe by {' and '.join(self.held)}"
            condition = self.claim.condition(self.unsafe_strict) if self.has_nulls else ""
            return f"The claim could be checked in part only{but}: {told}{f' if {condition}' if condition else ''}."
        return "The claim could not be checked."


def verify(
    release: Path | str,
    claim: Claim | None = None,
    *,
    internal: Path | str | None = None,
    measure: Measure | None = None,
    engine: Engine | None = None,
    settings: Settings | None = None,
    progress: Progress = silent,
) -> Verification:
    """Check a release: against the claim given, or that of its internal folder.

    `measure` is for a claim by a measure that is Python code of one's own.
    """
    release = Path(release)
    if engine is None:
        put_back((settings or Settings.from_environment()).state)
    public = manifest_of(release, PUBLIC)
    beside = Path(internal) if internal is not None else internal_folder(release)
    full = manifest_of(beside, INTERNAL) if internal is not None or beside.is_dir() else None
    if claim is None:
        if full is None:
            raise InputError(
                "what is claimed is not known without the internal folder",
                where=str(release),
                do="say where it is with --internal DIR, or give the claim: --measure NAME -k K --quasi NAME,NAME",
            )
        claim = claim_of(full, beside)
    faults = file_faults(release, public, full)
    if full is not None:
        faults += internal_faults(beside, full)
    if not (release / str(public.get("data"))).is_file():
        return Verification(release, claim, 0, tuple(faults), with_proof=full is not None)
    if engine is not None:
        return _checked(release, claim, public, full, beside, faults, measure, engine, progress)
    with Context(settings) as own:
        return _checked(release, claim, public, full, beside, faults, measure, own.engine, progress)


def _checked(
    release: Path,
    claim: Claim,
    public: Mapping[str, Any],
    full: Mapping[str, Any] | None,
    internal: Path,
    faults: list[str],
    own: Measure | None,
    engine: Engine,
    progress: Progress,
) -> Verification:
    allowed = bool(full and full.get("derivable"))
    answer = Verification(release, claim, 0, tuple(faults), with_proof=full is not None, is_derivable=allowed)
    try:
        microdata = read(release / str(public["data"]), engine, reading_options(public, progress))
    except TacitaError as error:
        return replace(answer, faults=(*faults, f"the data file cannot be read: {error.found}"))
    records = microdata.relation.count()
    faults = [*faults, *identifier_faults(microdata, full or {}), *_count_faults(records, full)]
    answer = replace(answer, records=records, faults=tuple(faults))
    try:
        chosen, sample, found = _found(claim, microdata, full, internal, own, progress)
    except TacitaError as error:
        if own is None and len(claim.measures) > 1:
            return _checked_in_part(answer, microdata, error.found, progress)
        return replace(answer, faults=(*faults, error.found), unchecked=(error.found,))
    if not found.is_of_records:
        why = f"{claim.measure} says nothing of single records"
        return replace(answer, faults=(*faults, why), unchecked=(why,))
    if found.unsafe:
        faults += _unsafe_faults(chosen, found, records, claim)
    strict = _strict(claim, sample)
    return replace(
        answer,
        faults=tuple(faults),
        unsafe=found.unsafe,
        unsafe_strict=strict,
        largest_risk=found.highest,
        has_nulls=has_nulls(sample),
    )


def _found(
    claim: Claim,
    microdata: Microdata,
    full: Mapping[str, Any] | None,
    internal: Path,
    own: Measure | None,
    progress: Progress,
) -> tuple[Measure, Sample, Finding]:
    """Return the measure of a claim, what it looks at and what it finds; raise if it cannot be measured."""
    chosen, sample = measured(claim, microdata, full, internal, own)
    check_bound(own if own is not None else chosen)
    if lacking := chosen.lacks(sample):
        # Reasons alone: what a measure advises after the colon are options of other commands (--population FILE).
        reasons = "; ".join(lack.partition(": ")[0] for lack in lacking)
        raise InputError(f"{claim.measure} cannot be measured on the released file: {reasons}")
    return chosen, sample, finding(chosen, sample, chosen.risks(sample, progress))


def _checked_in_part(answer: Verification, microdata: Microdata, why: str, progress: Progress) -> Verification:
    """Return what those of several measures find that the file is enough for, and why the others were not measured.

    No cluster has an unsafe member if no record is unsafe, so that each measure is asked about records.
    """
    faults, unchecked, held = list(answer.faults), [], []
    for name, parameters in answer.claim.measures:
        part = Claim(name, parameters, answer.claim.known, answer.claim.nulls)
        try:
            chosen, sample, found = _found(part, microdata, None, answer.folder, None, progress)
        except TacitaError as error:
            unchecked.append(error.found)
            continue
        answer = replace(answer, has_nulls=has_nulls(sample))
        if not found.is_of_records:
            unchecked.append(f"{name} says nothing of single records")
        elif found.unsafe:
            faults += _unsafe_faults(chosen, found, answer.records, part)
        else:
            held.append(part.in_words)
    unchecked = list(dict.fromkeys(unchecked)) or [why]
    return replace(answer, faults=(*faults, *unchecked), unchecked=tuple(unchecked), held=tuple(held))


def _count_faults(records: int, full: Mapping[str, Any] | None) -> list[str]:
    if full is None or full.get("records") == records:
        return []
    return [f"the data file has {records:,} records, and the release had {full.get('records')}"]


def _unsafe_faults(measure: Measure, found: Finding, records: int, claim: Claim) -> list[str]:
    """Return how many records are above the threshold: of each measure, if several should hold together."""
    counts = {claim.measure: found.unsafe}
    if isinstance(measure, Together):
        counts = {name: int(found.risks.figures[f"unsafe by {name}"]) for name in measure.labels}
    return [
        f"{counted(count, 'record')} of {records:,} above the threshold of {name}"
        for name, count in counts.items()
        if count
    ]


def _strict(claim: Claim, sample: Sample) -> int | None:
    """Return how many records are below k if a null of another record counts for nothing."""
    if claim.k is None:
        return None
    strict = KAnonymity(claim.k)
    as_ = MissingAs.EMPTY if sample.nulls.missing_as is MissingAs.EMPTY else MissingAs.UNKNOWN
    sample = sample.with_nulls(replace(STRICT, missing_as=as_))
    return finding(strict, sample, strict.risks(sample)).unsafe

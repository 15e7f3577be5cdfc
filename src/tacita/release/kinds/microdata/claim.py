"""The claim of a release of microdata, checked on the released file alone.

Nothing of the cycle is used. The data file is read as anybody would read it, and the measure of the claim runs on it;
for clusters and links the internal folder says which records belong together. A claim that cannot be checked does not
hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlglot import exp

from tacita.assess.finding import Finding, finding
from tacita.cycle.outcome import DERIVABLE, Claim, still_recognisable
from tacita.engines.context import Context
from tacita.engines.protocol import Relation
from tacita.errors import InputError, TacitaError, counted
from tacita.files.read import read
from tacita.model import dictionary_file
from tacita.model.attribute import Attribute, Category
from tacita.model.dictionary import MissingAs
from tacita.model.microdata import Microdata
from tacita.model.relation import Column, ColumnType
from tacita.progress import Progress
from tacita.release.kind import Verification
from tacita.release.opening import OpenedRelease
from tacita.release.records.data_file import DICTIONARY, identifier_faults, reading_options
from tacita.risk.bounds import check_bound
from tacita.risk.catalogue import MEASURES
from tacita.risk.catalogue import measure as measure_named
from tacita.risk.cluster_risk import ClusterRisk
from tacita.risk.frequencies import has_nulls
from tacita.risk.identity.k_anonymity import KAnonymity
from tacita.risk.measure import Measure
from tacita.risk.null_semantics import STRICT, Nulls
from tacita.risk.sample import Sample
from tacita.risk.together import Together, together

CLUSTERS, LINKS = "clusters.parquet", "links.parquet"
_PLACE = "\0place"
"""A name that no attribute of anybody's data has."""


@dataclass(frozen=True, slots=True, repr=False)
class ClaimVerification(Verification):
    """What was found in a release of microdata."""

    claim: Claim
    records: int = 0
    unchecked: tuple[str, ...] = ()
    """Why the claim could not be checked; these are faults too."""
    checked_in_part: tuple[str, ...] = ()
    """Of several measures that could not all be checked: those by which no record is unsafe, with their numbers."""
    unsafe: int | None = None
    """Records above the threshold."""
    unsafe_strict: int | None = None
    """Records below k if nobody leans on the nulls of others."""
    largest_risk: float | None = None
    has_nulls: bool = False
    """Whether a known cell is empty."""
    is_derivable: bool = False
    """Whether the internal folder says that hidden values can be derived, and that this was allowed."""

    @property
    def verdict(self) -> str:
        """The answer in a sentence."""
        but = f", {DERIVABLE}" if self.is_derivable else ""
        if self.holds:
            safe = f"none of {counted(self.records, 'record')} is unsafe by {self.claim.measure}"
            condition = self.claim.condition(self.unsafe_strict) if self.has_nulls else ""
            if condition:
                left = ""
                if self.unsafe_strict:
                    left = f"; {still_recognisable(self.unsafe_strict, self.claim.k)}"
                return f"The claim holds if {condition}{but}: {safe}{left}."
            return f"The claim holds{but}: {safe}."
        if {*self.faults} - {*self.unchecked}:
            return "The claim does not hold."
        if self.checked_in_part:
            safe = f"none of {counted(self.records, 'record')} is unsafe by {' and '.join(self.checked_in_part)}"
            condition = self.claim.condition(self.unsafe_strict) if self.has_nulls else ""
            return f"The claim could be checked in part only{but}: {safe}{f' if {condition}' if condition else ''}."
        return "The claim could not be checked."


def verify_claim(
    release: OpenedRelease, faults: list[str], claim: Claim | None, own: Measure | None, context: Context
) -> ClaimVerification:
    """Check a claim, or that of the internal folder if none is given, on the released file.

    `own` is for a claim by a measure that is Python code of one's own.
    """
    full = release.manifest
    if claim is None:
        if not full:
            raise InputError(
                "what is claimed is not known without the internal folder",
                where=str(release.folder),
                do="say where it is with --internal DIR, or give the claim: --measure NAME -k K --quasi NAME,NAME",
            )
        claim = claim_in(full, release.internal)
    answer = ClaimVerification(release.folder, tuple(faults), bool(full), claim)
    if not (release.folder / str(release.public.get("data"))).is_file():
        return answer
    answer = replace(answer, is_derivable=bool(full.get("derivable")))
    try:
        options = reading_options(release.public, context.progress, _looked_at(claim, release, own))
        microdata = read(release.data, context.engine, options)
    except TacitaError as error:
        return replace(answer, faults=(*faults, f"the data file cannot be read: {error.found}"))
    records = microdata.relation.count()
    faults = [*faults, *identifier_faults(microdata, full), *_count_faults(records, full)]
    answer = replace(answer, records=records, faults=tuple(faults))
    try:
        measure, sample, risks = _measure(claim, microdata, release, own, context.progress)
    except TacitaError as error:
        if own is None and len(claim.measures) > 1:
            return _checked_in_part(answer, microdata, release, error.found, context.progress)
        return replace(answer, faults=(*faults, error.found), unchecked=(error.found,))
    if not risks.is_of_records:
        why = f"{claim.measure} says nothing of single records"
        return replace(answer, faults=(*faults, why), unchecked=(why,))
    if risks.unsafe:
        faults += _unsafe_faults(measure, risks, records, claim)
    return replace(
        answer,
        faults=tuple(faults),
        unsafe=risks.unsafe,
        unsafe_strict=_strict(claim, sample),
        largest_risk=risks.highest,
        has_nulls=has_nulls(sample),
    )


def _looked_at(claim: Claim, release: OpenedRelease, own: Measure | None) -> frozenset[str] | None:
    """Return the attributes that matter for a claim by measures of ours; None for any other: rules may read all.

    Ours look at what is known, at attributes that they name, and at those with a category, such as a weight. The
    identifiers of the source matter, too: none may be there.
    """
    path = release.folder / DICTIONARY
    if own is not None or not all(MEASURES.is_ours(name) for name, _ in claim.measures) or not path.is_file():
        return None
    values = [value for _, parameters in claim.measures for value in parameters.values()]
    named = {name for value in values for name in ([value] if isinstance(value, str) else _texts_in(value))}
    categorised = {attribute.name for attribute in dictionary_file.load(path) if attribute.category is not None}
    identifiers = {str(name) for part in ("identifiers", "pseudonymised") for name in release.manifest.get(part, ())}
    return frozenset({*claim.known, *named, *categorised, *identifiers, *filter(None, [claim.cluster])})


def _texts_in(value: Any) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list | tuple) else []


def _measure(
    claim: Claim, microdata: Microdata, release: OpenedRelease, own: Measure | None, progress: Progress
) -> tuple[Measure, Sample, Finding]:
    """Return the measure of a claim, what it looks at and what it finds; raise if it cannot be measured."""
    measure, sample = _sample_of(claim, microdata, release, own)
    check_bound(own if own is not None else measure)
    if lacking := measure.lacks(sample):
        # Reasons alone: what a measure advises after the colon are options of other commands (--population FILE).
        reasons = "; ".join(lack.partition(": ")[0] for lack in lacking)
        raise InputError(f"{claim.measure} cannot be measured on the released file: {reasons}")
    return measure, sample, finding(measure, sample, measure.risks(sample, progress))


def _checked_in_part(
    answer: ClaimVerification, microdata: Microdata, release: OpenedRelease, why: str, progress: Progress
) -> ClaimVerification:
    """Return what those of several measures find that the file is enough for, and why the others were not measured.

    No cluster has an unsafe member if no record is unsafe, so that each measure is asked about records.
    """
    faults, unchecked, safe = list(answer.faults), [], []
    for name, parameters in answer.claim.measures:
        part = Claim(name, parameters, answer.claim.known, answer.claim.nulls)
        try:
            measure, sample, risks = _measure(part, microdata, replace(release, manifest={}), None, progress)
        except TacitaError as error:
            unchecked.append(error.found)
            continue
        answer = replace(answer, has_nulls=has_nulls(sample))
        if not risks.is_of_records:
            unchecked.append(f"{name} says nothing of single records")
        elif risks.unsafe:
            faults += _unsafe_faults(measure, risks, answer.records, part)
        else:
            safe.append(part.in_words)
    unchecked = list(dict.fromkeys(unchecked)) or [why]
    return replace(answer, faults=(*faults, *unchecked), unchecked=tuple(unchecked), checked_in_part=tuple(safe))


def _count_faults(records: int, full: Mapping[str, Any]) -> list[str]:
    if not full or full.get("records") == records:
        return []
    return [f"the data file has {records:,} records, and the release had {full.get('records')}"]


def _unsafe_faults(measure: Measure, risks: Finding, records: int, claim: Claim) -> list[str]:
    """Return how many records are above the threshold: of each measure, if several should hold together."""
    counts = {claim.measure: risks.unsafe}
    if isinstance(measure, Together):
        counts = {name: int(risks.risks.figures[f"unsafe by {name}"]) for name in measure.labels}
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


def _sample_of(
    claim: Claim, microdata: Microdata, release: OpenedRelease, own: Measure | None
) -> tuple[Measure, Sample]:
    """Return the measure of a claim, and the sample: the file and, for clusters and links, the proof."""
    measure = own if own is not None else measure_of(claim)
    if claim.related:
        microdata, links = _with_links(microdata, release, claim.related)
        measure = ClusterRisk(measure, links, claim.related)
    elif claim.cluster:
        if claim.cluster not in microdata.dictionary.names:
            microdata = _with_clusters(microdata, release, claim.cluster)
        measure = ClusterRisk(measure, key=claim.cluster)
    return measure, Sample.of(microdata, claim.known, _nulls_of(claim))


def measure_of(claim: Claim) -> Measure:
    """Return the measure of a claim: several, if they hold together."""
    return together([measure_named(name, parameters) for name, parameters in claim.measures])


def _nulls_of(claim: Claim) -> Nulls:
    """Return how nulls count under a claim."""
    try:
        return Nulls.from_words(claim.nulls)
    except (TypeError, ValueError):
        raise InputError("the claim does not say how nulls count", do="give it as options") from None


def _with_clusters(microdata: Microdata, release: OpenedRelease, key: str) -> Microdata:
    path = release.internal / CLUSTERS
    if not release.manifest or not path.is_file():
        raise InputError(
            f"the claim is about clusters by '{key}', which is not released: it can be checked with the internal folder"
        )
    return _beside(microdata, path, Attribute(key, Category.CLUSTER_KEY))


def _with_links(microdata: Microdata, release: OpenedRelease, word: str) -> tuple[Microdata, Relation]:
    path = release.internal / LINKS
    if not release.manifest or not path.is_file():
        raise InputError(f"the claim is about records linked by '{word}', and there are no links to check it with")
    return _numbered(microdata), microdata.relation.engine.scan_parquet([path])


def _numbered(microdata: Microdata) -> Microdata:
    """Return microdata whose identifier is the place of the record: links are about places now."""
    relation = microdata.relation
    row = exp.alias_(relation.engine.numbered(relation), "place_")
    columns = [*relation.columns, Column(_PLACE, "place_", ColumnType.INTEGER)]
    stored = relation.engine.store(exp.select("*", row).from_(relation.source()), columns)
    return _extended(microdata, stored, Attribute(_PLACE, Category.IDENTIFIER))


def _beside(microdata: Microdata, path: Path, attribute: Attribute) -> Microdata:
    """Return microdata with a column of a Parquet file, row by row."""
    relation = microdata.relation
    engine = relation.engine
    other = engine.scan_parquet([path])
    left = exp.select("*", exp.alias_(engine.numbered(relation), "left_")).from_(relation.source()).subquery("l")
    right = exp.select(
        exp.alias_(engine.numbered(other), "right_"), exp.column(other.columns[0].physical).as_("added_")
    ).from_(other.source())
    on = exp.EQ(this=exp.column("left_", table="l"), expression=exp.column("right_", table="r"))
    plan = exp.select("*").from_(left).join(right.subquery("r"), on=on, join_type="left").order_by("left_")
    stored = engine.store(plan, [*relation.columns, Column(attribute.name, "added_", ColumnType.INTEGER)])
    return _extended(microdata, stored, attribute)


def _extended(microdata: Microdata, relation: Relation, attribute: Attribute) -> Microdata:
    dictionary = replace(microdata.dictionary, attributes=(*microdata.dictionary.attributes, attribute))
    return replace(microdata, relation=relation, dictionary=dictionary)


def claim_in(manifest: Mapping[str, Any], where: Path) -> Claim:
    """Return the claim in a full manifest."""
    try:
        words = manifest["claim"]
        return Claim(
            str(words["measure"]),
            dict(words["parameters"]),
            tuple(words["known"]),
            dict(words["nulls"]),
            words.get("cluster"),
            words.get("related"),
            _parts(words.get("measures") or ()),
        )
    except (KeyError, TypeError, ValueError):
        raise InputError("the manifest holds no claim", where=str(where), do="give it as options") from None


def _parts(words: Sequence[Mapping[str, Any]]) -> tuple[tuple[str, Mapping[str, Any]], ...]:
    """Return the measures that hold together; none, if there is only one."""
    if len(words) < 2:
        return ()
    return tuple((str(part["measure"]), dict(part["parameters"])) for part in words)

"""Whether a release is what it says: the files unchanged, the claim true of the released file alone.

Nothing of the cycle is used. The data file is read as anybody would read it, and the measure of the claim runs on it. A
claim that cannot be checked does not hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlglot import exp

from tacita.assessment.finding import finding
from tacita.cycle.outcome import Claim
from tacita.engines.duckdb import DuckDBEngine
from tacita.engines.plans.terms import as_text
from tacita.engines.protocol import Engine, EngineRelation
from tacita.errors import InputError, TacitaError, counted
from tacita.files.contract import ReadOptions, engine_relation, types_named
from tacita.files.read import read
from tacita.model.attribute import Attribute, Category
from tacita.model.dictionary import MissingAs
from tacita.model.microdata import Microdata
from tacita.model.relation import Column, ColumnType
from tacita.progress import Progress, silent
from tacita.release.folder import CLUSTERS, LINKS, internal_folder
from tacita.release.manifest import INTERNAL, PUBLIC, hashes, sha256
from tacita.release.placing import MANIFEST
from tacita.release.records_of import claim_of, manifest_of
from tacita.risk.catalogue import measure as measure_named
from tacita.risk.cluster_risk import ClusterRisk
from tacita.risk.identity.k_anonymity import KAnonymity
from tacita.risk.measure import Measure
from tacita.risk.null_semantics import Distribution, Nulls, Semantics
from tacita.risk.sample import Sample
from tacita.settings import Settings

_PSEUDONYM = "^[0-9a-f]{32}$"


@dataclass(frozen=True, slots=True)
class Verification:
    """What was found in a release."""

    folder: Path
    claim: Claim
    records: int
    faults: tuple[str, ...]
    """Everything that is wrong; none if the claim holds."""
    unchecked: tuple[str, ...] = ()
    """Why the claim could not be checked; these are faults too."""
    unsafe: int | None = None
    """Records above the threshold."""
    unsafe_strict: int | None = None
    """Records below k if nobody leans on the nulls of others."""
    largest_risk: float | None = None
    with_proof: bool = False
    """Whether the internal folder was there to compare with."""

    @property
    def holds(self) -> bool:
        """Whether the release is what it says."""
        return not self.faults

    @property
    def verdict(self) -> str:
        """The answer in a sentence."""
        if self.holds:
            return f"The claim holds: none of {counted(self.records, 'record')} is unsafe by {self.claim.measure}."
        return "The claim does not hold." if not self.unchecked else "The claim could not be checked."


def verify(
    release: Path,
    claim: Claim | None = None,
    *,
    internal: Path | None = None,
    measure: Measure | None = None,
    engine: Engine | None = None,
    settings: Settings | None = None,
    progress: Progress = silent,
) -> Verification:
    """Check a release: against the claim given, or that of its internal folder.

    `measure` is for a claim by a measure that is Python code of one's own.
    """
    public = manifest_of(release, PUBLIC)
    beside = internal or internal_folder(release)
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
    with DuckDBEngine(settings) as own:
        return _checked(release, claim, public, full, beside, faults, measure, own, progress)


def file_faults(release: Path, public: Mapping[str, Any], full: Mapping[str, Any] | None) -> list[str]:
    """Return which files were changed, are missing, or do not belong to the release."""
    expected = dict((full or public)["files"])
    found = hashes(release)
    if full is None:
        found.pop(MANIFEST, None)
    faults = [f"{name} is missing" for name in expected if name not in found]
    faults += [f"{name} does not belong to the release" for name in found if name not in expected]
    faults += [f"{path.name}/ does not belong to the release" for path in sorted(release.iterdir()) if path.is_dir()]
    changed = [name for name in expected if name in found and found[name] != expected[name]]
    return faults + [f"{name} was changed: its SHA-256 is not that of the manifest" for name in changed]


def internal_faults(internal: Path, full: Mapping[str, Any]) -> list[str]:
    """Return which files of the internal folder were changed or are missing."""
    faults = []
    for name, told in full.get("internal_files", {}).items():
        path = internal / name
        if not path.is_file():
            faults.append(f"{name} of the internal folder is missing")
        elif sha256(path) != told["sha256"]:
            faults.append(f"{name} of the internal folder was changed")
    return faults


def nulls_of(claim: Claim) -> Nulls:
    """Return how nulls count under a claim."""
    told = claim.nulls
    return Nulls(
        MissingAs(told.get("missing_as") or MissingAs.UNKNOWN),
        Semantics(told.get("semantics") or Semantics.MAYBE_MATCH),
        float(1.0 if told.get("alpha") is None else told["alpha"]),
        Distribution(told.get("distribution") or Distribution.CONDITIONAL),
    )


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
    answer = Verification(release, claim, 0, tuple(faults), with_proof=full is not None)
    try:
        microdata = read(release / str(public["data"]), engine, reading_options(public, progress))
    except TacitaError as error:
        return replace(answer, faults=(*faults, f"the data file cannot be read: {error.found}"))
    records = microdata.relation.count()
    faults = [*faults, *identifier_faults(microdata, full or {}), *_count_faults(records, full)]
    answer = replace(answer, records=records, faults=tuple(faults))
    try:
        measured, sample = _measured(claim, microdata, full, internal, own)
        lacking = measured.lacks(sample)
        if lacking:
            raise InputError(f"{claim.measure} cannot be measured: {'; '.join(lacking)}")
        found = finding(measured, sample, measured.risks(sample, progress))
    except TacitaError as error:
        return replace(answer, faults=(*faults, error.found), unchecked=(error.found,))
    if not found.is_of_records:
        why = f"{claim.measure} says nothing of single records"
        return replace(answer, faults=(*faults, why), unchecked=(why,))
    if found.unsafe:
        faults.append(f"{counted(found.unsafe, 'record')} of {records:,} above the threshold of {claim.measure}")
    strict = _strict(claim, sample)
    return replace(answer, faults=tuple(faults), unsafe=found.unsafe, unsafe_strict=strict, largest_risk=found.highest)


def reading_options(public: Mapping[str, Any], progress: Progress = silent) -> ReadOptions:
    """Return how the data file is read: types as the manifest says, for text files only."""
    told = public.get("reading", {})
    if not str(public["data"]).endswith((".csv", ".txt", ".tsv", ".tab", ".gz")):
        return ReadOptions(progress=progress)
    return ReadOptions(
        delimiter=told.get("delimiter"),
        quote='"',
        encoding="utf-8",
        decimal=told.get("decimal"),
        thousands=told.get("thousands"),
        types=types_named(told.get("types", {})),
        progress=progress,
    )


def identifier_faults(microdata: Microdata, full: Mapping[str, Any]) -> list[str]:
    """Return which identifiers of the source are columns of the release."""
    pseudonymised = [name for name in full.get("pseudonymised", ()) if name in microdata.dictionary.names]
    named = [*full.get("identifiers", ()), *(a.name for a in microdata.dictionary.of(Category.IDENTIFIER))]
    present = [n for n in dict.fromkeys(named) if n in microdata.dictionary.names and n not in pseudonymised]
    faults = [f"the identifier '{name}' is a column of the release" for name in present]
    relation = engine_relation(microdata)
    for name in pseudonymised:
        value = as_text(relation.physical([name])[0])
        other = exp.Not(this=exp.RegexpLike(this=value, expression=exp.Literal.string(_PSEUDONYM)))
        plan = exp.select(exp.alias_(exp.Count(this=exp.Star()), "n")).from_(relation.source()).where(other)
        if relation.engine.run(plan)[0]["n"]:
            faults.append(f"'{name}' holds something else than pseudonyms")
    return faults


def _count_faults(records: int, full: Mapping[str, Any] | None) -> list[str]:
    if full is None or full.get("records") == records:
        return []
    return [f"the data file has {records:,} records, and the release had {full.get('records')}"]


def _measured(
    claim: Claim, microdata: Microdata, full: Mapping[str, Any] | None, internal: Path, own: Measure | None
) -> tuple[Measure, Sample]:
    """Return the measure of a claim, and the sample that it looks at."""
    chosen = own if own is not None else measure_named(claim.measure, claim.parameters)
    if claim.related:
        microdata, links = _with_links(microdata, internal, full, claim.related)
        chosen = ClusterRisk(chosen, links, claim.related)
    elif claim.cluster:
        if claim.cluster not in microdata.dictionary.names:
            microdata = _with_clusters(microdata, internal, full, claim.cluster)
        chosen = ClusterRisk(chosen, key=claim.cluster)
    return chosen, Sample.of(microdata, claim.known, nulls_of(claim))


def _strict(claim: Claim, sample: Sample) -> int | None:
    """Return how many records are below k if a null of another record counts for nothing."""
    k = claim.parameters.get("k")
    if not isinstance(k, int):
        return None
    strict = KAnonymity(k)
    sample = sample.with_nulls(Nulls(MissingAs.UNKNOWN, Semantics.ALPHA, alpha=0.0))
    return finding(strict, sample, strict.risks(sample)).unsafe


def _with_clusters(microdata: Microdata, internal: Path, full: Mapping[str, Any] | None, key: str) -> Microdata:
    path = internal / CLUSTERS
    if full is None or not path.is_file():
        raise InputError(
            f"the claim is about clusters by '{key}', which is not released: it can be checked with the internal folder"
        )
    return _beside(microdata, path, Attribute(key, Category.CLUSTER_KEY))


def _with_links(
    microdata: Microdata, internal: Path, full: Mapping[str, Any] | None, word: str
) -> tuple[Microdata, EngineRelation]:
    path = internal / LINKS
    if full is None or not path.is_file():
        raise InputError(f"the claim is about records linked by '{word}', and there are no links to check it with")
    relation = engine_relation(microdata)
    numbered = _Numbered.of(microdata, relation)
    return numbered.microdata, relation.engine.scan_parquet([path])


@dataclass(frozen=True, slots=True)
class _Numbered:
    """Microdata whose identifier is the place of the record: what links are about after identifiers are gone."""

    microdata: Microdata

    @classmethod
    def of(cls, microdata: Microdata, relation: EngineRelation) -> _Numbered:
        row = exp.alias_(relation.engine.numbered(relation), "place_")
        stored = relation.engine.store(
            exp.select("*", row).from_(relation.source()),
            [*relation.columns, Column(_PLACE, "place_", ColumnType.INTEGER)],
        )
        return cls(_extended(microdata, stored, Attribute(_PLACE, Category.IDENTIFIER)))


_PLACE = "\0place"
"""A name that no attribute of anybody's data has."""


def _beside(microdata: Microdata, path: Path, attribute: Attribute) -> Microdata:
    """Return microdata with a column of a Parquet file, row by row."""
    relation = engine_relation(microdata)
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


def _extended(microdata: Microdata, relation: EngineRelation, attribute: Attribute) -> Microdata:
    dictionary = replace(microdata.dictionary, attributes=(*microdata.dictionary.attributes, attribute))
    return replace(microdata, relation=relation, dictionary=dictionary)

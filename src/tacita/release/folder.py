"""The release folder: what is handed out, and apart from it what proves and explains it.

``release/`` holds the protected data, their dictionary, a report and a manifest. ``release.internal/`` holds the full
manifest, the log of decisions, the internal report and, if tuples were shuffled, their old places. The two are folders
of their own, since whoever hands out a folder hands out all that is in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from tacita.attacks.microdata.derivation import DerivableValues
from tacita.cycle.outcome import Claim, Outcome
from tacita.engines.published_codes import FIRST_MADE, published_codes
from tacita.errors import OutputError, counted, listed
from tacita.files.atomic import atomic, write_text
from tacita.files.contract import WriteOptions
from tacita.files.write import write
from tacita.model import dictionary_file
from tacita.model.dictionary import MissingAs
from tacita.model.microdata import Microdata
from tacita.model.result import Result
from tacita.progress import Progress, Step, silent
from tacita.release.kinds.microdata.external_report import external_report
from tacita.release.kinds.microdata.internal_report import internal_report
from tacita.release.kinds.microdata.links import linked_records
from tacita.release.manifest import as_json, internal_manifest, public_manifest
from tacita.release.options import ReleaseOptions
from tacita.release.placing import MANIFEST, Places, check_places, placed
from tacita.release.records.derivable import allowed_notes, check_not_derivable, cluster_key, derivable
from tacita.release.records.dictionary import SPSS, released_dictionary, with_blanks_missing
from tacita.release.records.ending import released_ending
from tacita.release.records.identifiers import without_undecided
from tacita.release.records.shuffling import fresh_seed, seed_notes
from tacita.release.tuples import Tuples, released_tuples, with_tuples
from tacita.settings import Settings

if TYPE_CHECKING:
    import pyarrow as pa

DATA = "data"
DICTIONARY = "data.dictionary.toml"
REPORT = "report.html"
_WITHOUT_CODES = (".parquet", ".pq", ".arrow", ".feather", ".ipc")
"""Endings of files in which a missing value has no code."""
DECISIONS, ORDER, CLUSTERS, LINKS = "decisions.parquet", "order.parquet", "clusters.parquet", "links.parquet"


@dataclass(frozen=True, slots=True, repr=False)
class Released(Result):
    """Where a release is, and what has to be said about it."""

    folder: Path
    internal: Path
    data: Path
    records: int
    notes: tuple[str, ...]
    checked: bool
    """Whether the claim was checked on the written file."""
    outcome: Outcome
    """What was released; its verdict says if nobody could check it on the file, or hidden values can be derived."""

    def _in_short(self) -> str:
        return f"'{self.folder.name}': {counted(self.records, 'record')}"

    @property
    def verdict(self) -> str:
        """The outcome in a sentence."""
        return self.outcome.verdict


def internal_folder(target: Path) -> Path:
    """Return where the internal folder of a release stands, if nobody says otherwise.

    >>> print(internal_folder(Path("out/release")))
    out/release.internal
    """
    target = target if target.name not in {"", ".."} else target.resolve()
    return target.with_name(f"{target.name}.internal")


def write_release(
    outcome: Outcome,
    target: Path,
    options: ReleaseOptions | None = None,
    *,
    settings: Settings | None = None,
    progress: Progress = silent,
) -> Released:
    """Write the release folder and its internal folder; an outcome that is not safe is refused."""
    options = options or ReleaseOptions()
    if not outcome.is_safe:
        raise OutputError(
            outcome.verdict.removesuffix("."), where=str(target), do="see what would make it pass; nothing was written"
        )
    internal = options.internal or internal_folder(target)
    check_places(target, internal, force=options.force, settings=settings)
    _check_source_stays(outcome.original, target, internal)
    seed = fresh_seed() if options.seed is None else options.seed
    progress(Step("putting the release together"))
    outcome, dropped = _without_undecided(outcome)
    tuples = released_tuples(outcome, options, seed)
    progress(Step("looking whether hidden values can be derived"))
    found = _derivable(outcome, tuples)
    if not options.allow_derivable:
        check_not_derivable(found, str(target), outcome.protected.dictionary)
    tuples = replace(tuples, derivable=found)
    microdata = with_tuples(outcome.protected, tuples.relation)
    missing_as = MissingAs(outcome.claim.nulls.get("missing_as") or MissingAs.UNKNOWN)
    ending, notes = released_ending(outcome.original.source)
    notes = (*dropped, *notes)
    if options.shuffle or options.keep_clusters or options.weights is not None:
        notes += seed_notes(seed)
    notes += allowed_notes(found)
    dictionary = released_dictionary(outcome.original, outcome.protected.dictionary, tuples, missing_as)
    if ending in SPSS:
        dictionary = with_blanks_missing(dictionary, tuples)
    microdata = microdata.with_dictionary(dictionary)
    microdata = _with_codes_written(microdata, ending, outcome.claim.known)
    with placed(target, internal, force=options.force, settings=settings) as places:
        data = DATA + ending
        as_asked = WriteOptions(progress=progress, escape_formulas=options.escape_formulas)
        written = write(microdata, places.release / data, as_asked, settings)
        notes += written.notes
        names = dict(zip(microdata.dictionary.names, written.dictionary.names, strict=True))
        microdata = _renamed(microdata, written.dictionary.names).with_dictionary(written.dictionary)
        outcome = replace(outcome, claim=_claim_renamed(outcome.claim, names))
        _write_public(outcome, tuples, microdata, data, places.release, settings)
        tuples.relation.engine.drop(tuples.relation)  # it is written, and the check needs the room
        checked = _write_internal(outcome, tuples, options, seed, data, notes, places, settings, progress)
    outcome = _with_check(outcome, checked, tuples)
    said = (*notes, *outcome.unchecked)
    return Released(target, internal, target / data, outcome.records, said, not outcome.unchecked, outcome)


def _derivable(outcome: Outcome, tuples: Tuples) -> tuple[DerivableValues, ...]:
    return derivable(
        outcome.original.relation,
        tuples.relation,
        None if tuples.order is None else tuples.order - 1,
        renamed={*tuples.pseudonymised, *tuples.renumbered},
        keys={*tuples.pseudonymised, *tuples.renumbered},
        cluster=outcome.claim.cluster or cluster_key(outcome.original.dictionary),
        perturbed={tuples.weights.attribute} if tuples.weights is not None else (),
        in_order=tuples.order is None,
    )


def _without_undecided(outcome: Outcome) -> tuple[Outcome, tuple[str, ...]]:
    """Return an outcome in which attributes that nobody decided on and that may name respondents are identifiers."""
    decided = [*outcome.claim.known, *filter(None, [outcome.claim.cluster])]
    categories, notes = without_undecided(outcome.protected, decided)
    if not categories:
        return outcome, ()
    before, after = (
        each.with_dictionary(each.dictionary.with_categories(categories))
        for each in (outcome.original, outcome.protected)
    )
    return replace(outcome, original=before, protected=after), notes


def _write_public(
    outcome: Outcome, tuples: Tuples, microdata: Microdata, data: str, folder: Path, settings: Settings | None
) -> None:
    write_text(folder / DICTIONARY, dictionary_file.dumps(microdata.dictionary), force=False, settings=settings)
    write_text(folder / REPORT, external_report(outcome, tuples, microdata), force=False, settings=settings)
    manifest = public_manifest(outcome, tuples, microdata, data, folder)
    write_text(folder / MANIFEST, as_json(manifest), force=False, settings=settings)


def _write_internal(
    outcome: Outcome,
    tuples: Tuples,
    options: ReleaseOptions,
    seed: int,
    data: str,
    notes: tuple[str, ...],
    places: Places,
    settings: Settings | None,
    progress: Progress,
) -> Mapping[str, Any]:
    folder = places.internal
    write_parquet(outcome.decisions.table, folder / DECISIONS, settings)
    if tuples.order is not None:
        import numpy as np

        columns = {"released": np.arange(1, len(tuples.order) + 1), "source": tuples.order}
        write_parquet(_table(columns), folder / ORDER, settings)
    if tuples.clusters is not None:
        import pyarrow as pa

        batches = [batch.rename_columns(["cluster"]) for batch in tuples.clusters.batches()]
        schema = pa.schema([("cluster", pa.int64())])
        write_parquet(pa.Table.from_batches(batches, None if batches else schema), folder / CLUSTERS, settings)
    links = options.links if options.links is not None else outcome.links
    if links is not None and outcome.claim.related:
        write_parquet(linked_records(outcome, links, tuples.order), folder / LINKS, settings)

    def write_manifest(checked: Mapping[str, Any]) -> None:
        full = internal_manifest(
            outcome,
            tuples,
            seed=seed,
            token=places.token,
            data=data,
            release=places.release,
            internal=folder,
            notes=notes,
            checked=checked,
        )
        write_text(folder / MANIFEST, as_json(full), force=False, settings=settings)

    checked: dict[str, Any] = {}
    if options.check:
        progress(Step("checking the claim on the written file"))
        write_manifest(checked)
        checked = _checked(outcome, places, unchecked=options.unchecked)
        (folder / MANIFEST).unlink()
    told = internal_report(_with_check(outcome, checked, tuples), tuples, notes, checked, seed)
    write_text(folder / REPORT, told, force=False, settings=settings)
    write_manifest(checked)
    return checked


def _with_check(outcome: Outcome, checked: Mapping[str, Any], tuples: Tuples) -> Outcome:
    """Return the outcome that says why nobody checked the written file, and whether hidden values can be derived."""
    outcome = replace(outcome, is_derivable=bool(tuples.derivable))
    if "unsafe" in checked:
        return outcome
    return replace(outcome, unchecked=tuple(checked.get("why_not", ())) or ("the check was left out",))


def _checked(outcome: Outcome, places: Places, *, unchecked: bool) -> dict[str, Any]:
    """Return what the claim comes to on the written file; raise if it does not hold, or nobody could tell."""
    from tacita.release.verify import verify

    engine = outcome.protected.relation.engine
    first = engine.new_table()
    try:
        found = verify(places.release, internal=places.internal, engine=engine)
    finally:
        engine.forget_between(first, engine.new_table())
    if wrong := [fault for fault in found.faults if fault not in found.unchecked]:
        raise OutputError(
            f"the claim does not hold on the written file: {wrong[0]}",
            do="nothing was released; if weights were blurred, release them as they are, otherwise report this",
        )
    if found.unchecked and not unchecked:
        raise OutputError(
            f"the claim cannot be checked on the written file: {found.unchecked[0]}",
            do="nothing was released; take a measure that needs the file alone, or accept it with --unchecked",
        )
    if found.unchecked:
        return {"why_not": found.unchecked}
    return {"unsafe": found.unsafe, "unsafe_strict": found.unsafe_strict, "largest_risk": found.largest_risk}


def _check_source_stays(original: Microdata, target: Path, internal: Path) -> None:
    source = Path(original.source.name)
    if any(source.resolve().is_relative_to(folder.resolve()) for folder in (target, internal)):
        raise OutputError(
            "the source is in the folder that would be replaced", where=str(target), do="choose another folder"
        )


def _with_codes_written(microdata: Microdata, ending: str, known: tuple[str, ...]) -> Microdata:
    """Return the microdata with codes of missing values as values, for a format that has no other place for them.

    They were counted as the categories that they are; in the dictionary of the release they are declared missing.
    """
    if ending not in _WITHOUT_CODES:
        return microdata
    relation = microdata.relation
    names = [name for name in known if name in microdata.dictionary.names]
    seen = published_codes(relation, microdata.dictionary, names)
    kept = {column.name: column.type for column in relation.columns}
    lost = [
        name
        for name, codes in seen.codes.items()
        if seen.relation.column(name).type is not kept[name] or any(_is_made(value) for value in codes.values())
    ]
    if lost:
        raise OutputError(
            f"codes of missing values of {listed(lost)} cannot be written to a {ending} file",
            do="release them as empty cells (--missing-as empty)",
        )
    if not seen.codes:
        return microdata
    stored = relation.engine.store(
        exp.select(*(exp.column(n) for c in seen.relation.columns for n in (c.physical, c.as_written) if n))
        .from_(seen.relation.source())
        .order_by(exp.column(seen.relation.number)),
        seen.relation.columns,
    )
    return replace(microdata, relation=stored)


def _is_made(value: object) -> bool:
    return isinstance(value, int | float) and value <= FIRST_MADE


def _renamed(microdata: Microdata, names: tuple[str, ...]) -> Microdata:
    """Return the microdata under the names that the format allowed."""

    if tuple(column.name for column in microdata.columns) == names:
        return microdata
    relation = microdata.relation
    columns = [replace(column, name=name) for column, name in zip(relation.columns, names, strict=True)]
    dictionary = replace(
        microdata.dictionary,
        attributes=tuple(a.with_(name=n) for a, n in zip(microdata.dictionary, names, strict=True)),
    )
    return replace(microdata, relation=relation.renamed(columns), dictionary=dictionary)


def _claim_renamed(claim: Claim, names: Mapping[str, str]) -> Claim:
    cluster = names.get(claim.cluster, claim.cluster) if claim.cluster else None
    known = tuple(names.get(name, name) for name in claim.known)
    parameters = _parameters_renamed(claim.parameters, names)
    parts = tuple((measure, _parameters_renamed(given, names)) for measure, given in claim.parts)
    return replace(claim, known=known, cluster=cluster, parameters=parameters, parts=parts)


def _parameters_renamed(parameters: Mapping[str, Any], names: Mapping[str, str]) -> Mapping[str, Any]:
    """Return the parameters of a measure with the sensitive attribute under the name that it has in the file."""
    secret = parameters.get("sensitive")
    return {**parameters, "sensitive": names[secret]} if isinstance(secret, str) and secret in names else parameters


def write_parquet(table: pa.Table, path: Path, settings: Settings | None) -> None:
    """Write a table as a Parquet file, atomically."""
    import pyarrow.parquet as pq

    with atomic(path, force=False, settings=settings) as partial:
        pq.write_table(table, partial, compression="zstd")


def _table(columns: Mapping[str, Any]) -> pa.Table:
    import pyarrow as pa

    from tacita.risk.arrays import as_arrow

    return pa.table({name: as_arrow(values) for name, values in columns.items()})

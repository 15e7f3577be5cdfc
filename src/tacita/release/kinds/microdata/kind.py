"""The release of microdata that the cycle made safe: its parts, its claim, and the check of the claim on the file.

``release/`` holds the protected data, their dictionary, a report and a manifest. ``release.internal/`` holds the full
manifest, the log of decisions, the internal report and, if records were shuffled, their old places.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from sqlglot import exp

from tacita.attacks.microdata.relations.search import DerivationSearch
from tacita.cycle.outcome import Claim, Outcome
from tacita.cycle.plan import ChangeMethod
from tacita.engines.context import Context
from tacita.engines.published_codes import FIRST_MADE, published_codes
from tacita.errors import OutputError, listed
from tacita.ledger.disclosures import AttributeDisclosure, Disclosures
from tacita.ledger.persons import PersonHashes
from tacita.model.attribute import Category
from tacita.model.dictionary import MissingAs
from tacita.model.microdata import Microdata
from tacita.progress import Progress, Step
from tacita.release.kind import LedgerFacts, Released, Workplace
from tacita.release.kinds.microdata.claim import CLUSTERS, LINKS, ClaimVerification, verify_claim
from tacita.release.kinds.microdata.explain import DECISIONS
from tacita.release.kinds.microdata.external_report import external_report
from tacita.release.kinds.microdata.facts import internal_facts, public_facts
from tacita.release.kinds.microdata.internal_report import internal_report
from tacita.release.kinds.microdata.tuples import linked_records, released_tuples
from tacita.release.opening import OpenedRelease
from tacita.release.options import ReleaseOptions
from tacita.release.records.compared import Circumstances, ComparedRecords
from tacita.release.records.data_file import (
    DATA,
    ORDER,
    REPORT,
    released_ending,
    under_names,
    write_data,
    write_dictionary,
)
from tacita.release.records.derivable import check_derivable, cluster_key, derivable_notes, search_facts
from tacita.release.records.dictionary import released_dictionary
from tacita.release.records.disclosed import ReleasedRecordsOf, disclosed_records
from tacita.release.records.identifiers import undecided_identifiers, with_identifiers
from tacita.release.records.remedies import Leeway
from tacita.release.records.tuples import Tuples, fresh_seed, seed_notes, with_tuples

if TYPE_CHECKING:
    from tacita.risk.measure import Measure

_WITHOUT_CODES = (".parquet", ".pq", ".arrow", ".feather", ".ipc")
"""Endings of files in which a missing value has no code."""


class MicrodataKind:
    """Microdata with a claim about risk that anybody can check on the released file."""

    name: ClassVar = "release"
    options: ClassVar = ReleaseOptions
    needs_proof: ClassVar = True
    why_no_decisions: ClassVar = ("", "")

    def check(self, content: Outcome, options: ReleaseOptions, where: str) -> None:
        """Raise if the outcome is not safe."""
        if not content.is_safe:
            raise OutputError(
                content.verdict.removesuffix("."), where=where, do="see what would make it pass; nothing was written"
            )

    def source(self, content: Outcome) -> Path | None:
        """Return the file that the cycle read."""
        return Path(content.original.source.name)

    def draft(self, content: Outcome, options: ReleaseOptions, where: str, progress: Progress) -> MicrodataDraft:
        """Drop identifiers, shuffle, and look whether hidden values can be derived."""
        seed = fresh_seed() if options.seed is None else options.seed
        progress(Step("putting the release together"))
        outcome, dropped = _without_undecided(content)
        tuples = released_tuples(outcome, options, seed)
        progress(Step("looking whether hidden values can be derived"))
        search = _derivable(outcome, tuples, options, where)
        tuples = replace(tuples, derivable=search.derivations)
        ending, notes = released_ending(outcome.original.source)
        if options.shuffle or options.keep_clusters or options.weights is not None:
            notes += seed_notes(seed)
        notes = (*dropped, *notes, *derivable_notes(search))
        missing_as = MissingAs(outcome.claim.nulls.get("missing_as") or MissingAs.UNKNOWN)
        dictionary = released_dictionary(outcome.original, outcome.protected.dictionary, tuples, missing_as, ending)
        microdata = with_tuples(outcome.protected, tuples.relation).with_dictionary(dictionary)
        microdata = _with_codes_written(microdata, ending, outcome.claim.known)
        return MicrodataDraft(outcome, options, tuples, microdata, DATA + ending, seed, notes, search)

    def verify(
        self, release: OpenedRelease, faults: list[str], claim: Claim | None, own: Measure | None, context: Context
    ) -> ClaimVerification:
        """Measure the risk of the released file, and compare it with the claim."""
        return verify_claim(release, faults, claim, own, context)


@dataclass(frozen=True, slots=True, repr=False)
class MicrodataDraft:
    """A release of microdata while it is made."""

    outcome: Outcome
    options: ReleaseOptions
    tuples: Tuples
    microdata: Microdata
    file: str
    seed: int
    notes: tuple[str, ...]
    search: DerivationSearch
    """What was looked at for attributes that determine hidden cells."""
    checked: Mapping[str, Any] = field(default_factory=dict)
    """What the claim comes to on the written file, or why nobody could tell."""

    def write(self, folder: Workplace, progress: Progress) -> Self:
        """Write data, dictionary and report under the names that the format allows."""
        escape = self.options.escape_formulas
        written = write_data(folder, self.microdata, self.file, escape_formulas=escape, progress=progress)
        names = dict(zip(self.microdata.dictionary.names, written.dictionary.names, strict=True))
        microdata = under_names(self.microdata, written.dictionary.names).with_dictionary(written.dictionary)
        outcome = replace(self.outcome, claim=_rename_claim(self.outcome.claim, names))
        write_dictionary(folder, written)
        folder.text(REPORT, external_report(outcome, self.tuples, microdata))
        return replace(self, outcome=outcome, microdata=microdata, notes=(*self.notes, *written.notes))

    def public_facts(self) -> Mapping[str, Any]:
        """Return what everybody may know."""
        return public_facts(self.outcome, self.microdata, self.file)

    def keep(self, folder: Workplace) -> None:
        """Write the decisions, the old places, and what a claim about clusters or links is checked with."""
        import numpy as np
        import pyarrow as pa

        from tacita.engines.arrow import as_arrow

        outcome, tuples = self.outcome, self.tuples
        tuples.relation.engine.drop(tuples.relation)  # it is written, and the check needs the room
        folder.parquet(DECISIONS, outcome.decisions.table)
        if tuples.order is not None:
            columns = {"released": np.arange(1, len(tuples.order) + 1), "source": tuples.order}
            folder.parquet(ORDER, pa.table({name: as_arrow(values) for name, values in columns.items()}))
        if tuples.clusters is not None:
            batches = [batch.rename_columns(["cluster"]) for batch in tuples.clusters.batches()]
            schema = pa.schema([("cluster", pa.int64())])
            folder.parquet(CLUSTERS, pa.Table.from_batches(batches, None if batches else schema))
        links = self.options.links if self.options.links is not None else outcome.links
        if links is not None and outcome.claim.related:
            folder.parquet(LINKS, linked_records(outcome, links, tuples.order))

    def check(self, release: OpenedRelease, progress: Progress) -> Self:
        """Check the claim on the written file; raise if it does not hold, or cannot be checked and must be."""
        if not self.options.check:
            return self
        progress(Step("checking the claim on the written file"))
        engine = self.outcome.protected.relation.engine
        first = engine.new_table()
        try:
            verification = verify_claim(release, release.file_faults(), None, None, Context.of(engine))
        finally:
            engine.forget_between(first, engine.new_table())
        unchecked = verification.unchecked
        if wrong := [fault for fault in verification.faults if fault not in unchecked]:
            raise OutputError(
                f"the claim does not hold on the written file: {wrong[0]}",
                do="nothing was released; if weights were blurred, release them as they are, otherwise report this",
            )
        if unchecked and not self.options.unchecked:
            raise OutputError(
                f"the claim cannot be checked on the written file: {unchecked[0]}",
                do="nothing was released; take a measure that needs the file alone, or accept it with --unchecked",
            )
        if unchecked:
            return replace(self, checked={"why_not": unchecked})
        figures = ("unsafe", "unsafe_strict", "largest_risk")
        return replace(self, checked={name: getattr(verification, name) for name in figures})

    def report(self, folder: Workplace) -> None:
        """Write the page that stays inside."""
        page = internal_report(self._outcome_released, self.tuples, self.notes, self.checked, self.seed)
        folder.text(REPORT, page)

    def internal_facts(self) -> Mapping[str, Any]:
        """Return everything."""
        facts = internal_facts(self.outcome, self.tuples, self.seed, self.file, self.notes, self.checked)
        return {**facts, "derivable_search": search_facts(self.search)}

    def ledger_facts(self) -> LedgerFacts:
        """Return the plan in words, and how many cells were changed."""
        outcome = self.outcome
        decisions = {"changed_cells": outcome.decisions.per_attribute(), "recoded": outcome.recoded}
        source = Path(outcome.original.source.name)
        return LedgerFacts((source,), outcome.settings, decisions | {"notes": [*outcome.notes, *self.notes]})

    def disclosed(self, folder: Workplace, persons: PersonHashes | None) -> Disclosures:
        """Return the released values of each record."""
        tuples = self.tuples
        marks = dict.fromkeys((*tuples.pseudonymised, *tuples.renumbered), AttributeDisclosure.PSEUDONYM)
        if tuples.weights is not None:
            marks[tuples.weights.attribute] = AttributeDisclosure.PERTURBED
        columns = (tuples.relation.columns, self.microdata.columns)
        names = {before.name: after.name for before, after in zip(*columns, strict=True)}
        records = ReleasedRecordsOf(
            self.outcome.original, tuples.relation, tuples.order, names, marks, known=self.outcome.claim.known
        )
        return Disclosures(records=disclosed_records(folder, records, persons))

    def released(self, folder: Path, internal: Path) -> Released:
        """Return where the release is."""
        outcome = self._outcome_released
        notes = (*self.notes, *outcome.unchecked)
        return Released(
            folder,
            internal,
            (self.file,),
            outcome.verdict,
            outcome,
            outcome.records,
            notes,
            checked=not outcome.unchecked,
            is_derivable=outcome.is_derivable,
        )

    @property
    def _outcome_released(self) -> Outcome:
        """The outcome that says why nobody checked the written file, and whether hidden values can be derived."""
        outcome = replace(self.outcome, is_derivable=bool(self.tuples.derivable))
        if "unsafe" in self.checked:
            return outcome
        return replace(outcome, unchecked=tuple(self.checked.get("why_not", ())) or ("the check was left out",))


def _without_undecided(outcome: Outcome) -> tuple[Outcome, tuple[str, ...]]:
    """Return an outcome in which attributes that nobody decided on and that may name respondents are identifiers."""
    decided = [*outcome.claim.known, *filter(None, [outcome.claim.cluster])]
    names, notes = undecided_identifiers(outcome.protected, decided)
    if not names:
        return outcome, ()
    before, after = with_identifiers(outcome.original, names), with_identifiers(outcome.protected, names)
    return replace(outcome, original=before, protected=after), notes


def _derivable(outcome: Outcome, tuples: Tuples, options: ReleaseOptions, where: str) -> DerivationSearch:
    """Return what can be derived, if that is allowed; raise if it is not."""
    keys = frozenset({*tuples.pseudonymised, *tuples.renumbered})
    circumstances = Circumstances(
        keys,
        keys,
        frozenset({tuples.weights.attribute} if tuples.weights is not None else ()),
        frozenset(name for names in (outcome.settings.get("linked") or {}).values() for name in names),
        in_order=tuples.order is None,
    )
    origin = None if tuples.order is None else tuples.order - 1
    cluster = outcome.claim.cluster or cluster_key(outcome.original.dictionary)
    records = ComparedRecords.of(outcome.original.relation, tuples.relation, origin, circumstances, cluster)
    return check_derivable(records, _leeway(outcome, tuples), where, allow=options.allow_derivable)


def _leeway(outcome: Outcome, tuples: Tuples) -> Leeway:
    """Return what may be done to the attributes: what `--linked` and `--drop` accept."""
    dictionary, settings = outcome.protected.dictionary, outcome.settings
    known, weight = frozenset(outcome.claim.known), dictionary.weight
    coded = {name for option in ("recode", "top", "bottom", "intervals") for name in settings.get(option) or ()}
    is_suppression = settings.get("method") == ChangeMethod.SUPPRESSION
    fixed = {Category.IDENTIFIER, Category.CLUSTER_KEY, Category.WEIGHT}
    return Leeway(
        known,
        frozenset(known - coded if is_suppression else ()),
        frozenset(attribute.name for attribute in dictionary if attribute.category in fixed),
        weight if weight not in known else None,
        frozenset(tuples.renumbered),
        frozenset(tuples.pseudonymised),
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


def _rename_claim(claim: Claim, names: Mapping[str, str]) -> Claim:
    cluster = names.get(claim.cluster, claim.cluster) if claim.cluster else None
    known = tuple(names.get(name, name) for name in claim.known)
    parameters = _rename_parameters(claim.parameters, names)
    parts = tuple((measure, _rename_parameters(given, names)) for measure, given in claim.parts)
    return replace(claim, known=known, cluster=cluster, parameters=parameters, parts=parts)


def _rename_parameters(parameters: Mapping[str, Any], names: Mapping[str, str]) -> Mapping[str, Any]:
    """Return the parameters of a measure with the sensitive attribute under the name that it has in the file."""
    secret = parameters.get("sensitive")
    return {**parameters, "sensitive": names[secret]} if isinstance(secret, str) and secret in names else parameters

"""The release of masked microdata: which methods were used on which attributes, and what that cost.

``release/`` holds the data, their dictionary, further tables, a report and a manifest. ``release.internal/`` holds the
recipe with its seed, the figures of every step, what attackers achieved, and where each released record comes from.
Neither seed nor parameters are told outside, unless the steward decides to hand out the recipe, which then comes
without its seed and without what it says of attackers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.microdata.relations.search import DerivationSearch
from tacita.engines.context import Context
from tacita.errors import OutputError, UsageError, faults_text, listed
from tacita.files.contract import WriteOptions
from tacita.files.file_names import file_names
from tacita.files.formulas import escaped
from tacita.files.write import write
from tacita.ledger.disclosures import AttributeDisclosure, Disclosures
from tacita.ledger.persons import PersonHashes
from tacita.model.microdata import Microdata, Source
from tacita.progress import Progress, Step
from tacita.recipes.carry_out import MaskedMicrodata
from tacita.recipes.evaluation import UNGATED, Evaluation, has_limit, reasons_against
from tacita.recipes.recipe import Judgement, Recipe
from tacita.recipes.recipe_file import recipe_text
from tacita.release.kind import LedgerFacts, Released, Workplace
from tacita.release.kinds.masked.check import MaskedVerification, faults_of_written, verify_masked
from tacita.release.kinds.masked.recoded_alike import RecodedAlike
from tacita.release.kinds.masked.report import external_report, internal_report
from tacita.release.kinds.masked.tuples import released_tuples, taken_codes
from tacita.release.manifest import versions
from tacita.release.opening import OpenedRelease
from tacita.release.options import MaskedOptions
from tacita.release.records.compared import Circumstances, ComparedRecords
from tacita.release.records.data_file import (
    DATA,
    ORDER,
    REPORT,
    reading,
    released_ending,
    source_facts,
    write_data,
    write_dictionary,
)
from tacita.release.records.derivable import check_derivable, cluster_key, derivable_notes, search_facts
from tacita.release.records.dictionary import released_dictionary
from tacita.release.records.disclosed import ReleasedRecordsOf, disclosed_records, invented_records
from tacita.release.records.identifiers import identifiers_of, undecided_identifiers, with_identifiers
from tacita.release.records.remedies import Leeway
from tacita.release.records.tuples import Tuples, seed_notes, with_tuples
from tacita.views.evaluation import headline
from tacita.views.json_values import plain

if TYPE_CHECKING:
    from tacita.cycle.outcome import Claim
    from tacita.risk.measure import Measure

RECIPE = "recipe.toml"


class ReleasedRecords(Released):
    """Masked records that were released."""

    __slots__ = ()


class AttackedRecords(Protocol):
    """Masked records, and what attackers achieved: what `tacita.mask` returns."""

    @property
    def masked(self) -> MaskedMicrodata:
        """The records."""

    @property
    def evaluation(self) -> Evaluation:
        """What attackers achieved."""


class MaskedKind:
    """Microdata after a recipe, as they were attacked."""

    name: ClassVar = "masked release"
    options: ClassVar = MaskedOptions
    needs_proof: ClassVar = False
    why_no_decisions: ClassVar = (
        "these data were masked as a whole: no decision was made about a single cell",
        "read report.html and recipe.toml in its internal folder",
    )

    def check(self, content: AttackedRecords, options: MaskedOptions, where: str) -> None:
        """Raise if a limit of the recipe is not kept, or if there is none, and nobody insists."""
        recipe = content.masked.recipe
        check_ungated(recipe, ungated=options.ungated)
        if not has_limit(recipe) and not options.ungated:
            raise OutputError(
                f"{UNGATED}. {headline(content.evaluation).removesuffix('.')}",
                where=where,
                do="add accept = SHARE to [attack] of the recipe, or release without a limit with --ungated (Python: "
                "MaskedOptions(ungated=True)), which is recorded; nothing was written",
            )
        against = reasons_against(recipe, content.evaluation)
        if against and not options.anyway:
            raise OutputError(faults_text(against), where=where, do="change the recipe; nothing was written")

    def source(self, content: AttackedRecords) -> Path | None:
        """Return the file that was masked."""
        return Path(content.masked.original.source.name)

    def draft(self, content: AttackedRecords, options: MaskedOptions, where: str, progress: Progress) -> MaskedDraft:
        """Drop identifiers, shuffle, and look whether hidden values can be derived."""
        progress(Step("putting the release together"))
        masked, dropped = _without_undecided(content.masked, where)
        assert masked.recipe.seed is not None
        tuples = released_tuples(masked, masked.recipe.seed, shuffle=options.shuffle)
        ending, notes = released_ending(masked.original.source)
        before, after, changed = masked.original, masked.released.dictionary, frozenset(masked.changed)
        dictionary = released_dictionary(before, after, tuples, after.missing_as, ending, changed)
        taken = taken_codes(masked)
        notes += tuple(f"codes of missing values of '{name}' became values: missing cells are empty" for name in taken)
        if options.shuffle or any(done.is_random for done in masked.steps):
            notes += seed_notes(masked.recipe.seed)
        search = _derivable(masked, tuples, options, where)
        tuples = replace(tuples, derivable=search.derivations)
        notes = (*dropped, *notes, *derivable_notes(search))
        microdata = with_tuples(masked.released, tuples.relation).with_dictionary(dictionary)
        return MaskedDraft(masked, content.evaluation, options, tuples, microdata, DATA + ending, notes, where, search)

    def verify(
        self, release: OpenedRelease, faults: list[str], claim: Claim | None, own: Measure | None, context: Context
    ) -> MaskedVerification:
        """Compare the files with those that were attacked: there is no claim to measure on the file alone."""
        return verify_masked(release, faults)


def check_ungated(recipe: Recipe, *, ungated: bool) -> None:
    """Raise if a release without a limit is asked for, and the recipe has a limit."""
    if has_limit(recipe) and ungated:
        raise UsageError(
            "a release without a limit is asked for, but the recipe has one (accept)",
            do="leave out --ungated (Python: ungated), or take 'accept' out of the recipe",
        )


@dataclass(frozen=True, slots=True, repr=False)
class MaskedDraft:
    """A release of masked microdata while it is made."""

    masked: MaskedMicrodata
    evaluation: Evaluation
    options: MaskedOptions
    tuples: Tuples
    microdata: Microdata
    file: str
    notes: tuple[str, ...]
    where: str
    search: DerivationSearch
    """What was looked at for attributes that determine hidden cells."""
    names: tuple[str, ...] = ()
    """The attributes under the names that the format allows."""
    tables: Mapping[str, str] | None = None
    """The files of further tables, by name."""

    def write(self, folder: Workplace, progress: Progress) -> Self:
        """Write data, dictionary, further tables, report and, if it is published, the recipe."""
        escape = self.options.escape_formulas
        written = write_data(folder, self.microdata, self.file, escape_formulas=escape, progress=progress)
        microdata = escaped(self.microdata) if escape else self.microdata
        write_dictionary(folder, written)
        tables = _write_tables(self.masked, folder)
        if self.options.publish_recipe:
            folder.text(RECIPE, recipe_text(_published(self.masked.recipe), with_seed=False))
        page = external_report(
            self.masked, self.evaluation, self.tuples, microdata, tables, is_ungated=self.options.ungated
        )
        folder.text(REPORT, page)
        notes = (*self.notes, *written.notes)
        return replace(self, microdata=microdata, notes=notes, names=written.dictionary.names, tables=tables)

    def public_facts(self) -> Mapping[str, Any]:
        """Return what everybody may know: methods and attributes, and nothing of parameters or seeds."""
        masked = self.masked
        return {
            "data": self.file,
            "tables": dict(self.tables or {}),
            "versions": versions(),
            "methods": [
                {"method": step.method, "attributes": list(done.attributes)}
                for step, done in zip(masked.recipe.steps, masked.steps, strict=True)
            ],
            "records_are_invented": masked.origin is None,
            "ungated": self.options.ungated,
            "reading": reading(self.microdata),
        }

    def keep(self, folder: Workplace) -> None:
        """Write the recipe with its seed, and where each record comes from."""
        import pyarrow as pa

        folder.text(RECIPE, recipe_text(self.masked.recipe))
        if self.masked.origin is not None:
            origins = _origins(self.masked.origin, self.tuples)
            columns = {"released": np.arange(1, len(origins) + 1), "source": origins + 1}
            folder.parquet(ORDER, pa.table(columns))

    def check(self, release: OpenedRelease, progress: Progress) -> Self:
        """Compare the written file with the records that were attacked."""
        identifiers = identifiers_of(self.masked.original, self.masked.released)
        if wrong := faults_of_written(release, self.microdata, self.names, identifiers):
            raise OutputError(
                f"the written file is not what was attacked: {wrong[0]}",
                where=self.where,
                do="nothing was released; write another format (tacita convert), and report this",
            )
        return self

    def report(self, folder: Workplace) -> None:
        """Write the page that stays inside."""
        page = internal_report(
            self.masked,
            self.evaluation,
            self._all_notes,
            self._against,
            is_ungated=self.options.ungated,
            derivable=self.tuples.derivable,
        )
        folder.text(REPORT, page)

    def internal_facts(self) -> Mapping[str, Any]:
        """Return everything."""
        masked, tuples = self.masked, self.tuples
        return {
            "data": self.file,
            "versions": versions(),
            "source": source_facts(masked.original),
            "records": tuples.relation.count(),
            "steps": [
                {
                    "step": step.label,
                    "attributes": list(done.attributes),
                    "promises": done.promises,
                    "limits": done.limits,
                    "figures": plain(done.figures),
                    "notes": list(done.notes),
                }
                for step, done in zip(masked.recipe.steps, masked.steps, strict=True)
            ],
            "evaluation": self.evaluation.to_dict(),
            "ungated": self.options.ungated,
            "released_against": self._against,
            "identifiers": list(identifiers_of(masked.original, masked.released)),
            "dropped": [*tuples.dropped, *masked.dropped],
            "shuffled": tuples.order is not None,
            "derivable": [derivation.to_dict() for derivation in tuples.derivable],
            "derivable_search": search_facts(self.search),
            "notes": self._all_notes,
        }

    def ledger_facts(self) -> LedgerFacts:
        """Return the recipe without its seed, and the verdict of the evaluation."""
        masked = self.masked
        recipe = {"recipe": recipe_text(masked.recipe, with_seed=False)}
        decisions = {"against": self._against, "ungated": self.options.ungated, "notes": self._all_notes}
        return LedgerFacts((Path(masked.original.source.name),), recipe, decisions)

    def disclosed(self, folder: Workplace, persons: PersonHashes | None) -> Disclosures:
        """Return the values of attributes that are as in the source; of others only that they were changed."""
        masked, relation = self.masked, self.tuples.relation
        names = {column.name: name for column, name in zip(relation.columns, self.names, strict=True)}
        notes = tuple(f"the further table '{name}' is not described" for name in masked.beside)
        if masked.origin is None:
            return Disclosures(records=invented_records(relation, names), notes=notes)
        origins, changed = _origins(masked.origin, self.tuples) + 1, AttributeDisclosure.PERTURBED
        records = ReleasedRecordsOf(masked.original, relation, origins, names, changed_as=changed)
        return Disclosures(records=disclosed_records(folder, records, persons), notes=notes)

    def released(self, folder: Path, internal: Path) -> ReleasedRecords:
        """Return where the release is."""
        is_derivable = bool(self.tuples.derivable)
        records = self.tuples.relation.count()
        self.tuples.relation.engine.drop(self.tuples.relation)
        return ReleasedRecords(
            folder,
            internal,
            (self.file, *(self.tables or {}).values()),
            headline(self.evaluation, is_derivable=is_derivable),
            self.masked,
            records,
            self.notes,
            is_derivable=is_derivable,
        )

    @property
    def _all_notes(self) -> list[str]:
        return [*self.masked.notes, *self.notes]

    @property
    def _against(self) -> list[str]:
        return reasons_against(self.masked.recipe, self.evaluation)


def _without_undecided(masked: MaskedMicrodata, where: str) -> tuple[MaskedMicrodata, tuple[str, ...]]:
    """Return masked records in which undecided attributes that may name respondents are identifiers."""
    in_source, _ = undecided_identifiers(masked.original)
    if beside := [name for table in masked.beside.values() for name in table.names if name in in_source]:
        raise OutputError(
            f"{listed(beside)} may name respondents, has no category, and would be released in a table of its own",
            where=where,
            do="give it a category; nothing was written",
        )
    names, notes = undecided_identifiers(masked.released)
    if not names:
        return masked, ()
    before, after = with_identifiers(masked.original, names), with_identifiers(masked.released, names)
    return replace(masked, original=before, released=after), notes


def _derivable(masked: MaskedMicrodata, tuples: Tuples, options: MaskedOptions, where: str) -> DerivationSearch:
    """Return what can be derived, if that is allowed; raise if it is not."""
    if masked.origin is None:
        return DerivationSearch()
    records = _compared(masked, tuples, masked.origin)
    leeway = Leeway(drop_option="--identifier", recoded=RecodedAlike(masked, _compared, shuffle=options.shuffle))
    return check_derivable(records, leeway, where, allow=options.allow_derivable)


def _compared(masked: MaskedMicrodata, tuples: Tuples, origin: NDArray[np.int64]) -> ComparedRecords:
    circumstances = Circumstances(in_order=tuples.order is None, only_coarsened=True)
    cluster = cluster_key(masked.original.dictionary)
    origins = _origins(origin, tuples)
    return ComparedRecords.of(masked.original.relation, tuples.relation, origins, circumstances, cluster)


def _origins(origin: NDArray[np.int64], tuples: Tuples) -> NDArray[np.int64]:
    """Return the place of the original of each released record, in the order of the release."""
    return origin if tuples.order is None else origin[tuples.order - 1]


def _published(recipe: Recipe) -> Recipe:
    """Return the steps alone: what the intruder was supposed to know, and what is accepted, helps nobody else.

    Of a file that a step reads the name is told, not the folder that it lies in.
    """
    steps = []
    for step in recipe.steps:
        file = step.parameters.get("file")
        named = {**step.parameters, "file": Path(file).name} if isinstance(file, str) and file else step.parameters
        steps.append(replace(step, parameters=named))
    return recipe.with_(steps=tuple(steps), judgement=Judgement())


def _write_tables(masked: MaskedMicrodata, folder: Workplace) -> dict[str, str]:
    """Write further tables as CSV; return their files by name."""
    from tacita.engines.records import as_arrow_table
    from tacita.model.attribute import Attribute
    from tacita.model.dictionary import Dictionary

    files: dict[str, str] = {}
    engine = masked.released.relation.engine
    # What moved to another table keeps its type: a date is a date there too.
    types = {column.name: column.type for column in masked.original.columns if column.name in masked.dropped}
    for name, stem in zip(masked.beside, file_names(list(masked.beside)), strict=True):
        table = as_arrow_table(masked.beside[name], types)
        relation = engine.adopt(table.to_batches(), table.schema)
        dictionary = Dictionary(name, tuple(Attribute(column.name) for column in relation.columns))
        files[name] = f"{stem}.csv"
        microdata = Microdata(relation, dictionary, Source(files[name], "CSV"))
        write(microdata, folder.path / files[name], WriteOptions(), folder.settings)
        engine.drop(relation)
    return files

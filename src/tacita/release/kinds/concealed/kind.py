"""The release of a file with concealed cells.

``release/`` holds the data with hidden cells empty, their dictionary, the tokens or the list of hidden cells, a report
and a manifest. ``release.internal/`` holds the keys, who each record is about, what each group hides and why, what
attackers reached, and the dependencies that an intruder is supposed to know.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from tacita.concealment.concealment import Concealment
from tacita.concealment.keys import KeyStore, Tokens, read_master_key
from tacita.engines.context import Context
from tacita.errors import OutputError
from tacita.files.formulas import escaped
from tacita.ledger.disclosures import AttributeDisclosure, Disclosures
from tacita.ledger.persons import PersonHashes
from tacita.model import dictionary_file
from tacita.model.attribute import Attribute, Category, Kind
from tacita.model.dictionary import Dictionary
from tacita.model.microdata import Microdata
from tacita.model.relation import ColumnType
from tacita.progress import Progress, Step
from tacita.release.kind import LedgerFacts, Released, Workplace
from tacita.release.kinds.concealed.check import (
    GROUPS,
    ConcealedVerification,
    faults_of_concealed,
    verify_concealed,
)
from tacita.release.kinds.concealed.options import ConcealedOptions, HideAs
from tacita.release.kinds.concealed.report import external_report, internal_report
from tacita.release.kinds.concealed.sealed import (
    ATTRIBUTE,
    HIDDEN,
    KEYS,
    RECORD,
    RECORDS,
    SOURCE_DICTIONARY,
    TOKENS,
    SealingKeys,
    keys_for,
    sealed_cells,
    token_table,
)
from tacita.release.kinds.concealed.tuples import ConcealedTuples, concealed_tuples, places_of
from tacita.release.manifest import versions
from tacita.release.opening import OpenedRelease
from tacita.release.records.data_file import (
    DATA,
    REPORT,
    reading,
    released_ending,
    source_facts,
    write_data,
    write_dictionary,
)
from tacita.release.records.dictionary import released_dictionary
from tacita.release.records.disclosed import ReleasedRecordsOf, disclosed_records
from tacita.release.records.identifiers import identifiers_of, undecided_identifiers
from tacita.release.records.tuples import random_order, seed_notes, with_tuples
from tacita.views.json_values import plain

if TYPE_CHECKING:
    from tacita.cycle.outcome import Claim
    from tacita.risk.measure import Measure


class ReleasedConcealment(Released):
    """A file with concealed cells that was released."""

    __slots__ = ()


class ConcealedKind:
    """Microdata with cells that persons keep to themselves."""

    name: ClassVar = "concealed release"
    options: ClassVar = ConcealedOptions
    needs_proof: ClassVar = False
    why_no_decisions: ClassVar = ("", "")

    def check(self, content: Concealment, options: ConcealedOptions, where: str) -> None:
        """Raise if a confidential cell can be derived: such a concealment is not released."""
        if content.derivations.derived:
            raise OutputError("confidential cells can be derived", where=where, do="report this; nothing was written")
        if not options.shuffle and not content.in_order:
            raise OutputError(
                "nobody looked whether the order of the records tells hidden cells",
                where=where,
                do="shuffle the records, or conceal them with in_order=True; nothing was written",
            )

    def source(self, content: Concealment) -> Path | None:
        """Return the file that was concealed."""
        return Path(content.original.source.name)

    def draft(self, content: Concealment, options: ConcealedOptions, where: str, progress: Progress) -> ConcealedDraft:
        """Seal hidden cells, empty them, shuffle."""
        progress(Step("putting the release together"))
        undecided, _ = undecided_identifiers(content.original)
        if named := [name for name in undecided if name in content.attributes]:
            raise OutputError(
                f"'{named[0]}' may name respondents and has no category", where=where, do="give it a category"
            )
        records = content.original.relation.count()
        order = random_order(records, content.seed) if options.shuffle else None
        keys: SealingKeys | None = None
        sealed: tuple[Tokens, ...] = ()
        if options.hide_as is HideAs.TOKEN:
            assert options.key is not None
            keys = keys_for(content, options, read_master_key(options.key))
            sealed = sealed_cells(content, keys, places_of(order, records), fresh=options.fresh, progress=progress)
        in_cells = sealed if options.in_cells else ()
        tuples = concealed_tuples(content, order, numbered=options.hide_as is not HideAs.EMPTY, in_cells=in_cells)
        ending, notes = released_ending(content.original.source)
        if order is not None or content.hidden.is_decoy.any():
            notes += seed_notes(content.seed)
        microdata = _described(content, tuples, ending)
        return ConcealedDraft(content, options, tuples, microdata, DATA + ending, notes, where, keys, sealed)

    def verify(
        self, release: OpenedRelease, faults: list[str], claim: Claim | None, own: Measure | None, context: Context
    ) -> ConcealedVerification:
        """Check that hidden cells are empty, and that nothing confidential follows from the released file."""
        return verify_concealed(release, faults, context)


def _described(content: Concealment, released: ConcealedTuples, ending: str) -> Microdata:
    """Return the released records with a dictionary of just what is there."""
    before = content.original
    dictionary = before.dictionary
    if released.record_id is not None:
        number = Attribute(
            released.record_id, Category.NON_IDENTIFYING, Kind.TEXT, "Number of the record, drawn for this release"
        )
        dictionary = replace(dictionary, attributes=(number, *dictionary.attributes))
    names = [column.name for column in released.tuples.relation.columns]
    dictionary = replace(dictionary, attributes=tuple(a for a in dictionary if a.name in names), scenarios={})
    cut = released_dictionary(before, dictionary, released.tuples, dictionary.missing_as, ending)
    microdata = replace(before, dictionary=dictionary)
    return with_tuples(microdata, released.tuples.relation).with_dictionary(cut)


@dataclass(frozen=True, slots=True, repr=False)
class ConcealedDraft:
    """A release of a file with concealed cells while it is made."""

    content: Concealment
    options: ConcealedOptions
    concealed: ConcealedTuples
    microdata: Microdata
    file: str
    notes: tuple[str, ...]
    where: str
    keys: SealingKeys | None = field(repr=False)
    sealed: tuple[Tokens, ...] = field(repr=False)
    names: tuple[str, ...] = ()
    """The attributes under the names that the format allows."""

    def write(self, folder: Workplace, progress: Progress) -> Self:
        """Write data, dictionary, tokens or the list of hidden cells, and the report."""
        escape = self.options.escape_formulas
        written = write_data(folder, self.microdata, self.file, escape_formulas=escape, progress=progress)
        microdata = escaped(self.microdata) if escape else self.microdata
        write_dictionary(folder, written)
        if self.sealed and not self.options.in_cells:
            folder.parquet(TOKENS, token_table(self.sealed))
        elif self.options.hide_as is not HideAs.EMPTY:
            folder.parquet(HIDDEN, self._hidden_table())
        folder.text(REPORT, external_report(self.content, self.options, microdata, self.concealed))
        return replace(self, microdata=microdata, notes=(*self.notes, *written.notes), names=written.dictionary.names)

    def _hidden_table(self) -> Any:
        import pyarrow as pa
        import pyarrow.compute as pc

        places = places_of(self.concealed.tuples.order, self.content.original.relation.count())
        masks = self.content.hidden.masks()
        records = np.concatenate([places[mask] for mask in masks.values()])
        names = [name for name, mask in masks.items() for _ in range(int(mask.sum()))]
        table = pa.table({RECORD: pa.array(records), ATTRIBUTE: pa.array(names, pa.string())})
        return table.take(pc.sort_indices(table.column(RECORD)))

    def public_facts(self) -> Mapping[str, Any]:
        """Return what a reader of the file must know."""
        return {
            "data": self.file,
            "versions": versions(),
            "hidden_as": self.options.hide_as.value,
            "tokens": None if not self.sealed else "cells" if self.options.in_cells else TOKENS,
            "record_id": self.concealed.record_id,
            "data_set": None if self.keys is None else self.keys.data_set,
            "concealed": {self._file_names()[name]: name for name in self.content.counts},
            "types": self._types_before(),
            "reading": reading(self.microdata),
        }

    def _types_before(self) -> dict[str, str]:
        """Return the types of concealed attributes that are not text; in text files everything is."""
        if self.microdata.source.format in {"CSV", "TSV"}:
            return {}
        types = {column.name: column.type for column in self.content.original.columns}
        names = {name: self._file_names()[name] for name in self.content.counts}
        return {own: types[name].value for name, own in names.items() if types[name] is not ColumnType.TEXT}

    def _file_names(self) -> dict[str, str]:
        """Return the name of each attribute in the file: some formats allow only short ones."""
        own = [column.name for column in self.concealed.tuples.relation.columns]
        return dict(zip(own, self.names or own, strict=True))

    def keep(self, folder: Workplace) -> None:
        """Write who each record is about, what groups hide and why, dependencies, and the keys."""
        import json

        import pyarrow as pa

        hidden, persons = self.content.hidden, self.content.persons
        places = places_of(self.concealed.tuples.order, len(hidden.of_record))
        rows = np.argsort(places)
        names = pa.array(persons.names, pa.string())
        table = {
            "record": places[rows],
            "source": rows + 1,
            "person": names.take(pa.array(persons.of_record[rows])),
            "group": hidden.of_record[rows],
            "decoy": hidden.is_decoy[rows],
        }
        folder.parquet(RECORDS, pa.table(table))
        folder.text(SOURCE_DICTIONARY, dictionary_file.dumps(self._source_dictionary()))
        folder.text(GROUPS, json.dumps(self._groups(), ensure_ascii=False) + "\n")
        if self.keys is not None and isinstance(self.keys.keys, KeyStore):
            self.keys.keys.write(folder.path / KEYS, settings=folder.settings)

    def _source_dictionary(self) -> Dictionary:
        """Return what the source's dictionary says of the released attributes: labels of hidden values, too."""
        dictionary = self.content.original.dictionary
        kept = tuple(a.with_(hierarchy="", hierarchy_rule={}) for a in dictionary if a.name in self.content.attributes)
        return replace(dictionary, attributes=kept, scenarios={})

    def _groups(self) -> dict[str, Any]:
        """Return what each group hides and why, and the dependencies that an intruder is supposed to know."""
        groups = [
            {
                "confidential": list(one.confidential),
                "extra": {name: [way.in_words for way in one.reasons(name)] for name in one.extra},
                "protects": {name: sorted({w.confidential for w in one.reasons(name)}) for name in one.extra},
            }
            for one in self.content.hidden.groups
        ]
        knowledge = self.content.knowledge.to_dict(self._file_names())
        return {"groups": groups, "knowledge": knowledge, "bounds": list(self.content.discovery.bounds)}

    def check(self, release: OpenedRelease, progress: Progress) -> Self:
        """Read the written files back: hidden cells are empty, and nothing confidential follows."""
        with Context.of(self.microdata.relation.engine) as context:
            if wrong := faults_of_concealed(release, context, progress):
                raise OutputError(
                    f"the written file is not what was attacked: {wrong[0]}",
                    where=self.where,
                    do="nothing was released; write another format (tacita convert), and report this",
                )
        return self

    def report(self, folder: Workplace) -> None:
        """Write the page that stays inside."""
        folder.text(REPORT, internal_report(self.content, self.options, self.notes))

    def internal_facts(self) -> Mapping[str, Any]:
        """Return everything but keys and persons."""
        content, tuples = self.content, self.concealed.tuples
        sealed = None
        if self.keys is not None:
            sealed = {
                "data_set": self.keys.data_set,
                "derived": not isinstance(self.keys.keys, KeyStore),
                "key_check": self.keys.check.hex(),
                "widths": {one.attribute: one.width for one in self.sealed},
            }
        return {
            "data": self.file,
            "versions": versions(),
            "source": source_facts(content.original),
            "records": tuples.relation.count(),
            "names": self._file_names(),
            "hidden_cells": content.hidden.cells,
            "concealment": plain(content.to_dict()),
            "sealed": sealed,
            "seed": content.seed,
            "identifiers": list(identifiers_of(content.original, content.original)),
            "dropped": list(tuples.dropped),
            "shuffled": tuples.order is not None,
            "notes": [*content.notes, *self.notes],
        }

    def ledger_facts(self) -> LedgerFacts:
        """Return what was asked for, and how many cells are hidden."""
        content = self.content
        recipe = {"plan": content.plan, "hide_as": self.options.hide_as.value}
        decisions = {"hidden_cells": content.hidden.cells, "by_attribute": dict(content.counts), "notes": self.notes}
        return LedgerFacts((Path(content.original.source.name),), recipe, decisions)

    def disclosed(self, folder: Workplace, persons: PersonHashes | None) -> Disclosures:
        """Return the values of each record that are not hidden."""
        tuples = self.concealed.tuples
        marks = dict.fromkeys(self.content.hidden.masks(), AttributeDisclosure.CONCEALED)
        if self.concealed.record_id is not None:
            marks[self.concealed.record_id] = AttributeDisclosure.SYNTHETIC
        original = self.content.original
        records = ReleasedRecordsOf(original, tuples.relation, tuples.order, self._file_names(), marks)
        return Disclosures(records=disclosed_records(folder, records, persons))

    def released(self, folder: Path, internal: Path) -> ReleasedConcealment:
        """Return where the release is."""
        tuples = self.concealed.tuples
        records = tuples.relation.count()
        tuples.relation.engine.drop(tuples.relation)
        beside = [] if self.options.hide_as is HideAs.EMPTY else [HIDDEN]
        beside = [TOKENS] if self.sealed and not self.options.in_cells else beside
        return ReleasedConcealment(
            folder, internal, (self.file, *beside), self.content.verdict, self.content, records, self.notes
        )

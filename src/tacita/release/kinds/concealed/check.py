"""Whether a file with concealed cells is what it says: hidden cells empty, and nothing confidential to be derived.

The released file alone is attacked, by the dependencies that the internal folder lists. Nothing of what chose the
hidden cells is used.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.dependencies.concealed_file import ConcealedFile
from tacita.concealment.intruder import SupposedKnowledge, derived_from, seen_records
from tacita.concealment.keys.tokens import Tokens, place_of_tag
from tacita.concealment.texts import texts_of
from tacita.engines.context import Context
from tacita.errors import InputError, TacitaError, counted
from tacita.files.read import read
from tacita.model.microdata import Microdata
from tacita.progress import Progress, silent
from tacita.release.kind import Verification
from tacita.release.kinds.concealed.sealed import ATTRIBUTE, HIDDEN, KEYS, RECORD, RECORDS, TOKENS, parquet_table
from tacita.release.opening import OpenedRelease
from tacita.release.records.data_file import identifier_faults, reading_options
from tacita.release.records.dictionary import SPSS

if TYPE_CHECKING:
    import pyarrow as pa

Mask = NDArray[np.bool_]

GROUPS = "groups.json"
_CHANGED_KEYS = f"{KEYS} of the internal folder was changed"


@dataclass(frozen=True, slots=True, repr=False)
class ConcealedVerification(Verification):
    """What was found in a release of a file with concealed cells."""

    records: int = 0
    hidden: int = 0
    bounds: tuple[str, ...] = ()
    """What was not looked for when the cells were hidden."""

    @property
    def verdict(self) -> str:
        """The answer in a sentence."""
        if not self.holds:
            return "The release does not keep what it promises."
        if not self.with_proof:
            return "The files are those of the manifest; what was hidden is known to the internal folder alone."
        within = " by the dependencies that were looked for" if self.bounds else ""
        return f"No attack derives a confidential cell{within}: {counted(self.hidden, 'hidden cell')}."


def verify_concealed(release: OpenedRelease, faults: list[str], context: Context) -> ConcealedVerification:
    """Return what holds of a release; persons may have been erased from its key store, or their keys wrapped anew."""
    faults = [fault for fault in faults if fault != _CHANGED_KEYS]
    full = release.manifest
    if full:
        try:
            faults = faults + faults_of_concealed(release, context, context.progress)
        except TacitaError as error:
            faults = [*faults, error.found]
    groups = groups_of(release) if full and not faults else {}
    return ConcealedVerification(
        release.folder,
        tuple(faults),
        bool(full),
        records=int(full.get("records", 0)),
        hidden=int(full.get("hidden_cells", 0)),
        bounds=tuple(groups.get("bounds", ())),
    )


def faults_of_concealed(release: OpenedRelease, context: Context, progress: Progress = silent) -> list[str]:
    """Return what is wrong with the released file, in words without a value."""
    engine = context.engine
    first = engine.new_table()
    try:
        microdata = read(str(release.data), engine, reading_options(release.public, progress))
        faults = identifier_faults(microdata, release.manifest)
        table = release.table(RECORDS)
        if microdata.relation.count() != len(table):
            return [*faults, "its number of records is not that of the release"]
        hidden = ReleasedMasks.of(groups_of(release), table, release.manifest["names"])
        faults += [*_shown(microdata, hidden, release), *_unlisted(hidden, release)]
        return faults or _derived(microdata, hidden, release, progress)
    finally:
        engine.forget_between(first, engine.new_table())


def groups_of(release: OpenedRelease) -> dict[str, Any]:
    """Return what groups of records hide and why, and what an intruder is supposed to know."""
    path = release.internal / GROUPS
    try:
        groups = json.loads(path.read_text(encoding="utf-8"))
        return {name: groups[name] for name in ("groups", "knowledge", "bounds")}
    except (OSError, ValueError, KeyError, TypeError):
        raise InputError("is missing or damaged", where=str(path), do="restore the internal folder") from None


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedMasks:
    """Which records hide an attribute, by its name in the file, and which of these because it is confidential."""

    hidden: dict[str, Mask]
    confidential: dict[str, Mask]

    @classmethod
    def of(cls, groups: Mapping[str, Any], records: pa.Table, names: Mapping[str, str]) -> ReleasedMasks:
        """Return the masks of a release from what its internal folder lists."""
        of_record = np.asarray(records.column("group"))
        masks = cls({}, {})
        for name, own in names.items():
            confidential = np.array([name in one["confidential"] for one in groups["groups"]], dtype=bool)
            extra = np.array([name in one["extra"] for one in groups["groups"]], dtype=bool)
            if (confidential | extra)[of_record].any():
                masks.hidden[own] = (confidential | extra)[of_record]
                masks.confidential[own] = confidential[of_record]
        return masks


def _shown(microdata: Microdata, masks: ReleasedMasks, release: OpenedRelease) -> Iterator[str]:
    """Yield which attributes show a cell that should be hidden: neither empty nor, where they are there, a token."""
    in_cells = release.public.get("tokens") == "cells"
    for own, mask in masks.hidden.items():
        (texts,) = texts_of(microdata.relation, [own])
        cells = [texts[row] for row in np.flatnonzero(mask)]
        if in_cells:
            tokens = Tokens.from_text(own, range(1, len(cells) + 1), cells).tokens.to_pylist()
            shown = sum(token is None or place_of_tag(token) is None for token in tokens)
        else:
            nothing = {None, ""} if release.data.suffix in SPSS else {None}  # SPSS has no other empty text
            shown = sum(cell not in nothing for cell in cells)
        if shown:
            yield f"{counted(shown, 'hidden cell')} of '{own}' can be read"


def _unlisted(masks: ReleasedMasks, release: OpenedRelease) -> Iterator[str]:
    """Yield the file beside the data if it lists other cells than those that are hidden."""
    beside = next((name for name in (TOKENS, HIDDEN) if (release.folder / name).is_file()), None)
    if beside is None:
        return
    table = parquet_table(release.folder / beside)
    if not {RECORD, ATTRIBUTE} <= {*table.schema.names}:
        yield f"{beside} is not a list of hidden cells"
        return
    listed = set(zip(table.column(RECORD).to_pylist(), table.column(ATTRIBUTE).to_pylist(), strict=True))
    names = release.public["concealed"]
    hidden = {(int(row) + 1, names[own]) for own, mask in masks.hidden.items() for row in np.flatnonzero(mask)}
    if listed != hidden:
        yield f"{beside} does not list the hidden cells"


def _derived(microdata: Microdata, masks: ReleasedMasks, release: OpenedRelease, progress: Progress) -> list[str]:
    """Return how many confidential cells follow from the released file.

    The file does not hold the hidden values, so that attacks by known totals are those of the release itself.
    """
    numbered = release.public.get("record_id")
    names = [column.name for column in microdata.columns if column.name != numbered]
    words = groups_of(release)["knowledge"]
    knowledge = SupposedKnowledge.from_dict(words).comparable(microdata)
    file = ConcealedFile(
        seen_records(microdata, names, knowledge.distances),
        masks.hidden,
        masks.confidential,
        knowledge.dependencies,
        totals=(),
        domains=(),
        lists_all=knowledge.lists_all,
        distances=knowledge.distances,
    )
    derived = derived_from(file, progress).derived
    return [f"{counted(derived, 'confidential cell')} can be derived"] if derived else []

"""The intruder that a concealment is tried on: what of the file they see, what they know, and what they derive.

The intruder sees every cell that is not hidden and which cells are hidden, knows the dependencies that were found and,
where these are all that hold, that no other one does; and how often each value of each attribute occurs. The attacks
are those of `tacita.attacks.dependencies`, which share no code with what chooses the cells to hide.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from tacita.attacks.dependencies.chase import chase
from tacita.attacks.dependencies.concealed_file import (
    ConcealedFile,
    KnownCondition,
    KnownDependency,
    ValueDistance,
)
from tacita.attacks.dependencies.derivations import Derivations
from tacita.attacks.dependencies.exclusion import exclude
from tacita.concealment.hidden_cells import HiddenCells
from tacita.dependencies.dependency import Dependency, Discovery
from tacita.engines.published_codes import published_codes
from tacita.engines.records import records_of
from tacita.errors import listed
from tacita.model.microdata import Microdata
from tacita.model.records import Records
from tacita.model.relation import ColumnType
from tacita.progress import Progress, silent

_OF_A_DAY = {ColumnType.TIMESTAMP: 86_400_000_000.0}
"""How many units of a moment make a day, in which thresholds are given."""
_KNOWN = frozenset({"absolute-difference", "days", "levenshtein"})
"""The similarities that the attackers know."""


@dataclass(frozen=True, slots=True)
class SupposedKnowledge:
    """What an intruder is supposed to know besides what the file shows."""

    dependencies: tuple[KnownDependency, ...] = ()
    lists_all: bool = False
    """Whether these are all exact dependencies: then the intruder knows that no other one holds."""
    distances: Mapping[str, ValueDistance] = field(default_factory=lambda: MappingProxyType({}))
    """How values are compared that have a threshold."""

    def to_dict(self, names: Mapping[str, str]) -> dict[str, Any]:
        """Return it in words of JSON, with other names for the attributes."""
        return {
            "dependencies": [
                {
                    "left": [names[name] for name in one.left],
                    "right": names[one.right],
                    "thresholds": {names[name]: limit for name, limit in one.thresholds.items()},
                    "error": one.error,
                    "group": None if one.condition is None else [names[one.condition.attribute], one.condition.value],
                }
                for one in self.dependencies
            ],
            "lists_all": self.lists_all,
            "distances": {names[name]: distance for name, distance in self.distances.items()},
        }

    def comparable(self, microdata: Microdata) -> SupposedKnowledge:
        """Return what can be used on a file in which numbers may have become text: such attributes are compared by
        equality, and what is near their values is not derived."""
        texts = {column.name for column in microdata.columns if column.type is ColumnType.TEXT}
        changed = {name for name, distance in self.distances.items() if distance == "difference" and name in texts}
        kept = [one for one in self.dependencies if one.right not in changed]
        return SupposedKnowledge(
            tuple(
                replace(one, thresholds={n: limit for n, limit in one.thresholds.items() if n not in changed})
                for one in kept
            ),
            self.lists_all,
            {name: distance for name, distance in self.distances.items() if name not in changed},
        )

    @classmethod
    def from_dict(cls, words: Mapping[str, Any]) -> SupposedKnowledge:
        """Return what `to_dict` put into words."""
        known = tuple(
            KnownDependency(
                tuple(one["left"]),
                one["right"],
                one["thresholds"],
                one["error"],
                condition=None if one["group"] is None else KnownCondition(*one["group"]),
            )
            for one in words["dependencies"]
        )
        return cls(known, bool(words["lists_all"]), dict(words["distances"]))


@dataclass(frozen=True, slots=True)
class FileIntruder:
    """An intruder who tries any concealment of a file."""

    truth: Records = field(repr=False)
    knowledge: SupposedKnowledge
    notes: tuple[str, ...]
    """What the intruder is not supposed to know, since no attacker can use it."""

    @classmethod
    def of(cls, microdata: Microdata, discovery: Discovery, similarity: Mapping[str, str]) -> FileIntruder:
        """Return the intruder who knows the dependencies of a search.

        `similarity` names how attributes were compared, where that was not as by default.
        """
        types = {column.name: column.type for column in microdata.columns}
        given = dict(discovery.relaxation.distances)
        strange = [name for name in given if name in similarity and similarity[name] not in _KNOWN]
        limits = {name: limit * _OF_A_DAY.get(types[name], 1.0) for name, limit in given.items() if name not in strange}
        usable = [one for one in discovery.dependencies if one.right not in strange]
        notes = []
        if strange:
            notes.append(
                f"attackers compare {listed(strange)} by equality, and do not derive it: they know differences, days "
                "and edits only"
            )
        knowledge = SupposedKnowledge(
            tuple(_known(one, limits) for one in usable),
            discovery.is_complete and discovery.relaxation.is_exact,
            {name: "edits" if types[name] is ColumnType.TEXT else "difference" for name in limits},
        )
        return cls(seen_records(microdata, discovery.attributes, limits), knowledge, tuple(notes))

    def file(self, hidden: HiddenCells) -> ConcealedFile:
        """Return the file as an intruder meets it, with the truth by which attacks are scored."""
        return ConcealedFile(
            self.truth,
            {name: hidden.hidden(name) for name in self.truth.names},
            {name: hidden.confidential(name) for name in self.truth.names},
            self.knowledge.dependencies,
            lists_all=self.knowledge.lists_all,
            distances=self.knowledge.distances,
        )

    def derive(self, hidden: HiddenCells, progress: Progress = silent) -> Derivations:
        """Return what the intruder derives: by exclusion and the chase, then by what holds for most records."""
        return derived_from(self.file(hidden), progress)


def derived_from(file: ConcealedFile, progress: Progress = silent) -> Derivations:
    """Return what is derived of a file; what is only likely is derived if nothing is certain."""
    certain = exclude(file, progress=progress)
    if certain.derived or not any(one.error for one in file.dependencies):
        return certain
    likely = chase(file, progress=progress)
    return replace(likely, notes=tuple(dict.fromkeys((*certain.notes, *likely.notes))))


def seen_records(microdata: Microdata, names: Sequence[str], by_distance: Collection[str]) -> Records:
    """Return attributes as somebody sees them who reads the file: codes of missing values are values.

    Where values are compared by distance, such codes are missing.
    """
    codes = published_codes(
        microdata.relation, microdata.dictionary, [name for name in names if name not in by_distance]
    )
    return records_of(replace(microdata, relation=codes.relation), names)


def _known(one: Dependency, limits: Mapping[str, float]) -> KnownDependency:
    own = {name: limits[name] for name in (*one.left, one.right) if name in limits}
    condition = KnownCondition(one.condition.attribute, one.condition.value) if one.condition else None
    return KnownDependency(one.left, one.right, own, one.error_at_most, condition=condition)

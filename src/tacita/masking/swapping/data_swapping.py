"""Data swapping: records that agree on some attributes exchange their values of another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, counted, listed
from tacita.masking.method import Treated
from tacita.masking.preconditions import between, each_named_once
from tacita.model.records import Numbers, Records, Values, strata
from tacita.progress import Progress, Step, silent


@dataclass(frozen=True, slots=True)
class DataSwapping:
    """Values of an attribute are exchanged between pairs of records, so that chosen margins stay exactly as they were.

    To swap attribute s, partners must agree on every other attribute that stands beside s in one of `margins`. The pair
    then has the same combinations in each of these tables before and after, so every margin named is kept, by each swap
    and hence by all. Margins of a single attribute, and of attributes that are not swapped, are kept anyway. With
    `together` the attributes of a record move as one, so tables among them are kept as well.

    `share` of the records that could be swapped are drawn at random and paired at random within the sets that agree; a
    pair with equal values changes nothing, and in a set of odd size one record stays out. Records without a partner
    keep their value, and a note tells how many. Numbers are swapped as they are. Missing values stay where they are,
    and with them what should move together; for the agreement missing is a value.

    Source: T. Dalenius and S. Reiss, Data-swapping: a technique for disclosure control, Journal of Statistical Planning
    and Inference 6 (1982); the condition of agreement is the simple sufficient one for keeping tables.

    >>> from tacita.model.records import Categories
    >>> people = Records({
    ...     "sex": Categories.of(["f", "f", "m", "m"]), "illness": Categories.of(["flu", "none", "flu", "cold"]),
    ... })
    >>> method = DataSwapping(("illness",), share=1, margins=(("sex", "illness"),))
    >>> found = method.treated(people, np.random.default_rng(1)).records.categories("illness")
    >>> [found.values[code] for code in found.codes]
    ['none', 'flu', 'cold', 'flu']
    """

    name: ClassVar[str] = "data-swapping"
    promises: ClassVar[str] = "Every margin named, and that of each attribute, is kept exactly."
    limits: ClassVar[str] = "Records without a partner keep their value; tables that are not named are distorted."
    is_random: ClassVar[bool] = True

    attributes: tuple[str, ...]
    share: float = 0.5
    """The share of records that take part, of those that have partners."""
    margins: tuple[tuple[str, ...], ...] = ()
    """Tables, by their attributes, that must stay as they are."""
    together: bool = False
    """Whether the values of all attributes move as one."""

    def __post_init__(self) -> None:
        each_named_once(self.attributes, self.name)
        between(self.share, 0, 1, "share")
        for margin in self.margins:
            each_named_once(margin, "margins")

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return the records with values exchanged."""
        records.only({name: None for margin in self.margins for name in margin})  # a name that is unknown raises
        units = [self.attributes] if self.together else [(name,) for name in self.attributes]
        swapped, notes, changed = records, [], np.zeros(len(records), dtype=bool)
        for place, unit in enumerate(units):
            progress(Step(self.name, place, len(units)))
            agreed = sorted({n for margin in self.margins if set(unit) & set(margin) for n in margin} - set(unit))
            source, alone = self._source(swapped, unit, agreed, random)
            if alone and not agreed:
                raise InputError(
                    f"{listed(unit)} of a single record has nothing to be swapped with",
                    do="treat more records together, or leave the attribute out",
                )
            if alone:
                notes.append(f"{counted(alone, 'record')} kept {listed(unit)}: no other agrees on {listed(agreed)}")
            if incomplete := _incomplete(swapped, unit):
                notes.append(f"{counted(incomplete, 'record')} kept {listed(unit)}: a part is missing")
            for name in unit:
                changed |= _differs(swapped[name], source)
            swapped = swapped.with_columns({name: swapped[name].taken(source) for name in unit})
        figures = {"share changed": float(changed.mean()) if len(records) else 0.0}
        return Treated.in_place(swapped, figures=figures, notes=tuple(notes))

    def _source(
        self, records: Records, unit: Sequence[str], agreed: Sequence[str], random: np.random.Generator
    ) -> tuple[NDArray[np.int64], int]:
        """Return the place from which each record takes its value, and how many records had no partner."""
        source = np.arange(len(records))
        present = np.flatnonzero(~np.any([records[name].missing for name in unit], axis=0))
        alone = 0
        pairs: list[NDArray[np.int64]] = []
        for part in strata(records.only(agreed or unit).taken(present), agreed):
            rows = random.permutation(present[part])
            alone += len(rows) == 1
            exact = self.share * len(rows) / 2
            # Rounding at random keeps the share in small sets too.
            count = min(int(exact + random.random()), len(rows) // 2)
            pairs.append(rows[: 2 * count].reshape(-1, 2))
        if pairs:
            swapped = np.concatenate(pairs)
            source[swapped[:, 0]], source[swapped[:, 1]] = swapped[:, 1], swapped[:, 0]
        return source, alone


def _differs(column: Values, source: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return where a record takes another value than it had."""
    cells: NDArray[Any] = column.values if isinstance(column, Numbers) else column.codes
    differs: NDArray[np.bool_] = (cells != cells[source]) & ~column.missing
    return differs


def _incomplete(records: Records, unit: Sequence[str]) -> int:
    """Return how many records have a part of what moves together, and miss another."""
    missing = np.array([records[name].missing for name in unit])
    return int((missing.any(axis=0) & ~missing.all(axis=0)).sum())

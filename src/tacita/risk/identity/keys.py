"""Unsafe keys: which crossings of a few attributes have cells with too few records (mu-Argus)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations as sets_of
from math import comb
from typing import TYPE_CHECKING, Any, ClassVar

from tacita.errors import UsageError
from tacita.model.relation import ColumnType
from tacita.progress import Progress, Step, silent
from tacita.risk.combinations import adopted, codes, of_each_record
from tacita.risk.frequencies import has_nulls
from tacita.risk.identity.cells import Cells
from tacita.risk.measure import RISK, ROW, Risks, Specification, stored_risks
from tacita.risk.null_semantics import Semantics
from tacita.risk.sample import Sample

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

UNSAFE_KEYS = "unsafe_keys"


@dataclass(frozen=True, slots=True)
class Keys:
    """Risk 1 for a record in an unsafe cell of any key of up to so many attributes, 0 otherwise.

    A key is a set of attributes, a cell a combination of values that occurs on it. A cell is unsafe if at most D
    records have it, where D is the threshold of the key: `most_records` is one for all, or one for each dimension.
    The notebook of Eustat on mu-Argus calls rare what appears less than D times, but safe what appears more than D
    times, and with D = 1 it counts cells of one record; sdcMicro's riskyCells takes D itself for unsafe too.

    A null as a category is a value. Otherwise it is part of no cell: the record lies in the cells of smaller keys that
    it has values for. By maybe-match it counts in each cell that it may lie in.
    """

    dimension: int = 3
    most_records: int | tuple[int, ...] = 1
    threshold: float = 0.5
    name: ClassVar[str] = "keys"
    is_costly: ClassVar[bool] = True
    is_told_elsewhere: ClassVar[bool] = True
    strictest: ClassVar[Semantics] = Semantics.STANDARD
    """There are no shares of a match here; a null that counts in no cell protects most."""

    def __post_init__(self) -> None:
        if self.dimension < 1:
            raise UsageError(f"the dimension is {self.dimension}", do="give a number of attributes from 1 on")
        given = self.most_records if isinstance(self.most_records, tuple) else (self.most_records,)
        if isinstance(self.most_records, tuple) and len(given) != self.dimension:
            raise UsageError(
                f"there are {len(given)} thresholds for {self.dimension} dimensions",
                do="give one threshold, or one for each dimension from 1 on",
            )
        if min(given) < 0:
            raise UsageError(f"the threshold of a cell is {min(given)}", do="give a number of records from 0 on")

    def most(self, dimension: int) -> int:
        """Return how many records an unsafe cell of a key of that many attributes has at most."""
        return self.most_records if isinstance(self.most_records, int) else self.most_records[dimension - 1]

    @classmethod
    def by_default(cls, sample: Sample, k: int) -> Keys:
        """Return the measure as it is taken if nobody chose one."""
        return cls()

    def lacks(self, sample: Sample) -> list[str]:
        """Return nothing: records and what the intruder knows are enough."""
        return []

    def risks(self, sample: Sample, progress: Progress = silent) -> Risks:
        """Return in how many keys each record is unsafe; the keys and attributes with most unsafe cells in tables."""
        import numpy as np

        crossed = Cells.of(codes(sample), sample.nulls)
        unsafe_keys = np.zeros(len(crossed.counts), dtype=np.int64)
        keys: list[dict[str, Any]] = []
        by_attribute = dict.fromkeys(sample.known, 0)
        for key in self._keys(len(sample.known), progress):
            most = self.most(len(key))
            cells, lies = crossed.unsafe(key, most)
            unsafe_keys += lies
            names = [sample.known[place] for place in key]
            keys.append(
                {
                    "attributes": " x ".join(names),
                    "dimension": len(key),
                    "threshold": most,
                    "unsafe_cells": cells,
                    "unsafe_records": int(crossed.counts[lies].sum()),
                }
            )
            for name in names:
                by_attribute[name] += cells
        arrays = {RISK: (unsafe_keys > 0).astype(np.float64), UNSAFE_KEYS: unsafe_keys}
        plan = of_each_record(sample, adopted(sample, arrays), list(arrays))
        columns = {ROW: ColumnType.INTEGER, RISK: ColumnType.NUMBER, UNSAFE_KEYS: ColumnType.INTEGER}
        figures = {
            "keys": float(len(keys)),
            "unsafe_keys": float(sum(key["unsafe_cells"] > 0 for key in keys)),
            "unsafe_cells": float(sum(key["unsafe_cells"] for key in keys)),
            "unsafe_records": float(crossed.counts[unsafe_keys > 0].sum()),
        }
        tables = {
            "keys": sorted(keys, key=lambda row: -row["unsafe_cells"]),
            "attributes": [{"attribute": name, "unsafe_cells": cells} for name, cells in by_attribute.items()],
        }
        records = stored_risks(sample.engine, plan, columns)
        return Risks(self.name, self.threshold, records, figures, tables, _notes(sample))

    def unsafe_sets(self, sample: Sample) -> tuple[Array, Array]:
        """Return the sets of attributes in which combinations are unsafe: number from 0 and attributes as bits."""
        import numpy as np

        crossed = Cells.of(codes(sample), sample.nulls)
        combinations, masks = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
        for key in self._keys(len(sample.known), silent):
            unsafe = np.flatnonzero(crossed.unsafe(key, self.most(len(key)))[1])
            combinations.append(unsafe)
            masks.append(np.full(len(unsafe), sum(1 << place for place in key), dtype=np.int64))
        return np.concatenate(combinations), np.concatenate(masks)

    def _keys(self, attributes: int, progress: Progress) -> Iterator[tuple[int, ...]]:
        """Yield the keys, small ones first, and in the order of their attributes."""
        sizes = range(1, min(self.dimension, attributes) + 1)
        total = sum(comb(attributes, size) for size in sizes)
        done = 0
        for size in sizes:
            for key in sets_of(range(attributes), size):
                progress(Step("counting the cells of keys", done, total))
                yield key
                done += 1

    def reason(self, sample: Sample, record: Mapping[str, Any]) -> str:
        """Return in how many keys the record lies in an unsafe cell."""
        known = len(sample.known)
        dimension = min(self.dimension, known)
        total = sum(comb(known, size) for size in range(1, dimension + 1))
        upto = f"keys of up to {dimension} attribute{'s' if dimension > 1 else ''}"
        return f"in an unsafe cell of {record[UNSAFE_KEYS]:,} of {total:,} {upto}"

    def specification(self, sample: Sample) -> Specification | None:
        """Return nothing: there are no rules for this."""
        return None


def _notes(sample: Sample) -> list[str]:
    if sample.nulls.are_values or not has_nulls(sample):
        return []
    notes = ["a record without a value lies in no cell of a key with that attribute"]
    if not sample.nulls.are_strict and sample.nulls.semantics is not Semantics.MAYBE_MATCH:
        notes.append(f"a null may be any value: '{sample.nulls}' is not used here")
    return notes

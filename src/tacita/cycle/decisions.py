"""The decisions of a cycle: one for each change of a cell, kept as columns, since there may be a million of them.

A decision holds no value of the data: levels, risks and names of attributes only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tacita.engines.arrow import array, as_arrow, equal
from tacita.model.decision import EVERY_RECORD, Alternative, Decision

if TYPE_CHECKING:
    import pyarrow as pa

COLUMNS = (
    "step",
    "row",
    "attribute",
    "from_level",
    "to_level",
    "rule",
    "risk_before",
    "risk_after",
    "alternatives",
)


def schema() -> pa.Schema:
    """Return the columns of a log of decisions."""
    import pyarrow as pa

    alternative = pa.struct([("action", pa.string()), ("reason", pa.string())])
    kinds = (
        pa.int64(),
        pa.int64(),
        pa.string(),
        pa.int32(),
        pa.int32(),
        pa.string(),
        pa.float64(),
        pa.float64(),
        pa.list_(alternative),
    )
    return pa.schema(list(zip(COLUMNS, kinds, strict=True)))


def _alternatives(of_rows: list[list[dict[str, str]]]) -> pa.Array:
    import numpy as np
    import pyarrow as pa

    kind = schema().field(COLUMNS[-1]).type
    flat = [one for own in of_rows for one in own]
    parts = [array([one[name] for one in flat], pa.string()) for name in ("action", "reason")]
    starts = as_arrow(np.cumsum([0, *map(len, of_rows)], dtype=np.int32))
    return pa.ListArray.from_arrays(starts, pa.StructArray.from_arrays(parts, fields=list(kind.value_type)), type=kind)


@dataclass(frozen=True, slots=True)
class Decisions:
    """All decisions of a cycle, in the order of their steps; ``row`` counts the records of the source from 1.

    A ``to_level`` that is null is a labelled null. Decisions about one cell follow each other: a value may be rolled up
    and suppressed later.

    >>> log = Decisions.of([Decision(1, 15, "Sector", 0, None, "local suppression", 1.0, 0.2)])
    >>> print(*log.of_cell(15, "Sector"))
    step 1: Sector of tuple 15 suppressed by 'local suppression': risk 1 -> 0.2
    """

    table: pa.Table

    @classmethod
    def of(cls, decisions: Iterable[Decision]) -> Decisions:
        """Return a log of single decisions."""
        import pyarrow as pa

        rows = [decision.to_dict() for decision in decisions]
        kinds = schema()
        columns = [array([row[kind.name] for row in rows], kind.type) for kind in list(kinds)[:-1]]
        return cls(pa.Table.from_arrays([*columns, _alternatives([row[COLUMNS[-1]] for row in rows])], schema=kinds))

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __iter__(self) -> Iterator[Decision]:
        for batch in self.table.to_batches(max_chunksize=10_000):
            yield from map(_decision, batch.to_pylist())

    def of_cell(self, row: int, attribute: str) -> list[Decision]:
        """Return the decisions about one cell, in their order; none if it was not changed."""
        import pyarrow.compute as pc

        here = pc.and_(equal(self.table["row"], row), equal(self.table["attribute"], attribute))
        return [_decision(entry) for entry in self.table.filter(here).to_pylist()]

    def of_record(self, row: int) -> list[Decision]:
        """Return the decisions about one record, in their order."""
        return [_decision(entry) for entry in self.table.filter(equal(self.table["row"], row)).to_pylist()]

    def per_attribute(self) -> dict[str, tuple[int, int]]:
        """Return for each attribute that was changed how many cells were suppressed, and how many recoded only.

        Whole columns that were rolled up are not counted: they are decisions about no single record.
        """
        import pyarrow.compute as pc

        single = self.table.filter(pc.invert(equal(self.table["row"], EVERY_RECORD)))
        counts: dict[str, tuple[int, int]] = {}
        # One attribute after the other: the groups of pyarrow come with its data sets, and these import pandas.
        for attribute in pc.unique(single["attribute"]).to_pylist():
            changed = single.filter(equal(single["attribute"], attribute))
            cells = len(pc.unique(changed["row"]))
            suppressed = len(pc.unique(changed.filter(pc.is_null(changed["to_level"]))["row"]))
            counts[attribute] = (suppressed, cells - suppressed)
        return counts


def _decision(row: dict[str, Any]) -> Decision:
    alternatives = tuple(Alternative(a["action"], a["reason"]) for a in row["alternatives"] or ())
    return Decision(
        row["step"],
        row["row"],
        row["attribute"],
        row["from_level"],
        row["to_level"],
        row["rule"],
        row["risk_before"],
        row["risk_after"],
        alternatives,
    )

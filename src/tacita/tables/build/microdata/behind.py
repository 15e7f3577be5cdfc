"""Who stands behind the cells of a table built from microdata."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tacita.engines.arrow import as_codes, as_numpy
from tacita.engines.protocol import Relation
from tacita.model.hierarchy import text_of
from tacita.model.table import Contributions
from tacita.tables.build.linked import System
from tacita.tables.build.microdata.coding import encoded, leaf_places, streamed
from tacita.tables.build.microdata.layers import summed
from tacita.tables.build.microdata.layout import MicrodataLayout
from tacita.tables.build.microdata.plans import leaf_contributors, leaf_largest
from tacita.tables.build.microdata.ranked import RankedRows, ranked
from tacita.tables.build.microdata.records import TabulatedRecords, settled


@dataclass(frozen=True, slots=True)
class Behind:
    """The records and the cells with these keys, from which contributions follow."""

    system: System
    relation: Relation
    layout: MicrodataLayout
    missing: Mapping[str, str]
    columns: Sequence[str]
    records: TabulatedRecords
    keys: NDArray[np.int64]
    where: str

    def contributions(
        self,
        totals: pa.Table,
        leaves: NDArray[np.int64],
        values: NDArray[np.float64],
        counts: NDArray[np.float64],
    ) -> Contributions:
        """Return the contributors of each cell: those of the contributor column, or else each record."""
        if self.layout.contributor is not None:
            return self._by(self.layout.contributor, values)
        if self.layout.response is None:
            return self._ones(totals, leaves, values, counts)
        rows = streamed(self.relation, leaf_largest(self.relation, self.layout, self.columns))
        ranking = self._ranked(rows, as_numpy(rows.column("who")).astype(np.int64))
        # These rows are the largest of each leaf only: what all records make together comes from the totals.
        absolutes = None
        if self.records.negative:
            absolutes = summed(self.system, leaves, as_numpy(totals.column("absolute"))[:, None], self.keys)[:, 0]
        return replace(ranking, counts=np.round(counts).astype(np.int64), totals=values, absolutes=absolutes)

    def holdings(self, values: NDArray[np.float64]) -> Contributions | None:
        """Return the holdings behind each cell, if there are any; a contributor in none is one of its own."""
        return self._by(self.layout.holding, values) if self.layout.holding else None

    def _by(self, column: str, values: NDArray[np.float64]) -> Contributions:
        of_holdings = column == self.layout.holding
        alone = self.records.without_holding if of_holdings else self.records.without_contributor
        plan = leaf_contributors(self.relation, self.layout, self.columns, column, alone=alone)
        rows = streamed(self.relation, plan)
        who, waived = _numbered(rows, self.layout.waivers)
        ranking = self._ranked(rows, who, waived)
        return replace(ranking, totals=values)

    def _ranked(self, rows: pa.Table, who: NDArray[np.int64], waived: NDArray[np.bool_] | None = None) -> Contributions:
        weighted = ("weighted", "weight", "records") if self.layout.weight else ()
        figures = {name: as_numpy(rows.column(name)) for name in ("response", *weighted)}
        requested = as_numpy(rows.column("requested")) > 0 if self.layout.request else None
        if self.layout.waiver:
            marked = as_numpy(rows.column("waived")) > 0
            waived = marked if waived is None else waived | marked
        given = RankedRows(
            leaf_places(self.system, rows, self.missing, self.where),
            who,
            **figures,
            requested=requested,
            waived=waived,
            signed=self.records.negative,
        )
        ranking = ranked(self.system, given, self.keys, self.layout.largest)
        return replace(ranking, largest=settled(ranking.largest, self.records.response_decimals))

    def _ones(
        self,
        totals: pa.Table,
        leaves: NDArray[np.int64],
        values: NDArray[np.float64],
        counts: NDArray[np.float64],
    ) -> Contributions:
        """Return the contributions to a frequency table in which each record is one contributor: ones."""
        first = as_numpy(totals.column("first"))
        single = as_numpy(totals.column("records")) == 1
        who = summed(self.system, leaves, np.where(single, first, 0.0)[:, None], self.keys)[:, 0]
        whole = np.round(counts).astype(np.int64)
        weights = np.divide(values, counts, out=np.ones(len(counts)), where=counts > 0)
        return Contributions(
            np.minimum(whole, 1).astype(np.float64)[:, None],
            np.where(whole == 1, who, -1).astype(np.int64)[:, None],
            (weights if self.layout.weight else np.ones(len(whole)))[:, None],
            whole,
            values,
        )


def _numbered(rows: pa.Table, waivers: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.bool_] | None]:
    """Return the number of each row's contributor, in the order of their names, and whether it is among the waivers.

    Contributors without a name, each alone, come last.
    """
    names, numbers = _in_order(rows.column("who"))
    people = len(names)
    if "alone" in rows.column_names:
        others, alone = _in_order(rows.column("alone"))
        numbers = np.where(numbers < 0, alone + people, numbers)
        people += len(others)
    if not waivers:
        return numbers, None
    waived = np.zeros(people, bool)
    ranks = _ranks(names)
    for place, name in enumerate(names.to_pylist()):
        waived[ranks[place]] = text_of(name) in waivers
    return numbers, waived[numbers]


def _in_order(column: pa.ChunkedArray) -> tuple[pa.Array, NDArray[np.int64]]:
    """Return the different values of a column, and for each row the rank of its value (-1: missing)."""
    codes = encoded(column)
    numbers = as_codes(codes.indices, -1).astype(np.int64)
    if not len(codes.dictionary):
        return codes.dictionary, numbers
    return codes.dictionary, np.where(numbers < 0, -1, _ranks(codes.dictionary)[numbers])


def _ranks(values: pa.Array) -> NDArray[np.int64]:
    ranks = np.empty(len(values), np.int64)
    ranks[as_numpy(pc.sort_indices(values).cast(pa.int64()))] = np.arange(len(values))
    return ranks

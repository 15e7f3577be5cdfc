"""The records behind the tables of a specification, read once more: where each lies, and what cells are made of."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sqlglot import exp

from tacita.attacks.tables.derivable_cells import AuditedResponse
from tacita.attacks.tables.hidden_sums import random_marks
from tacita.attacks.tables.table_audit import AuditOptions
from tacita.engines.context import Context
from tacita.engines.plans.terms import as_double
from tacita.tables.build.from_specification import layouts_of, read_microdata
from tacita.tables.build.linked import linked
from tacita.tables.build.microdata.coding import leaf_places, streamed
from tacita.tables.build.microdata.layers import summed
from tacita.tables.protect.protected import ProtectedTable
from tacita.tables.specification.specification import DimensionPlan, TableSpecification

Numbers = NDArray[np.float64]


class RecordsBehind:
    """The codes and the responses of all records, in one order."""

    def __init__(self, specification: TableSpecification) -> None:
        self._specification = specification
        self._microdata = read_microdata(specification.data, Context().engine)
        relation, data = self._microdata.relation, specification.data
        names = dict.fromkeys(name for table in specification.tables for name in table.dimensions)
        self._columns = {name: plan_of(specification, name).column or name for name in names}
        numbers = dict.fromkeys(name for name in (*specification.responses, data.weight, data.frequency) if name)
        codes = dict.fromkeys(self._columns.values())
        terms = [exp.alias_(relation.physical([name])[0], f"c{at}") for at, name in enumerate(codes)]
        terms += [exp.alias_(as_double(relation.physical([name])[0]), f"n{at}") for at, name in enumerate(numbers)]
        rows = streamed(relation, exp.select(*terms).from_(relation.source()))
        self._codes = {name: rows.column(f"c{at}") for at, name in enumerate(codes)}
        self._numbers = {name: _doubles(rows.column(f"n{at}")) for at, name in enumerate(numbers)}
        self._marks = random_marks(rows.num_rows)

    def values(self, response: str) -> Numbers:
        """Return a response of each record, nan where it is missing."""
        return self._numbers[response]

    def audited(self, protected: ProtectedTable, response: str) -> AuditedResponse:
        """Return the tables of a response, with the records behind them."""
        table, case, data = protected.table, protected.case, self._specification.data
        layouts = layouts_of(self._specification, self._microdata, response)
        system = linked([(layout.name, layout.dimensions) for layout in layouts])
        missing = {name: code for layout in layouts for name, code in layout.missing.items()}
        times = self._numbers[data.frequency] if data.frequency and not response else np.ones(len(self._marks))
        if response and data.missing_response == "leave_out":
            times = np.isfinite(self._numbers[response]).astype(np.float64)
        some = np.flatnonzero(times > 0)
        columns = [self._codes[self._columns[one.name]] for one in system.dimensions]
        rows = pa.table({f"d{at}": column for at, column in enumerate(columns)} | {"records": pa.array(times)})
        leaves = leaf_places(system, rows.take(pa.array(some)), missing, f"'{self._microdata.name}'")
        weights = self._numbers[data.weight] if data.weight else np.ones(len(times))
        figures = np.column_stack([self._marks, times * weights])[some]
        keys = system.key(table.codes.astype(np.int64))
        order = np.argsort(keys)
        sums = np.empty((len(keys), 3))
        sums[order] = summed(system, leaves, figures, keys[order])
        knowledge = case.knowledge
        if protected.lower is not None and protected.upper is not None:
            lower, upper = np.fmax(knowledge.lower, protected.lower), np.fmin(knowledge.upper, protected.upper)
            knowledge = replace(knowledge, lower=lower, upper=upper)
        return AuditedResponse(
            table,
            protected.withheld,
            protected.values,
            case.levels,
            knowledge,
            protected.audit.intervals,
            leaves,
            sums[:, :2],
            sums[:, 2],
            some,
            AuditOptions(
                minimum_frequency=case.minimum_frequency, union_is_sensitive=case.union_is_sensitive, explain=0
            ),
        )


def plan_of(specification: TableSpecification, name: str) -> DimensionPlan:
    """Return what a specification says of a dimension."""
    return specification.dimensions.get(name) or DimensionPlan(name)


def _doubles(column: pa.ChunkedArray) -> Numbers:
    return np.array(column.to_pylist() if column.null_count else column.to_numpy(), dtype=np.float64)

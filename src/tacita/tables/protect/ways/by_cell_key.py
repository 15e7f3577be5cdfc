"""Protection by the cell key method: noise on counts that is the same wherever the same records are counted."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from tacita.attacks.tables.promises import check_perturbed, check_same
from tacita.attacks.tables.result import Audit
from tacita.attacks.tables.rounded_table import audit_perturbed
from tacita.engines.context import Context
from tacita.errors import UsageError
from tacita.model.table import Table
from tacita.progress import Progress, Step
from tacita.tables.build.from_specification import read_microdata
from tacita.tables.build.microdata.coding import coded, streamed
from tacita.tables.cell_key.cell_keys import cell_keys
from tacita.tables.cell_key.perturbation_table import PerturbationTable, design, perturb
from tacita.tables.cell_key.record_keys import given_keys, record_keys
from tacita.tables.protect.case import TableCase
from tacita.tables.protect.protected import ProtectedTable
from tacita.tables.protect.published import PublishedTable, every_figure
from tacita.tables.protect.verdict import promise_verdict, require_publishable
from tacita.tables.specification.fields import entry
from tacita.tables.specification.specification import DimensionPlan, TableSpecification

READING = "Counts have a little noise, the same in every table with the same respondents; sums need not add up."


@dataclass(frozen=True, slots=True)
class CellKeyWay:
    """Counts get noise from the keys of their records: the same wherever the same records are counted.

    `key` is a column with a number in [0, 1) for each record; `identifier` instead is a column of which and of the seed
    the keys are made.
    """

    maximum: int = entry(3, least=1)
    """The largest change."""
    variance: float = entry(1.0, least=0, above=True)
    smallest: int = 0
    """The largest positive count that is never published."""
    key: str | None = None
    identifier: str | None = None

    name: ClassVar[str] = "cell_key"

    def protect(self, case: TableCase, specification: TableSpecification, progress: Progress) -> ProtectedTable:
        """Return the table with noise on its counts."""
        require_publishable(case, self.name)
        noise = design(self.maximum, self.variance, smallest=self.smallest)
        progress(Step("making cell keys"))
        keys = self._keys_of_cells(case.table, specification)
        noisy = perturb(case.table, keys, noise)
        verdict = self._verdict(case, noisy.values, progress)
        return ProtectedTable(
            case,
            self.name,
            np.zeros(len(case.table), np.int8),
            noisy.values,
            verdict,
            figures={"largest_change": noisy.largest, "total_change": noisy.total},
            reading=(READING,),
            notes=noisy.notes,
            implied=_implied(noisy.values, noise),
        )

    def judge(
        self, case: TableCase, specification: TableSpecification, published: PublishedTable, progress: Progress
    ) -> Audit:
        """Return the verdict on counts with noise; where the keys are at hand, it must be the noise that they make."""
        values = every_figure(case, published, self.name)
        if not case.table.is_count:
            raise UsageError(
                "cell keys are for tables of counts", where=f"table '{case.table.name}'", do="name another --method"
            )
        verdict = self._verdict(case, values, progress)
        if not verdict.passed:
            return verdict
        has_keys = self.key is not None or (self.identifier is not None and specification.protect.seed is not None)
        if not has_keys or specification.data.microdata is None:
            note = "the record keys are not at hand: whether the noise is what they make was not checked"
            return replace(verdict, notes=(*verdict.notes, note))
        progress(Step("making cell keys"))
        noise = design(self.maximum, self.variance, smallest=self.smallest)
        own = perturb(case.table, self._keys_of_cells(case.table, specification), noise).values
        check = check_same(case.table, values, own, "other noise than the record keys make")
        return verdict if check.passed else promise_verdict(case, check)

    def _verdict(self, case: TableCase, published: NDArray[np.float64], progress: Progress) -> Audit:
        check = check_perturbed(case.table, published, self.maximum, self.smallest)
        if not check.passed:
            return promise_verdict(case, check)
        return audit_perturbed(
            case.table, published, self.maximum, case.levels, case.knowledge, zeros_stay=True, progress=progress
        )

    def _keys_of_cells(self, table: Table, specification: TableSpecification) -> NDArray[np.uint64]:
        seed, data = specification.protect.seed, specification.data
        if data.microdata is None or (self.key is None) == (self.identifier is None):
            raise UsageError(
                "cell keys are for counts of microdata with a column of record keys, or one that identifies records",
                where="[protect.cell_key]",
                do='give key = "column" in [protect.cell_key]; or identifier = "column" there, and seed in [protect]',
            )
        if self.identifier is not None and seed is None:
            raise UsageError(
                "record keys are made of the identifier and a seed, and there is no seed",
                where="[protect]",
                do="give a seed, and keep it: the next tables need the same one",
            )
        relation = read_microdata(data, Context().engine).relation
        plans = [specification.dimensions.get(one.name) or DimensionPlan(one.name) for one in table.dimensions]
        columns = [
            *(dimension_plan.column or dimension_plan.name for dimension_plan in plans),
            str(self.key or self.identifier),
        ]
        terms = [exp.alias_(term, f"d{at}") for at, term in enumerate(relation.physical(columns))]
        rows = streamed(relation, exp.select(*terms).from_(relation.source()))
        ones = np.ones(len(rows))
        places = [
            coded(dimension, rows.column(f"d{at}"), dimension_plan.missing, ones).places
            for at, (dimension, dimension_plan) in enumerate(zip(table.dimensions, plans, strict=True))
        ]
        last = rows.column(f"d{len(plans)}")
        if self.key is not None:
            of_records = given_keys(np.array(last.cast("float64").to_pylist(), np.float64))  # a missing one is nan
        else:
            secret = hashlib.blake2b(f"record keys {seed}".encode(), digest_size=32).digest()
            of_records = record_keys(last.to_pylist(), secret)
        return cell_keys(table, np.stack(places, axis=1).astype(np.int32), of_records)


def _implied(
    published: NDArray[np.float64], noise: PerturbationTable
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the least and the largest count behind each published one; an empty cell stays empty."""
    least = np.where(published > 0, 1.0, 0.0)
    return np.maximum(published - noise.maximum, least), published + noise.maximum

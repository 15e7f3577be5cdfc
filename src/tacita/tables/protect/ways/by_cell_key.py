"""Protection by the cell key method: noise on counts that is the same wherever the same records are counted."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from tacita.attacks.tables.rounded_table import audit_perturbed
from tacita.engines.context import Context
from tacita.errors import UsageError
from tacita.model.table import Table
from tacita.progress import Progress, Step
from tacita.tables.build.from_specification import read_microdata
from tacita.tables.build.microdata.coding import coded, streamed
from tacita.tables.cell_key.cell_keys import cell_keys
from tacita.tables.cell_key.perturbation_table import design, perturb
from tacita.tables.cell_key.record_keys import given_keys, record_keys
from tacita.tables.protect.case import TableCase
from tacita.tables.protect.protected import ProtectedTable
from tacita.tables.protect.verdict import require_publishable
from tacita.tables.specification.specification import DimensionPlan, TableSpecification

READING = "Counts have a little noise, the same in every table with the same respondents; sums need not add up."


def by_cell_key(case: TableCase, specification: TableSpecification, progress: Progress) -> ProtectedTable:
    """Return the table with noise on its counts.

    ``[protect.cell_key]`` has `maximum` (the largest change, 3), `variance` (1), `smallest` (the largest positive count
    that is never published, 0), and `key`, a column with a number in [0, 1) for each record, or `identifier`, a column
    from which and the seed the keys are made.
    """
    plan = specification.protect
    require_publishable(case, plan.method)
    noise = design(
        int(plan.options.get("maximum", 3)),
        float(plan.options.get("variance", 1.0)),
        smallest=int(plan.options.get("smallest", 0)),
    )
    progress(Step("making cell keys"))
    keys = _keys_of_cells(case.table, specification)
    found = perturb(case.table, keys, noise)
    verdict = audit_perturbed(case.table, found.values, noise.maximum, case.levels, case.knowledge, progress=progress)
    return ProtectedTable(
        case,
        plan.method,
        np.zeros(len(case.table), np.int8),
        found.values,
        verdict,
        figures={"largest_change": found.largest, "total_change": found.total},
        reading=(READING,),
        notes=found.notes,
    )


def _keys_of_cells(table: Table, specification: TableSpecification) -> NDArray[np.uint64]:
    plan, data = specification.protect, specification.data
    key, identifier = plan.options.get("key"), plan.options.get("identifier")
    if data.microdata is None or (key is None) == (identifier is None):
        raise UsageError(
            "cell keys need microdata with a column of record keys, or one that identifies the records",
            where="[protect.cell_key]",
            do='give key = "column", or identifier = "column" and a seed in [protect]',
        )
    if identifier is not None and plan.seed is None:
        raise UsageError(
            "record keys are made of the identifier and a seed, and there is no seed",
            where="[protect]",
            do="give a seed, and keep it: the next tables need the same one",
        )
    relation = read_microdata(data, Context().engine).relation
    plans = [specification.dimensions.get(each.name) or DimensionPlan(each.name) for each in table.dimensions]
    columns = [*(each.column or each.name for each in plans), str(key or identifier)]
    terms = [exp.alias_(term, f"d{at}") for at, term in enumerate(relation.physical(columns))]
    rows = streamed(relation, exp.select(*terms).from_(relation.source()))
    ones = np.ones(len(rows))
    places = [
        coded(dimension, rows.column(f"d{at}"), each.missing, ones).places
        for at, (dimension, each) in enumerate(zip(table.dimensions, plans, strict=True))
    ]
    last = rows.column(f"d{len(plans)}")
    if key is not None:
        of_records = given_keys(np.array(last.cast("float64").to_pylist(), np.float64))  # a missing one is nan
    else:
        secret = hashlib.blake2b(f"record keys {plan.seed}".encode(), digest_size=32).digest()
        of_records = record_keys(last.to_pylist(), secret)
    return cell_keys(table, np.stack(places, axis=1).astype(np.int32), of_records)

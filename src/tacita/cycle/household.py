"""Attributes of the household: what is suppressed for one member is suppressed for all (mu-Argus)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from tacita.cycle.plan import Plan
from tacita.engines.arrow import as_arrow
from tacita.engines.plans.terms import as_text
from tacita.engines.protocol import Relation
from tacita.model.decision import Decision
from tacita.model.microdata import Microdata
from tacita.risk.sample import Sample

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

RULE = "for the whole household"


def household_sizes(sample: Sample, plan: Plan, rows: Array) -> list[list[int]] | None:
    """Return for each record and known attribute how many cells are suppressed with its own; None if always one."""
    if not plan.household or plan.cluster is None:
        return None
    members = _members(sample.records, plan.cluster, rows.tolist())
    shared = [name in plan.household for name in sample.known]
    return [[len(members.get(row, [row])) if is_shared else 1 for is_shared in shared] for row in rows.tolist()]


def with_households(microdata: Microdata, decisions: Sequence[Decision], plan: Plan) -> list[Decision]:
    """Return decisions with those that follow for the other members of the household, each after its cause."""
    if not plan.household or plan.cluster is None:
        return list(decisions)
    relation = microdata.relation
    caused = sorted({d.tuple_id for d in decisions if d.attribute in plan.household})
    members = _members(relation, plan.cluster, caused)
    filled = {
        name: filled_cells(relation, name, {m for rows in members.values() for m in rows}) for name in plan.household
    }
    done = {(d.tuple_id, d.attribute) for d in decisions}
    every: list[Decision] = []
    step = decisions[0].step if decisions else 1
    for decision in decisions:
        every.append(replace(decision, step=step))
        step += 1
        for other in members.get(decision.tuple_id, ()) if decision.attribute in plan.household else ():
            if (other, decision.attribute) in done or other not in filled[decision.attribute]:
                continue
            done.add((other, decision.attribute))
            risk = decision.risk_after
            every.append(Decision(step, other, decision.attribute, decision.from_level, None, RULE, risk, risk))
            step += 1
    return every


def _members(relation: Relation, key: str, rows: Sequence[int]) -> dict[int, list[int]]:
    """Return all records of the household of each record, itself among them; one without a key is alone."""
    import numpy as np
    import pyarrow as pa

    if not rows:
        return {}
    engine = relation.engine
    batch = pa.RecordBatch.from_arrays([as_arrow(np.array(rows, dtype=np.int64))], names=["row"])
    wanted = engine.adopt([batch], batch.schema)
    number, value = exp.alias_(engine.numbered(relation), "n_"), exp.alias_(as_text(relation.physical([key])[0]), "k_")
    numbered = exp.select(number, value).from_(relation.source())
    mine = (
        exp.select(exp.column("n_", table="m").as_("n_"), exp.column("k_", table="m").as_("k_"))
        .from_(numbered.subquery("m"))
        .join(
            wanted.source().as_("a"),
            on=exp.EQ(
                this=exp.column("n_", table="m"), expression=exp.column(wanted.column("row").physical, table="a")
            ),
        )
    )
    plan = (
        exp.select(exp.column("n_", table="o").as_("one"), exp.column("n_", table="t").as_("other"))
        .from_(mine.subquery("o"))
        .join(
            numbered.copy().subquery("t"),
            on=exp.EQ(this=exp.column("k_", table="o"), expression=exp.column("k_", table="t")),
        )
        .order_by("one", "other")
    )
    members: dict[int, list[int]] = {}
    for row in engine.run(plan):
        members.setdefault(int(row["one"]), []).append(int(row["other"]))
    engine.drop(wanted)
    return members


def filled_cells(relation: Relation, name: str, rows: set[int]) -> set[int]:
    """Return those of some records whose cell of an attribute is not empty."""
    column = relation.column(name)
    columns = [exp.column(numbered) for numbered in (column.physical, column.as_written) if numbered]
    empty = exp.and_(*(exp.Is(this=numbered, expression=exp.Null()) for numbered in columns))
    number = exp.alias_(relation.engine.numbered(relation), "n_")
    numbered = exp.select(number, exp.alias_(empty, "e_")).from_(relation.source())
    plan = exp.select("n_").from_(numbered.subquery("t")).where(exp.Not(this=exp.column("e_")))
    return {int(row["n_"]) for row in relation.engine.run(plan)} & rows

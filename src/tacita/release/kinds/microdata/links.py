"""Links between records after their identifiers are gone: by the places that the records have in the release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from tacita.cycle.outcome import Outcome
from tacita.engines.plans.terms import as_text
from tacita.engines.protocol import Relation
from tacita.errors import UsageError
from tacita.model.attribute import Category

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Array = np.ndarray[Any, np.dtype[Any]]


def linked_records(outcome: Outcome, links: Relation, order: Array | None) -> pa.Table:
    """Return pairs of released records, ``one`` and ``other``, whose identifiers are linked."""
    import numpy as np
    import pyarrow as pa

    from tacita.risk.arrays import as_arrow, as_numpy

    relation = outcome.protected.relation
    identifiers = outcome.protected.dictionary.of(Category.IDENTIFIER)
    if len(identifiers) != 1:
        raise UsageError("links relate identifiers, and there is not just one", do="name it with --identifier NAME")
    key = relation.physical([identifiers[0].name])[0]
    row = exp.alias_(relation.engine.numbered(relation), "row_")
    keyed = exp.select(row, exp.alias_(as_text(key), "key_")).from_(relation.source())
    ends = [as_text(exp.column(column.physical, table="l")) for column in links.columns[:2]]
    plan = exp.select(exp.column("row_", table="a").as_("one"), exp.column("row_", table="b").as_("other"))
    plan = plan.from_(links.source().as_("l"))
    for table, end in zip(("a", "b"), ends, strict=True):
        on = exp.EQ(this=exp.column("key_", table=table), expression=end)
        plan = plan.join(keyed.copy().subquery(table), on=on)
    batches = list(relation.engine.stream(plan, 1_000_000))
    if not batches:
        return pa.table({"one": as_arrow(np.empty(0, np.int64)), "other": as_arrow(np.empty(0, np.int64))})
    table = pa.Table.from_batches(batches)
    pairs = [as_numpy(table.column(name)) for name in ("one", "other")]
    if order is not None:
        place = np.empty(len(order) + 1, dtype=np.int64)
        place[order] = np.arange(1, len(order) + 1)
        pairs = [place[pair] for pair in pairs]
    return pa.table({"one": as_arrow(pairs[0]), "other": as_arrow(pairs[1])})

"""Facts that a violation took out of the results: they lie in tables beside the others, and are reasons still."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from tacita.rules.proofs.finding.rules import Context
from tacita.rules.reasoner.layout import ROUND
from tacita.rules.reasoner.sql import named
from tacita.rules.reasoner.tables import union


def with_quarantined(context: Context) -> Context:
    """Return a context in which the facts that were taken out are there too; it shares what is known of rounds."""
    taken = context.result.run.quarantined
    layouts = dict(context.layouts)
    for predicate, table in taken.items():
        layout = layouts[predicate]
        columns = (*layout.columns(), ROUND)
        both = [exp.select(*columns).from_(named(one)) for one in (layout.table, table)]
        whole = context.engine.new_table()
        context.engine.define(whole, union(both))
        layouts[predicate] = replace(layout, table=whole)
    return replace(context, others=layouts)


def forget(context: Context) -> None:
    """Forget what `with_quarantined` made."""
    for predicate in context.result.run.quarantined:
        context.engine.forget(context.layouts[predicate].table)

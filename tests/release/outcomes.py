"""Outcomes made by hand: cells of a data set suppressed or recoded as the test says, without any cycle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlglot import exp

from tacita.api.dataset import Dataset
from tacita.cycle.decisions import Decisions
from tacita.cycle.outcome import Claim, Outcome, State
from tacita.model.decision import Decision
from tacita.model.microdata import Microdata

MAYBE = {"missing_as": "unknown", "semantics": "maybe-match", "alpha": 1.0, "distribution": "conditional"}
Cell = tuple[int, str]


def outcome(
    data: Dataset,
    suppressed: Iterable[Cell] = (),
    recoded: Mapping[Cell, str] | None = None,
    *,
    k: int = 2,
    nulls: Mapping[str, Any] = MAYBE,
    unsafe: int = 0,
    **changes: Any,
) -> Outcome:
    """Some cells (row from 1, attribute) made null, some given another text: what a cycle would hand over."""
    suppressed, recoded = list(suppressed), dict(recoded or {})
    made = [Decision(1, row, name, 0, 1, "recoding", 1.0, 0.5) for row, name in recoded]
    made += [Decision(2, row, name, 0, None, "local suppression", 1.0, 0.0) for row, name in suppressed]
    known = data.dictionary.quasi_identifiers
    found = Outcome(
        original=data.microdata,
        protected=changed(data.microdata, dict.fromkeys(suppressed) | recoded),
        claim=Claim("k-anonymity", {"k": k, "threshold": 0.5}, known, nulls),
        settings={},
        decisions=Decisions.of(made),
        before=State(len(made), len(made), 1.0),
        after=State(unsafe, unsafe, 0.0),
    )
    return replace(found, **changes)


def changed(microdata: Microdata, cells: Mapping[Cell, str | None]) -> Microdata:
    """The same tuples with cells replaced; spellings are left as they are, as a careless cycle would leave them."""
    relation: Any = microdata.relation
    row = relation.engine.numbered(relation)
    terms: list[exp.Expr] = []
    for column in relation.columns:
        value: exp.Expr = exp.column(column.physical)
        of_column = {r: new for (r, name), new in cells.items() if name == column.name}
        if of_column:
            ifs = [
                exp.If(
                    this=exp.EQ(this=row.copy(), expression=exp.Literal.number(r)),
                    true=exp.Null() if new is None else exp.Literal.string(new),
                )
                for r, new in of_column.items()
            ]
            value = exp.Case(ifs=ifs, default=value)
        terms.append(exp.alias_(value, column.physical))
        terms += [exp.column(column.as_written)] if column.as_written else []
    return replace(
        microdata, relation=relation.engine.store(exp.select(*terms).from_(relation.source()), relation.columns)
    )


def leftovers(folder: Path) -> list[str]:
    """What a run left behind beside its result."""
    return [path.name for path in folder.iterdir() if path.name.startswith(".tacita-")]

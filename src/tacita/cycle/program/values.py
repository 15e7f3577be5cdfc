"""Microdata and rules: what rules made of the tuples as microdata again, and hierarchies as facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlglot import exp

from tacita.masking.recoding.labels import labels, recoded_attribute, typed
from tacita.masking.recoding.local_recoding import SUPPRESSED, locally_recoded
from tacita.masking.recoding.masked import RECORD, ROW, Joined, Rewriting, rewritten
from tacita.model.hierarchy import STAR, text_of
from tacita.model.microdata import Microdata
from tacita.model.relation import ColumnType
from tacita.rules.reasoner import Null

HIERARCHY = ("TypeOf", "SubTypeOf", "InstOf", "IsA")


def with_values(microdata: Microdata, cells: Mapping[str, Mapping[int, Any]]) -> Microdata:
    """Return microdata with some cells as rules left them: by attribute, record and value; `Null` is a labelled null.

    A column with labels among its new values is text from then on.
    """
    import numpy as np

    hidden = {
        name: np.array(sorted(row for row, value in here.items() if isinstance(value, Null)), dtype=np.int64)
        for name, here in cells.items()
    }
    gone = {name: (rows, np.full(len(rows), SUPPRESSED, np.int64)) for name, rows in hidden.items() if len(rows)}
    suppressed = locally_recoded(microdata, gone).microdata
    values = {name: {r: v for r, v in here.items() if not isinstance(v, Null)} for name, here in cells.items()}
    recoded = {name: here for name, here in values.items() if here}
    if not recoded:
        return suppressed
    columns, joined = {}, []
    for name, here in recoded.items():
        column, alias = suppressed.column(name), f"v_{suppressed.column(name).physical}"
        joined.append(_beside(suppressed, alias, here))
        was = exp.column(column.physical, table=RECORD)
        kept = exp.Cast(this=was, to=exp.DataType(this=exp.DType.TEXT))
        changed = exp.Not(this=exp.Is(this=exp.column("c0", table=alias), expression=exp.Null()))
        term = exp.Case(ifs=[exp.If(this=changed, true=exp.column("c1", table=alias))], default=kept)
        attribute = recoded_attribute(suppressed.attribute(name), [], ColumnType.TEXT)
        columns[name] = Rewriting(term, ColumnType.TEXT, attribute)
    return rewritten(suppressed, columns, joined)


def _beside(microdata: Microdata, alias: str, cells: Mapping[int, Any]) -> Joined:
    import pyarrow as pa

    texts = [None if isinstance(value, Null) else text_of(value) for value in cells.values()]
    arrays = [typed(list(cells), ColumnType.INTEGER), typed(texts, ColumnType.TEXT)]
    batch = pa.RecordBatch.from_arrays(arrays, names=["row", "value"])
    adopted = microdata.relation.engine.adopt([batch], batch.schema)
    on = exp.EQ(this=exp.column(ROW, table=RECORD), expression=exp.column("c0", table=alias))
    return Joined(adopted, alias, on)


def hierarchy_facts(microdata: Microdata) -> dict[str, list[tuple[str, ...]]]:
    """Return the hierarchies of the quasi-identifiers as the facts that global recoding reads.

    Those of texts only: the broader values are texts, and a value of another type could not be compared with them.
    """
    facts: dict[str, dict[tuple[str, ...], None]] = {name: {} for name in HIERARCHY}
    for name in microdata.dictionary.quasi_identifiers:
        if name not in microdata.hierarchies or microdata.column(name).type is not ColumnType.TEXT:
            continue
        known = labels(microdata, name, microdata.hierarchies[name])
        facts["TypeOf"][name, f"{name} 0"] = None
        for path in known.paths:
            levels = [label for label in path if label != STAR]
            for level, label in enumerate(levels):
                facts["InstOf"][label, f"{name} {level}"] = None
                if level + 1 < len(levels):
                    facts["SubTypeOf"][f"{name} {level}", f"{name} {level + 1}"] = None
                    facts["IsA"][label, levels[level + 1]] = None
    return {predicate: list(rows) for predicate, rows in facts.items()}

"""Grouping: values put together under a new label, without a hierarchy (`groupAndRename` of sdcMicro)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from sqlglot import exp

from tacita.errors import UsageError, faults_text
from tacita.masking.recoding.labels import beside, distinct_values, recoded_attribute, typed
from tacita.masking.recoding.masked import Masked, Rewriting, rewritten
from tacita.model.hierarchy import ValueHierarchy, text_of
from tacita.model.microdata import Microdata
from tacita.model.relation import ColumnType


def grouped(microdata: Microdata, name: str, groups: Mapping[str, Sequence[object]]) -> Masked:
    """Return microdata with values of an attribute under the label of their group; all others keep their own.

    >>> import tacita as tc
    >>> firms = tc.sample("figure-1").microdata
    >>> found = grouped(firms, "Area", {"Continent": ["North", "Center"]})
    >>> sorted({row["Area"] for batch in found.microdata.relation.batches() for row in batch.to_pylist()})
    ['Continent', 'South']
    """
    column = microdata.column(name)
    members = {text_of(value): label for label, values in groups.items() for value in values}
    counts = Counter(text_of(value) for values in groups.values() for value in values)
    values = distinct_values(microdata, name)
    known = {text_of(value) for value in values}
    faults = (
        [f"{sum(n > 1 for n in counts.values())} values stand in two groups"]
        if max(counts.values(), default=0) > 1
        else []
    )
    faults += ["a group has no label"] if any(not label for label in groups) else []
    faults += ["no group is given"] if not groups else []
    new = set(groups) - set(members)
    if clash := new & (known - set(members)):
        faults.append(f"{len(clash)} labels are values that stand in no group")
    if faults:
        raise UsageError(
            faults_text(faults), where=f"groups of '{name}'", do="give each group a label and values of its own"
        )
    pairs = [(value, members.get(text_of(value), text_of(value))) for value in values]
    table = beside(
        microdata, name, [typed([v for v, _ in pairs], column.type), typed([to for _, to in pairs], ColumnType.TEXT)]
    )
    attribute = recoded_attribute(microdata.attribute(name), pairs, column.type)
    after = dict.fromkeys(label for _, label in pairs)
    hierarchy = ValueHierarchy.from_paths(name, [[label] for label in after], star=True) if after else None
    change = Rewriting(exp.column("c1", table=table.alias), ColumnType.TEXT, attribute, hierarchy)
    return Masked(rewritten(microdata, {name: change}, [table]), whole=(name,))

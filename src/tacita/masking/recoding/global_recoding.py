"""Global recoding: whole columns rolled up to a level of their hierarchy (Algorithm 8 of the VADA-SA paper).

Every value of the column goes to the same level, so no record can be told from another by how coarse it is. This is
`globalRecode` of sdcMicro and the full-domain generalisation of ARX.
"""

from __future__ import annotations

from collections.abc import Mapping

from tacita.errors import UsageError
from tacita.masking.recoding.labels import hierarchy_of, labels, recoded_attribute
from tacita.masking.recoding.masked import Masked, Rewriting, rewritten
from tacita.masking.recoding.reached_hierarchy import ReachedHierarchy
from tacita.model.microdata import Microdata
from tacita.model.relation import ColumnType


def recoded(microdata: Microdata, levels: Mapping[str, int]) -> Masked:
    """Return microdata with whole columns at the given levels; missing values stay missing.

    Levels are counted in the hierarchy that the data came with, also after an earlier recoding. A level that is 0, or
    that the column has reached already, changes nothing.

    >>> import tacita as tc
    >>> from dataclasses import replace
    >>> from tacita.model.hierarchy import ValueHierarchy
    >>> firms = tc.sample("figure-1").microdata
    >>> areas = [("North", "Italy"), ("Center", "Italy"), ("South", "Italy")]
    >>> area = ValueHierarchy.from_paths("Area", areas, ["Area", "Country"])
    >>> found = recoded(replace(firms, hierarchies={"Area": area}), {"Area": 1})
    >>> {row["Area"] for batch in found.microdata.relation.batches() for row in batch.to_pylist()}
    {'Italy'}
    """
    columns, joined = {}, []
    for name, level in levels.items():
        hierarchy = hierarchy_of(microdata, name)
        if isinstance(level, bool) or not isinstance(level, int):
            raise UsageError(f"the level of '{name}' is no whole number", do="give a level from 0 on")
        hierarchy.check_level(level)
        if level == 0:
            continue
        known = labels(microdata, name, hierarchy)
        pairs = [(value, path[level]) for value, path in zip(known.values, known.paths, strict=True)]
        if all(path[0] == path[level] for path in known.paths):
            continue
        attribute = recoded_attribute(microdata.attribute(name), pairs, microdata.column(name).type)
        reached = ReachedHierarchy.over(hierarchy, known.values, [level])
        columns[name] = Rewriting(known.term(level), ColumnType.TEXT, attribute, reached)
        joined.append(known.joined)
    if not columns:
        return Masked(microdata)
    return Masked(rewritten(microdata, columns, joined), whole=tuple(columns))

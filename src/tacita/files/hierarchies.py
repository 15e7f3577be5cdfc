"""The hierarchies that a dictionary names: loaded, and checked to cover the data before anyone relies on them."""

from __future__ import annotations

from pathlib import Path

from sqlglot import exp

from tacita.engines.protocol import Relation
from tacita.errors import HierarchyError, faults_text
from tacita.model.dictionary import Dictionary
from tacita.model.hierarchy import Hierarchy, IntervalHierarchy, from_rule, read_csv
from tacita.model.microdata import Microdata
from tacita.model.relation import Column, ColumnType


def load_hierarchies(dictionary: Dictionary, relation: Relation, folder: Path) -> dict[str, Hierarchy]:
    """Return the hierarchy of each attribute that has one; all faults of all of them at once."""
    hierarchies: dict[str, Hierarchy] = {}
    faults: list[HierarchyError] = []
    for attribute in dictionary:
        try:
            if attribute.hierarchy:
                hierarchies[attribute.name] = read_csv(folder / attribute.hierarchy, attribute.name)
            elif attribute.hierarchy_rule:
                whole = relation.column(attribute.name).type is ColumnType.INTEGER
                hierarchies[attribute.name] = from_rule(attribute.name, attribute.hierarchy_rule, integer=whole)
        except HierarchyError as error:
            faults.append(error)
    _raise_all(faults)
    return hierarchies


def check_hierarchies_cover(microdata: Microdata) -> None:
    """Raise if some value of the data has no place in the hierarchy of its attribute."""
    faults = []
    for name, hierarchy in microdata.hierarchies.items():
        try:
            hierarchy.check_covers(_values(microdata, microdata.column(name), hierarchy))
        except HierarchyError as error:
            faults.append(error)
    _raise_all(faults)


def _values(microdata: Microdata, column: Column, hierarchy: Hierarchy) -> list[object]:
    """Return the values to check: of intervals the ends are enough, and there may be millions between them."""
    relation = microdata.relation
    term = exp.column(column.physical)
    if isinstance(hierarchy, IntervalHierarchy) and column.type.is_numeric:
        plan = exp.select(exp.alias_(exp.Min(this=term), "least"), exp.alias_(exp.Max(this=term), "greatest"))
        return list(relation.engine.run(plan.from_(relation.source()))[0].values())
    plan = exp.select(exp.alias_(term, "v")).distinct().from_(relation.source())
    return [row["v"] for row in relation.engine.run(plan)]


def _raise_all(faults: list[HierarchyError]) -> None:
    if len(faults) == 1:
        raise faults[0]
    if faults:
        said = [f"{fault.where}: {fault.found}" if fault.where else fault.found for fault in faults]
        raise HierarchyError(faults_text(said), do="; ".join(dict.fromkeys(fault.do for fault in faults if fault.do)))

"""A specification from keywords: the keys of its file as arguments of a call, for records that are in memory.

Rules, and the keys of ``[data]``, ``[attacker]`` and ``[protect]``, are keywords of their own names, since each stands
in one of these tables only. The one exception is `request`, which is the rule: the column of those who asked is given
with ``data={"request": "asked"}``. What is said so becomes the tables of a file, and is checked as those are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike, fspath
from typing import Any, TypedDict

from tacita.errors import UsageError, did_you_mean, faults_text, listed
from tacita.model.microdata import Microdata
from tacita.tables.build.from_specification import OWN_COSTS
from tacita.tables.protect.catalogue import WAYS
from tacita.tables.specification.fields import keys_of
from tacita.tables.specification.reading import specification_of
from tacita.tables.specification.reading_plans import ATTACKER_KEYS, DATA_KEYS, PROTECT_KEYS
from tacita.tables.specification.sensitivity import sensitivity_keys
from tacita.tables.specification.specification import TableSpecification

Rule = bool | float | Sequence[Any] | Mapping[str, Any]
"""A rule as in the file, or its numbers in their order: ``p_percent=10``, ``dominance=(1, 85)``."""
HierarchyLike = str | PathLike[str] | Mapping[str, Any] | Sequence[str] | Sequence[int]
"""A file, a tree of codes, columns from coarse to fine, or lengths of prefixes."""

_PARTS = ("data", "sensitivity", "attacker", "protect")
_WHOLE = ("title", "name", "hierarchy", "dimension", "history", *_PARTS)
_WHERE = "tabulate"


class TableKeywords(TypedDict, total=False):
    """What may be said of tables besides their dimensions and their response; see the specification of tables."""

    title: str
    name: str
    hierarchy: Mapping[str, HierarchyLike]
    dimension: Mapping[str, Mapping[str, Any]]
    history: Mapping[str, Any]
    data: Mapping[str, Any]
    sensitivity: Mapping[str, Any]
    attacker: Mapping[str, Any]
    protect: Mapping[str, Any]
    weight: str
    contributor: str
    holding: str
    request_codes: Sequence[str]
    waiver: str
    frequency: str
    missing_response: str
    empty: bool
    minimum_frequency: Rule
    dominance: Rule
    p_percent: Rule
    prior_posterior: Rule
    zeros: Rule
    request: Rule
    group_disclosure: Rule
    equal_contributions: Rule
    rules: str | PathLike[str]
    waivers: Sequence[str]
    range: float
    options: Mapping[str, Any]
    lower: float | str
    upper: float
    within: float
    singletons: bool
    method: str
    cost: str
    base: int
    seed: int
    time: float
    gap: float
    keep: Sequence[Mapping[str, str | int]]
    suppress: Sequence[Mapping[str, str | int]]
    apriori: str | PathLike[str]


def specification_from(
    microdata: Microdata,
    dimensions: Iterable[str] | Iterable[Iterable[str]],
    response: str | Sequence[str] | None,
    keywords: Mapping[str, Any],
) -> TableSpecification:
    """Return the specification of tables over some columns of records; all faults are reported together.

    `dimensions` are those of one table, or lists of them, one for each of several linked tables.
    """
    if isinstance(dimensions, Mapping) or not isinstance(dimensions, Iterable):
        raise UsageError("the dimensions are not a list", where=_WHERE, do='write for example ["sector", "region"]')
    given = {name: value for name, value in keywords.items() if value is not None}
    homes = _homes()
    if faults := [
        f"no keyword '{name}'{_setting_of(name) or did_you_mean(name, (*homes, *_WHOLE))}"
        for name in given
        if name not in homes and name not in _WHOLE
    ]:
        raise UsageError(faults_text(faults), where=_WHERE, do=f"use some of: {listed([*homes, *_WHOLE], 99)}")
    tables: dict[str, Any] = {"table": _tables(dimensions, response, given.get("name"))}
    for part in _PARTS:
        beside = given.get(part, {})
        if not isinstance(beside, Mapping):
            raise UsageError(f"'{part}' is no mapping", where=_WHERE, do=f"write for example {part}={{...}}")
        own = {name: value for name, value in given.items() if homes.get(name) == part}
        if twice := [name for name in own if name in beside]:
            raise UsageError(f"'{twice[0]}' is given twice", where=_WHERE, do=f"take it out of '{part}'")
        tables[part] = _plain({**beside, **own})
    for wish in ("keep", "suppress"):
        if isinstance(cells := tables["protect"].get(wish), list):
            tables["protect"][wish] = [_with_codes(cell) for cell in cells]
    tables |= {name: _plain(given[name]) for name in ("title", "history") if name in given}
    tables["dimension"] = _dimensions(given)
    specification = specification_of(tables, microdata, where=_WHERE)
    _check_columns(specification, [column.name for column in microdata.columns])
    _check_rules(specification)
    return specification


def _setting_of(name: str) -> str:
    """Return where a name belongs that is a setting of methods, or of the rules together."""
    if name == "unions":
        return '; it is one of the options of [sensitivity]: options={"unions": ...}'
    methods = [method for method in WAYS.names() if name in keys_of(WAYS.named(method))]
    if not methods:
        return ""
    settings = f"{{'method': '{methods[0]}', '{methods[0]}': {{'{name}': ...}}}}"
    return f"; it is a setting of {listed(methods)}: protect={settings}"


def _homes() -> dict[str, str]:
    """Return the table of each key that is a keyword of its own; a name of two tables means the rule."""
    keys = {
        "protect": PROTECT_KEYS,
        "attacker": ATTACKER_KEYS,
        "data": [key for key in DATA_KEYS[: DATA_KEYS.index("format")] if key not in {"microdata", "cells", "layout"}],
        "sensitivity": sensitivity_keys(),
    }
    return {name: part for part, names in keys.items() for name in names}


def _tables(
    dimensions: Iterable[str] | Iterable[Iterable[str]], response: str | Sequence[str] | None, name: str | None
) -> list[dict[str, Any]]:
    lists = _plain(list(dimensions))
    several = bool(lists) and all(isinstance(one, list) for one in lists)
    if name is not None and several and len(lists) > 1:
        raise UsageError("one name is given for several tables", where=_WHERE, do="leave the name out")
    beside = {key: _plain(value) for key, value in {"response": response, "name": name}.items() if value is not None}
    return [{"dimensions": names, **beside} for names in (lists if several else [lists])]


def _dimensions(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tables of dimensions; a hierarchy that is given by itself becomes the key that it means."""
    dimensions = _plain(given.get("dimension", {}))
    hierarchies = given.get("hierarchy", {})
    if not isinstance(dimensions, dict) or not isinstance(hierarchies, Mapping):
        raise UsageError(
            "hierarchies are given by dimension",
            where=_WHERE,
            do='write for example hierarchy={"sector": "sector.hrc"}',
        )
    for name, hierarchy in hierarchies.items():
        if hierarchy is None:
            continue
        below = dimensions.setdefault(name, {})
        below |= _hierarchy(hierarchy, below.get("total", "Total") if isinstance(below, dict) else "Total")
    return dimensions


def _with_codes(cell: Any) -> Any:
    """Return the description of a cell with its codes as texts, which a frame may have as whole numbers."""
    return {name: _code(code) for name, code in cell.items()} if isinstance(cell, dict) else cell


def _code(code: Any) -> Any:
    return str(code) if type(code) is int else code


def _hierarchy(given: object, total: object) -> dict[str, Any]:
    plain = _plain(given)
    if isinstance(plain, dict):
        tree = {code: _tree(below) for code, below in plain.items()}
        return {"tree": tree if len(tree) == 1 else {total: tree}}
    if isinstance(plain, list):
        return {"prefixes" if all(type(item) is int for item in plain) else "columns": plain}
    return {"hierarchy": plain}


def _tree(below: Any) -> Any:
    """Return what is below a code; codes are texts."""
    if isinstance(below, dict):
        return {code: _tree(part) for code, part in below.items()}
    return [_code(code) for code in below] if isinstance(below, list) else below


def _plain(value: Any) -> Any:
    """Return a value in the types that a file has: lists, dicts, texts, numbers."""
    if isinstance(value, PathLike):
        return fspath(value)
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, str | bool | int | float):
        return value
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        return value.item()  # a number of numpy
    return [_plain(item) for item in value] if isinstance(value, Iterable) else value


def _check_columns(specification: TableSpecification, known: Sequence[str]) -> None:
    """Raise if a column is named that the records do not have."""
    data, protect = specification.data, specification.protect
    names: list[str | None] = [data.weight, data.contributor, data.holding, data.request, data.waiver, data.frequency]
    for table in specification.tables:
        for name in table.dimensions:
            plan = specification.dimensions.get(name)
            names += plan.columns if plan and plan.columns else [plan.column or name if plan else name]
        names += table.responses
    names += [protect.cost] if protect.cost not in OWN_COSTS else []
    unknown = [name for name in dict.fromkeys(names) if name is not None and name not in known]
    if unknown:
        faults = [f"no column '{name}'{did_you_mean(name, known)}" for name in unknown]
        raise UsageError(faults_text(faults), where=_WHERE, do=f"use some of: {listed(list(known), 20)}")


def _check_rules(specification: TableSpecification) -> None:
    """Raise if a rule looks at contributions, and records are only counted."""
    rules = [rule for rule in specification.sensitivity.rules if getattr(rule, "needs_contributions", 0)]
    if rules and "" in specification.responses:
        raise UsageError(
            f"the rules {listed([rule.label for rule in rules])} look at contributions, and records are only counted"
            if len(rules) > 1
            else f"the rule {rules[0].label} looks at contributions, and records are only counted",
            where=_WHERE,
            do='name what is summed: response="turnover"; for counts take minimum_frequency',
        )

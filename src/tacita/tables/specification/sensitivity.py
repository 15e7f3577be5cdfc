"""The part of a specification that says what is sensitive: the rules that a steward chose, read and written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

from tacita.errors import TacitaError, listed
from tacita.parameters import parameters_of
from tacita.tables.sensitivity.assess import OnHoldings
from tacita.tables.sensitivity.catalogue import RULES
from tacita.tables.sensitivity.rule import SensitivityRule
from tacita.tables.sensitivity.rules.minimum_frequency import MinimumFrequency
from tacita.tables.sensitivity.rules.user_rules import UserRules
from tacita.tables.specification.fields import entry, keys_of, read_entry, read_fields
from tacita.toml.checked import Checked

_SHARED = ("range",)
"""Fields of rules that ``[sensitivity]`` says once for all of them."""


@dataclass(frozen=True, slots=True)
class SensitivityPlan:
    """Which cells are sensitive, and how far from its value a cell that is so by frequency must stay unknown.

    >>> from tacita.tables.sensitivity.rules.p_percent import PPercent
    >>> plan = SensitivityPlan((PPercent(10), MinimumFrequency(3)))
    >>> [rule.label for rule in plan.in_order()]
    ['minimum frequency (3)', 'p % (p = 10)']
    """

    rules: tuple[SensitivityRule, ...] = ()
    waivers: tuple[str, ...] = ()
    """Contributors who consented to be recognised."""
    range: float = entry(0.15, least=0, above=True)
    """Protection levels, as a share of the value, of cells that no contribution made sensitive."""
    unions: bool | None = None
    """Whether sums of withheld cells that everybody can calculate are judged as cells; None: in magnitude tables."""

    @property
    def needs_contributions(self) -> int:
        """How many of the largest contributions the rules look at."""
        return max((getattr(rule, "needs_contributions", 0) for rule in self.rules), default=0)

    @property
    def minimum_frequency(self) -> int:
        """How many contributors a cell must have; 0: any number."""
        return max((rule.minimum for rule in self.rules if isinstance(rule, MinimumFrequency)), default=0)

    def in_order(self, *, holdings: bool = False) -> tuple[SensitivityRule, ...]:
        """Return the rules in the order in which a cell that breaks several is told about.

        With `holdings`, rules on contributors are asked of holdings, too.
        """
        names = (*RULES.names(), UserRules.name)
        ordered = sorted(self.rules, key=lambda rule: names.index(rule.name) if rule.name in names else len(names))
        behind = [rule for rule in ordered if getattr(rule, "is_of_contributors", False)]
        return (
            *behind,
            *(OnHoldings(rule) for rule in behind if holdings),
            *(rule for rule in ordered if rule not in behind),
        )

    def named(self, name: str) -> tuple[SensitivityRule, ...]:
        """Return the rules of a name, in the order of the file."""
        return tuple(rule for rule in self.rules if rule.name == name)

    def to_dict(self) -> dict[str, Any]:
        """Return the table [sensitivity] with all its keys."""
        entries: dict[str, Any] = {}
        options: dict[str, Any] = {} if self.unions is None else {"unions": self.unions}
        for name in RULES.names():
            entries[name], further = _entry(RULES.named(name), self.named(name))
            options |= {name: further} if further else {}
        entries[UserRules.name] = None
        for rule in self.rules:
            if isinstance(rule, UserRules):
                entries[UserRules.name] = Path(rule.program.source)
                options |= {UserRules.name: dict(rule.parameters)} if rule.parameters else {}
        return {**entries, "waivers": self.waivers, "range": self.range, "options": options}


def sensitivity_keys() -> tuple[str, ...]:
    """Return the keys of ``[sensitivity]``: the names of rules, and what holds for all of them."""
    return (*RULES.names(), UserRules.name, "waivers", "range", "options")


def read_sensitivity(top: Checked) -> SensitivityPlan:
    """Return the table [sensitivity]."""
    table = top.below("sensitivity", sensitivity_keys())
    of_rules = [name for name in RULES.names() if not RULES.fact(name, "short") and _is_complete(RULES.named(name))]
    given = table.below("options", ("unions", *of_rules, UserRules.name))
    options = given.table
    shared = read_fields(table, SensitivityPlan, without=("rules", "unions"))
    usual = {name: shared[name] for name in _SHARED if name in shared}
    rules = [rule for name in RULES.names() for rule in _rules(table, name, options.get(name, {}), usual)]
    rules += _program(table, options.get(UserRules.name, {}), usual)
    return SensitivityPlan(tuple(rules), **shared, unions=given.truth("unions", False) if "unions" in options else None)


def _rules(table: Checked, name: str, options: object, usual: Mapping[str, Any]) -> Iterator[SensitivityRule]:
    """Yield the rules of a name: a value for the field that says most, true, one table, or a list of tables.

    A table can be given by the values of its first fields: ``p_percent = 10``, ``dominance = [1, 85]``.
    """
    given = table.table.get(name)
    if given is None:
        return
    kind: type[Any] = RULES.named(name)
    short, place = RULES.fact(name, "short"), (*table.keys, name)
    if short and not isinstance(given, dict | list):
        if (value := read_entry(table, name, kind, short)) is not None:
            yield from _make(table, name, {short: value}, usual)
        return
    if _is_complete(kind) and not isinstance(given, dict | list):
        given = [options] if table.truth(name, False) else []
    known = keys_of(kind, _SHARED)
    for item in map(partial(_by_name, names=known), given if _is_list_of_tables(given) else [given]):
        if isinstance(item, list):
            table.fault(
                name, f"'{name}' in [sensitivity] must be a table, or the numbers {listed(known)} in this order"
            )
            continue
        below = Checked.of(item, place, table.faults, table.folder, known)
        if not isinstance(item, dict):
            continue
        values = read_fields(below, kind, without=_SHARED)
        needed = [parameter.name for parameter in parameters_of(kind) if parameter.is_needed]
        lacking = [f"'{key}'" for key in needed if key not in below.table]
        if lacking:
            below.fault(needed[0], f"'{name}' lacks {' and '.join(lacking)}")
        elif all(key in values for key in below.table if key in known):
            yield from _make(below, name, values, usual)


def _is_list_of_tables(given: object) -> bool:
    return isinstance(given, list) and all(isinstance(item, dict | list) for item in given)


def _by_name(given: object, names: Sequence[str]) -> object:
    """Return a table, whose first fields may be given by their values alone."""
    values = given if isinstance(given, list) else [given]
    if not 0 < len(values) <= len(names) or any(isinstance(v, bool) or not isinstance(v, int | float) for v in values):
        return given
    return dict(zip(names, values, strict=False))


def _make(table: Checked, name: str, values: Mapping[str, Any], usual: Mapping[str, Any]) -> Iterator[SensitivityRule]:
    """Yield a rule; what it finds wrong with its parameters is a fault of the file."""
    kind: type[Any] = RULES.named(name)
    shared = {key: value for key, value in usual.items() if key in keys_of(kind)}
    try:
        yield kind(**shared, **values)
    except TacitaError as error:
        table.fault(
            next(iter(values), name) if table.keys[-1] == name else name,
            "; ".join(filter(None, (str(error.args[0]), error.do))),
        )


def _program(table: Checked, parameters: object, usual: Mapping[str, Any]) -> Iterator[SensitivityRule]:
    """Yield the rules of a program in the rule language."""
    path = table.file(UserRules.name)
    if path is None or not path.is_file():
        return
    try:
        yield replace(UserRules.of(path, parameters if isinstance(parameters, dict) else {}), **usual)
    except TacitaError as error:
        table.fault(UserRules.name, "; ".join(filter(None, (str(error.args[0]), error.do))))


def _is_complete(kind: type[Any]) -> bool:
    """Return whether a rule needs no parameter, so that a file can say true."""
    return not any(parameter.is_needed for parameter in parameters_of(kind))


def _entry(kind: type[Any], rules: tuple[SensitivityRule, ...]) -> tuple[Any, dict[str, Any]]:
    """Return the rules of one kind as they stand in a file, and what stands among the options."""
    short = getattr(kind, "short", "")
    tables = tuple({key: getattr(rule, key) for key in keys_of(kind, _SHARED)} for rule in rules)
    usual = {one.name: one.default for one in fields(kind)}
    changed = tuple({key: value for key, value in table.items() if value != usual[key]} for table in tables)
    if short and all({*table} <= {short} for table in changed):
        return (tables[0][short] if tables else None), {}
    if not short and _is_complete(kind) and len(rules) < 2:
        return bool(rules), changed[0] if changed else {}
    return tables, {}

"""The parts of a specification that say what is sensitive, who attacks, and how to protect."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

from tacita.errors import did_you_mean
from tacita.tables.specification.rules import Dominance, PPercent, PriorPosterior, Request, SensitivityPlan
from tacita.tables.specification.specification import METHOD_OPTIONS, METHODS, AttackerPlan, ProtectPlan
from tacita.toml.checked import Checked

_T = TypeVar("_T")

SENSITIVITY_KEYS = (
    "minimum_frequency",
    "dominance",
    "p_percent",
    "prior_posterior",
    "zeros",
    "request",
    "group_disclosure",
    "rules",
    "waivers",
    "range",
    "options",
)
ATTACKER_KEYS = ("lower", "upper", "within", "singletons")
PROTECT_KEYS = ("method", "cost", "base", "seed", "time", "gap", "keep", "suppress", "apriori", *METHODS)


def sensitivity_plan(top: Checked) -> SensitivityPlan:
    """Return the table [sensitivity]."""
    table = top.below("sensitivity", SENSITIVITY_KEYS)
    options = table.table.get("options", {})
    group = table.table.get("group_disclosure", False)
    if isinstance(group, dict):
        options = {**(options if isinstance(options, dict) else {}), "group_disclosure": group}
    return SensitivityPlan(
        minimum_frequency=table.whole("minimum_frequency", None, least=1),
        dominance=_several(table, "dominance", ("n", "k"), _dominance),
        p_percent=_several(table, "p_percent", ("p", "n"), _p_percent),
        prior_posterior=_several(table, "prior_posterior", ("p", "q", "n"), _prior_posterior),
        zeros=table.truth("zeros", False),
        request=_several(table, "request", ("share", "n"), _request),
        group_disclosure=True if isinstance(group, dict) else table.truth("group_disclosure", False),
        rules=table.file("rules"),
        waivers=table.texts("waivers"),
        range=table.number("range", 0.15, least=0, above=True),
        options=options if isinstance(options, dict) else {},
    )


def attacker_plan(top: Checked) -> AttackerPlan:
    """Return the table [attacker]."""
    table = top.below("attacker", ATTACKER_KEYS)
    free = table.table.get("lower") == "none"
    return AttackerPlan(
        lower=None if free else table.number("lower", 0.0),
        upper=table.number("upper", None),
        within=table.number("within", None, least=0, above=True),
        singletons=table.truth("singletons", True) if "singletons" in table.table else None,
    )


def protect_plan(top: Checked, dimensions: Collection[str]) -> ProtectPlan:
    """Return the table [protect]."""
    table = top.below("protect", PROTECT_KEYS)
    method = table.text("method", "suppression", among=METHODS)
    options = _method_options(table, method)
    for other in METHODS:
        if other in table.table and other != method:
            table.fault(other, f"[protect.{other}] stands there, but the method is '{method}'")
    return ProtectPlan(
        method=method,
        cost=table.text("cost", "value"),
        base=table.whole("base", 5, least=1),
        seed=table.whole("seed", None),
        time=table.number("time", 60.0, least=0),
        gap=table.number("gap", 0.0, least=0),
        keep=_cells(table, "keep", dimensions),
        suppress=_cells(table, "suppress", dimensions),
        apriori=table.file("apriori"),
        options=options,
    )


def _method_options(table: Checked, method: str) -> dict[str, Any]:
    """Return the settings of the method itself; each is checked here, so that none is ignored or meets a program."""
    if method not in METHOD_OPTIONS:
        if method in table.table:
            table.fault(method, f"[protect.{method}] stands there, but this method has no settings of its own")
        return {}
    own = table.below(method, METHOD_OPTIONS[method])
    found: dict[str, Any] = {
        "weight": own.text("weight", None, among=("unity", "relative")),
        "ends": own.text("ends", None, among=("round", "exact")),
        "maximum": own.whole("maximum", None, least=1),
        "variance": own.number("variance", None, least=0, above=True),
        "smallest": own.whole("smallest", None),
        "key": own.text("key", None),
        "identifier": own.text("identifier", None),
    }
    return {key: value for key, value in found.items() if value is not None and key in METHOD_OPTIONS[method]}


def _several(table: Checked, key: str, known: tuple[str, ...], one: Callable[[Checked], _T | None]) -> tuple[_T, ...]:
    """Return the rules of a kind: one table, or a list of them."""
    given = table.table.get(key, [])
    each = given if isinstance(given, list) else [given]
    keys = (*table.keys, key)
    made = (one(Checked.of(item, keys, table.faults, table.folder, known)) for item in each)
    return tuple(rule for rule in made if rule is not None)


def _dominance(table: Checked) -> Dominance | None:
    n, k = table.whole("n", None, least=1), table.number("k", None, least=0, most=100, above=True)
    return _complete(table, "n", "k") and Dominance(n or 1, k or 100.0)


def _p_percent(table: Checked) -> PPercent | None:
    p, n = table.number("p", None, least=0, above=True), table.whole("n", 1, least=1)
    return _complete(table, "p") and PPercent(p or 100.0, n)


def _prior_posterior(table: Checked) -> PriorPosterior | None:
    p, q = table.number("p", None, least=0, above=True), table.number("q", None, least=0, above=True)
    n = table.whole("n", 1, least=1)
    if p is not None and q is not None and p >= q:
        table.fault("p", f"the prior-posterior rule needs p below q, but p is {p:g} and q is {q:g}")
    return _complete(table, "p", "q") and PriorPosterior(p or 1.0, q or 100.0, n)


def _request(table: Checked) -> Request | None:
    share, n = table.number("share", None, least=0, most=100), table.whole("n", 1, least=1)
    return _complete(table, "share") and Request(share or 0.0, n)


def _complete(table: Checked, *needed: str) -> Any:
    """Return True if all parameters are given, or None after noting which are not."""
    lacking = [f"'{key}'" for key in needed if key not in table.table]
    if lacking:
        table.fault(needed[0], f"'{table.keys[-1]}' lacks {' and '.join(lacking)}")
        return None
    return True


def _cells(table: Checked, key: str, dimensions: Collection[str]) -> tuple[Mapping[str, str], ...]:
    """Return descriptions of cells: codes by dimension; a dimension that is left out may have any code."""
    given = table.table.get(key, [])
    if not isinstance(given, list) or not all(isinstance(each, dict) and each for each in given):
        table.fault(key, f"'{key}' in [protect] must be a list of cells, such as [{{ sector = \"A1\" }}]")
        return ()
    found = []
    for each in given:
        for name, code in each.items():
            if dimensions and name not in dimensions:
                table.fault(key, f"'{key}' names '{name}', which is no dimension{did_you_mean(name, dimensions)}")
            if not isinstance(code, str):
                table.fault(key, f"'{key}' gives no text as the code of '{name}': write it in quotes")
        found.append({name: str(code) for name, code in each.items()})
    return tuple(found)

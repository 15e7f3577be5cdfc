"""A hierarchy as a rule in the dictionary: ``hierarchy = { intervals = [5, 10], bottom = 15, top = 85 }``."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from tacita.errors import HierarchyError, did_you_mean, faults_text
from tacita.model.hierarchy.base import Hierarchy
from tacita.model.hierarchy.classes import (
    BoundedClasses,
    EvenClasses,
    Number,
    bounded_classes,
    even_classes,
    is_whole,
)
from tacita.model.hierarchy.dates import DateHierarchy, as_date, date_faults
from tacita.model.hierarchy.interval import IntervalHierarchy, exact_domain
from tacita.model.hierarchy.nesting import interval_faults
from tacita.model.hierarchy.prefix import PrefixHierarchy, prefix_faults

Rule = Mapping[str, Any]


def from_rule(attribute: str, rule: Rule, *, integer: bool | None = None) -> Hierarchy:
    """Return the hierarchy that a rule describes.

    `integer` says whether the attribute is whole-numbered, if the caller knows. A rule that says so itself
    wins; if nobody says, whole bounds mean whole numbers.

    >>> from_rule("age", {"intervals": [5, 10], "bottom": 15, "top": 85}).generalise(37, 2)
    '35-44'
    >>> from_rule("postcode", {"prefixes": [3], "star": True}).path("00184")
    ('00184', '001**', '*')
    """
    if integer is not None and ("intervals" in rule or "bounds" in rule):
        rule = {"integer": integer, **rule}
    if faults := rule_faults(rule):
        raise HierarchyError(
            faults_text(faults),
            where=f"hierarchy rule of '{attribute}'",
            do="correct the rule, such as { intervals = [5, 10, 20], bottom = 15, top = 85 } or "
            '{ bounds = [[18, 30, 65], [18, 65]] } or { dates = ["month", "year"] } or { prefixes = [4, 3] }',
        )
    star = rule.get("star", False)
    if "dates" in rule:
        return DateHierarchy(attribute, tuple(rule["dates"]), star, _days(rule))
    if "prefixes" in rule:
        return PrefixHierarchy(attribute, tuple(rule["prefixes"]), rule.get("mask", "*"), star)
    classes = _classes(rule)
    return IntervalHierarchy(attribute, classes, rule.get("integer", is_whole(classes)), star, _domain(rule))


def rule_faults(rule: Rule) -> list[str]:
    """Return all faults of a rule at once.

    >>> rule_faults({"intervals": [5, 12], "botom": 15})
    ["unknown key 'botom'; did you mean 'bottom'?",
     'width 12 (level 2) is no multiple of width 5 (level 1): its intervals would cut across those below']
    """
    known = dict.fromkeys(key for keys in _FORMS.values() for key in keys)
    faults = [f"unknown key '{key}'{did_you_mean(key, known)}" for key in rule if key not in known]
    forms = [form for form in _FORMS if form in rule]
    if len(forms) != 1:
        given_forms = f"both {' and '.join(forms)}" if forms else "none of them"
        return [*faults, f"a rule has one of {', '.join(_FORMS)}; this has {given_forms}"]
    form = forms[0]
    faults += [f"'{key}' does not go with '{form}'" for key in rule if key in known and key not in _FORMS[form]]
    wrong = [
        f"'{key}' must be {_KINDS[kind][0]}"
        for key, kind in _FORMS[form].items()
        if key in rule and not _KINDS[kind][1](rule[key])
    ]
    return faults + (wrong or _deeper_faults(rule))


def _deeper_faults(rule: Rule) -> list[str]:
    if "dates" in rule:
        return date_faults(rule["dates"], _days(rule))
    if "prefixes" in rule:
        return prefix_faults(rule["prefixes"], rule.get("mask", "*"))
    classes = _classes(rule)
    return interval_faults(classes, rule.get("integer", is_whole(classes)), _domain(rule))


def _classes(rule: Rule) -> tuple[EvenClasses | BoundedClasses, ...]:
    if "intervals" in rule:
        return even_classes(rule["intervals"], rule.get("bottom"), rule.get("top"), rule.get("start"))
    bounds = rule["bounds"]
    # a single level may be written without its own brackets
    return bounded_classes([bounds] if bounds and _is_number(bounds[0]) else bounds)


def _domain(rule: Rule) -> tuple[Number, Number] | None:
    return exact_domain(tuple(rule["domain"])) if "domain" in rule else None


def _days(rule: Rule) -> tuple[date, date] | None:
    days = [day for day in map(as_date, rule.get("domain", ())) if day]
    return (days[0], days[1]) if days else None


def _is_number(value: object) -> bool:
    return type(value) is int or (isinstance(value, float) and math.isfinite(value))


def _is_list(of: Callable[[Any], bool], number: int | None = None) -> Callable[[Any], bool]:
    def check(value: object) -> bool:
        return isinstance(value, list | tuple) and all(map(of, value)) and len(value) == (number or len(value))

    return check


_KINDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "yes or no": ("true or false", lambda value: isinstance(value, bool)),
    "text": ("a text", lambda value: isinstance(value, str)),
    "number": ("a number", _is_number),
    "widths": ("a list of numbers, such as [5, 10, 20]", _is_list(_is_number)),
    "bounds": (
        "a list of numbers for each level, such as [[18, 30, 65], [18, 65]]",
        lambda value: _is_list(_is_number)(value) or _is_list(_is_list(_is_number))(value),
    ),
    "steps": ('a list of steps, such as ["month", "year"]', _is_list(lambda item: isinstance(item, str))),
    "lengths": ("a list of whole numbers, such as [4, 3, 2]", _is_list(lambda item: type(item) is int)),
    "range": ("a list of two numbers, lowest first", _is_list(_is_number, 2)),
    "days": ("a list of two dates, first and last", _is_list(lambda item: as_date(item) is not None, 2)),
}
_NUMERIC = {"integer": "yes or no", "domain": "range", "star": "yes or no"}
_FORMS: dict[str, dict[str, str]] = {
    "intervals": {"intervals": "widths", "bottom": "number", "top": "number", "start": "number", **_NUMERIC},
    "bounds": {"bounds": "bounds", **_NUMERIC},
    "dates": {"dates": "steps", "domain": "days", "star": "yes or no"},
    "prefixes": {"prefixes": "lengths", "mask": "text", "star": "yes or no"},
}

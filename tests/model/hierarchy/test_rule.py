from datetime import date

import pytest

from tacita.errors import HierarchyError
from tacita.model.hierarchy import DateHierarchy, IntervalHierarchy, PrefixHierarchy, from_rule, rule_faults


@pytest.mark.parametrize(
    ("rule", "hierarchy"),
    [
        (
            {"intervals": [5, 10, 20], "bottom": 15, "top": 85},
            IntervalHierarchy.by_width("a", [5, 10, 20], bottom=15, top=85),
        ),
        (
            {"intervals": [5], "start": 2, "integer": False, "domain": [0, 99], "star": True},
            IntervalHierarchy.by_width("a", [5], start=2, integer=False, domain=(0, 99), star=True),
        ),
        ({"intervals": [0.5]}, IntervalHierarchy.by_width("a", [0.5])),
        ({"bounds": [[6, 18, 65], [18, 65]]}, IntervalHierarchy.by_bounds("a", [[6, 18, 65], [18, 65]])),
        ({"bounds": [18, 65], "star": True}, IntervalHierarchy.by_bounds("a", [[18, 65]], star=True)),
        ({"dates": ["month", "year"], "star": True}, DateHierarchy("a", ("month", "year"), star=True)),
        (
            {"dates": ["year"], "domain": [date(1900, 1, 1), "1999-12-31"]},
            DateHierarchy("a", ("year",), domain=(date(1900, 1, 1), date(1999, 12, 31))),
        ),
        ({"prefixes": [4, 3], "star": True}, PrefixHierarchy("a", (4, 3), star=True)),
        ({"prefixes": [4], "mask": ""}, PrefixHierarchy("a", (4,), mask="")),
    ],
)
def test_rules(rule, hierarchy):
    assert from_rule("a", rule) == hierarchy
    assert rule_faults(rule) == []


def test_the_caller_may_know_whether_numbers_are_whole_and_the_rule_knows_better():
    assert from_rule("a", {"intervals": [5]}).generalise(7, 1) == "5-9"
    assert from_rule("a", {"intervals": [5]}, integer=False).generalise(7, 1) == "[5, 10)"
    assert from_rule("a", {"bounds": [5]}, integer=False).generalise(7.5, 1) == "5+"
    assert from_rule("a", {"intervals": [5], "integer": True}, integer=False).generalise(7, 1) == "5-9"
    assert from_rule("a", {"prefixes": [1]}, integer=True).generalise(77, 1) == "7*"


@pytest.mark.parametrize(
    ("rule", "faults"),
    [
        ({}, ["a rule has one of intervals, bounds, dates, prefixes; this has none of them"]),
        (
            {"interval": [5]},
            [
                "unknown key 'interval'; did you mean 'intervals'?",
                "a rule has one of intervals, bounds, dates, prefixes; this has none of them",
            ],
        ),
        (
            {"intervals": [5], "dates": ["year"]},
            ["a rule has one of intervals, bounds, dates, prefixes; this has both intervals and dates"],
        ),
        (
            {"dates": ["yaer"], "bottom": 3, "stra": True},
            [
                "unknown key 'stra'; did you mean 'star'?",
                "'bottom' does not go with 'dates'",
                "no step 'yaer'; did you mean 'year'?",
            ],
        ),
        (
            {"intervals": 5, "bottom": "15", "top": True, "star": 1, "domain": [0]},
            [
                "'intervals' must be a list of numbers, such as [5, 10, 20]",
                "'bottom' must be a number",
                "'top' must be a number",
                "'domain' must be a list of two numbers, lowest first",
                "'star' must be true or false",
            ],
        ),
        ({"intervals": [float("nan")]}, ["'intervals' must be a list of numbers, such as [5, 10, 20]"]),
        ({"intervals": []}, ["no intervals are given"]),
        ({"intervals": [10**400, -1]}, ["width -1 (level 2) is not above 0"]),
        (
            {"bounds": [[1, 2], 3]},
            ["'bounds' must be a list of numbers for each level, such as [[18, 30, 65], [18, 65]]"],
        ),
        ({"bounds": []}, ["no intervals are given"]),
        ({"bounds": [[]]}, ["level 1 has no bounds"]),
        ({"dates": "year"}, ['\'dates\' must be a list of steps, such as ["month", "year"]']),
        ({"dates": ["year"], "domain": ["1.1.1900", 3]}, ["'domain' must be a list of two dates, first and last"]),
        (
            {"prefixes": [4.0], "mask": 0},
            ["'prefixes' must be a list of whole numbers, such as [4, 3, 2]", "'mask' must be a text"],
        ),
        ({"prefixes": [3, 4]}, ["prefix length 4 stands after 3, but is not shorter"]),
    ],
)
def test_all_faults_of_a_rule_come_at_once(rule, faults):
    assert rule_faults(rule) == faults
    with pytest.raises(HierarchyError):
        from_rule("a", rule)


def test_the_message():
    with pytest.raises(HierarchyError) as fault:
        from_rule("age", {"intervals": [5, 12], "botom": 15})
    assert str(fault.value) == (
        "hierarchy rule of 'age': 2 faults:\n"
        "  - unknown key 'botom'; did you mean 'bottom'?\n"
        "  - width 12 (level 2) is no multiple of width 5 (level 1): its intervals would cut across those below\n"
        "  what to do: correct the rule, such as { intervals = [5, 10, 20], bottom = 15, top = 85 } or "
        '{ bounds = [[18, 30, 65], [18, 65]] } or { dates = ["month", "year"] } or { prefixes = [4, 3] }'
    )

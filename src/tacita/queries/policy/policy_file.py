"""The policy of a queryable database as a TOML file, read with every fault in one message."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any

from tacita.errors import InputError
from tacita.model.hierarchy.text_file import read_text
from tacita.queries.policy.mode_tables import read_mode
from tacita.queries.policy.policy import (
    LINEAR,
    AnswerMode,
    DeclaredJoin,
    FilterAttribute,
    JudgedTogether,
    QueryLimits,
    QueryMeasure,
    QueryPolicy,
    QueryRules,
)
from tacita.queries.question import Statistic
from tacita.toml.checked import Checked
from tacita.toml.faults import Faults, tables_of

_TOP = (
    "name",
    "source",
    "unit",
    "key",
    "answers",
    "together",
    "filter",
    "measure",
    "regressor",
    "join",
    "rules",
    "limits",
)
_FILTER = ("attribute", "cuts", "values", "missing", "join")
_MEASURE = ("attribute", "lower", "upper", "decimals", "statistics", "missing", "outside")
_RULES = (
    "minimum",
    "dominance",
    "p_percent",
    "overlap",
    "program",
    "counts_are_confidential",
    "knows_bounds",
    "simulatable",
    "cell_by_cell",
)
_LIMITS = ("cells", "answers", "share", "refusals", "memory", "deadline")
_ASKED = tuple(str(one) for one in Statistic if one not in {Statistic.COUNT, Statistic.CONTRIBUTORS})
_NOISY_RULES = (
    "minimum",
    "dominance",
    "p_percent",
    "program",
    "counts_are_confidential",
    "simulatable",
    "cell_by_cell",
)
_RULES_OF: dict[AnswerMode, tuple[str, ...]] = {
    AnswerMode.EXACT: _RULES,
    AnswerMode.SAMPLE: _NOISY_RULES,
    AnswerMode.PERTURBED: _NOISY_RULES,
    AnswerMode.CAMOUFLAGE: ("counts_are_confidential",),
    AnswerMode.PRIVATE: (),
}
_NOISY_LIMITS = ("cells", "answers", "share", "refusals", "memory")
_LIMITS_OF: dict[AnswerMode, tuple[str, ...]] = {
    AnswerMode.EXACT: _LIMITS,
    AnswerMode.SAMPLE: _NOISY_LIMITS,
    AnswerMode.PERTURBED: _NOISY_LIMITS,
    AnswerMode.CAMOUFLAGE: ("cells",),
    AnswerMode.PRIVATE: ("cells",),
}
"""The rules and limits that mean something, by what analysts get."""
_DO = "correct the policy; docs/reference/query-policy.md lists every key"
_MOST_DIGITS = 15


def read_query_policy(path: str | PathLike[str]) -> QueryPolicy:
    """Return the policy of a TOML file."""
    path = Path(path)
    text = read_text(path, InputError, "the policy of a queryable database, a TOML file")
    return parse_query_policy(text, where=str(path), folder=path.parent)


def parse_query_policy(text: str, *, where: str = "the policy", folder: Path = Path()) -> QueryPolicy:
    """Return the policy of a text; files that it names are in `folder`.

    >>> policy = parse_query_policy('''
    ... name = "staff"
    ... [[filter]]
    ... attribute = "age"
    ... cuts = [30, 45, 60]
    ... [[measure]]
    ... attribute = "salary"
    ... lower = 0
    ... upper = 200000
    ... [rules]
    ... dominance = {n = 1, k = 85}
    ... ''')
    >>> policy.measures[0].bounds, policy.rules.dominance, policy.answers.value
    ((0, 200000), (1, Fraction(85, 1)), 'exact')
    """
    faults = Faults()
    modes = tuple(str(mode) for mode in AnswerMode if mode is not AnswerMode.EXACT)
    top = Checked.of(tables_of(text, where=where), (), faults, folder, (*_TOP, *modes))
    name = top.text("name", "")
    if not name:
        top.fault("name", "the data set needs a 'name': it stands after FROM in questions")
    elif not name.isidentifier():
        top.fault("name", "'name' stands after FROM in questions: give letters, digits and underscores")
    answers = AnswerMode(top.text("answers", "exact", among=[str(mode) for mode in AnswerMode]))
    joins = tuple(_joins(top))
    filters = tuple(_filters(top, "filter", joins))
    measures = tuple(_measures(top))
    regressors = tuple(_filters(top, "regressor", joins))
    policy = QueryPolicy(
        name,
        filters,
        measures,
        regressors,
        joins,
        top.texts("unit", single=True),
        answers,
        JudgedTogether(top.text("together", "all", among=[str(one) for one in JudgedTogether])),
        _rules(top),
        _limits(top),
        key=top.texts("key", single=True),
        source=top.text("source", ""),
        text=text,
        folder=folder,
    )
    _check_names(top, policy)
    policy = replace(policy, options=read_mode(policy, top))
    _check_effects(top, policy)
    for mode in modes:
        if mode != answers and mode in top.table:
            top.fault(mode, f"[{mode}] has no effect: 'answers' is '{answers}'")
    faults.raise_any(text, where=where, do=_DO)
    return policy


def _check_effects(top: Checked, policy: QueryPolicy) -> None:
    """Note what is given and would change nothing: nobody should rely on it."""
    for table, effective in (("rules", _RULES_OF), ("limits", _LIMITS_OF)):
        given = top.table.get(table)
        known = effective[policy.answers]
        if table == "rules" and policy.has_public_records:
            known = ("counts_are_confidential",)
        for key in given if isinstance(given, dict) else ():
            if key in (_RULES if table == "rules" else _LIMITS) and key not in known:
                top.faults.add((table, key), f"'{key}' has no effect: 'answers' is '{policy.answers}'")
    if policy.answers is AnswerMode.CAMOUFLAGE and policy.rules.counts_are_confidential:
        top.fault("answers", "camouflage gives exact counts: say counts_are_confidential = false in [rules]")


def _check_names(top: Checked, policy: QueryPolicy) -> None:
    if not policy.filters and "filter" not in top.table:
        top.fault("filter", "no [[filter]]: say which attributes may be filtered and grouped by")
    shown = [one.name for one in (*policy.filters, *policy.regressors)]
    for key, names in (("filter", shown), ("measure", [one.name for one in policy.measures])):
        for twice in sorted({name for name in names if names.count(name) > 1}):
            top.fault(key, f"'{twice}' is declared twice")
    for name in sorted(set(policy.unit) & set(shown)):
        top.fault("unit", f"'{name}' names whom the rules protect: it cannot be filtered by")
    for name in sorted(set(policy.key) & {*shown, *(one.name for one in policy.measures)}):
        top.fault("key", f"'{name}' tells records apart: it cannot be filtered by or asked about")
    if policy.rules.simulatable and (policy.rules.dominance or policy.rules.p_percent or policy.rules.program):
        top.faults.add(
            ("rules", "simulatable"),
            "'simulatable' allows no rule that looks at values: leave out dominance, p_percent and program",
        )
    if policy.together is JudgedTogether.ANALYST and policy.answers is AnswerMode.SAMPLE:
        top.fault("together", "samples are drawn once for all analysts: leave out 'together'")


def _decimal(given: object) -> Decimal | None:
    if isinstance(given, bool) or not isinstance(given, int | float):
        return None
    number = Decimal(repr(given))
    return number if number.is_finite() else None


def _joins(top: Checked) -> list[DeclaredJoin]:
    joins = []
    for number, given in top.tables("join"):
        one = Checked.of(given, ("join", str(number)), top.faults, top.folder, ("name", "file", "key"))
        name, file, key = one.text("name", ""), one.file("file"), one.text("key", "")
        if not name or file is None or not key:
            top.faults.add(one.keys, "a [[join]] needs 'name', 'file' and 'key'")
            continue
        joins.append(DeclaredJoin(name, file, key))
    return joins


def _filters(top: Checked, kind: str, joins: Sequence[DeclaredJoin]) -> list[FilterAttribute]:
    filters = []
    for number, given in top.tables(kind):
        keys = (kind, str(number))
        one = Checked.of(given, keys, top.faults, top.folder, _FILTER)
        name = one.text("attribute", "")
        if not name:
            top.faults.add(keys, f"[[{kind}]] needs an 'attribute'")
        cuts = _cuts(one)
        values = _texts_or_numbers(one)
        if cuts and values:
            one.fault("values", "an attribute has 'cuts' or 'values', not both")
        if cuts and kind == "regressor":
            one.fault("cuts", "an interval is not a number that can be regressed on; a [[regressor]] has 'values'")
        join = one.text("join", "", among=[one.name for one in joins]) if joins or "join" in one.table else ""
        usual = "refuse" if kind == "regressor" else "code"
        missing = one.text("missing", usual, among=("code", "refuse"))
        if missing == "code" and kind == "regressor":
            one.fault("missing", "a missing number cannot be regressed on")
        filters.append(FilterAttribute(name or "", cuts, values, join, is_complete=missing == "refuse"))
    return filters


def _cuts(one: Checked) -> tuple[Decimal, ...]:
    given = one.table.get("cuts", [])
    numbers = [_decimal(cut) for cut in given] if isinstance(given, list) else [None]
    cuts = tuple(cut for cut in numbers if cut is not None)
    if len(cuts) < len(numbers) or any(a >= b for a, b in itertools.pairwise(cuts)):
        one.fault("cuts", "'cuts' is a list of finite numbers, each larger than the one before it")
        return ()
    return cuts


def _texts_or_numbers(one: Checked) -> tuple[str, ...]:
    given = one.table.get("values", [])
    if not isinstance(given, list) or not all(
        isinstance(item, str | int | float) and not isinstance(item, bool) for item in given
    ):
        one.fault("values", "'values' is a list of texts or numbers")
        return ()
    texts = tuple(str(item) for item in given)
    if len(set(texts)) < len(texts) or "" in texts:
        one.fault("values", "'values' names something twice, or an empty text")
    return texts


def _measures(top: Checked) -> list[QueryMeasure]:
    measures = []
    for number, given in top.tables("measure"):
        keys = ("measure", str(number))
        one = Checked.of(given, keys, top.faults, top.folder, _MEASURE)
        name, decimals = one.text("attribute", ""), one.whole("decimals", 0)
        lower, upper = _decimal(one.table.get("lower")), _decimal(one.table.get("upper"))
        if not name:
            top.faults.add(keys, "[[measure]] needs an 'attribute'")
        if decimals > _MOST_DIGITS:
            one.fault("decimals", f"'decimals' is at most {_MOST_DIGITS}")
            decimals = 0
        if lower is None or upper is None or lower >= upper:
            one.fault(
                "lower", "a measure needs 'lower' and 'upper', the least and the largest value that anybody may have"
            )
            lower, upper = Decimal(0), Decimal(1)
        unit = Decimal(1).scaleb(-decimals)
        if lower % unit or upper % unit:
            one.fault("decimals", f"the bounds have more decimals than the {decimals} that count")
        words = one.texts("statistics", single=True)
        for wrong in [word for word in words if word not in _ASKED]:
            one.fault("statistics", f"no statistic '{wrong}': use {', '.join(_ASKED)}")
        chosen = tuple(Statistic(word) for word in words if word in _ASKED) or LINEAR
        zero = one.text("missing", "refuse", among=("refuse", "zero")) == "zero"
        clamps = one.text("outside", "refuse", among=("refuse", "clamp")) == "clamp"
        if zero and not lower <= 0 <= upper:
            one.fault("missing", "a missing value cannot count as 0, which is outside of the bounds")
        measures.append(QueryMeasure(name or "", lower, upper, decimals, chosen, zero, clamps))
    return measures


def _rules(top: Checked) -> QueryRules:
    one = top.below("rules", _RULES)
    dominance = None
    if "dominance" in one.table:
        table = one.below("dominance", ("n", "k"))
        n, k = table.whole("n", 1, least=1), table.number("k", 85.0, least=0, most=100, above=True)
        dominance = (n, Fraction(repr(k)))
    p = one.number("p_percent", None, least=0, above=True)
    return QueryRules(
        one.whole("minimum", 5, least=2),
        dominance,
        None if p is None else Fraction(repr(p)),
        one.whole("overlap", None, least=1),
        one.file("program"),
        one.truth("counts_are_confidential", True),
        one.truth("knows_bounds", True),
        one.truth("simulatable", False),
        one.truth("cell_by_cell", True),
    )


def _limits(top: Checked) -> QueryLimits:
    one, usual = top.below("limits", _LIMITS), QueryLimits()
    share = one.number("share", None, least=0, most=1, above=True)
    return QueryLimits(
        one.whole("cells", usual.cells, least=1),
        one.whole("answers", None, least=1),
        None if share is None else Fraction(repr(share)),
        one.whole("refusals", usual.refusals, least=1),
        one.whole("memory", usual.memory, least=1),
        one.whole("deadline", usual.deadline, least=10),
    )


def whole_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a mode as a ledger keeps them: no fractions."""
    return {key: value if isinstance(value, bool | int | str) else str(value) for key, value in options.items()}

"""A question as readable SQL: for the ledger, the auditor, and the history of an analyst."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction

from tacita.errors import InternalError, UsageError
from tacita.queries.cube.cube import Cube
from tacita.queries.language.canonical import canonical_question
from tacita.queries.language.conditions import MOST_VALUES
from tacita.queries.language.scope import declared, join_text
from tacita.queries.language.spelling import sql_name, sql_number, sql_string
from tacita.queries.language.values import AttributeCodes
from tacita.queries.question import AskedStatistic, Both, DataQuestion, Either, Except, Predicate, Selection, Statistic

_FUNCTIONS = {
    Statistic.SUM: "SUM",
    Statistic.AVERAGE: "AVG",
    Statistic.VARIANCE: "VAR_POP",
    Statistic.MINIMUM: "MIN",
    Statistic.MAXIMUM: "MAX",
    Statistic.SLOPE: "REGR_SLOPE",
    Statistic.INTERCEPT: "REGR_INTERCEPT",
}
_SHORTEST_RUN = 3
"""Numbers in a row that are written as a range."""


def question_text(question: DataQuestion, cube: Cube) -> str:
    """Return a question as SQL of the language: one text for equal questions.

    Parsed again, it gives the same question, in canonical form. A text may be longer than an analyst's may be.
    """
    question = canonical_question(question, cube)
    attributes = declared(cube.policy)
    figures = [_named(one, label, cube) for one, label in itertools.zip_longest(question.aggregates, question.labels)]
    used = {*question.groups, *_names(question.predicate), *(one.other for one in question.aggregates)}
    joined = {attributes[name].joined for name in used if name in attributes}
    lines = [
        "SELECT " + ", ".join([*map(sql_name, question.groups), *figures]),
        "FROM " + sql_name(cube.policy.name),
        *(join_text(join) for join in cube.policy.joins if join.name in joined),
    ]
    if question.predicate != Both(()):
        lines.append("WHERE " + _condition(question.predicate, cube))
    if question.groups:
        lines.append("GROUP BY " + _grouping(question))
    return " ".join(lines)


def _grouping(question: DataQuestion) -> str:
    """Return what stands after GROUP BY; grouping sets are in canonical order."""
    names = ", ".join(map(sql_name, question.groups))
    if not question.levels:
        return names
    if question.levels == tuple(question.groups[:end] for end in range(len(question.groups), -1, -1)):
        return f"ROLLUP ({names})"
    if len(question.levels) == 2 ** len(question.groups):
        return f"CUBE ({names})"
    sets = ["(" + ", ".join(map(sql_name, level)) + ")" for level in question.levels]
    return f"GROUPING SETS ({', '.join(sets)})"


def _names(predicate: Predicate) -> set[str]:
    match predicate:
        case Selection(attribute, _):
            return {attribute}
        case Except(part):
            return _names(part)
        case Both(parts) | Either(parts):
            return {name for part in parts for name in _names(part)}
    raise InternalError("a question has a predicate of an unknown kind")


def _named(aggregate: AskedStatistic, label: str | None, cube: Cube) -> str:
    text = _figure(aggregate, cube)
    return text if label in (None, aggregate.name) else f"{text} AS {sql_name(str(label))}"


def _figure(aggregate: AskedStatistic, cube: Cube) -> str:
    measure, other = sql_name(aggregate.measure), sql_name(aggregate.other)
    match aggregate.statistic:
        case Statistic.COUNT:
            return "COUNT(*)"
        case Statistic.CONTRIBUTORS:
            return f"COUNT(DISTINCT {', '.join(map(sql_name, cube.policy.unit))})"
        case Statistic.QUANTILE:
            return f"QUANTILE_CONT({measure}, {_decimal(aggregate.share)})"
        case Statistic.RATIO:
            return f"SUM({measure}) / SUM({other})"
        case Statistic.SLOPE | Statistic.INTERCEPT:
            return f"{_FUNCTIONS[aggregate.statistic]}({measure}, {other})"
    return f"{_FUNCTIONS[aggregate.statistic]}({measure})"


def _decimal(share: Fraction) -> str:
    """Return a share with all its decimals; a share of the language has finitely many."""
    places = next((places for places in range(101) if 10**places % share.denominator == 0), None)
    if places is None:
        raise UsageError(f"the share {share} has no finite decimals", do="ask for a share such as 0.25")
    return sql_number(Decimal((0, tuple(map(int, str(share.numerator * 10**places // share.denominator))), -places)))


def _condition(predicate: Predicate, cube: Cube) -> str:
    match predicate:
        case Selection(attribute, codes):
            return " OR ".join(_selected(AttributeCodes.of(cube, declared(cube.policy)[attribute]), codes))
        case Either(()):
            return "FALSE"
        case Both(parts):
            return " AND ".join(_inside_and(part, cube) for part in parts)
        case Either(parts):
            return " OR ".join(_condition(part, cube) for part in parts)
    raise InternalError("a canonical predicate has no negations")


def _inside_and(predicate: Predicate, cube: Cube) -> str:
    text = _condition(predicate, cube)
    if isinstance(predicate, Selection):
        attribute = AttributeCodes.of(cube, declared(cube.policy)[predicate.attribute])
        return f"({text})" if len(_selected(attribute, predicate.codes)) > 1 else text
    return f"({text})"


def _selected(attribute: AttributeCodes, codes: frozenset[int]) -> list[str]:
    """Return conditions of which one must hold."""
    name = sql_name(attribute.name)
    known = codes & attribute.known
    result = []
    if known == attribute.known:
        result.append(f"{name} IS NOT NULL")
    elif attribute.declared.cuts:
        result += _intervals(attribute, known)
    elif attribute.numbers is not None and len(set(attribute.numbers)) == len(attribute.numbers):
        result += _numbers(attribute, known)
    elif known:
        result += _labels(attribute, known)
    return result + ([f"{name} IS NULL"] if codes & attribute.missing else [])


def _runs(places: Iterable[int]) -> list[tuple[int, int]]:
    """Return the first and the last of each run of whole numbers.

    >>> _runs([1, 2, 3, 7])
    [(1, 3), (7, 7)]
    """
    runs: list[tuple[int, int]] = []
    for place in sorted(places):
        runs[-1:] = [(runs[-1][0], place)] if runs and runs[-1][1] == place - 1 else [*runs[-1:], (place, place)]
    return runs


def _intervals(attribute: AttributeCodes, codes: frozenset[int]) -> list[str]:
    name, cuts = sql_name(attribute.name), attribute.declared.cuts
    places = [place for place, code in enumerate(attribute.intervals) if code in codes]
    result = []
    for first, last in _runs(places):
        lower = [f"{name} >= {sql_number(cuts[first - 1])}"] if first else []
        upper = [f"{name} < {sql_number(cuts[last])}"] if last < len(cuts) else []
        result.append(" AND ".join(lower + upper))
    return result


def _numbers(attribute: AttributeCodes, codes: frozenset[int]) -> list[str]:
    """Return ranges for runs of numbers, and a list of labels for the others."""
    name = sql_name(attribute.name)
    ordered = sorted((number, code) for code, number in enumerate(attribute.numbers or ()) if number is not None)
    result, alone = [], set()
    for first, last in _runs(place for place, (_, code) in enumerate(ordered) if code in codes):
        if last - first + 1 < _SHORTEST_RUN:
            alone |= {code for _, code in ordered[first : last + 1]}
            continue
        lower = [f"{name} >= {sql_number(ordered[first][0])}"] if first else []
        upper = [f"{name} <= {sql_number(ordered[last][0])}"] if last < len(ordered) - 1 else []
        result.append(" AND ".join(lower + upper))
    return result + (_labels(attribute, frozenset(alone)) if alone else [])


def _labels(attribute: AttributeCodes, codes: frozenset[int]) -> list[str]:
    """Return a comparison, or lists of labels: of those that are left out, if these are fewer."""
    name = sql_name(attribute.name)
    others = attribute.known - codes
    is_short = len(others) < len(codes) and len(others) <= MOST_VALUES
    labels = [sql_string(attribute.labels[code]) for code in sorted(others if is_short else codes)]
    if len(labels) == 1:
        return [f"{name} {'<>' if is_short else '='} {labels[0]}"]
    operator = "NOT IN" if is_short else "IN"
    parts = [labels[start : start + MOST_VALUES] for start in range(0, len(labels), MOST_VALUES)]
    return [f"{name} {operator} ({', '.join(part)})" for part in parts]

"""Aggregates: groups of matches, one extreme value per contributor, one result per group."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cmp_to_key

from tests.oracles.rules.clauses import Clause
from tests.oracles.rules.expressions import Binding, Expressions
from tests.oracles.rules.functions import NoValue, order
from tests.oracles.rules.matching import Database, matches, visible
from tests.oracles.rules.values import (
    Key,
    ListValue,
    Null,
    PairValue,
    RecordValue,
    Row,
    Value,
    collection,
    key,
    row_key,
    same,
)

from tacita.errors import ReasoningError
from tacita.rules.logic.terms import Aggregate, Pair


def bindings(clause: Clause, database: Database, expressions: Expressions, is_recursive: bool = False) -> list[Binding]:
    """Return the different matches of a rule's body, each with the value of every aggregate of its group."""
    found: dict[Key, Binding] = {}
    for binding in matches(clause.before, database, {}, expressions):
        found.setdefault(_match_key(binding), binding)
    if not clause.aggregates:
        return list(found.values())
    extended: list[Binding] = []
    for group in _groups(clause, list(found.values()), expressions):
        own, everybody = group
        results: Binding = {a: _result(clause, a, everybody, expressions, is_recursive) for a in clause.aggregates}
        for binding in own:
            extended += matches(clause.after, database, {**binding, **results}, expressions)
    return extended


def _match_key(binding: Binding) -> Key:
    return tuple((name, key(value)) for name, value in sorted(visible(binding).items()))


# -- groups ------------------------------------------------------------------------------------------------------------


def _groups(
    clause: Clause, found: Sequence[Binding], expressions: Expressions
) -> Iterator[tuple[list[Binding], list[Binding]]]:
    """Yield for each group the matches that made it and the matches that count in it.

    They are the same, but where records match maybe: there a match counts in every group that it may belong to.
    """
    rows: dict[Key, Row] = {}
    made: dict[Key, list[Binding]] = {}
    for binding in found:
        try:
            row = tuple(expressions.value(term, binding) for term in clause.group)
            for aggregate in clause.aggregates:
                if aggregate.value is not None:
                    expressions.value(aggregate.value, binding)
        except NoValue:
            continue  # an expression without a value: the match fails, for every aggregate of the rule
        rows[row_key(row)] = row
        made.setdefault(row_key(row), []).append(binding)
    for at, own in made.items():
        if clause.has_maybe_groups:
            near = [other for other in made if _maybe_same_group(rows[at], rows[other])]
            yield own, [binding for other in near for binding in made[other]]
        else:
            yield own, own


def _maybe_same_group(a: Row, b: Row) -> bool:
    return all(
        maybe_match(x, y) if isinstance(x, RecordValue) and isinstance(y, RecordValue) else same(x, y)
        for x, y in zip(a, b, strict=True)
    )


def maybe_match(a: RecordValue, b: RecordValue) -> bool:
    """Return whether two records have the same attributes, each with the same value or with a null on one side.

    >>> from tests.oracles.rules.values import record
    >>> maybe_match(record({"Area": Null(1), "Sector": "S"}), record({"Area": "North", "Sector": "S"}))
    True
    """
    return a.attributes == b.attributes and all(
        isinstance(x, Null) or isinstance(y, Null) or same(x, y)
        for (_, x), (_, y) in zip(a.items, b.items, strict=True)
    )


# -- results -----------------------------------------------------------------------------------------------------------

_FINAL = {f"m{name}": name for name in ("sum", "count", "prod", "min", "max", "union")}
_LARGEST = ("msum", "sum", "avg", "mmax", "max")


def _result(
    clause: Clause, aggregate: Aggregate, found: Sequence[Binding], expressions: Expressions, is_recursive: bool
) -> Value:
    function = _FINAL.get(aggregate.function, aggregate.function)
    values = [
        (_contributor(aggregate, binding), expressions.value(aggregate.value, binding))
        for binding in found
        if aggregate.value is not None
    ]
    if function == "count":
        if aggregate.value is not None and aggregate.contributors is None:
            return len({key(value) for _, value in values})
        return len({_contributor(aggregate, binding) for binding in found})
    if function in ("union", "collect"):
        if isinstance(aggregate.value, Pair):
            _check_names(clause, aggregate, [value for _, value in values])
        return collection(value for _, value in values)
    extremes = _one_per_contributor(clause, aggregate, values)
    if function in ("min", "max"):
        return _extreme(extremes, largest=function == "max")
    numbers = [_as_number(clause, aggregate, value) for value in extremes]
    if is_recursive:
        _check_range(clause, aggregate, numbers)
    if function == "prod":
        return product(numbers)
    return total(numbers) / len(numbers) if function == "avg" else total(numbers)


def _check_names(clause: Clause, aggregate: Aggregate, values: Sequence[Value]) -> None:
    """Raise if pairs that make a record, of texts and single values, give an attribute two of them."""
    composed = (PairValue, ListValue, RecordValue, frozenset)
    pairs = [value for value in values if isinstance(value, PairValue)]
    if not all(isinstance(p.first, str) and not isinstance(p.second, composed) for p in pairs):
        return
    if len({key(pair) for pair in pairs}) > len({pair.first for pair in pairs}):
        raise ReasoningError(f"an attribute with two values under {aggregate.function}", where=clause.name)


def _contributor(aggregate: Aggregate, binding: Binding) -> Key:
    if aggregate.contributors is None:
        return _match_key(binding)
    return row_key(tuple(binding[variable.name] for variable in aggregate.contributors))


def _one_per_contributor(clause: Clause, aggregate: Aggregate, values: Sequence[tuple[Key, Value]]) -> list[Value]:
    by_contributor: dict[Key, list[Value]] = {}
    for contributor, value in values:
        if isinstance(value, Null):
            raise ReasoningError(f"an unknown value under {aggregate.function}", where=clause.name)
        by_contributor.setdefault(contributor, []).append(value)
    largest = aggregate.function in _LARGEST
    try:
        return [_extreme(several, largest) for several in by_contributor.values()]
    except NoValue:
        raise ReasoningError(f"values without an order under {aggregate.function}", where=clause.name) from None


def _extreme(values: Sequence[Value], largest: bool) -> Value:
    return (max if largest else min)(values, key=cmp_to_key(order))


def _as_number(clause: Clause, aggregate: Aggregate, value: Value) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ReasoningError(f"{aggregate.function} of something that is no number", where=clause.name)
    return value


def _check_range(clause: Clause, aggregate: Aggregate, numbers: Sequence[float]) -> None:
    if aggregate.function == "msum" and any(number < 0 for number in numbers):
        raise ReasoningError("a negative value under msum in a recursion", where=clause.name)
    if aggregate.function == "mprod" and any(not 0 <= number <= 1 for number in numbers):
        raise ReasoningError("a value outside 0 to 1 under mprod in a recursion", where=clause.name)


def total(numbers: Sequence[float]) -> float:
    """Return the sum: of integers the exact one, else rounded to 14 significant digits.

    >>> total([0.1, 0.2, 0.2]), total([1, 2])
    (0.5, 3)
    """
    if all(isinstance(number, int) for number in numbers):
        return sum(numbers)
    return rounded(math.fsum(numbers))


def product(numbers: Sequence[float]) -> float:
    """Return the product: of integers the exact one, else rounded to 14 significant digits.

    >>> product([0.1, 0.5]), product([2, 3])
    (0.05, 6)
    """
    if all(isinstance(number, int) for number in numbers):
        return math.prod(numbers)
    return rounded(float(math.prod(map(Fraction, numbers))))


def rounded(number: float) -> float:
    """Return a number with 14 significant digits.

    >>> rounded(0.1 + 0.2)
    0.3
    """
    return float(f"{number:.13e}")

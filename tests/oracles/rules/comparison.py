"""Whether two sets of facts say the same: up to the names of nulls, or up to homomorphism. For small sets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from tests.oracles.rules.values import ListValue, Null, PairValue, RecordValue, Row, Value, key, parts, replaced

Facts: TypeAlias = Mapping[str, Iterable[Row]]
_Fact: TypeAlias = tuple[str, Row]
_Colours: TypeAlias = dict[Null, int]


def same_up_to_nulls(a: Facts, b: Facts, digits: int = 12) -> bool:
    """Return whether a renaming of nulls, one to one, turns one set of facts into the other.

    Numbers are compared in so many significant digits.

    >>> same_up_to_nulls({"P": [(1, Null(1)), (2, Null(1))]}, {"P": [(1, Null(7)), (2, Null(7))]})
    True
    >>> same_up_to_nulls({"P": [(1, Null(1)), (2, Null(1))]}, {"P": [(1, Null(7)), (2, Null(8))]})
    False
    """
    left, right = _listed(a, digits), _listed(b, digits)
    return _isomorphic(left, right, _refined(left, {}), _refined(right, {}))


def homomorphic(a: Facts, b: Facts, digits: int = 12) -> bool:
    """Return whether each set of facts can be mapped into the other by giving values to its nulls.

    >>> homomorphic({"P": [(1, Null(1)), (1, 2)]}, {"P": [(1, 2)]})
    True
    """
    return maps_into(a, b, digits) and maps_into(b, a, digits)


def maps_into(a: Facts, b: Facts, digits: int = 12) -> bool:
    """Return whether values for the nulls of one set of facts make it a part of the other.

    >>> maps_into({"P": [(1, Null(1))]}, {"P": [(1, 2)]}), maps_into({"P": [(1, 2)]}, {"P": [(1, Null(1))]})
    (True, False)
    """
    left, right = _listed(a, digits), _listed(b, digits)
    return _mapped(list(left), list(right), {})


def _listed(facts: Facts, digits: int) -> list[_Fact]:
    rounded = (
        (predicate, tuple(_rounded(v, digits) for v in row)) for predicate, rows in facts.items() for row in rows
    )
    return list({(predicate, _key(row)): (predicate, row) for predicate, row in rounded}.values())


def _rounded(value: Value, digits: int) -> Value:
    if isinstance(value, float):
        return float(f"{value:.{digits - 1}e}")
    if isinstance(value, PairValue):
        return PairValue(_rounded(value.first, digits), _rounded(value.second, digits))
    if isinstance(value, ListValue):
        return ListValue(tuple(_rounded(item, digits) for item in value.items))
    if isinstance(value, RecordValue):
        return RecordValue(tuple((name, _rounded(part, digits)) for name, part in value.items))
    return frozenset(_rounded(member, digits) for member in value) if isinstance(value, frozenset) else value


def _key(row: Row) -> tuple[object, ...]:
    return tuple(key(value) for value in row)


# -- renaming: colours that both sides must agree on, then one guess at a time -----------------------------------------


def _nulls(facts: Iterable[_Fact]) -> list[Null]:
    return sorted({part for _, row in facts for value in row for part in parts(value) if isinstance(part, Null)})


def _seen(fact: _Fact, colours: _Colours, self_: Null | None = None) -> tuple[object, ...]:
    """Return a fact as it looks when only the colours of nulls are known, and which of them is the one that looks."""
    shown = (replaced(v, lambda n: Null(-1) if n == self_ else Null(colours.get(n, 0))) for v in fact[1])
    return (fact[0], tuple(key(value) for value in shown))


def _refined(facts: list[_Fact], colours: _Colours) -> _Colours:
    """Return colours of the nulls such that two with the same colour occur in the same way."""
    nulls = _nulls(facts)
    current = {null: colours.get(null, 0) for null in nulls}
    where = {n: [f for f in facts if any(n in parts(value) for value in f[1])] for n in nulls}
    while True:
        looks = {n: (current[n], frozenset(Counter(_seen(f, current, n) for f in where[n]).items())) for n in nulls}
        finer = {null: hash(look) for null, look in looks.items()}
        if len(set(finer.values())) == len(set(current.values())):
            return finer
        current = finer


def _isomorphic(a: list[_Fact], b: list[_Fact], left: _Colours, right: _Colours) -> bool:
    if len(a) != len(b) or Counter(left.values()) != Counter(right.values()):
        return False
    if Counter(_seen(fact, left) for fact in a) != Counter(_seen(fact, right) for fact in b):
        return False
    several = [colour for colour, times in Counter(left.values()).items() if times > 1]
    if not several:
        return True
    one = min(null for null, colour in left.items() if colour == several[0])
    mark = 1 + max(*left.values(), *right.values(), 0)
    return any(
        _isomorphic(a, b, _refined(a, left | {one: mark}), _refined(b, right | {other: mark}))
        for other, colour in right.items()
        if colour == several[0]
    )


# -- homomorphism ------------------------------------------------------------------------------------------------------


def _mapped(waiting: list[_Fact], targets: list[_Fact], known: dict[Null, Value]) -> bool:
    if not waiting:
        return True
    # The fact with the fewest images first: it decides the most.
    images = [(fact, [image for t in targets for image in _images(fact, t, known)]) for fact in waiting]
    fact, found = min(images, key=lambda item: len(item[1]))
    rest = [other for other in waiting if other is not fact]
    return any(_mapped(rest, targets, image) for image in found)


def _images(fact: _Fact, target: _Fact, known: dict[Null, Value]) -> Iterator[dict[Null, Value]]:
    if fact[0] == target[0] and len(fact[1]) == len(target[1]):
        yield from _all_onto(list(zip(fact[1], target[1], strict=True)), known)


def _all_onto(pairs: list[tuple[Value, Value]], known: dict[Null, Value]) -> Iterator[dict[Null, Value]]:
    if not pairs:
        yield known
        return
    for extended in _onto(*pairs[0], known):
        yield from _all_onto(pairs[1:], extended)


def _onto(value: Value, target: Value, known: dict[Null, Value]) -> Iterator[dict[Null, Value]]:
    """Yield the ways to give values to nulls that turn a value into another."""
    if isinstance(value, Null):
        if value not in known or key(known[value]) == key(target):
            yield {**known, value: target}
    elif isinstance(value, PairValue) and isinstance(target, PairValue):
        yield from _all_onto([(value.first, target.first), (value.second, target.second)], known)
    elif isinstance(value, ListValue) and isinstance(target, ListValue) and len(value.items) == len(target.items):
        yield from _all_onto(list(zip(value.items, target.items, strict=True)), known)
    elif isinstance(value, RecordValue) and isinstance(target, RecordValue):
        if value.attributes == target.attributes:
            yield from _all_onto([(x, y) for (_, x), (_, y) in zip(value.items, target.items, strict=True)], known)
    elif isinstance(value, frozenset) and isinstance(target, frozenset):
        yield from _set_onto(value, target, known)
    elif key(value) == key(target):
        yield known


def _set_onto(
    value: frozenset[Value], target: frozenset[Value], known: dict[Null, Value]
) -> Iterator[dict[Null, Value]]:
    tried = [known]
    for member in value:
        tried = [extended for before in tried for wanted in target for extended in _onto(member, wanted, before)]
    for extended in tried:
        image = {key(replaced(member, lambda null: extended[null])) for member in value}  # noqa: B023
        if image == {key(member) for member in target}:
            yield extended

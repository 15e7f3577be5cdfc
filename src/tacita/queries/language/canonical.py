"""One form for predicates that say the same: spelling, order, nesting and negation do not matter.

Negations are carried to the selections, nested ANDs and ORs are one, selections of one attribute are one, parts are in
order and stand once, and a part that another one implies is left out. Equal forms select equal records; the converse
holds for the spellings that people use, not for every tautology: what decides in the end is the set of cells.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from tacita.errors import InternalError
from tacita.queries.cube.cube import Cube
from tacita.queries.question import EVERYTHING, Both, DataQuestion, Either, Except, Predicate, Selection

NOTHING = Either(())


def canonical_question(question: DataQuestion, cube: Cube) -> DataQuestion:
    """Return a question with its predicate in canonical form, and its groups in the order of the cube.

    Figures keep the order and the names that the analyst gave them.
    """
    groups = tuple(one.name for one in cube.attributes if one.name in question.groups)
    places = {name: place for place, name in enumerate(groups)}
    levels = sorted(
        (tuple(sorted(one, key=places.__getitem__)) for one in question.levels),
        key=lambda one: (-len(one), [places[name] for name in one]),
    )
    labels = () if question.names == replace(question, labels=()).names else question.labels
    predicate = canonical(question.predicate, sizes_of(cube))
    return replace(question, predicate=predicate, groups=groups, labels=labels, levels=tuple(levels))


def sizes_of(cube: Cube) -> dict[str, int]:
    """Return how many codes each attribute has, with that of missing values."""
    return {one.name: len(one.labels) for one in cube.attributes}


def canonical(predicate: Predicate, sizes: Mapping[str, int]) -> Predicate:
    """Return the canonical form of a predicate over attributes of so many codes.

    >>> sizes = {"sex": 3}
    >>> f, m = Selection("sex", frozenset({0})), Selection("sex", frozenset({1}))
    >>> canonical(Either((m, f)), sizes) == canonical(Except(Both((Except(f), Except(m)))), sizes)
    True
    >>> canonical(Both((f, m)), sizes), canonical(Except(Both((f, m))), sizes)
    (Either(parts=()), Both(parts=()))
    """
    return _form(predicate, sizes, negated=False)


def _form(predicate: Predicate, sizes: Mapping[str, int], *, negated: bool) -> Predicate:
    match predicate:
        case Except(part):
            return _form(part, sizes, negated=not negated)
        case Selection(attribute, codes):
            everything = frozenset(range(sizes[attribute]))
            return _selection(attribute, everything - codes if negated else codes & everything, everything)
        case Both(parts) | Either(parts):
            forms = [_form(part, sizes, negated=negated) for part in parts]
            return _together(forms, isinstance(predicate, Both) is not negated, sizes)
    raise InternalError("a question has a predicate of an unknown kind")


def _selection(attribute: str, codes: frozenset[int], everything: frozenset[int]) -> Predicate:
    if not codes:
        return NOTHING
    return EVERYTHING if codes == everything else Selection(attribute, codes)


def _together(forms: Iterable[Predicate], is_both: bool, sizes: Mapping[str, int]) -> Predicate:
    """Return canonical forms as one: until nothing changes, since a part may become a selection, and one may fall."""
    kind: type[Both | Either] = Both if is_both else Either
    neutral, absorbing = (EVERYTHING, NOTHING) if is_both else (NOTHING, EVERYTHING)
    parts = list(forms)
    while True:
        flat = [one for part in parts for one in (part.parts if isinstance(part, kind) else (part,))]
        selections: dict[str, frozenset[int]] = {}
        for one in flat:
            if isinstance(one, Selection):
                codes = selections.get(one.attribute, one.codes)
                selections[one.attribute] = codes & one.codes if is_both else codes | one.codes
        merged = [_selection(name, codes, frozenset(range(sizes[name]))) for name, codes in selections.items()]
        others = {one for one in flat if not isinstance(one, Selection)}
        shorter = [_less(one, selections, is_both, sizes) for one in others]
        parts = [one for one in {*merged, *shorter} if one != neutral]
        if absorbing in parts:
            return absorbing
        if all(not isinstance(one, kind) for one in parts) and set(parts) == set(flat):
            break
    if len(parts) == 1:
        return parts[0]
    return kind(tuple(sorted(parts, key=_order)))


def _less(
    part: Predicate, selections: Mapping[str, frozenset[int]], is_both: bool, sizes: Mapping[str, int]
) -> Predicate:
    """Return a part beside selections, without what these decide.

    In an AND, a selection S decides a selection P of the same attribute inside an OR: if P has all codes of S, the OR
    is true; if it has none of them, P adds nothing. An AND inside an OR is the mirror image.
    """
    if not isinstance(part, (Both, Either)):
        return part
    neutral = EVERYTHING if is_both else NOTHING
    remaining = []
    for one in part.parts:
        if isinstance(one, Selection) and one.attribute in selections:
            codes = selections[one.attribute]
            if (codes <= one.codes) if is_both else (one.codes <= codes):
                return neutral
            if not codes & one.codes if is_both else len(codes | one.codes) == sizes[one.attribute]:
                continue
        remaining.append(one)
    if len(remaining) == 1:
        return remaining[0]
    return type(part)(tuple(remaining))


def _order(predicate: Predicate) -> tuple[Any, ...]:
    match predicate:
        case Selection(attribute, codes):
            return (0, attribute, tuple(sorted(codes)))
        case Both(parts):
            return (1, tuple(_order(part) for part in parts))
        case Either(parts):
            return (2, tuple(_order(part) for part in parts))
    raise InternalError("a canonical predicate has no negations")

"""GROUP BY as grouping sets: by which attributes figures are grouped, and which totals stand beside them.

Each part of a GROUP BY is a list of sets of attributes: an attribute is one set, ``ROLLUP (a, b)`` has {a, b}, {a} and
the empty one, ``CUBE (a, b)`` all subsets. Several parts are multiplied out, as SQL has it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from tacita.queries.language.scope import QuestionScope
from tacita.queries.language.spelling import shown, sql_name

MOST_SETS = 64
"""Grouping sets of a question."""
_NAMES_ONLY = "name declared attributes, or their places in SELECT"
_Sets = list[frozenset[str]]


@dataclass(frozen=True, slots=True)
class SelectedGroup:
    """An attribute that SELECT names."""

    place: int
    name: str
    node: exp.Expr


def grouping(
    scope: QuestionScope, select: exp.Select, selected: Sequence[SelectedGroup]
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Return the attributes of a GROUP BY and its grouping sets, which are none if it has one set only."""
    group = select.args.get("group")
    parts: list[_Sets] = []
    if group is not None:
        scope.question.only(group, "expressions")
        by_place = {one.place: one.name for one in selected}
        parts = [_sets(scope, one, by_place) for one in group.expressions]
    if math.prod(map(len, parts)) > MOST_SETS:
        raise scope.question.refused(f"there are more than {MOST_SETS} grouping sets", "ask for fewer totals", group)
    sets = [frozenset[str]().union(*some) for some in itertools.product(*parts)]
    if len(set(sets)) < len(sets):
        raise scope.question.refused("a grouping set stands twice", "name each set once", group)
    names = tuple(dict.fromkeys(name for part in parts for one in part for name in sorted(one)))
    for one in selected:
        if one.name not in names:
            do = f"write GROUP BY {sql_name(one.name)}, or leave it out of SELECT"
            raise scope.question.refused(f"'{one.name}' is selected, but not grouped by", do, one.node)
    return names, tuple(tuple(sorted(one)) for one in sets) if sets != [frozenset(names)] else ()


def _sets(scope: QuestionScope, node: exp.Expr, by_place: Mapping[int, str]) -> _Sets:
    """Return the grouping sets of one part of a GROUP BY."""
    if isinstance(node, exp.GroupingSets):
        scope.question.only(node, "expressions")
        return [_one_set(scope, one, by_place) for one in node.expressions]
    if not isinstance(node, exp.Anonymous) or node.name.upper() not in {"ROLLUP", "CUBE"}:
        return [frozenset({_attribute(scope, node, by_place)})]
    scope.question.only(node, "this", "expressions")
    elements = [_one_set(scope, one, by_place) for one in node.expressions]
    if not elements or not all(elements):
        raise scope.question.refused("no attribute is named", _NAMES_ONLY, node)
    if node.name.upper() == "ROLLUP":
        return [frozenset[str]().union(*elements[:end]) for end in range(len(elements), -1, -1)]
    if 2 ** len(elements) > MOST_SETS:
        raise scope.question.refused(f"there are more than {MOST_SETS} grouping sets", "ask for fewer totals", node)
    subsets = itertools.product(*((True, False) for _ in elements))
    return [frozenset[str]().union(*itertools.compress(elements, chosen)) for chosen in subsets]


def _one_set(scope: QuestionScope, node: exp.Expr, by_place: Mapping[int, str]) -> frozenset[str]:
    """Return the attributes of an element: one of them, or some in parentheses."""
    if isinstance(node, exp.Tuple):
        scope.question.only(node, "expressions")
        return frozenset(_attribute(scope, one, by_place) for one in node.expressions)
    return frozenset({_attribute(scope, node, by_place)})


def _attribute(scope: QuestionScope, node: exp.Expr, by_place: Mapping[int, str]) -> str:
    node = node.unnest()
    if isinstance(node, exp.Column):
        return scope.attribute(node, is_grouped=True).name
    if isinstance(node, exp.Literal) and not node.is_string:
        place = int(node.name) if node.name.isdecimal() and len(node.name) < 4 else 0
        if place not in by_place:
            raise scope.question.refused(f"SELECT has no attribute at place {shown(node.name)}", _NAMES_ONLY, node)
        return by_place[place]
    raise scope.question.refused("groups are made by attributes only", _NAMES_ONLY, node)

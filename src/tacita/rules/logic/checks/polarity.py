"""Whether a term grows with a variable, shrinks with it, or neither can be told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tacita.rules.logic.terms import Call, Case, Constant, Operation, Term, Variable, variables

_RISING = frozenset(
    {"sqrt", "exp", "ln", "floor", "ceil", "round", "least", "greatest", "size", "number", "integer", "first", "second"}
)


def polarity(term: Term, known: Mapping[str, int]) -> int | None:
    """Return 1 if a term grows when some variables move as they do, -1 if it shrinks, 0 if it does not depend on them,
    None if it may do both. Factors are taken to be non-negative, as shares, counts and risks are.

    >>> from tacita.rules.logic.terms import Variable
    >>> d, w = Variable("D"), Variable("W")
    >>> polarity(Operation("+", (d, w)), {"D": 1}), polarity(Operation("-", (w, d)), {"D": 1})
    (1, -1)
    >>> polarity(Operation("-", (d, d)), {"D": 1}) is None
    True
    """
    match term:
        case Variable(name):
            return known.get(name, 0)
        case Operation("-", (one,)):
            return _times(polarity(one, known), -1)
        case Operation("+" | "union" | "intersect", operands):
            return _together(polarity(operand, known) for operand in operands)
        case Operation("-" | "minus" | "/", (left, right)):
            return _together((polarity(left, known), _times(polarity(right, known), -1)))
        case Operation("*", operands):
            sign = -1 if sum(_is_negative(operand) for operand in operands) % 2 else 1
            return _times(_together(polarity(operand, known) for operand in operands), sign)
        case Call(function, arguments) if function in _RISING:
            return _together(polarity(argument, known) for argument in arguments)
        case Case(conditions, then, otherwise) if not any(v.name in known for v in variables(*conditions)):
            return _together((polarity(then, known), polarity(otherwise, known)))
    return None if any(v.name in known for v in variables(term)) else 0


def _is_negative(term: Term) -> bool:
    return isinstance(term, Constant) and isinstance(term.value, int | float) and term.value < 0


def _times(direction: int | None, sign: int) -> int | None:
    return None if direction is None else direction * sign


def _together(directions: Iterable[int | None]) -> int | None:
    moving = {direction for direction in directions if direction != 0}
    return moving.pop() if len(moving) == 1 else None if moving else 0

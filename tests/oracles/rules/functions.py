"""The scalar functions and operators, in Python. What has no value raises `NoValue`, and the match fails."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal

from tests.oracles.rules.values import (
    ListValue,
    Null,
    PairValue,
    RecordValue,
    Value,
    collection,
    key,
    members,
    record,
)

from tacita.rules.logic.functions import FUNCTIONS


class NoValue(Exception):
    """An expression has no value: an operand is unknown, a divisor is zero, a text is no number."""


def apply(name: str, arguments: tuple[Value, ...]) -> Value:
    """Return the value of a function; an unknown argument, or none that fits, gives none.

    >>> apply("substring", ("Milano", 2, 3))
    'ila'
    """
    function = FUNCTIONS[name]
    if not len(function.takes) - function.optional <= len(arguments) <= len(function.takes):
        raise NoValue
    if any(isinstance(argument, Null) for argument in arguments):
        raise NoValue
    return _PYTHON[name](*arguments)


# -- operators ---------------------------------------------------------------------------------------------------------


def operate(operator: str, operands: tuple[Value, ...]) -> Value:
    """Return the value of an operation: arithmetic, text behind text, or set algebra."""
    if any(isinstance(operand, Null) for operand in operands):
        raise NoValue
    if len(operands) == 1:
        return -_number(operands[0])
    left, right = operands
    if operator in ("union", "minus", "intersect"):
        return _algebra(operator, left, right)
    if operator == "+" and isinstance(left, str) and isinstance(right, str):
        return left + right
    return _arithmetic(operator, _number(left), _number(right))


def _arithmetic(operator: str, left: float, right: float) -> Value:
    try:
        if operator == "+":
            return _finite(left + right)
        if operator == "-":
            return _finite(left - right)
        if operator == "*":
            return _finite(left * right)
        return _finite(float(left) / float(right))
    except (ZeroDivisionError, OverflowError):
        raise NoValue from None


def _algebra(operator: str, left: Value, right: Value) -> Value:
    if not isinstance(left, frozenset | RecordValue) or not isinstance(right, frozenset | RecordValue):
        raise NoValue
    a = {key(member): member for member in members(left)}
    b = {key(member): member for member in members(right)}
    if operator == "union":
        found = list((a | b).values())
    elif operator == "minus":
        found = [member for k, member in a.items() if k not in b]
    else:
        found = [member for k, member in a.items() if k in b]
    # Nothing left of a record is a record still.
    is_record = isinstance(left, RecordValue) or (operator == "union" and isinstance(right, RecordValue))
    if not found and is_record:
        return RecordValue(())
    result = collection(found)
    if is_record and isinstance(result, frozenset):  # an attribute with two values: such a record there is not
        raise NoValue
    return result


def order(left: Value, right: Value) -> int:
    """Return -1, 0 or 1 as the left value is smaller, the same or larger; only values of one kind have an order."""
    a: float | str | datetime.date
    b: float | str | datetime.date
    if (isinstance(left, bool) and isinstance(right, bool)) or (isinstance(left, str) and isinstance(right, str)):
        a, b = left, right
    elif isinstance(left, datetime.date) and isinstance(right, datetime.date):
        if type(left) is not type(right):
            raise NoValue
        a, b = left, right
    else:
        a, b = _number(left), _number(right)
    return (a > b) - (a < b)  # type: ignore[operator]


def access(whole: Value, part: Value) -> Value:
    """Return ``R[A]``, or ``R[S]``: the record cut down to some attributes."""
    if not isinstance(whole, RecordValue):
        raise NoValue
    if isinstance(part, frozenset | ListValue):
        names = part if isinstance(part, frozenset) else part.items
        return record({name: value for name, value in whole.items if name in names})
    found = whole.get(part) if isinstance(part, str) else None
    if found is None:
        raise NoValue
    return found


def update(whole: Value, attribute: Value, value: Value) -> Value:
    """Return ``R[A := Z]``."""
    if not isinstance(whole, RecordValue) or not isinstance(attribute, str):
        raise NoValue
    return record(dict(whole.items) | {attribute: value})


def is_member(item: Value, whole: Value) -> bool:
    """Return whether a value is in a set or a list, or is an attribute of a record."""
    if isinstance(whole, RecordValue):
        return isinstance(item, str) and item in whole.attributes
    return key(item) in {key(member) for member in listed(whole)}


def listed(whole: Value) -> list[Value]:
    """Return what ``X in S`` gives to X, in a fixed order."""
    if isinstance(whole, RecordValue):
        return list(whole.attributes)
    if isinstance(whole, ListValue):
        return list({key(item): item for item in whole.items}.values())
    if isinstance(whole, frozenset):
        return members(whole)
    raise NoValue


def is_subset(part: Value, whole: Value) -> bool:
    """Return whether a set is inside another one; records are sets of pairs."""
    if not isinstance(part, frozenset | RecordValue) or not isinstance(whole, frozenset | RecordValue):
        raise NoValue
    return {key(member) for member in members(part)} <= {key(member) for member in members(whole)}


# -- what an argument must be ------------------------------------------------------------------------------------------


def _number(value: Value) -> float:
    """Return an integer or a number as it is (an integer stays one)."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise NoValue
    return value


def _integer(value: Value) -> int:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise NoValue
    return value


def _text(value: Value) -> str:
    if not isinstance(value, str):
        raise NoValue
    return value


def _date(value: Value) -> datetime.date:
    if isinstance(value, datetime.datetime):
        return value.date()
    if not isinstance(value, datetime.date):
        raise NoValue
    return value


def _pair(value: Value) -> PairValue:
    if not isinstance(value, PairValue):
        raise NoValue
    return value


def _finite(value: float) -> float:
    if isinstance(value, float) and not math.isfinite(value):
        raise NoValue
    return value


# -- the functions -----------------------------------------------------------------------------------------------------


def _calculated(function: Callable[..., float], *arguments: Value) -> float:
    try:
        return _finite(float(function(*(float(_number(argument)) for argument in arguments))))
    except (ValueError, OverflowError, ZeroDivisionError):
        raise NoValue from None


def _round(value: Value, decimals: Value = 0) -> float:
    # Of the number as it is written: 2.675 is 2.68, whatever its nearest binary fraction is.
    written = Decimal(repr(float(_number(value))))
    step = Decimal(1).scaleb(-_integer(decimals))
    return float((written / step).quantize(Decimal(1), rounding=ROUND_HALF_UP) * step)


def _mod(a: Value, b: Value) -> int:
    divided, by = _integer(a), _integer(b)
    if by == 0:
        raise NoValue
    rest = abs(divided) % abs(by)
    return -rest if divided < 0 else rest


def _substring(text: Value, start: Value, count: Value = 1 << 60) -> str:
    first, many = _integer(start), _integer(count)
    if first < 1 or many < 0:
        raise NoValue
    return _text(text)[first - 1 : first - 1 + many]


def _replace(text: Value, old: Value, new: Value) -> str:
    whole, sought, instead = _text(text), _text(old), _text(new)
    # Python finds the empty text between all letters; nothing should be replaced then.
    return whole.replace(sought, instead) if sought else whole


def _as_text(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ")
    if isinstance(value, datetime.date):
        return value.isoformat()
    return _text(value)


_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIMESTAMP = re.compile(r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}(\.\d{1,6})?", re.ASCII)


def _as_number(value: Value) -> float:
    if isinstance(value, str):
        if not _NUMBER.fullmatch(value.strip(" ")):
            raise NoValue
        return _finite(float(value))
    return float(value if isinstance(value, bool) else _number(value))


def _as_integer(value: Value) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    number = _as_number(value)
    if not number.is_integer():
        raise NoValue
    return int(number)


def _as_date(value: Value) -> datetime.date:
    return _written(_DATE, value).date()


def _written(pattern: re.Pattern[str], value: Value) -> datetime.datetime:
    if not pattern.fullmatch(_text(value)):
        raise NoValue
    try:
        return datetime.datetime.fromisoformat(_text(value))
    except ValueError:
        raise NoValue from None


def _add_days(value: Value, days: Value) -> datetime.date:
    try:
        return _date(value) + datetime.timedelta(days=_integer(days))
    except OverflowError:
        raise NoValue from None


def _size(value: Value) -> int:
    if isinstance(value, frozenset):
        return len(value)
    if isinstance(value, ListValue | RecordValue):
        return len(value.items)
    raise NoValue


def _keys(value: Value) -> Value:
    if not isinstance(value, RecordValue):
        raise NoValue
    return frozenset(value.attributes)


def _power(base: float, exponent: float) -> float:
    # math.pow refuses a negative base with a fraction, which Python's ** answers with a complex number.
    return math.pow(base, exponent)


_PYTHON: dict[str, Callable[..., Value]] = {
    "abs": lambda x: _calculated(abs, x),
    "round": _round,
    "floor": lambda x: math.floor(_number(x)),
    "ceil": lambda x: math.ceil(_number(x)),
    "sqrt": lambda x: _calculated(math.sqrt, x),
    "exp": lambda x: _calculated(math.exp, x),
    "ln": lambda x: _calculated(math.log, x),
    "power": lambda x, y: _calculated(_power, x, y),
    "mod": _mod,
    "least": lambda x, y: x if order(x, y) <= 0 else y,
    "greatest": lambda x, y: x if order(x, y) >= 0 else y,
    "length": lambda t: len(_text(t)),
    "lower": lambda t: _text(t).lower(),
    "upper": lambda t: _text(t).upper(),
    "trim": lambda t: _text(t).strip(" "),
    "substring": _substring,
    "concat": lambda a, b: _text(a) + _text(b),
    "replace": _replace,
    "contains": lambda a, b: _text(b) in _text(a),
    "starts_with": lambda a, b: _text(a).startswith(_text(b)),
    "ends_with": lambda a, b: _text(a).endswith(_text(b)),
    "text": _as_text,
    "number": _as_number,
    "integer": _as_integer,
    "date": _as_date,
    "timestamp": lambda t: _written(_TIMESTAMP, t),
    "year": lambda d: _date(d).year,
    "month": lambda d: _date(d).month,
    "day": lambda d: _date(d).day,
    "days_between": lambda a, b: (_date(b) - _date(a)).days,
    "add_days": _add_days,
    "size": _size,
    "first": lambda p: _pair(p).first,
    "second": lambda p: _pair(p).second,
    "keys": _keys,
}

"""The functions of the language: name, what they take, what they give. One table for checks, engines and documents.

A function without a value for its arguments (``number("x")``, ``sqrt(-1)``) makes the match fail, as a division by zero
or an unknown argument does.
"""

from __future__ import annotations

from dataclasses import dataclass

AGGREGATES: dict[str, str] = {
    "msum": "the sum, one value per contributor: the largest",
    "mcount": "the number of different contributors",
    "mprod": "the product, one value per contributor: the smallest",
    "mmin": "the smallest value",
    "mmax": "the largest value",
    "munion": "the set of all values; of pairs, a record",
    "sum": "the sum, once the body is complete",
    "count": "the number of different contributors, once the body is complete",
    "prod": "the product, once the body is complete",
    "min": "the smallest value, once the body is complete",
    "max": "the largest value, once the body is complete",
    "avg": "the mean, once the body is complete",
    "collect": "the set of all values, once the body is complete",
}
"""The aggregates; those with an m may take part in recursion where their use is monotone."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function: the types of its arguments and of its result (``T``: any type, the same one)."""

    name: str
    takes: tuple[str, ...]
    gives: str
    meaning: str
    optional: int = 0
    """How many of the last arguments may be left out."""


_ALL = (
    Function("abs", ("number",), "number", "the absolute value"),
    Function("round", ("number", "integer"), "number", "rounded to so many decimals (none), halves away from zero", 1),
    Function("floor", ("number",), "integer", "the next whole number below"),
    Function("ceil", ("number",), "integer", "the next whole number above"),
    Function("sqrt", ("number",), "number", "the square root"),
    Function("exp", ("number",), "number", "e to that power"),
    Function("ln", ("number",), "number", "the natural logarithm"),
    Function("power", ("number", "number"), "number", "the first to the power of the second"),
    Function("mod", ("integer", "integer"), "integer", "the remainder, with the sign of the first"),
    Function("least", ("T", "T"), "T", "the smaller of two"),
    Function("greatest", ("T", "T"), "T", "the larger of two"),
    Function("length", ("text",), "integer", "the number of characters"),
    Function("lower", ("text",), "text", "in small letters"),
    Function("upper", ("text",), "text", "in capital letters"),
    Function("trim", ("text",), "text", "without blanks at both ends"),
    Function(
        "substring", ("text", "integer", "integer"), "text", "from the n-th character on (the first is 1), so many", 1
    ),
    Function("concat", ("text", "text"), "text", "the second behind the first"),
    Function("replace", ("text", "text", "text"), "text", "every occurrence of the second replaced by the third"),
    Function("contains", ("text", "text"), "boolean", "whether the first holds the second"),
    Function("starts_with", ("text", "text"), "boolean", "whether the first begins with the second"),
    Function("ends_with", ("text", "text"), "boolean", "whether the first ends with the second"),
    Function("text", ("T",), "text", "the value as text"),
    Function("number", ("T",), "number", "the value as a number"),
    Function("integer", ("T",), "integer", "the value as a whole number; fractions have none"),
    Function("date", ("text",), "date", "the date written as 2026-01-31"),
    Function("timestamp", ("text",), "timestamp", "the moment written as 2026-01-31 12:30:00"),
    Function("year", ("date",), "integer", "the year"),
    Function("month", ("date",), "integer", "the month, 1 to 12"),
    Function("day", ("date",), "integer", "the day of the month"),
    Function("days_between", ("date", "date"), "integer", "the days from the first to the second"),
    Function("add_days", ("date", "integer"), "date", "so many days later"),
    Function("size", ("set, list or record",), "integer", "the number of members"),
    Function("first", ("pair",), "T", "the first part of a pair"),
    Function("second", ("pair",), "T", "the second part of a pair"),
    Function("keys", ("record",), "set", "the attributes of a record"),
)
FUNCTIONS: dict[str, Function] = {function.name: function for function in _ALL}

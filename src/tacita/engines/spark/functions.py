"""The functions of the rule language in Spark's words (`engines.functions` says what each one means)."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from tacita.engines.functions import ALL
from tacita.engines.spark import texts
from tacita.engines.spark.words import (
    array,
    both,
    call,
    cast,
    double,
    equals,
    finite,
    for_each,
    is_finite,
    less,
    missing,
    number,
    operand,
    part,
    string,
    struct,
    text,
    try_cast,
    when,
)


def _same(name: str) -> Callable[..., exp.Expr]:
    """A function that Spark has under a name of its own."""
    return lambda *arguments: call(name, *arguments)


def _whole(name: str) -> Callable[..., exp.Expr]:
    """A function that gives a whole number, which in Spark is a narrow one."""
    return lambda *arguments: cast(call(name, *arguments), "bigint")


# -- numbers ----------------------------------------------------------------------------------------------------------


def _double(term: exp.Expr) -> exp.Expr:
    return cast(term, "double")


def _rounded_whole(function: str) -> Callable[[exp.Expr], exp.Expr]:
    """Round down or up to a whole number; NULL beyond what an integer holds, where Spark would fail."""

    def rounded(x: exp.Expr) -> exp.Expr:
        holds = less(call("abs", _double(x)), double("9.2e18"))
        return when(holds, cast(call(function, x.copy()), "bigint"))

    return rounded


def _scaled(x: exp.Expr, digits: exp.Expr, *, up: bool) -> exp.Expr:
    """Shift the point, round halves away from zero, shift back: as DuckDB does, to the last bit."""
    # Read, not computed: Java's power of ten is one bit off for 1e29 and others.
    scale = call("double", exp.DPipe(this=text("1e"), expression=string(digits), safe=True))
    there, back = (exp.Mul, exp.Div) if up else (exp.Div, exp.Mul)
    shifted = there(this=operand(x), expression=scale)
    return back(this=call("round", shifted, number(0)), expression=scale.copy())


def _round(x: exp.Expr, digits: exp.Expr | None = None) -> exp.Expr:
    value = _double(x)
    if digits is None or digits.sql() == "0":
        return call("round", value, number(0))
    up, down = _scaled(value, digits, up=True), _scaled(value.copy(), exp.Neg(this=operand(digits.copy())), up=False)
    nothing = when(missing(value.copy()), exp.Null(), double("0"))
    return exp.Case(
        ifs=[
            exp.If(this=less(digits.copy(), number(0)), true=when(is_finite(down), down.copy(), nothing)),
            exp.If(
                this=exp.GTE(this=operand(digits.copy()), expression=number(0)),
                true=when(is_finite(up), up.copy(), value.copy()),
            ),
        ]
    )


def _significant(x: exp.Expr) -> exp.Expr:
    value = _double(x)
    magnitude = cast(call("floor", call("log10", call("abs", value))), "int")
    digits = exp.Sub(this=number(13), expression=magnitude)
    up, down = _scaled(value.copy(), digits, up=True), _scaled(value.copy(), exp.Neg(this=exp.paren(digits)), up=False)
    size = call("abs", value.copy())
    # Beyond these magnitudes rounding by a power of ten is not exact any more.
    usual = both(less(double("1e-100"), size), less(size.copy(), double("1e100")))
    rounded = when(less(digits.copy(), number(0)), down, up)
    return when(usual, rounded, value.copy())


def _outermost(name: str) -> Callable[[exp.Expr, exp.Expr], exp.Expr]:
    """The smaller or larger of two; NULL if one of them is, which Spark would leave out."""

    def of(a: exp.Expr, b: exp.Expr) -> exp.Expr:
        there = both(exp.Not(this=missing(a)), exp.Not(this=missing(b)))
        return when(there, call(name, a.copy(), b.copy()))

    return of


def _divide(a: exp.Expr, b: exp.Expr) -> exp.Expr:
    return exp.Div(this=_double(a), expression=call("nullif", _double(b), double("0")))


def _add_days(day: exp.Expr, days: exp.Expr) -> exp.Expr:
    # Beyond these Spark counts round the clock and comes out in another age.
    in_range = less(call("abs", try_cast(days, "bigint")), number(4_000_000))
    return when(in_range, call("date_add", cast(day, "date"), try_cast(days.copy(), "int")))


# -- aggregates -------------------------------------------------------------------------------------------------------


def _if_any(term: exp.Expr) -> exp.Expr:
    return when(exp.GT(this=exp.Count(this=exp.Star()), expression=number(0)), term)


def _product_of(x: exp.Expr) -> exp.Expr:
    factors = call("collect_list", _double(x))
    times = exp.Lambda(
        this=exp.Mul(this=exp.column("x"), expression=exp.column("y")),
        expressions=[exp.to_identifier("x"), exp.to_identifier("y")],
    )
    product = call("aggregate", factors, double("1"), times)
    return when(exp.GT(this=call("array_size", factors.copy()), expression=number(0)), product)


# -- sets and records -------------------------------------------------------------------------------------------------


def _set(items: exp.Expr) -> exp.Expr:
    return call("array_sort", call("array_distinct", call("array_compact", items)))


def _has(items: exp.Expr, item: exp.Expr) -> exp.Expr:
    # Where a list holds a NULL, Spark does not know; what is not there is not there.
    known = both(exp.Not(this=missing(items)), exp.Not(this=missing(item)))
    return when(known, call("coalesce", call("array_contains", items.copy(), item.copy()), exp.false()))


def _is_part(items: exp.Expr, whole: exp.Expr) -> exp.Expr:
    outside = call("array_except", call("array_compact", items), whole)
    return equals(call("array_size", outside), number(0))


def _record(*parts: exp.Expr) -> exp.Expr:
    return _set(array(*(_entry(parts[i], parts[i + 1], parts[i + 2]) for i in range(0, len(parts), 3))))


def _entry(key: exp.Expr, value: exp.Expr, label: exp.Expr) -> exp.Expr:
    return struct(k=key, v=value, n=label)


def _entries(record: exp.Expr, key: exp.Expr) -> exp.Expr:
    return for_each("filter", record, lambda x: equals(part(x, "k"), key))


def _value_at(record: exp.Expr, key: exp.Expr) -> exp.Expr:
    """The value of an attribute; should there be several, the smallest, as in DuckDB's order."""
    return call("array_min", for_each("transform", _entries(record, key), lambda x: part(x, "v")))


def _label_at(record: exp.Expr, key: exp.Expr) -> exp.Expr:
    entries = _entries(record, key)
    has_value = for_each("exists", entries, lambda x: exp.Not(this=missing(part(x, "v"))))
    label = call("array_min", for_each("transform", entries.copy(), lambda x: part(x, "n")))
    return when(exp.Not(this=has_value), label)


def _put(record: exp.Expr, key: exp.Expr, value: exp.Expr, label: exp.Expr) -> exp.Expr:
    others = for_each("filter", record, lambda x: exp.NEQ(this=part(x, "k"), expression=operand(key)))
    changed = call("array_sort", call("concat", others, array(_entry(key.copy(), value, label))))
    return when(exp.Not(this=missing(key.copy())), changed)


def _known(record: exp.Expr) -> exp.Expr:
    return for_each("filter", record, lambda x: missing(part(x, "n")))


def _holds_null(record: exp.Expr) -> exp.Expr:
    return for_each("exists", record, lambda x: exp.Not(this=missing(part(x, "n"))))


def _maybe_same(a: exp.Expr, b: exp.Expr) -> exp.Expr:
    """Same attributes, and no attribute that is known on both sides and differs."""
    keys = [_keys(record.copy()) for record in (a, b)]
    known = [_keys(_known(record.copy())) for record in (a, b)]
    common = [_cut(_known(a), known[1]), _cut(_known(b), known[0])]
    return both(equals(*keys), equals(*common))


def _keys(record: exp.Expr) -> exp.Expr:
    return for_each("transform", record, lambda x: part(x, "k"))


def _cut(record: exp.Expr, keys: exp.Expr) -> exp.Expr:
    return for_each("filter", record, lambda x: call("array_contains", keys, part(x, "k")))


# -- values of any type -----------------------------------------------------------------------------------------------


def _tagged(tag: str, term: exp.Expr) -> exp.Expr:
    return exp.DPipe(this=text(tag), expression=operand(term), safe=True)


def _untagged(tag: str, type_: str) -> Callable[[exp.Expr], exp.Expr]:
    def untagged(term: exp.Expr) -> exp.Expr:
        rest = call("substring", term.copy(), number(2))
        return when(call("startswith", term, text(tag)), rest if type_ == "string" else try_cast(rest, type_))

    return untagged


def _any_number(x: exp.Expr) -> exp.Expr:
    small = less(call("abs", x), double("1e15"))
    whole = equals(call("rint", _double(x.copy())), x.copy())
    as_whole = string(cast(x.copy(), "bigint"))
    return _tagged("n", when(both(small, whole), as_whole, texts.text(x.copy())))


FUNCTIONS: dict[str, Callable[..., exp.Expr]] = {
    **{name: _same(name) for name in ("abs", "replace", "contains")},
    **{name: _outermost(name) for name in ("least", "greatest")},
    **{name: _whole(name) for name in ("year", "month", "day", "length")},
    "lower": texts.lower,
    "upper": texts.upper,
    "trim": texts.trimmed,
    "starts_with": _same("startswith"),
    "ends_with": _same("endswith"),
    "concat": lambda a, b: exp.DPipe(this=operand(a), expression=operand(b), safe=True),
    "round": _round,
    "floor": _rounded_whole("floor"),
    "ceil": _rounded_whole("ceil"),
    "sqrt": lambda x: when(exp.GTE(this=operand(x), expression=number(0)), call("sqrt", x.copy())),
    "exp": lambda x: finite(call("exp", _double(x))),
    "ln": lambda x: when(exp.GT(this=operand(x), expression=number(0)), call("ln", x.copy())),
    "power": lambda x, y: finite(call("power", _double(x), y)),
    "mod": lambda a, b: exp.Mod(this=operand(a), expression=call("nullif", b, number(0))),
    "substring": texts.substring,
    "text": texts.text,
    "number": lambda x: finite(texts.as_double(x)),
    "integer": texts.as_integer,
    "date": texts.as_date,
    "timestamp": texts.as_timestamp,
    "days_between": lambda a, b: cast(call("datediff", b, a), "bigint"),
    "add_days": _add_days,
    "divide": _divide,
    "significant": _significant,
    "sum_of": _same("sum"),
    "product_of": _product_of,
    "set_of": lambda x: _if_any(call("array_sort", call("collect_set", x))),
    "record_of": lambda k, v, n: _if_any(call("array_sort", call("collect_set", _entry(k, v, n)))),
    "set_made": lambda *items: _set(array(*items)),
    "list_made": array,
    "set_union": lambda a, b: _set(call("concat", a, b)),
    "set_minus": lambda a, b: call("array_except", call("array_compact", a), b),
    "set_intersect": lambda a, b: call("array_intersect", call("array_compact", a), b),
    "has": _has,
    "is_subset": _is_part,
    "size": _whole("array_size"),
    "members": lambda a: exp.Unnest(expressions=[a]),
    "record_made": _record,
    "value_at": _value_at,
    "label_at": _label_at,
    "cut": lambda r, s: when(exp.Not(this=missing(s)), _cut(r, s.copy())),
    "put": _put,
    "keys": _keys,
    "is_part": _is_part,
    "maybe_same": _maybe_same,
    "holds_null": _holds_null,
    "pair": lambda a, b: struct(a=a, b=b),
    "first": lambda p: part(p, "a"),
    "second": lambda p: part(p, "b"),
    "any_text": lambda x: _tagged("s", string(x)),
    "any_number": _any_number,
    "any_boolean": lambda x: _tagged("b", string(x)),
    "any_date": lambda x: _tagged("d", string(x)),
    "any_timestamp": lambda x: _tagged("t", string(x)),
    "any_null": lambda n: _tagged("x", string(n)),
    "text_any": _untagged("s", "string"),
    "number_any": _untagged("n", "double"),
    "boolean_any": _untagged("b", "boolean"),
    "date_any": _untagged("d", "date"),
    "timestamp_any": _untagged("t", "timestamp_ntz"),
    "label_any": _untagged("x", "bigint"),
}
assert set(FUNCTIONS) == set(ALL)

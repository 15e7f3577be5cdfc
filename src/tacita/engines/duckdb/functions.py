"""The functions of the rule language in DuckDB's words (`engines.functions` says what each one means)."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from tacita.engines.functions import ALL


def _call(name: str, *arguments: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this=name, expressions=list(arguments))


def _cast(term: exp.Expr, type_: str) -> exp.Expr:
    return exp.Cast(this=term, to=exp.DataType.build(type_))


def _try_cast(term: exp.Expr, type_: str) -> exp.Expr:
    return exp.TryCast(this=term, to=exp.DataType.build(type_))


def _number(value: int) -> exp.Expr:
    return exp.Literal.number(value)


def _text(value: str) -> exp.Expr:
    return exp.Literal.string(value)


def _when(condition: exp.Expr, then: exp.Expr) -> exp.Expr:
    return exp.Case(ifs=[exp.If(this=condition, true=then)])


def _finite(term: exp.Expr) -> exp.Expr:
    """NULL instead of infinity and NaN: there is no such value."""
    # Written once, in a list of one: a CASE, or DuckDB's NULLIF, would repeat the term, and double it at every level.
    return _call("list_extract", _for_each(_array(term), lambda x: _call("isfinite", x), "list_filter"), _number(1))


def _outermost(a: exp.Expr, b: exp.Expr, direction: str) -> exp.Expr:
    """The smaller or larger of two; NULL if one of them is (least and greatest would leave it out)."""
    return _call("list_extract", _call("list_sort", _array(a, b), _text(direction), _text("NULLS FIRST")), _number(1))


def _for_each(collection: exp.Expr, body: Callable[[exp.Expr], exp.Expr], function: str) -> exp.Expr:
    """``function(collection, lambda x: body)``."""
    return _call(function, collection, exp.Lambda(this=body(exp.column("x")), expressions=[exp.to_identifier("x")]))


def _part(struct: exp.Expr, name: str) -> exp.Expr:
    return _call("struct_extract", struct, _text(name))


def _entry(key: exp.Expr, value: exp.Expr, label: exp.Expr) -> exp.Expr:
    return _struct(k=key, v=value, n=label)


def _struct(**parts: exp.Expr) -> exp.Expr:
    return _call(
        "struct_pack",
        *(exp.PropertyEQ(this=exp.to_identifier(name), expression=part) for name, part in parts.items()),
    )


def _at(record: exp.Expr, key: exp.Expr) -> exp.Expr:
    pairs = _for_each(record, lambda x: exp.EQ(this=_part(x, "k"), expression=key), "list_filter")
    return _call("list_extract", pairs, _number(1))


def _set(items: exp.Expr) -> exp.Expr:
    return _call("list_sort", _call("list_distinct", items))


def _array(*items: exp.Expr) -> exp.Expr:
    return exp.Array(expressions=list(items))


def _chosen(items: exp.Expr, by: exp.Expr, keep: Callable[[exp.Expr], exp.Expr]) -> exp.Expr:
    """The items for which a condition on another set holds; no value when that set has none (it is not empty then)."""
    return _when(exp.Not(this=exp.Is(this=by.copy(), expression=exp.Null())), _for_each(items, keep, "list_filter"))


def _is_part(part: exp.Expr, whole: exp.Expr) -> exp.Expr:
    return _call("list_has_all", whole, part)


def _joined(a: exp.Expr, b: exp.Expr) -> exp.Expr:
    # Unlike list_concat, the operator does not take NULL for an empty list.
    return exp.DPipe(this=a, expression=b, safe=True)


def _put(record: exp.Expr, key: exp.Expr, value: exp.Expr, label: exp.Expr) -> exp.Expr:
    others = _chosen(record, key, lambda x: exp.NEQ(this=_part(x, "k"), expression=key))
    return _set(_joined(others, _array(_entry(key.copy(), value, label))))


def _whole(function: str) -> Callable[[exp.Expr], exp.Expr]:
    """A whole number near ``x``: a whole number itself stays as it is, also where a double could not hold it."""

    def near(x: exp.Expr) -> exp.Expr:
        same = _try_cast(x, "bigint")
        return exp.Case(
            ifs=[exp.If(this=exp.EQ(this=same, expression=x.copy()), true=same.copy())],
            default=_try_cast(_call(function, x.copy()), "bigint"),
        )

    return near


def _present(x: exp.Expr) -> exp.Expr:
    return exp.Is(this=_part(x, "n"), expression=exp.Null())


def _holds_null(record: exp.Expr) -> exp.Expr:
    nulls = _for_each(record, lambda x: exp.Not(this=_present(x)), "list_filter")
    return exp.GT(this=_call("len", nulls), expression=_number(0))


def _maybe_same(a: exp.Expr, b: exp.Expr) -> exp.Expr:
    """Same attributes, and no attribute that is known on both sides and differs."""
    known = [_for_each(r, _present, "list_filter") for r in (a, b)]
    keys = [_for_each(k.copy(), lambda x: _part(x, "k"), "list_transform") for k in known]
    common = [
        _for_each(k, lambda x, other=other: _call("list_contains", other.copy(), _part(x, "k")), "list_filter")  # type: ignore[misc]
        for k, other in zip(known, reversed(keys), strict=True)
    ]
    same_keys = exp.EQ(
        this=_for_each(a.copy(), lambda x: _part(x, "k"), "list_transform"),
        expression=_for_each(b.copy(), lambda x: _part(x, "k"), "list_transform"),
    )
    return exp.And(this=same_keys, expression=exp.EQ(this=common[0], expression=common[1]))


def _significant(x: exp.Expr) -> exp.Expr:
    magnitude = _cast(_call("floor", _call("log10", _call("abs", x))), "int")
    digits = exp.Sub(this=_number(13), expression=magnitude)
    rounded = _call("round", x.copy(), digits)
    zero = exp.EQ(this=x.copy(), expression=_number(0))
    # Beyond these magnitudes rounding by a power of ten is not exact any more.
    huge = exp.Or(
        this=exp.GT(this=_call("abs", x.copy()), expression=exp.Literal.number("1e100")),
        expression=exp.LT(this=_call("abs", x.copy()), expression=exp.Literal.number("1e-100")),
    )
    return exp.Case(ifs=[exp.If(this=exp.Or(this=zero, expression=exp.paren(huge)), true=x.copy())], default=rounded)


def _round(x: exp.Expr, digits: exp.Expr | None = None) -> exp.Expr:
    return _call("round", _cast(x, "double"), _cast(digits, "int") if digits is not None else _number(0))


def _tagged(tag: str, text: exp.Expr) -> exp.Expr:
    return exp.DPipe(this=_text(tag), expression=text, safe=True)


def _untagged(tag: str, term: exp.Expr, type_: str) -> exp.Expr:
    rest = _call("substr", term, _number(2))
    is_tagged = exp.EQ(this=_call("substr", term.copy(), _number(1), _number(1)), expression=_text(tag))
    return _when(is_tagged, _try_cast(rest, type_))


def _any_number(x: exp.Expr) -> exp.Expr:
    whole = exp.And(
        this=exp.EQ(this=_call("floor", x), expression=x.copy()),
        expression=exp.LT(this=_call("abs", x.copy()), expression=exp.Literal.number("1e15")),
    )
    as_whole = _cast(_cast(x.copy(), "bigint"), "text")
    return _tagged("n", exp.Case(ifs=[exp.If(this=whole, true=as_whole)], default=_cast(x.copy(), "text")))


def _integer(x: exp.Expr) -> exp.Expr:
    number = _try_cast(x, "double")
    whole = exp.EQ(this=_call("floor", number), expression=number.copy())
    return _when(whole, _try_cast(x.copy(), "bigint"))


def _number_of(x: exp.Expr) -> exp.Expr:
    return _finite(_try_cast(x, "double"))


def _substring(text: exp.Expr, start: exp.Expr, length: exp.Expr | None = None) -> exp.Expr:
    return _call("substr", text, start, *([length] if length else []))


FUNCTIONS: dict[str, Callable[..., exp.Expr]] = {
    **{name: (lambda *a, name=name: _call(name, *a)) for name in ("abs", "lower", "upper", "trim")},
    "least": lambda a, b: _outermost(a, b, "ASC"),
    "greatest": lambda a, b: _outermost(a, b, "DESC"),
    **{name: (lambda *a, name=name: _call(name, *a)) for name in ("year", "month", "day", "replace", "contains")},
    "starts_with": lambda a, b: _call("starts_with", a, b),
    "ends_with": lambda a, b: _call("ends_with", a, b),
    "concat": lambda a, b: exp.DPipe(this=a, expression=b, safe=True),
    "round": _round,
    "floor": _whole("floor"),
    "ceil": _whole("ceil"),
    "sqrt": lambda x: _finite(_call("sqrt", x)),
    "exp": lambda x: _finite(_call("exp", x)),
    "ln": lambda x: _finite(_call("ln", x)),
    "power": lambda x, y: _finite(_call("pow", _cast(x, "double"), y)),
    "mod": lambda a, b: exp.Mod(this=exp.paren(a), expression=_call("nullif", b, _number(0))),
    "length": lambda x: _call("length", x),
    "substring": _substring,
    "text": lambda x: _cast(x, "text"),
    "number": _number_of,
    "integer": _integer,
    "date": lambda x: _try_cast(x, "date"),
    "timestamp": lambda x: _try_cast(x, "timestamp"),
    "days_between": lambda a, b: _call("date_diff", _text("day"), a, b),
    "add_days": lambda d, n: _cast(exp.Add(this=exp.paren(d), expression=_cast(n, "int")), "date"),
    "divide": lambda a, b: exp.Div(
        this=_cast(a, "double"), expression=_call("nullif", _cast(b, "double"), _number(0)), typed=False
    ),
    "significant": _significant,
    "sum_of": lambda x: _call("sum", x),
    "product_of": lambda x: _call("product", x),
    "set_of": lambda x: _set(_call("list", x)),
    "record_of": lambda k, v, n: _set(_call("list", _entry(k, v, n))),
    "set_made": lambda *items: _set(_array(*items)),
    "list_made": _array,
    "set_union": lambda a, b: _set(_joined(a, b)),
    "set_minus": lambda a, b: _chosen(a, b, lambda x: exp.Not(this=_call("list_contains", b, x))),
    "set_intersect": lambda a, b: _chosen(a, b, lambda x: _call("list_contains", b, x)),
    "has": lambda a, x: _call("list_contains", a, x),
    "is_subset": _is_part,
    "size": lambda a: _call("len", a),
    "members": lambda a: exp.Unnest(expressions=[a]),
    "record_made": lambda *parts: _set(
        _array(*(_entry(parts[i], parts[i + 1], parts[i + 2]) for i in range(0, len(parts), 3)))
    ),
    "value_at": lambda r, k: _part(_at(r, k), "v"),
    "label_at": lambda r, k: _part(_at(r, k), "n"),
    "cut": lambda r, s: _chosen(r, s, lambda x: _call("list_contains", s, _part(x, "k"))),
    "put": _put,
    "keys": lambda r: _for_each(r, lambda x: _part(x, "k"), "list_transform"),
    "is_part": _is_part,
    "maybe_same": _maybe_same,
    "holds_null": _holds_null,
    "pair": lambda a, b: _struct(a=a, b=b),
    "first": lambda p: _part(p, "a"),
    "second": lambda p: _part(p, "b"),
    "any_text": lambda x: _tagged("s", _cast(x, "text")),
    "any_number": _any_number,
    "any_boolean": lambda x: _tagged("b", _cast(x, "text")),
    "any_date": lambda x: _tagged("d", _cast(x, "text")),
    "any_timestamp": lambda x: _tagged("t", _cast(x, "text")),
    "any_null": lambda n: _tagged("x", _cast(n, "text")),
    "text_any": lambda a: _untagged("s", a, "text"),
    "number_any": lambda a: _untagged("n", a, "double"),
    "boolean_any": lambda a: _untagged("b", a, "boolean"),
    "date_any": lambda a: _untagged("d", a, "date"),
    "timestamp_any": lambda a: _untagged("t", a, "timestamp"),
    "label_any": lambda a: _untagged("x", a, "bigint"),
}
assert set(FUNCTIONS) == set(ALL)

"""Functions on texts that Spark reads or writes otherwise than DuckDB: made alike, so that results do not depend on the
engine.

Java writes 1.0E7 where DuckDB writes 10000000.0, knows only one blank, and reads ``1d`` as a number and ``2026`` as a
date.
"""

from __future__ import annotations

from sqlglot import exp

from tacita.engines.spark.words import both, call, cast, equals, less, missing, number, operand, string, try_cast, when
from tacita.engines.spark.words import text as quoted

# Unicode's category Zs, which is what DuckDB trims.
_BLANKS = "".join(map(chr, (0x20, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000)))
_SPACE = r"[ \t\n\x0B\f\r]*"
_NUMBER = rf"^{_SPACE}[+-]?([0-9]+(_[0-9]+)*[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?{_SPACE}$"
_DAY = r"([0-9]{1,4})([-/ \\])([0-9]{1,2})\2([0-9]{1,2})"
_TIME = r"((?:[01]?[0-9]|2[0-3]):[0-5]?[0-9](?::[0-5]?[0-9](?:[.][0-9]{0,6})?)?)"
_ZONE = r"[0-9]*(?: ?(?:Z|UTC|[+-][0-9]{1,2}(?::?[0-9]{2})?))?"
_DATE = rf"^{_SPACE}{_DAY}(?:{_SPACE}|[ T] *{_TIME}{_ZONE}{_SPACE})$"
_TIMESTAMP = rf"^{_SPACE}{_DAY}(?:[ T] *{_TIME}{_ZONE}{_SPACE})?$"


def text(term: exp.Expr) -> exp.Expr:
    """Return any value as text; numbers as DuckDB (and Python) write them."""
    # The type is known before anything runs: of the two branches one remains.
    fractional = exp.In(this=call("typeof", term), expressions=[quoted("double"), quoted("float")])
    return when(fractional, _plain_double(string(term.copy())), string(term.copy()))


def _plain_double(java: exp.Expr) -> exp.Expr:
    """Return a floating-point number as Python writes it, out of what Java writes: 1.0E7, odd digits from 1E16 on."""
    exponent = cast(call("substring_index", java, quoted("E"), number(-1)), "int")
    digits = call("regexp_replace", string(try_cast(java.copy(), "decimal(38, 22)")), quoted("0+$"), quoted(""))
    plain = when(
        call("endswith", digits, quoted(".")),
        exp.DPipe(this=digits.copy(), expression=quoted("0"), safe=True),
        digits.copy(),
    )
    is_plain = both(less(number(-5), exponent.copy()), less(exponent.copy(), number(16)))
    return exp.Case(
        ifs=[
            exp.If(this=missing(java.copy()), true=exp.Null()),
            exp.If(this=equals(java.copy(), quoted("Infinity")), true=quoted("inf")),
            exp.If(this=equals(java.copy(), quoted("-Infinity")), true=quoted("-inf")),
            exp.If(this=equals(java.copy(), quoted("NaN")), true=quoted("nan")),
            exp.If(this=exp.Not(this=call("contains", java.copy(), quoted("E"))), true=java.copy()),
            exp.If(this=is_plain, true=plain),
        ],
        default=_scientific(cast(java.copy(), "double")),
    )


def _scientific(value: exp.Expr) -> exp.Expr:
    """Return the shortest digits that are read back as the same number."""
    written = [call("format_string", quoted(f"%.{places}e"), value.copy()) for places in (14, 15, 16)]
    fitting = [when(equals(cast(some, "double"), value.copy()), some.copy()) for some in written[:2]]
    shortest = call("coalesce", *fitting, written[2])
    # 1.50000000000000e+16 is 1.5e+16, and 1.00000000000000e+16 is 1e+16.
    return call("regexp_replace", shortest, quoted("[.]?0*e"), quoted("e"))


def _spelled(term: exp.Expr) -> exp.Expr:
    """Return what a value looks like where it looks like a number."""
    spelled = when(
        call("rlike", string(term), quoted(_NUMBER)), call("replace", string(term.copy()), quoted("_"), quoted(""))
    )
    truth = exp.Case(this=string(term.copy()), ifs=[exp.If(this=quoted("true"), true=quoted("1"))], default=quoted("0"))
    present = exp.Not(this=missing(term.copy()))
    return when(equals(call("typeof", term.copy()), quoted("boolean")), when(present, truth), spelled)


def as_double(term: exp.Expr) -> exp.Expr:
    """Return a value of any type as a number, infinity included; NULL if it is none."""
    return try_cast(_spelled(term), "double")


def as_integer(term: exp.Expr) -> exp.Expr:
    """Return a value of any type as a whole number; NULL if it is none or has a fraction."""
    double = as_double(term)
    fractional = exp.In(this=call("typeof", term.copy()), expressions=[quoted("double"), quoted("float")])
    exact = call("round", try_cast(_spelled(term.copy()), "decimal(38, 9)"), number(0))
    whole = equals(call("rint", double), double.copy())
    return when(whole, when(fractional, try_cast(double.copy(), "bigint"), try_cast(exact, "bigint")))


def as_date(term: exp.Expr) -> exp.Expr:
    """Return a text as a date: year, month, day, with a time that is cut off; NULL if it is none."""
    return try_cast(when(call("rlike", string(term), quoted(_DATE)), _day(term, _DATE)), "date")


def as_timestamp(term: exp.Expr) -> exp.Expr:
    """Return a text as a moment, without regard to a zone; NULL if it is none."""
    time = call("regexp_extract", string(term), quoted(_TIMESTAMP), number(5))
    moment = when(
        equals(time, quoted("")),
        _day(term, _TIMESTAMP),
        call("concat_ws", quoted(" "), _day(term, _TIMESTAMP), time.copy()),
    )
    return try_cast(when(call("rlike", string(term.copy()), quoted(_TIMESTAMP)), moment), "timestamp_ntz")


def _day(term: exp.Expr, pattern: str) -> exp.Expr:
    def group(i: int) -> exp.Expr:
        return call("regexp_extract", string(term.copy()), quoted(pattern), number(i))

    return call("concat_ws", quoted("-"), call("lpad", group(1), number(4), quoted("0")), group(3), group(4))


def trimmed(term: exp.Expr) -> exp.Expr:
    """Return a text without blanks of any width at its ends; tabs and line ends stay."""
    return call("btrim", term, quoted(_BLANKS))


def upper(term: exp.Expr) -> exp.Expr:
    """Return a text in capitals, letter by letter where Java would make two letters of one."""
    ready = call("replace", term, quoted("ß"), quoted("ẞ"))
    return _letter_by_letter("upper", ready, exp.false())


def lower(term: exp.Expr) -> exp.Expr:
    """Return a text in small letters, letter by letter where Java would look at the place in the word."""
    ready = call("replace", term, quoted("İ"), quoted("i"))
    return _letter_by_letter("lower", ready, call("contains", ready.copy(), quoted("Σ")))


def _letter_by_letter(function: str, term: exp.Expr, if_also: exp.Expr) -> exp.Expr:
    changed = call(function, term)
    longer = exp.NEQ(this=call("length", changed.copy()), expression=call("length", term.copy()))
    x = exp.column("x")
    one = when(equals(call("length", call(function, x)), number(1)), call(function, x.copy()), x.copy())
    letters = call("split", term.copy(), quoted(""))
    single = call(
        "array_join", call("transform", letters, exp.Lambda(this=one, expressions=[exp.to_identifier("x")])), quoted("")
    )
    return when(exp.Or(this=longer, expression=exp.paren(if_also)), single, changed)


def substring(term: exp.Expr, start: exp.Expr, length: exp.Expr | None = None) -> exp.Expr:
    """Return a part of a text: a start below zero counts from the end, a length below zero goes back."""
    if _counts(start) and (length is None or _counts(length) or length.name == "0"):
        return call("substring", term, start, *([length] if length is not None else []))
    size = cast(call("length", term), "bigint")
    from_end = exp.Add(this=size, expression=operand(start))
    zero = exp.EQ(this=operand(start.copy()), expression=number(0))
    first = exp.Case(
        ifs=[
            exp.If(
                this=exp.GT(this=operand(start.copy()), expression=number(0)),
                true=exp.Sub(this=operand(start.copy()), expression=number(1)),
            ),
            exp.If(this=less(start.copy(), number(0)), true=from_end),
            exp.If(this=zero, true=cast(number(0), "bigint")),
        ]
    )
    if length is None:
        begin = call("greatest", first, cast(number(0), "bigint"))
        end: exp.Expr = size.copy()
    else:
        # A start of 0 stands before the first letter, and counts as one.
        span = when(
            zero.copy(),
            call("greatest", exp.Sub(this=operand(length), expression=number(1)), cast(number(0), "bigint")),
            length.copy(),
        )
        last = exp.Add(
            this=exp.paren(first),
            expression=exp.paren(call("greatest", call("least", span, number(2**31)), number(-(2**31)))),
        )
        begin = call("greatest", call("least", first.copy(), last), cast(number(0), "bigint"))
        end = call("least", call("greatest", first.copy(), last.copy()), size.copy())
    there = call("greatest", exp.Sub(this=end, expression=begin.copy()), cast(number(0), "bigint"))
    cut = call("substring", term.copy(), cast(exp.Add(this=begin, expression=number(1)), "int"), cast(there, "int"))
    known: exp.Expr = exp.Not(this=missing(start.copy()))
    if length is not None:
        known = both(known, exp.Not(this=missing(length.copy())))
    return when(known, cut)


def _counts(term: exp.Expr) -> bool:
    """Whether a term is a plain count from one: the usual case, which Spark reads alike."""
    return isinstance(term, exp.Literal) and not term.is_string and term.name.isdigit() and int(term.name) > 0

"""Plans as text for DuckDB: sqlglot writes them; the terms of a wide plan, thousands of one form, are written here.

sqlglot asks of each node what any dialect may say of it. For the few kinds of nodes that wide plans consist of the text
is known, and written in a fraction of the time. A list of terms with a node of another kind goes to sqlglot as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot import exp

_DIALECT = "duckdb"
_MANY = 50  # terms above which it is worth it
_NAME = re.compile(r"[a-z_]+[0-9]+[a-z_]*|[a-z]|row_number_")  # of ours, and no word of SQL
_TYPES = {
    exp.DType.TEXT: "TEXT",
    exp.DType.DOUBLE: "DOUBLE",
    exp.DType.BIGINT: "BIGINT",
    exp.DType.BOOLEAN: "BOOLEAN",
    exp.DType.DATE: "DATE",
}
_FORMS: dict[type[exp.Expr], tuple[str, ...]] = {
    exp.Alias: ("", "this", " AS ", "alias", ""),
    exp.Cast: ("CAST(", "this", " AS ", "to", ")"),
    exp.TryCast: ("TRY_CAST(", "this", " AS ", "to", ")"),
    exp.NullSafeNEQ: ("", "this", " IS DISTINCT FROM ", "expression", ""),
    exp.Nullif: ("NULLIF(", "this", ", ", "expression", ")"),
    exp.RegexpLike: ("REGEXP_MATCHES(", "this", ", ", "expression", ")"),
    exp.Add: ("", "this", " + ", "expression", ""),
    exp.Is: ("", "this", " IS ", "expression", ""),
    exp.Not: ("NOT ", "this", ""),
    exp.And: ("", "this", " AND ", "expression", ""),
    exp.Or: ("", "this", " OR ", "expression", ""),
    exp.Paren: ("(", "this", ")"),
    exp.Count: ("COUNT(", "this", ")"),
    exp.Min: ("MIN(", "this", ")"),
    exp.Max: ("MAX(", "this", ")"),
    exp.If: (" WHEN ", "this", " THEN ", "true", ""),
    exp.Coalesce: ("COALESCE(", "this", ", ", "expressions", ")"),
    exp.In: ("", "this", " IN (", "expressions", ")"),
    exp.Null: ("NULL",),
}
"""Texts, and between them the arguments of a node."""


def plan_text(plan: exp.Query) -> str:
    """Return a plan as SQL; the plan stays as it is.

    >>> plan = exp.select(*(exp.alias_(exp.Count(this=exp.column("c1")), f"n{i}") for i in range(60))).from_("r0")
    >>> plan_text(plan) == plan.sql("duckdb")
    True
    """
    if not isinstance(plan, exp.Select) or len(plan.expressions) <= _MANY:
        return plan.sql(_DIALECT)
    replaced: list[tuple[exp.Select, list[exp.Expr]]] = []
    select: exp.Expr | None = plan
    try:
        while isinstance(select, exp.Select):
            terms = select.expressions
            if len(terms) > _MANY and (text := _texts(terms)) is not None:
                replaced.append((select, terms))
                select.args["expressions"] = [exp.Var(this=text)]
            source = select.args.get("from_")
            select = source.this.this if source is not None and isinstance(source.this, exp.Subquery) else None
        return plan.sql(_DIALECT)
    finally:
        for select, terms in replaced:
            select.args["expressions"] = terms


def _texts(terms: Sequence[exp.Expr]) -> str | None:
    """Return terms as text, or None if one of them has a node that only sqlglot can write."""
    try:
        return ", ".join(map(_text, terms))
    except LookupError:
        return None


def _text(term: exp.Expr) -> str:
    args, kind = term.args, type(term)
    if kind is exp.Column:
        table = args.get("table")
        if args.get("db") or args.get("catalog") or args.get("join_mark"):
            raise LookupError
        return f"{_text(table)}.{_text(args['this'])}" if table else _text(args["this"])
    if kind is exp.Identifier:
        name: str = args["this"]
        if args.get("quoted") or not _NAME.fullmatch(name):
            raise LookupError
        return name
    if kind is exp.DataType:
        if any(value for name, value in args.items() if name != "this"):
            raise LookupError
        return _TYPES[args["this"]]
    if kind is exp.Literal:
        literal: str = args["this"]
        if "'" in literal or "\\" in literal:
            raise LookupError
        return f"'{literal}'" if args["is_string"] else literal
    if kind is exp.Case:
        if args.get("this"):
            raise LookupError
        default = args.get("default")
        otherwise = f" ELSE {_text(default)}" if default else ""
        return f"CASE{''.join(map(_text, args['ifs']))}{otherwise} END"
    form = _FORMS[kind]
    if any(value for name, value in args.items() if name not in form):
        raise LookupError
    parts = list(form)
    for place in range(1, len(form), 2):
        value = args[form[place]]
        parts[place] = ", ".join(map(_text, value)) if isinstance(value, list) else _text(value)
    return "".join(parts)

"""Subqueries that look out of more than one window.

Spark lets a subquery name the columns of the query around it, but not of the one around that, and counts a LATERAL as a
subquery of its own. So what lies further out is first carried into the query between: as a source of one row, which may
name it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from sqlglot import exp


def carried(plan: exp.Expr) -> None:
    """Change a plan so that every subquery only names columns of itself and of the query around it.

    >>> inner = "EXISTS(SELECT 1 FROM b WHERE b.x = t.x)"
    >>> plan = exp.maybe_parse(f"SELECT 1 FROM t WHERE EXISTS(SELECT 1 FROM a WHERE {inner})")
    >>> carried(plan)
    >>> plan.sql()[38:]
    'FROM a CROSS JOIN (SELECT t.x AS k0) AS o0 WHERE EXISTS(SELECT 1 FROM b WHERE b.x = o0.k0))'
    """
    if sum(1 for _ in plan.find_all(exp.Exists)) == 0:
        return
    numbers = itertools.count()
    # From the outside in: what was carried in may have to be carried on.
    for select in list(plan.find_all(exp.Select, bfs=True)):
        far = [column for column in select.find_all(exp.Column) if _is_far(column, select)]
        if far:
            _carry(select, far, f"o{next(numbers)}")


def _carry(select: exp.Select, far: list[exp.Column], alias: str) -> None:
    names: dict[str, str] = {}
    terms: list[exp.Expr] = []
    for column in far:
        written = column.sql()
        if written not in names:
            names[written] = f"k{len(names)}"
            terms.append(exp.alias_(column.copy(), names[written]))
        column.replace(exp.column(names[written], table=alias))
    row = exp.select(*terms, copy=False).subquery(alias, copy=False)
    joins = select.args.get("joins") or []
    # In front of every LATERAL, which may name it.
    select.set("joins", [exp.Join(this=row, kind="CROSS"), *joins])


def _is_far(column: exp.Column, select: exp.Select) -> bool:
    """Whether a column is named from within a further query inside `select`, and comes from outside of it."""
    table = column.table
    if not table or table in sources(select):
        return False
    is_deep = False
    for node, parent in _climb(column, select):
        if isinstance(node, exp.Lateral):
            is_deep = True
        if isinstance(node, exp.Select):
            if table in sources(node):
                return False
            if not _is_source(parent):
                is_deep = True
    return is_deep


def _climb(node: exp.Expr, top: exp.Expr) -> Iterator[tuple[exp.Expr, exp.Expr]]:
    current: exp.Expr = node
    while current is not top and current.parent is not None:
        yield current, current.parent
        current = current.parent


def _is_source(parent: exp.Expr) -> bool:
    """Whether a query with this parent stands in FROM, and not in a condition."""
    node: exp.Expr | None = parent
    while isinstance(node, exp.Subquery | exp.SetOperation | exp.Paren):
        node = node.parent
    return isinstance(node, exp.From | exp.Join)


def sources(select: exp.Select) -> set[str]:
    """Return the names that a query gives to what it reads."""
    from_ = select.args.get("from_") or select.args.get("from")
    read = [from_.this] if from_ is not None else []
    read += [join.this for join in select.args.get("joins") or []]
    return {source.alias_or_name for source in read}

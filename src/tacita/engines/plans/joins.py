"""Joins back: records to the combinations of values that they have."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp


def same(left: str, right: str, names: Iterable[str]) -> exp.Expr:
    """Return the condition that two tables agree on columns, a missing value being the same as a missing value.

    >>> same("a", "b", ["c1"]).sql()
    'a.c1 IS NOT DISTINCT FROM b.c1'
    """
    pairs = [exp.NullSafeEQ(this=exp.column(n, table=left), expression=exp.column(n, table=right)) for n in names]
    return exp.and_(*pairs, copy=False)

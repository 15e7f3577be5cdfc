"""Cells of delimited text that a spreadsheet would run as a formula, and how they are written so that it does not.

A spreadsheet that opens a CSV file takes ``=HYPERLINK(...)`` for a formula, and it does so with any cell that begins
with one of ``= + - @``, with a tab or with a line end (OWASP, "CSV Injection"). Whoever answered a survey may have
written one: opened by a user of the release it sends data away, or worse. Signed numbers are harmless. The usual
remedy is an apostrophe in front, which makes a text of the cell. It changes the cell, so it is done when asked for.
Formats that know texts from formulas (Excel as it is written here, Parquet and all others) need nothing of this.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from tacita.engines.plans.terms import as_text, cell, named
from tacita.engines.protocol import Relation
from tacita.errors import counted, listed
from tacita.model.microdata import Microdata
from tacita.model.relation import Column, ColumnType

_BEGINS = "^[=@\t\r\n＝＠]"
_IS_SIGNED = "^[+＋－-]"
_MAY_BEGIN = "^[=@\t\r\n＝＠+＋－-]"
_NUMBER = "[+-]([0-9., ]+([eE][+-]?[0-9]+)?%?)?"
_ESCAPE = "'"
_BETWEEN = "\x1f"  # the unit separator: a cell that holds one is looked at twice, no more
_AT_ONCE = 400  # columns counted by one plan


def is_formula(text: str) -> bool:
    """Return whether a spreadsheet would take a cell for a formula.

    >>> [is_formula(cell) for cell in ("=1+1", "@SUM(A1)", "+cmd|' /C calc'!A0", "-5", "-1.5e3", "-", "a=1")]
    [True, True, True, False, False, False, False]
    """
    is_signed = re.search(_IS_SIGNED, text) and not re.fullmatch(_NUMBER, text)
    return bool(re.search(_BEGINS, text) or is_signed)


def formula_cells(microdata: Microdata) -> dict[str, int]:
    """Return how many cells of each attribute a spreadsheet would take for a formula; none has no entry."""
    relation = microdata.relation
    looked = [column for column in relation.columns if _spellings(column)]
    if len(looked) > _AT_ONCE:
        looked = _in_strips(relation, looked)
    # Few columns have a cell that begins like one: the others need one look, which is cheap.
    suspects = _counts(relation, looked, lambda physical: _matches(as_text(exp.column(physical)), _MAY_BEGIN))
    return _counts(relation, [column for column in looked if column.name in suspects], _looks_like_one)


def _in_strips(relation: Relation, columns: Sequence[Column]) -> list[Column]:
    """Return the strips of a wide table in which a cell may begin like a formula: a pattern a column costs too much."""
    suspects: list[Column] = []
    pattern = f"(^|{_BETWEEN}){_MAY_BEGIN.removeprefix('^')}"
    for start in range(0, len(columns), _AT_ONCE):
        part = columns[start : start + _AT_ONCE]
        texts = [as_text(cell(physical)) for column in part for physical in _spellings(column)]
        strip = exp.Anonymous(this="concat_ws", expressions=[exp.Literal.string(_BETWEEN), *texts])
        any_of = exp.Case(ifs=[exp.If(this=_matches(strip, pattern), true=exp.Literal.number(1))])
        plan = exp.select(named(exp.Count(this=any_of), "n"), copy=False).from_(relation.source(), copy=False)
        if relation.engine.run(plan)[0]["n"]:
            suspects += part
    return suspects


def _counts(relation: Relation, columns: Sequence[Column], condition: Callable[[str], exp.Expr]) -> dict[str, int]:
    """Return the columns in which a text meets a condition, and in how many cells."""
    counts: dict[str, int] = {}
    for start in range(0, len(columns), _AT_ONCE):
        part = columns[start : start + _AT_ONCE]
        terms = [named(_number_where(condition, column), f"n{at}") for at, column in enumerate(part)]
        (row,) = relation.engine.run(exp.select(*terms, copy=False).from_(relation.source(), copy=False))
        counts |= {column.name: int(row[f"n{at}"]) for at, column in enumerate(part) if row[f"n{at}"]}
    return counts


def escaped(microdata: Microdata) -> Microdata:
    """Return microdata whose cells, names and labelled codes no spreadsheet takes for formulas."""
    relation = microdata.relation
    names = [_escaped(name) for name in microdata.dictionary.names]
    attributes = tuple(
        attribute.with_(name=name, labels={_escaped(code): label for code, label in attribute.labels.items()})
        for attribute, name in zip(microdata.dictionary, names, strict=True)
    )
    terms: list[exp.Expr] = []
    columns = []
    for column, name in zip(relation.columns, names, strict=True):
        physical = [column.physical, *filter(None, [column.as_written])]
        texts = _spellings(column)
        terms += [exp.alias_(_with_escape(c) if c in texts else exp.column(c), c) for c in physical]
        columns.append(replace(column, name=name, is_coded=column.is_coded and column.physical not in texts))
    stored = relation.engine.store(exp.select(*terms).from_(relation.source()), columns)
    dictionary = replace(microdata.dictionary, attributes=attributes)
    return replace(microdata, relation=stored, dictionary=dictionary)


def formula_notes(cells: Mapping[str, int], names: Sequence[str]) -> tuple[str, ...]:
    """Return what has to be said about cells, and names of attributes, that a spreadsheet would run."""
    heads = [name for name in names if is_formula(name)]
    if not cells and not heads:
        return ()
    parts = [f"{counted(sum(cells.values()), 'cell')} of {listed(list(cells))}"] if cells else []
    parts += [f"the names of {counted(len(heads), 'attribute')}"] if heads else []
    look = "looks" if not heads and sum(cells.values()) == 1 else "look"
    return (
        f"{' and '.join(parts)} {look} like formulas, which a spreadsheet runs when it opens the file; to make texts "
        "of them with an apostrophe in front, use --escape-formulas (escape_formulas=True)",
    )


def _escaped(text: str) -> str:
    return _ESCAPE + text if is_formula(text) else text


def _spellings(column: Column) -> list[str]:
    """Return the physical columns that hold texts of the source: a number that is spelled as such needs no look."""
    return [
        *([column.physical] if column.type is ColumnType.TEXT else []),
        *([column.as_written] if column.as_written else []),
    ]


def _looks_like_one(physical: str) -> exp.Expr:
    text = as_text(exp.column(physical))
    is_signed, is_number = _matches(text.copy(), _IS_SIGNED), _matches(text.copy(), f"^{_NUMBER}$")
    return exp.or_(_matches(text, _BEGINS), exp.and_(is_signed, exp.not_(is_number)))


def _matches(text: exp.Expr, pattern: str) -> exp.Expr:
    return exp.RegexpLike(this=text, expression=exp.Literal.string(pattern))


def _number_where(condition: Callable[[str], exp.Expr], column: Column) -> exp.Expr:
    any_of = exp.or_(*map(condition, _spellings(column)), copy=False)
    return exp.Count(this=exp.Case(ifs=[exp.If(this=any_of, true=exp.Literal.number(1))]))


def _with_escape(physical: str) -> exp.Expr:
    text = as_text(exp.column(physical))
    quoted = exp.DPipe(this=exp.Literal.string(_ESCAPE), expression=text.copy())
    return exp.Case(ifs=[exp.If(this=_looks_like_one(physical), true=quoted)], default=text)

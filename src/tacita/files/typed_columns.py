"""Columns of text given their types: what the first rows suggest is checked in every row before it is believed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice, zip_longest

from sqlglot import exp

from tacita.engines.plans.profile import sample
from tacita.engines.plans.terms import as_double, as_text, cell, named, rows_where
from tacita.engines.protocol import Relation
from tacita.errors import InputError, UsageError, listed
from tacita.files.column_types import (
    EITHER_WAY,
    STRICT_FORMS,
    Candidate,
    NumberStyle,
    candidate,
    number_style,
)
from tacita.files.contract import ReadOptions
from tacita.model.microdata import Reading
from tacita.model.missing_codes import MISSING_MARKERS
from tacita.model.relation import Column, ColumnType

_TYPES = {ColumnType.DATE: exp.DType.DATE, ColumnType.TIMESTAMP: exp.DType.TIMESTAMP}
_AT_ONCE = 2000  # terms counted by one plan
_LATE_CELLS = 500  # values looked at of a column that begins with missing ones
_WORTH_CODING = 400  # cells in the first rows below which a file is too small for dictionaries to matter


@dataclass(frozen=True, slots=True)
class _Conversion:
    """A column, what it is taken for, and how its cells are turned into values."""

    column: Column
    candidate: Candidate
    style: NumberStyle
    markers: tuple[str, ...]
    """Spellings that mean a missing value in this column."""
    missing_codes: tuple[str, ...] = ()
    """Those of them that a person told: they are missing even where they could be a value, such as 99."""
    code: exp.Expr | None = None
    """The term that dictionary-codes the column."""

    @property
    def cell(self) -> exp.Expr:
        return cell(self.column.physical)

    @property
    def companion(self) -> str:
        """The physical name of the column with the source's own spelling."""
        return f"{self.column.physical}w"

    @property
    def is_text(self) -> bool:
        return self.candidate.type is ColumnType.TEXT

    def terms(self) -> list[exp.Expr]:
        """Return the value (null where the cell does not fit), and the spelling where the value cannot restore it."""
        value = self._value()
        if self.missing_codes and not self.is_text:
            value = exp.Case(ifs=[exp.If(this=exp.Not(this=_among(self.cell, self.missing_codes)), true=value)])
        if self.is_text and not self.markers:
            return [named(self.code or self.cell, self.column.physical)]
        written = value if self.is_text else as_text(value)
        differs = exp.NullSafeNEQ(this=self.cell, expression=written)
        spelling = exp.Case(ifs=[exp.If(this=differs, true=self.cell)])
        return [
            named(value.copy() if self.is_text else value, self.column.physical),
            named(spelling, self.companion),
        ]

    def _value(self) -> exp.Expr:
        type_ = self.candidate.type
        if type_ is ColumnType.TEXT:
            return exp.Case(ifs=[exp.If(this=exp.Not(this=_among(self.cell, self.markers)), true=self.cell)])
        if type_ in {ColumnType.DATE, ColumnType.TIMESTAMP}:
            return exp.TryCast(this=self._iso_date(), to=exp.DataType(this=_TYPES[type_]))
        if type_ is ColumnType.BOOLEAN:
            return exp.TryCast(this=self.cell, to=exp.DataType(this=exp.DType.BOOLEAN))
        if type_ is ColumnType.INTEGER:
            return exp.TryCast(this=self.cell, to=exp.DataType(this=exp.DType.BIGINT))
        number: exp.Expr = exp.TryCast(this=self.style.value(self.cell), to=exp.DataType(this=exp.DType.DOUBLE))
        if self.style.thousands or self.style.decimal != ".":
            fits = exp.RegexpLike(this=self.cell, expression=exp.Literal.string(f"^({self.style.pattern()})$"))
            number = exp.Case(ifs=[exp.If(this=fits, true=number)])
        # "NaN" means a missing value, not a number; for engines NaN equals NaN.
        return exp.Nullif(this=number, expression=as_double(exp.Literal.string("nan")))

    def _iso_date(self) -> exp.Expr:
        """Return the cell with its date in the order year, month, day, and the time behind it if there is one."""
        form = self.candidate.date_format or "%Y-%m-%d"
        if form == "%Y-%m-%d":
            return self.cell
        places, at = {}, 1
        for token in (form[0:2], form[3:5], form[6:8]):
            width = 4 if token == "%Y" else 2
            places[token] = exp.func("substring", self.cell, exp.Literal.number(at), exp.Literal.number(width))
            at += width + 1
        dash = exp.Literal.string("-")
        rest = exp.func("substring", self.cell, exp.Literal.number(11))
        return exp.func("concat", places["%Y"], dash, places["%m"], dash.copy(), places["%d"], rest)

    def unfit(self) -> exp.Expr:
        """Return the condition, over the typed table, that a cell held neither a value of the type nor a marker."""
        spelling = cell(self.companion)
        wrong: exp.Expr = exp.Is(this=self.cell, expression=exp.Null())
        form = STRICT_FORMS.get(self.candidate.type)
        if self.candidate.type is ColumnType.NUMBER and self.style != NumberStyle():
            form = self.style.pattern()
        if form:  # the engine casts more than people would: it rounds 1.5, and cuts the time off a date
            fits = exp.RegexpLike(this=spelling, expression=exp.Literal.string(f"^({form})$"))
            wrong = exp.Or(this=wrong, expression=exp.Not(this=fits))
        there = exp.Not(this=exp.Is(this=spelling.copy(), expression=exp.Null()))
        return exp.and_(there, exp.Not(this=_among(spelling, self.markers)), exp.Paren(this=wrong))

    def strange(self) -> exp.Expr:
        """Return the condition that a spelling is more than a number with zeros at its end, as 12.50 is."""
        spelling = cell(self.companion)
        there = exp.Not(this=exp.Is(this=spelling, expression=exp.Null()))
        if self.candidate.type is not ColumnType.NUMBER:
            return there
        plain = f"^-?(0|[1-9][0-9]*)({re.escape(self.style.decimal)}[0-9]+)?$"
        is_plain = exp.RegexpLike(this=spelling.copy(), expression=exp.Literal.string(plain))
        no_value = exp.Is(this=self.cell, expression=exp.Null())
        doubtful = exp.Or(this=no_value, expression=exp.Not(this=is_plain))
        return exp.And(this=there, expression=exp.Paren(this=doubtful))

    def checks(self) -> dict[str, exp.Expr]:
        """Return what is counted over the typed table to know whether the column is what it seemed."""
        spelling = cell(self.companion)
        counted = {"unfit": self.unfit(), "marked": _among(spelling, self.markers)}
        if self.candidate.type.is_numeric:
            counted["zeros"] = exp.RegexpLike(this=spelling.copy(), expression=exp.Literal.string("^[+-]?0[0-9]"))
        return counted


def _among(term: exp.Expr, texts: Sequence[str]) -> exp.Expr:
    return exp.In(this=term.copy(), expressions=[exp.Literal.string(text) for text in texts])


def typed(
    relation: Relation, first_rows: Sequence[Sequence[str]], options: ReadOptions
) -> tuple[Relation, tuple[Reading, ...], NumberStyle]:
    """Return the relation with types, what each column was taken for, and how numbers are written."""
    width = len(relation.columns)
    columns = [list(filter(None, cells)) for cells in islice(zip_longest(*first_rows, fillvalue=""), width)]
    columns += [[] for _ in range(width - len(columns))]
    for column, cells in zip(relation.columns, columns, strict=True):
        if not cells:  # nothing in the first rows: look where the values begin
            found_cells = relation.engine.run(sample(relation, [column], _LATE_CELLS, present=True))
            cells += [row[column.physical] for row in found_cells]
    style = number_style(columns, options.decimal, options.thousands)
    numeric_markers = tuple(dict.fromkeys((*options.missing, *MISSING_MARKERS)))
    conversions = []
    for column, all_cells in zip(relation.columns, columns, strict=True):
        type_ = options.types.get(column.name)
        cells = [cell for cell in all_cells if cell not in options.missing] if options.missing else all_cells
        guess = (
            _declared(type_, cells, style, options) if type_ else candidate(column.name, cells, style, options.dates)
        )
        markers = options.missing if guess.type is ColumnType.TEXT else numeric_markers
        worth_coding = guess.type is ColumnType.TEXT and not markers and _repeats(cells)
        code = relation.engine.coded(relation, column) if worth_coding else None
        conversions.append(_Conversion(column, guess, style, markers, options.missing, code))
    # At most three tries: as it seems, whole numbers widened to numbers, what is mixed back to text.
    while True:
        if all(c.is_text and not c.markers and c.code is None for c in conversions):
            return relation, tuple(_reading(c, {}) for c in conversions), style
        stored = relation.engine.store(
            exp.select(*(term for c in conversions for term in c.terms()), copy=False).from_(
                relation.source(), copy=False
            ),
            relation.columns,
        )
        figures = _figures(stored, conversions)
        corrected = [_corrected(stored, c, figures) for c in conversions]
        if corrected == conversions:
            break
        relation.engine.drop(stored)
        conversions = corrected
    result = [
        replace(
            c.column,
            type=c.candidate.type,
            is_coded=c.code is not None,
            as_written=c.companion if figures.get(f"{c.column.physical}_respelled") else None,
        )
        for c in conversions
    ]
    return stored.renamed(result), tuple(_reading(c, figures) for c in conversions), style


def _repeats(cells: Sequence[str]) -> bool:
    """Return whether there are enough cells, and enough of them alike, for a dictionary to pay."""
    return len(cells) >= _WORTH_CODING and len(set(cells)) < len(cells) / 2


def _declared(type_: ColumnType, cells: Sequence[str], style: NumberStyle, options: ReadOptions) -> Candidate:
    guess = candidate("", cells, style, options.dates)
    if guess.reason == EITHER_WAY and type_ in {ColumnType.DATE, ColumnType.TIMESTAMP}:
        raise UsageError(
            "the order of day and month cannot be told from the dates", do="say --dates day-first or month-first"
        )
    date_format = guess.date_format if guess.type is type_ else ""
    return Candidate(type_, "as you said", date_format, is_given=True)


def _figures(stored: Relation, conversions: Sequence[_Conversion]) -> dict[str, int]:
    """Return for each converted column how many cells do not fit, are markers, codes, and spelled differently."""
    converted = [c for c in conversions if not c.is_text or c.markers]
    respelled = _counted(stored, {c.companion: cell(c.companion) for c in converted})
    figures = {f"{c.column.physical}_respelled": respelled[c.companion] for c in converted}
    # Most columns are as they seem, which one look shows; the others are counted by what is strange in them.
    doubtful = [c for c in converted if respelled[c.companion]]
    strange = _counted(stored, {c.companion: _one_if(c.strange()) for c in doubtful})
    checks = {
        f"{c.column.physical}_{what}": _one_if(check)
        for c in doubtful
        if strange[c.companion]
        for what, check in c.checks().items()
    }
    return figures | _counted(stored, checks)


def _one_if(condition: exp.Expr) -> exp.Expr:
    return exp.Case(ifs=[exp.If(this=condition, true=exp.Literal.number(1))])


def _counted(stored: Relation, terms: dict[str, exp.Expr]) -> dict[str, int]:
    """Return how often each term is not null."""
    counts: dict[str, int] = {}
    names = list(terms)
    for start in range(0, len(names), _AT_ONCE):
        part = [named(exp.Count(this=terms[name]), name) for name in names[start : start + _AT_ONCE]]
        counts |= stored.engine.run(exp.select(*part, copy=False).from_(stored.source(), copy=False))[0]
    return counts


def _corrected(stored: Relation, conversion: _Conversion, figures: dict[str, int]) -> _Conversion:
    """Return the conversion as the whole column allows it."""
    column, guess = conversion.column, conversion.candidate
    if conversion.is_text:
        return conversion
    if unfit := figures.get(f"{column.physical}_unfit"):
        if guess.type is ColumnType.INTEGER and not guess.is_given:
            return replace(conversion, candidate=replace(guess, type=ColumnType.NUMBER))
        rows = [row["row"] for row in stored.engine.run(rows_where(stored, conversion.unfit()))]
        values = "value is" if unfit == 1 else "values are"
        what = f"{unfit:,} {values} no {guess.type.value} (row{'s' if unfit > 1 else ''} {listed(rows)})"
        if guess.is_given:
            raise InputError(
                f"column '{column.name}' was to be read as {guess.type.value}, but {what}",
                do=f"mend these rows, or read it as text: --as {column.name}=text",
            )
        return _as_text(conversion, f"mixed: {what}", doubtful=True)
    if figures.get(f"{column.physical}_zeros") and not guess.is_given:
        return _as_text(conversion, "digits with leading zeros: a code")
    return conversion


def _reading(conversion: _Conversion, figures: dict[str, int]) -> Reading:
    name, guess = conversion.column.name, conversion.candidate
    reason = guess.reason
    if guess.type.is_numeric and not guess.is_given and not guess.doubtful:
        reason = "whole numbers" if guess.type is ColumnType.INTEGER else "numbers"
    if not conversion.is_text and not guess.is_given:
        reason += ", every row checked"
    if marked := figures.get(f"{conversion.column.physical}_marked"):
        reason += f"; {marked:,} marked as missing"
    return Reading(name, guess.type, reason, guess.doubtful)


def _as_text(conversion: _Conversion, reason: str, *, doubtful: bool = False) -> _Conversion:
    return replace(conversion, candidate=Candidate(ColumnType.TEXT, reason, doubtful=doubtful), markers=())

"""Attributes that nobody decided on and that may identify respondents: in doubt they are not released.

An attribute without a category is doubtful if its name says that it is an identifier, if its values have the form of
one (e-mail addresses, tax numbers), or if they differ from record to record as names and record numbers do. Whoever
wants to release it gives it a category. No value leaves this file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from sqlglot import exp

from tacita.describe.formats import FORMATS
from tacita.describe.propose import named_as
from tacita.engines.plans.profile import sample
from tacita.engines.plans.terms import named
from tacita.engines.protocol import Engine, Relation
from tacita.errors import listed
from tacita.knowledge.experience_base import ExperienceBase
from tacita.model.attribute import Category
from tacita.model.dictionary import Dictionary
from tacita.model.relation import Column, ColumnType

if TYPE_CHECKING:
    import pyarrow as pa

_CELLS = 1000
_ENOUGH_ROWS = 30  # below this, different values say little
_HALF = 0.5
_NEARLY_ALL = 0.9
_STRIP = 1000
_SHORTEST = 8  # letters and digits alone that any form of identifiers has
_AT_ONCE = 50  # columns whose different values are counted by one plan
_BY_NAME = "whose names look like identifiers"
_DIFFERENT = "whose values differ from record to record"


_KNOWN: WeakKeyDictionary[Engine, dict[tuple[str, Column], Doubt | None]] = WeakKeyDictionary()
"""What is known of the columns of each engine's tables, for as long as the engine is there."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """An attribute that nobody decided on, and why it may identify respondents."""

    attribute: str
    reason: str
    """A clause after "attributes": ``whose names look like identifiers``."""
    is_dropped: bool
    """Whether it is taken for an identifier; otherwise a steward is told of it."""


def doubts(
    relation: Relation, dictionary: Dictionary, base: ExperienceBase, decided: Collection[str] = ()
) -> tuple[Doubt, ...]:
    """Return the attributes without a category that may identify respondents, in the order of the dictionary.

    `decided` are attributes that somebody decided on otherwise, such as those that the intruder is supposed to know.

    >>> import tacita as tc
    >>> import pyarrow as pa
    >>> data = tc.read(pa.table({"name": ["A", "B"], "contact": ["a@b.org", "c@d.eu"], "area": ["N", "N"]}))
    >>> [doubt.attribute for doubt in doubts(data.relation, data.dictionary, ExperienceBase.load())]
    ['name', 'contact']
    """
    by_name = set(named_as(Category.IDENTIFIER, dictionary, base))
    undecided = [a.name for a in dictionary if a.category is None and a.name not in decided]
    doubtful = {name: Doubt(name, _BY_NAME, is_dropped=True) for name in undecided if name in by_name}
    others = [relation.column(name) for name in undecided if name not in doubtful]
    doubtful |= {doubt.attribute: doubt for doubt in _by_values(relation, others)}
    return tuple(doubtful[name] for name in undecided if name in doubtful)


def _by_values(relation: Relation, columns: Sequence[Column]) -> list[Doubt]:
    """Return the columns whose values may identify respondents.

    A release asks twice, when data are prepared and again as the last line of defence: what was looked at in a table
    stays true of it, and the second answer costs nothing.
    """
    known = _KNOWN.setdefault(relation.engine, {})
    new = [column for column in columns if (relation.table, column) not in known]
    doubts_of = {doubt.attribute: doubt for doubt in _look(relation, new)}
    known |= {(relation.table, column): doubts_of.get(column.name) for column in new}
    return [doubt for column in columns if (doubt := known[relation.table, column]) is not None]


def _look(relation: Relation, columns: Sequence[Column]) -> Iterable[Doubt]:
    is_short = relation.count() <= _CELLS
    for start in range(0, len(columns), _STRIP):
        different: dict[Column, _Spread | None] = {}
        for column, cells in _cells(relation, columns[start : start + _STRIP]):
            if doubt := _by_form(column, cells):
                yield doubt
            elif _seem_different(column, cells):
                different[column] = _spread(column, cells) if is_short else None
        if not is_short:
            different = _spreads(relation, list(different))
        for column, spread in different.items():
            if spread is not None and (doubt := _by_differences(column, spread)):
                yield doubt


def notes_on_doubts(doubtful: Iterable[Doubt]) -> list[str]:
    """Return doubts as notes for a steward.

    >>> notes_on_doubts([Doubt("name", _BY_NAME, True), Doubt("tax_number", _BY_NAME, True)])
    ['dropped attributes whose names look like identifiers: name, tax_number; to keep one, give it a category']
    """
    groups: dict[tuple[bool, str], list[str]] = {}
    for doubt in doubtful:
        groups.setdefault((not doubt.is_dropped, doubt.reason), []).append(doubt.attribute)
    notes = []
    for (is_kept, reason), names in sorted(groups.items()):
        if is_kept:
            notes.append(
                f"released attributes without a category {reason}, which may make records recognisable: "
                f"{listed(names)}; give each a category"
            )
        else:
            notes.append(f"dropped attributes {reason}: {listed(names)}; to keep one, give it a category")
    return notes


def _by_form(column: Column, cells: Counter[str]) -> Doubt | None:
    """Return a doubt if values look like identifiers; several forms count together, as in a list of contacts."""
    if not cells or column.type not in {ColumnType.TEXT, ColumnType.INTEGER}:
        return None
    forms = [form for form in FORMATS if form.category is Category.IDENTIFIER]
    counts = dict.fromkeys((form.name for form in forms), 0)
    for text, number in cells.items():
        cell = text.strip()
        if len(cell) < _SHORTEST and cell.isalnum():
            continue
        form = next((form for form in forms if form.matches(cell)), None)
        if form is not None:
            counts[form.name] += number
    total = sum(counts.values())
    if total == 0:
        return None
    name = max(counts, key=lambda form: counts[form])
    if total >= _HALF * cells.total():
        return Doubt(column.name, f"whose values look like {name}", is_dropped=True)
    if column.type is ColumnType.TEXT:
        return Doubt(column.name, f"of whose values some look like {name}", is_dropped=False)
    return None


def _share_different(column: Column) -> float:
    return _NEARLY_ALL if column.type in {ColumnType.TEXT, ColumnType.DATE, ColumnType.TIMESTAMP} else 1.0


def _seem_different(column: Column, cells: Counter[str]) -> bool:
    """Return whether (nearly) all first values differ: a column with equals at its top costs nothing more."""
    return cells.total() >= 2 and len(cells) >= _share_different(column) * cells.total()


@dataclass(frozen=True, slots=True)
class _Spread:
    """How the values of a column differ."""

    present: int
    distinct: int
    width: int | None = None
    """From the least to the greatest, of whole numbers."""


def _by_differences(column: Column, spread: _Spread) -> Doubt | None:
    """Return a doubt if (nearly) every record has a value of its own."""
    if spread.distinct < _share_different(column) * spread.present:
        return None
    is_number = spread.width is not None and spread.width < 2 * spread.present
    names_records = column.type is ColumnType.TEXT or is_number
    return Doubt(column.name, _DIFFERENT, is_dropped=names_records and spread.present >= _ENOUGH_ROWS)


def _spread(column: Column, cells: Counter[str]) -> _Spread:
    """Return how values differ, all of which are given."""
    if column.type is ColumnType.INTEGER:
        numbers = [int(text) for text in cells]
        return _Spread(cells.total(), len(numbers), max(numbers) - min(numbers))
    values = {float(text) for text in cells} if column.type is ColumnType.NUMBER else cells
    return _Spread(cells.total(), len(values))


def _spreads(relation: Relation, columns: Sequence[Column]) -> dict[Column, _Spread | None]:
    """Return how the values of columns differ, over all records."""
    spreads: dict[Column, _Spread | None] = {}
    # A plan costs what the whole table has columns: in a wide one, many are counted by one plan.
    width = _AT_ONCE if len(relation.columns) > _STRIP else 1
    for first in range(0, len(columns), width):
        part = columns[first : first + width]
        terms: dict[str, exp.Expr] = {}
        for place, column in enumerate(part):
            value = exp.column(column.physical)
            terms[f"present{place}"] = exp.Count(this=value)
            terms[f"distinct{place}"] = exp.Count(this=exp.Distinct(expressions=[value.copy()]))
            if column.type is ColumnType.INTEGER:
                terms[f"width{place}"] = exp.Sub(this=exp.Max(this=value.copy()), expression=exp.Min(this=value.copy()))
        plan = exp.select(*(named(term, name) for name, term in terms.items()), copy=False)
        figures = relation.engine.run(plan.from_(relation.source(), copy=False))[0]
        for place, column in enumerate(part):
            present, distinct = int(figures[f"present{place}"]), int(figures[f"distinct{place}"])
            spreads[column] = _Spread(present, distinct, figures.get(f"width{place}"))
    return spreads


def _cells(relation: Relation, columns: Sequence[Column]) -> Iterable[tuple[Column, Counter[str]]]:
    """Yield each column with some of its values as text, and how often each occurs, the same in every run."""
    if not columns:
        return
    batches = list(relation.engine.stream(sample(relation, columns, _CELLS), _CELLS))
    rows = sum(map(len, batches))
    for place, column in enumerate(columns):
        cells = _counted(batches, place)
        if cells.total() < min(rows, _CELLS // 10):  # mostly missing at the top: look further down
            plan = sample(relation, [column], _CELLS, present=True)
            cells = _counted(list(relation.engine.stream(plan, _CELLS)), 0)
        yield column, cells


def _counted(batches: Sequence[pa.RecordBatch], place: int) -> Counter[str]:
    counts: Counter[str] = Counter()
    for batch in batches:
        values, numbers = batch.column(place).value_counts().flatten()
        counts.update(dict(zip(values.to_pylist(), numbers.to_pylist(), strict=True)))
    del counts[None]
    return counts

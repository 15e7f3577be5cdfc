"""The look before a release: does a single attribute that stays give back what was suppressed or recoded?

What is compared is the released records with the original ones, cell by cell, not what a cycle or a recipe says that
it did. The attacker is `tacita.attacks.microdata.derivation`; this file prepares what it needs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from tacita.attacks.microdata.cluster_counts import Counted, cluster_clues, places
from tacita.attacks.microdata.derivation import DerivableValues, derivations
from tacita.attacks.microdata.lessons import Clue, Codes, Target
from tacita.engines.plans.terms import as_text, named, number
from tacita.engines.protocol import Relation
from tacita.errors import OutputError, faults_text
from tacita.model.attribute import Category
from tacita.model.dictionary import Dictionary
from tacita.model.relation import Column, ColumnType
from tacita.risk.arrays import as_codes

if TYPE_CHECKING:
    import pyarrow as pa

ON_RELEASE = "whether hidden values can be derived from other attributes is looked at on release (--out)"
"""What is said of an outcome that was not released: it may be safe by its measure, and be refused all the same."""
_MANY = 20
"""A number with more different values is also looked at in classes: a value that is known nearly is known."""
_CLASSES = 10
_OFTEN = 10
"""A number with many values that occur less often than this on average is no code, as that of a province is."""
_ORDER, _PLACE = "the order of the records", "the place of the record in "
_NOT_LINKED = (Category.QUASI_IDENTIFIER, Category.WEIGHT, Category.CLUSTER_KEY, Category.IDENTIFIER)


def find_derivable(
    original: Relation,
    released: Relation,
    origin: NDArray[np.int64] | None,
    *,
    renamed: Collection[str] = (),
    keys: Collection[str] = (),
    cluster: str | None = None,
    perturbed: Collection[str] = (),
    in_order: bool = False,
    only_coarsened: bool = False,
) -> tuple[DerivableValues, ...]:
    """Return which released attributes, or counts of them, determine hidden cells.

    `origin` has the place of the original record of each released one, None if they stand in the same order. `renamed`
    attributes have other names for their values, such as pseudonyms, and `perturbed` ones have noise: their own cells
    are not what an intruder looks for. `keys` tie records together. `cluster` is
    the key of households in the original records, released or not. `in_order`: the records stand as in the source.
    `only_coarsened`: changed cells count only where values were put together, not where they were perturbed.
    """
    columns = list(_columns(original, released, origin, renamed))
    targets = [t for column in columns if column.name not in perturbed for t in column.targets(only_coarsened)]
    if not targets:
        return ()
    clusters = _clusters(original, cluster, origin)
    return derivations(list(_clues(columns, keys, renamed, in_order=in_order)), targets, clusters)


def cluster_key(dictionary: Dictionary) -> str | None:
    """Return the attribute that says which records belong together, if there is one."""
    return next((attribute.name for attribute in dictionary.of(Category.CLUSTER_KEY)), None)


def check_not_derivable(
    derived: Sequence[DerivableValues], where: str, dictionary: Dictionary, *, of_recipe: bool = False
) -> None:
    """Raise if hidden cells can be derived, with the attributes and the remedies."""
    if not derived:
        return
    by_order = [d for d in derived if d.clue.startswith((_ORDER, _PLACE))]
    by_attributes = [d for d in derived if d.clue != _ORDER]
    if of_recipe:
        in_recipe = "treat what tells it in the recipe too, or leave it out as an identifier (--identifier)"
        remedies = [in_recipe] if by_attributes else []
    else:
        remedies = _remedies(by_attributes, dictionary)
    if by_order:
        remedies.append("leave out --no-shuffle, so that the order tells nothing")
    raise OutputError(
        faults_text([_sentence(d) for d in derived]),
        where=where,
        do=f"{', or '.join(remedies)}; or accept it with --allow-derivable. Nothing was written",
    )


def _remedies(derived: Sequence[DerivableValues], dictionary: Dictionary) -> list[str]:
    """Return what can be done about attributes that determine hidden cells, as what to ask for."""
    clues = list(dict.fromkeys(name for d in derived for name in (d.of or (d.clue,))))
    if not clues:
        return []
    remedies = [f"drop what tells it (--drop {','.join(clues[:3])}{',...' if len(clues) > 3 else ''})"]
    categories = {name: dictionary[name].category for name in clues if name in dictionary.names}
    linkable = [
        f"{d.target}={d.clue}"
        for d in derived
        if not d.of and d.suppressed and categories.get(d.clue) not in _NOT_LINKED
    ]
    if linkable:
        remedies.append(f"suppress it along (--linked {linkable[0]})")
    if Category.WEIGHT in categories.values():
        remedies.append("blur the weight, or blur it more (--weight-noise PERCENT)")
    if any(d.of for d in derived):
        remedies.append("leave out --keep-clusters, so that members cannot be counted")
    return remedies


def with_derivable(sentence: str, *, is_derivable: bool) -> str:
    """Return the first sentence about a release, which also says that hidden values can be derived, if so.

    >>> with_derivable("The files are those that were attacked.", is_derivable=True)
    'The files are those that were attacked. Hidden values can be derived (allowed).'
    """
    return f"{sentence} Hidden values can be derived (allowed)." if is_derivable else sentence


def allowed_notes(derived: Sequence[DerivableValues]) -> tuple[str, ...]:
    """Return what is said, inside only, if data are released although hidden cells can be derived."""
    return tuple(f"allowed by --allow-derivable: {derivation}" for derivation in derived)


def _sentence(derivation: DerivableValues) -> str:
    knows = ", for somebody who knows the codes" if derivation.public else ""
    return f"hidden values can be derived: {derivation}{knows}"


_AT_ONCE = 200
_CELLS = 4_000_000
"""Columns, and cells, that are fetched at once."""


@dataclass(frozen=True, slots=True, eq=False)
class _Compared:
    """An attribute of the released records, and what it was before, as places in one order of all its values."""

    name: str
    after: Codes = field(repr=False)
    """-1 where the cell is empty."""
    before: Codes | None = field(repr=False)
    """None if the attribute is not one of the source, or its values have other names."""
    spelt: Codes = field(repr=False)
    """The value as it is written in the file: a code of a missing value is one."""
    numbers: NDArray[np.float64] | None = field(repr=False)
    """The values of the released records, if they are numbers."""
    was_number: bool

    def targets(self, only_coarsened: bool) -> Iterator[Target]:
        if self.before is None or np.array_equal(self.before, self.after):
            return
        was, there = self.before >= 0, self.after >= 0
        shown = was & there & (self.before == self.after)
        gone, other = was & ~there, was & there & (self.before != self.after)
        different = len(np.unique(self.before[was]))
        many = self.was_number and different > _MANY
        rare = many and int(was.sum()) < _OFTEN * different
        if gone.any():
            yield Target(self.name, _numbered(self.before), gone, shown, is_continuous=rare)
            if many:
                yield Target(
                    self.name, _in_classes(self.before, np.zeros_like(self.before)), gone, shown, is_coarse=True
                )
        if other.any() and not (only_coarsened and not _is_coarsened(self.before[other], self.after[other])):
            classes = _numbered(np.where(other, self.after, -1)) + 1
            truth = _numbered(np.where(other, self.before, -1))
            yield Target(self.name, truth, other, shown, classes, is_continuous=rare)
            if many:
                inside = np.where(other, self.before, -1)
                yield Target(self.name, _in_classes(inside, classes), other, shown, classes, is_coarse=True)


def _columns(
    original: Relation, released: Relation, origin: NDArray[np.int64] | None, renamed: Collection[str]
) -> Iterator[_Compared]:
    import pyarrow as pa
    import pyarrow.compute as pc

    before = {column.name: column for column in original.columns if column.name not in renamed}
    olds = _texts_of(original, [before[column.name] for column in released.columns if column.name in before])
    for column, after in _texts_of(released, released.columns):
        old = next(olds)[1] if column.name in before else None
        both = after if old is None else pa.chunked_array([*after.chunks, *old.chunks], pa.string())
        codes, values = _ordered(both)
        count = len(after)
        numbers = None
        was_number = column.type.is_numeric or (old is not None and before[column.name].type.is_numeric)
        if column.type.is_numeric and count:
            parsed = np.array(pc.cast(values, pa.float64()), dtype=np.float64)
            numbers = np.append(parsed, np.nan)[codes[:count]]
        spelt = codes[:count]
        if column.as_written is not None:
            spelt = _ordered(_texts(released, column, as_written=True))[0]
        was = None
        if old is not None:
            was = codes[count:] if origin is None else codes[count:][origin]
        yield _Compared(column.name, codes[:count], was, spelt, numbers, was_number)


def _clusters(original: Relation, key: str | None, origin: NDArray[np.int64] | None) -> Codes | None:
    """Return the cluster of each released record, a record without a key being one of its own."""
    column = next((candidate for candidate in original.columns if candidate.name == key), None)
    if column is None:
        return None
    codes = _ordered(_texts(original, column))[0]
    codes = codes if origin is None else codes[origin]
    own = int(codes.max(initial=0)) + 1 + np.arange(len(codes))
    return _numbered(np.where(codes < 0, own, codes))


def _texts_of(relation: Relation, columns: Sequence[Column]) -> Iterator[tuple[Column, pa.ChunkedArray]]:
    """Yield the texts of columns: one at a time if they are long, many at a time if they are short."""
    width = max(1, min(_AT_ONCE, _CELLS // max(1, relation.count())))
    for start in range(0, len(columns), width):
        part = columns[start : start + width]
        yield from zip(part, _fetched(relation, [_text(column) for column in part]), strict=True)


def _texts(relation: Relation, column: Column, *, as_written: bool = False) -> pa.ChunkedArray:
    value: exp.Expr = _text(column)
    if as_written and column.as_written:
        value = exp.func("coalesce", exp.column(column.as_written), value)
    return _fetched(relation, [value])[0]


def _text(column: Column) -> exp.Expr:
    value: exp.Expr = exp.column(column.physical)
    if column.type is ColumnType.NUMBER:
        value = exp.Add(this=value, expression=number(0.0))  # -0.0 and 0.0 are one value
    return as_text(value)


def _fetched(relation: Relation, values: Sequence[exp.Expr]) -> list[pa.ChunkedArray]:
    import pyarrow as pa

    terms = [named(value, f"v{place}") for place, value in enumerate(values)]
    plan = exp.select(*terms, copy=False).from_(relation.source(), copy=False)
    batches = list(relation.engine.stream(plan, 1_000_000))
    return [
        pa.chunked_array([batch.column(place).cast(pa.string()) for batch in batches], pa.string())
        for place in range(len(values))
    ]


def _ordered(texts: pa.ChunkedArray) -> tuple[Codes, pa.Array]:
    """Return the place of each text in the order of all of them, numbers by size, and the texts in that order."""
    import pyarrow as pa
    import pyarrow.compute as pc

    coded = texts.combine_chunks()
    coded = (coded.combine_chunks() if isinstance(coded, pa.ChunkedArray) else coded).dictionary_encode()
    values = coded.dictionary
    by_text = np.array(pc.array_sort_indices(values), dtype=np.int64)
    try:
        sizes = np.array(pc.cast(values, pa.float64()), dtype=np.float64)
        by_text = by_text[np.argsort(sizes[by_text], kind="stable")]
    except pa.ArrowInvalid:
        pass  # some are not numbers: the order of texts is that of their signs
    place = np.full(len(values) + 1, -1, dtype=np.int64)
    place[by_text] = np.arange(len(values))
    return place[as_codes(coded.indices, -1)], values.take(pa.array(by_text))


def _clues(
    columns: Sequence[_Compared], keys: Collection[str], renamed: Collection[str], *, in_order: bool
) -> Iterator[Clue]:
    for column in columns:
        groups, is_drawn = _numbered(column.spelt), column.name in renamed
        yield Clue(column.name, groups, None if is_drawn else column.after, is_drawn=is_drawn)
    rows = np.arange(len(columns[0].after)) if columns else np.empty(0, dtype=np.int64)
    if in_order:
        yield Clue(_ORDER, rows, rows)
    tying = [column for column in columns if column.name in keys]
    counted = [Counted(column.name, _numbered(column.after), column.numbers) for column in columns if tying]
    for column in tying:
        groups = _numbered(column.spelt)
        yield from cluster_clues(column.name, groups, counted)
        if in_order:
            yield Clue(f"{_PLACE}{column.name}", places(groups, rows), None, (column.name,))


def _is_coarsened(before: Codes, after: Codes) -> bool:
    """Return whether fewer values stand for more, each value having one or two that stand for it."""
    different = len(np.unique(before))
    pairs = len(np.unique(before * (int(after.max()) + 1) + after))
    return len(np.unique(after)) < different and pairs <= 2 * different


def _numbered(codes: Codes) -> Codes:
    """Return codes that are numbers from 0 without gaps, in the same order; -1 stays.

    >>> _numbered(np.array([7, -1, 3, 7])).tolist()
    [1, -1, 0, 1]
    """
    if not len(codes):
        return codes.astype(np.int64)
    is_there = np.bincount(codes + 1) > 0
    is_there[0] = False
    numbers: Codes = (np.cumsum(is_there) - 1)[codes + 1]
    return numbers


def _in_classes(codes: Codes, within: Codes) -> Codes:
    """Return codes as classes of about equal size within groups, equal codes in one class; -1 stays.

    >>> _in_classes(np.array([5, 6, 7, 8, -1]), np.array([0, 0, 1, 1, 1])).tolist()
    [0, 5, 0, 5, -1]
    """
    order = np.lexsort((codes, within, codes < 0))
    group, value = within[order], codes[order]
    new = np.concatenate([[True], (group[1:] != group[:-1]) | ((value[1:] < 0) != (value[:-1] < 0))])
    starts = np.flatnonzero(new)
    sizes = np.diff(np.append(starts, len(order)))
    place = np.arange(len(order)) - np.repeat(starts, sizes)
    first = np.concatenate([[True], (value[1:] != value[:-1]) | new[1:]])
    place = place[np.flatnonzero(first)][np.cumsum(first) - 1]
    classes = np.empty(len(codes), dtype=np.int64)
    classes[order] = np.where(value < 0, -1, place * _CLASSES // np.repeat(sizes, sizes))
    return classes

"""Everything that is tried before a release to read hidden cells from what stays, in one order.

Formulas come first, since what they say is most precise; then single attributes and counts (`derivation`), what is
written in texts, points, and sets of attributes. What one of them finds is not looked for by the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np

from tacita.attacks.microdata.derivation import Dependency, DerivableValues, derivations
from tacita.attacks.microdata.in_clusters import Codes
from tacita.attacks.microdata.lessons import Clue, Target
from tacita.attacks.microdata.relations.attribute_sets import set_derivations
from tacita.attacks.microdata.relations.birth_dates import ReleasedDates, ages
from tacita.attacks.microdata.relations.copies import copies
from tacita.attacks.microdata.relations.group_factors import group_factors
from tacita.attacks.microdata.relations.group_totals import group_totals
from tacita.attacks.microdata.relations.near_points import near_point_derivations
from tacita.attacks.microdata.relations.near_sums import near_sums
from tacita.attacks.microdata.relations.numbers import NumericLesson, NumericTarget, ReleasedNumbers
from tacita.attacks.microdata.relations.products import number_of_products, products
from tacita.attacks.microdata.relations.quadratics import number_of_quadratics, quadratics
from tacita.attacks.microdata.relations.sums import MOST_ATTRIBUTES, sums
from tacita.attacks.microdata.texts.code_parts import MOST_CODES, part_clues
from tacita.attacks.microdata.texts.hashes import SpelledAttribute, hash_derivations
from tacita.attacks.microdata.texts.released_texts import ReleasedTexts


@dataclass(frozen=True, slots=True, eq=False)
class IntruderView:
    """What an intruder sees of a release, and the hidden cells with their truth."""

    targets: Sequence[Target] = field(repr=False)
    attributes: Sequence[Clue] = field(repr=False)
    counts: Sequence[Clue] = field(repr=False)
    """What can be counted from released keys, and the order of the records if it is that of the source."""
    clusters: Codes | None = field(default=None, repr=False)
    numeric_targets: Sequence[NumericTarget] = field(default=(), repr=False)
    numbers: Sequence[ReleasedNumbers] = field(default=(), repr=False)
    dates: Callable[[], Sequence[ReleasedDates]] = field(default=tuple, repr=False)
    """Gives the attributes that are dates; asked only if an age may be hidden."""
    written_numbers: Callable[[], Sequence[ReleasedNumbers]] = field(default=tuple, repr=False)
    """Gives dates as days, and the numbers that are written in texts; asked only if a number is hidden."""
    codes: Sequence[ReleasedTexts] = field(default=(), repr=False)
    """The attributes whose texts differ between most records."""
    spelled: Mapping[str, SpelledAttribute] = field(default_factory=dict, repr=False)
    rows: Codes | None = field(default=None, repr=False)
    """The place of each record in the release, from 0; None if they stand in that order."""


@dataclass(frozen=True, slots=True)
class DerivationSearch:
    """What determines hidden cells, and how far was looked."""

    derivations: tuple[DerivableValues, ...] = ()
    sets: int = 0
    """Sets of attributes that were looked at."""
    formulas: int = 0
    notes: tuple[str, ...] = ()
    """What was not looked at."""


@np.errstate(all="ignore")
def search_derivations(view: IntruderView) -> DerivationSearch:
    """Return everything that determines hidden cells.

    A formula may leave the range of numbers, as 1e300 squared does: what it then gives is not finite, and fits nothing.
    """
    if not view.targets and not view.numeric_targets:
        return DerivationSearch()
    by_formula = _Formulas(view)
    derived = list(by_formula.derivations())
    known = [one.dependency for one in derived]
    single = derivations([*view.attributes, *view.counts], view.targets, view.clusters, known=known)
    known += [one.dependency for one in single]
    written = _written(view, known)
    known += [one.dependency for one in written]
    points = list(near_point_derivations(by_formula.numbers(), view.targets, view.clusters, known=known))
    known += [one.dependency for one in points]
    sets = set_derivations(view.attributes, view.targets, view.clusters, known=known)
    notes = [*by_formula.notes, *sets.notes]
    if len(view.codes) > MOST_CODES:
        notes.append(f"values inside of codes were looked for in {MOST_CODES} of {len(view.codes):,} codes")
    everything = (_in_release(one, view.rows) for one in (*single, *derived, *written, *points, *sets.derivations))
    return DerivationSearch(tuple(everything), sets.sets, by_formula.tried, tuple(notes))


def _in_release(derived: DerivableValues, places: Codes | None) -> DerivableValues:
    """Return what is derived with the records of its transcript as they are numbered in the release."""
    if places is None or derived.transcript is None:
        return derived
    rows = tuple(sorted(int(places[row - 1]) + 1 for row in derived.transcript.rows))
    return replace(derived, transcript=replace(derived.transcript, rows=rows))


def _written(view: IntruderView, known: Sequence[Dependency]) -> list[DerivableValues]:
    """Return what is written in texts: hashes of values, parts of codes, words."""
    if not view.codes:
        return []
    from tacita.attacks.microdata.texts.encodings import decoded_texts
    from tacita.attacks.microdata.texts.words import word_clues

    derived = [one for one in hash_derivations(view.codes, view.targets, view.spelled) if one.dependency not in known]
    before = [*known, *(one.dependency for one in derived)]
    texts = [*view.codes, *decoded_texts(view.codes)]
    parts = list(part_clues(texts, view.targets))
    inside = derivations(parts, view.targets, view.clusters, known=before) if parts else ()
    derived += _once(inside)
    before += [one.dependency for one in inside]
    for clue, target in word_clues(texts, view.targets):
        derived += derivations([clue], [target], view.clusters, known=before)
    return derived


def _once(derived: Sequence[DerivableValues]) -> Iterator[DerivableValues]:
    """Yield one part of each code for each target: that which tells most."""
    best: dict[object, DerivableValues] = {}
    for one in derived:
        if one.dependency not in best or one.right > best[one.dependency].right:
            best[one.dependency] = one
    yield from best.values()


class _Formulas:
    """The search for formulas that give hidden numbers."""

    def __init__(self, view: IntruderView) -> None:
        self._view, self.tried, self.notes = view, 0, list[str]()
        self._written: Sequence[ReleasedNumbers] | None = None

    def numbers(self) -> list[ReleasedNumbers]:
        """Return the numbers that are released, and those that are written in texts."""
        if self._written is None:
            self._written = self._view.written_numbers()
        return [*self._view.numbers, *self._written]

    def derivations(self) -> Iterator[DerivableValues]:
        """Yield what formulas determine, each set of attributes once for a target."""
        for target in self._view.numeric_targets:
            lesson = NumericLesson(target)
            if not lesson.is_usable:
                continue
            own = [column for column in self._view.numbers if column.name != target.name]
            columns = [column for column in self.numbers() if column.attribute != target.name]
            if len(columns) > MOST_ATTRIBUTES:
                self.notes.append(
                    f"sums that give {target.name} were looked for among {MOST_ATTRIBUTES} of {len(columns):,} numbers"
                )
            number = 1 + 4 * len(columns) + number_of_products(len(own)) + number_of_quadratics(len(own))
            self.tried += number
            determined: set[frozenset[str]] = set()
            for formula in chain(
                ages(lesson, self._view.dates),
                sums(lesson, columns),
                products(lesson, own),
                quadratics(lesson, own),
                group_totals(lesson, own, self._view.attributes),
                group_factors(lesson, own, self._view.attributes),
                copies(lesson, columns),
                near_sums(lesson, columns),
            ):
                names = frozenset(formula.attributes)
                if any(smaller <= names for smaller in determined):
                    continue
                derived = lesson.derivation(formula, number)
                if derived is not None:
                    determined.add(names)
                    yield derived

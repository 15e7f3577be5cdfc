"""Records that are alike by distances: which they are, and what follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.dependencies.concealed_file import KnownDependency
from tacita.attacks.dependencies.journal import NOBODY, Ints, LearningWay
from tacita.attacks.dependencies.knowledge import Codes, Floats, IntruderKnowledge, Mask
from tacita.errors import counted
from tacita.model.hierarchy import text_of

Bytes = NDArray[np.uint8]
BOUNDS, FIRST, MAJORITY = range(3)
"""What is taken from records that are alike: bounds, the value of the first one, the most frequent value. The cache of
numba looks at the file of a function only: after a change here, change `kernels` too."""
_SLACK = 1e-9
"""By how much a window is wider than the threshold, relatively; each pair in it is compared without slack."""


@dataclass(frozen=True, slots=True)
class _Windows:
    """For each target the sources that may be alike: from a first to a last place in an order of the sources."""

    slots: Ints
    """The place of the target among the targets; windows of one target stand together."""
    starts: Ints
    ends: Ints
    sources: Ints

    @property
    def pairs(self) -> int:
        return int((self.ends - self.starts).sum())


class NearTwins:
    """Applies dependencies with thresholds; counts comparisons, and stops where they are used up."""

    def __init__(self, knowledge: IntruderKnowledge, comparisons: int, most_texts: int) -> None:
        self._knowledge = knowledge
        self._left = comparisons
        self._most_texts = most_texts
        self._near: dict[tuple[int, float], Bytes | None] = {}
        self._skipped = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out."""
        notes = []
        if self._skipped:
            notes.append(
                f"Comparisons by distance were cut: {counted(self._skipped, 'pair')} of records were not compared."
            )
        texts = sorted({self._knowledge.names[place] for (place, _), near in self._near.items() if near is None})
        notes += [f"'{name}' has too many different texts: they were compared by equality." for name in texts]
        return tuple(notes)

    def apply(self, number: int, rule: KnownDependency) -> None:
        """Conclude what follows from a dependency now."""
        knowledge, right = self._knowledge, self._knowledge.place[rule.right]
        limits = {knowledge.place[name]: limit for name, limit in rule.thresholds.items()}
        metric = [place for place in limits if place in knowledge.low and place != right]
        texts = [place for place in limits if place not in knowledge.low and place != right]
        alike = [self._table(place, limits[place]) for place in texts]
        equal = [p for p in knowledge.places(rule.left) if p not in limits]
        equal += [place for place, table in zip(texts, alike, strict=True) if table is None]
        is_missing = [knowledge.codes[place] == knowledge.sizes[place] - 1 for place in metric]
        keys, known = knowledge.keys(equal, is_missing)
        known &= knowledge.meets(rule)
        for place in texts:
            known &= knowledge.codes[place] >= 0
        for place, missing in zip(metric, is_missing, strict=True):
            known &= missing | (np.isfinite(knowledge.low[place]) & np.isfinite(knowledge.high[place]))
        question = _Question(
            number,
            right,
            limits.get(right, 0.0),
            [(place, limits[place]) for place in metric],
            [(p, table) for p, table in zip(texts, alike, strict=True) if table is not None],
            keys,
            known,
            bool(rule.error),
        )
        self._conclude(question)

    def _conclude(self, question: _Question) -> None:
        knowledge, right = self._knowledge, question.right
        is_exact = knowledge.codes[right] >= 0
        is_open = ~is_exact
        if (right not in knowledge.low and question.limit) or knowledge.doubts:
            is_open &= ~self._has_a_guess(right)
        if right not in knowledge.low or question.has_exceptions:
            what = MAJORITY if question.has_exceptions else FIRST
            rows, one, _ = self._twins(question, is_open, is_exact, what)
            rows, one = rows[one >= 0], one[one >= 0]
            if right not in knowledge.low and question.limit:
                knowledge.take_near(right, rows, one, question.number)
            else:
                way = LearningWay.MAJORITY if question.has_exceptions else LearningWay.TWIN
                knowledge.take_from(way, right, rows, one, question.number)
            return
        missing = is_exact & (knowledge.codes[right] == knowledge.sizes[right] - 1)
        rows, one, _ = self._twins(question, is_open, missing, FIRST)
        knowledge.take_from(LearningWay.TWIN, right, rows[one >= 0], one[one >= 0], question.number)
        bounded = np.isfinite(knowledge.low[right]) & np.isfinite(knowledge.high[right])
        rows, one, two = self._twins(question, is_open & (knowledge.codes[right] < 0), bounded, BOUNDS)
        low, high = knowledge.low[right][one] - question.limit, knowledge.high[right][two] + question.limit
        tighter = (one >= 0) & (low > knowledge.low[right][rows])
        knowledge.narrow(LearningWay.LOW, right, rows[tighter], low[tighter], one[tighter], question.number)
        tighter = (two >= 0) & (high < knowledge.high[right][rows]) & (knowledge.codes[right][rows] < 0)
        knowledge.narrow(LearningWay.HIGH, right, rows[tighter], high[tighter], two[tighter], question.number)

    def _has_a_guess(self, place: int) -> Mask:
        knowledge = self._knowledge
        if place in knowledge.low:
            bounded: Mask = np.isfinite(knowledge.low[place]) | np.isfinite(knowledge.high[place])
            return bounded
        near: Mask = knowledge.near[place] >= 0 if place in knowledge.near else np.zeros(knowledge.records, dtype=bool)
        return near

    def _twins(self, question: _Question, targets: Mask, sources: Mask, what: int) -> tuple[Ints, Ints, Ints]:
        """Return targets and the sources that give what is wanted, -1 if there is none; two for bounds."""
        from tacita.attacks.dependencies.kernels import group_targets, scan_windows

        knowledge, right = self._knowledge, question.right
        targets, sources = targets & question.known, sources & question.known
        rows = np.flatnonzero(targets)
        nobody = np.full(len(rows), NOBODY)
        if not len(rows) or not sources.any():
            return rows, nobody, nobody
        groups, count = group_targets(question.keys, targets, sources)
        givers = np.flatnonzero(sources & (groups >= 0))
        if not question.metric and not question.texts:
            if what == BOUNDS:
                one = _lowest(groups, givers, -knowledge.low[right], count)[groups[rows]]
                return rows, one, _lowest(groups, givers, knowledge.high[right], count)[groups[rows]]
            twins = (
                first_twins(groups, givers, count)
                if what == FIRST
                else usual_twins(groups, givers, knowledge.codes[right], count)
            )
            return rows, twins[groups[rows]], nobody
        bounds = np.zeros((2, len(question.metric), knowledge.records))
        for at, (place, _) in enumerate(question.metric):
            bounds[0, at] = np.nan_to_num(knowledge.low[place])
            bounds[1, at] = np.nan_to_num(knowledge.high[place])
        windows = self._within_limits(self._windows(question, rows, givers, groups, bounds))
        tables = [table.ravel() for _, table in question.texts]
        sizes = np.array([len(table) for _, table in question.texts], dtype=np.int64)
        no_bounds = np.empty(0)
        one, two = scan_windows(
            (np.stack([windows.slots, rows[windows.slots]], axis=1).ravel(), windows.starts, windows.ends),
            windows.sources,
            (bounds[0], bounds[1], np.array([limit for _, limit in question.metric])),
            (
                knowledge.codes[[place for place, _ in question.texts]],
                np.concatenate([np.empty(0, dtype=np.uint8), *tables]),
                np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes**2)])[: len(sizes)],
                sizes,
            ),
            (
                knowledge.low.get(right, no_bounds),
                knowledge.high.get(right, no_bounds),
                knowledge.codes[right],
            ),
            what,
            len(rows),
        )
        return rows, one, two

    def _windows(self, question: _Question, rows: Ints, givers: Ints, groups: Ints, bounds: Floats) -> _Windows:
        """Return the windows by the attribute that leaves the fewest pairs to compare."""
        if question.metric:
            places = range(len(question.metric))
            limits = [limit for _, limit in question.metric]
            return min(
                (_by_bounds(rows, givers, groups, bounds[0, at], bounds[1, at], limits[at]) for at in places),
                key=lambda windows: windows.pairs,
            )
        codes = self._knowledge.codes
        return min(
            (_by_texts(rows, givers, groups, codes[place].astype(np.int64), table) for place, table in question.texts),
            key=lambda windows: windows.pairs,
        )

    def _within_limits(self, windows: _Windows) -> _Windows:
        """Return the windows that there are comparisons left for."""
        pairs = np.cumsum(windows.ends - windows.starts)
        kept = int(np.searchsorted(pairs, self._left, side="right"))
        used = int(pairs[kept - 1]) if kept else 0
        self._skipped += windows.pairs - used
        self._left -= used
        return _Windows(windows.slots[:kept], windows.starts[:kept], windows.ends[:kept], windows.sources)

    def _table(self, place: int, limit: float) -> Bytes | None:
        """Return which texts of an attribute are near each other; None if there are too many."""
        if (place, limit) not in self._near:
            values = self._knowledge.columns[place].values
            table = np.zeros((len(values) + 1, len(values) + 1), dtype=np.uint8)
            if len(values) <= self._most_texts:
                table[:-1, :-1] = edits([text_of(value) for value in values], limit) <= limit
            table[-1, -1] = 1
            self._near[place, limit] = table if len(values) <= self._most_texts else None
        return self._near[place, limit]


@dataclass(frozen=True, slots=True)
class _Question:
    """A dependency with thresholds as it stands now."""

    number: int
    right: int
    limit: float
    """The threshold on the right."""
    metric: Sequence[tuple[int, float]]
    """Attributes on the left with bounds, and their thresholds."""
    texts: Sequence[tuple[int, Bytes]]
    """Attributes on the left with texts, and which of these are near each other."""
    keys: Ints
    """Which records are equal on the attributes without a threshold."""
    known: Mask
    """The records of which enough is known on the left."""
    has_exceptions: bool


def edits(texts: Sequence[str], limit: float) -> NDArray[np.int32]:
    """Return the edit distances of texts; some number above the limit for those above it."""
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cdist

    distances: NDArray[np.int32] = cdist(
        texts, texts, scorer=Levenshtein.distance, score_cutoff=int(limit), dtype=np.int32, workers=1
    )
    return distances


def first_twins(groups: Ints, sources: Ints, count: int) -> Ints:
    """Return the first source of each group, -1 if a group has none."""
    first = np.full(count, NOBODY, dtype=np.int64)
    first[groups[sources[::-1]]] = sources[::-1]
    return first


def usual_twins(groups: Ints, sources: Ints, codes: Codes, count: int) -> Ints:
    """Return the first source of each group that has the most frequent value of the group, the lowest code of these."""
    usual = np.full(count, NOBODY, dtype=np.int64)
    if len(sources):
        size = int(codes[sources].max()) + 1
        pairs, first, frequency = np.unique(
            groups[sources] * size + codes[sources], return_index=True, return_counts=True
        )
        order = np.lexsort((-pairs, frequency, pairs // size))  # the last of each group has the most records
        usual[(pairs // size)[order]] = sources[first[order]]
    return usual


def _lowest(groups: Ints, sources: Ints, worth: Floats, count: int) -> Ints:
    """Return the source of each group with the lowest number, the first of these; -1 if a group has none."""
    order = np.lexsort((sources, worth[sources], groups[sources]))[::-1]
    lowest = np.full(count, NOBODY, dtype=np.int64)
    lowest[groups[sources[order]]] = sources[order]
    return lowest


def _by_bounds(rows: Ints, givers: Ints, groups: Ints, low: Floats, high: Floats, limit: float) -> _Windows:
    """Return windows of sources whose lower bounds let them be alike."""
    distinct, ranks = np.unique(low[givers], return_inverse=True)
    width = len(distinct) + 1
    places = groups[givers] * width + ranks
    order = np.argsort(places, kind="stable")
    reach = limit + _SLACK * (limit + np.maximum(np.abs(low[rows]), np.abs(high[rows])))
    first = np.searchsorted(distinct, high[rows] - reach, side="left")
    last = np.searchsorted(distinct, low[rows] + reach, side="right")
    starts = np.searchsorted(places[order], groups[rows] * width + first)
    ends = np.searchsorted(places[order], groups[rows] * width + last)
    return _Windows(np.arange(len(rows)), starts, np.maximum(starts, ends), givers[order])


def _by_texts(rows: Ints, givers: Ints, groups: Ints, codes: Ints, table: Bytes) -> _Windows:
    """Return windows of sources for each text that is near that of a target."""
    places = groups[givers] * len(table) + codes[givers]
    order = np.argsort(places, kind="stable")
    origin, others = np.nonzero(table)
    counts = np.bincount(origin, minlength=len(table))
    first = np.concatenate([[0], np.cumsum(counts)])
    slots = np.repeat(np.arange(len(rows)), counts[codes[rows]])
    within = np.arange(len(slots)) - np.repeat(
        np.cumsum(counts[codes[rows]]) - counts[codes[rows]], counts[codes[rows]]
    )
    near = others[first[codes[rows[slots]]] + within]
    wanted = groups[rows[slots]] * len(table) + near
    starts, ends = (np.searchsorted(places[order], wanted, side=side) for side in ("left", "right"))
    return _Windows(slots, starts, ends, givers[order])

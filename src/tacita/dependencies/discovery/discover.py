"""The way from microdata to a `Discovery`: code, compare, search, measure, and put into words what was left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from tacita.dependencies.dependency import Condition, Dependency, Discovery, ErrorMeasure, Relaxation
from tacita.dependencies.discovery.alike_facts import SAMPLE, alike_facts
from tacita.dependencies.discovery.coding import CodedAttribute, coded_attributes
from tacita.dependencies.discovery.comparing import ComparedTable, compared_table, thresholds
from tacita.dependencies.discovery.distances import distance_dependencies
from tacita.dependencies.discovery.equal import DependencyFacts, equal_facts, tolerant_dependencies
from tacita.dependencies.discovery.exact import exact_dependencies, small_dependencies
from tacita.dependencies.discovery.groups import (
    group_count,
    in_the_whole,
    record_groups,
    right_in_the_whole,
    says_more_than,
)
from tacita.dependencies.discovery.levels import most_allowed
from tacita.dependencies.discovery.masks import MOST_ATTRIBUTES, bits_of
from tacita.dependencies.discovery.options import DiscoveryOptions
from tacita.dependencies.discovery.pair_plans import PairFinder
from tacita.dependencies.discovery.patterns import alike_tables, pair_patterns
from tacita.dependencies.discovery.search import MOST_CANDIDATES, MOST_WORK, Effort, Minimal
from tacita.dependencies.discovery.windows import MOST_WINDOWS, number_of_windows, windows
from tacita.errors import UsageError, counted, did_you_mean, faults_text, listed
from tacita.model.figures import share
from tacita.model.microdata import Microdata
from tacita.progress import Progress, silent

_FEW = 2
"""Left-hand sides of at most so many attributes are all looked at."""
_FEW_WINDOWS = 130
"""Searches that a wide table may take for left-hand sides of two attributes if nobody asks for a size."""
_CANDIDATES = (
    "There are more candidates than a search may look at; for larger left-hand sides, look at fewer attributes "
    "(--attributes, --leave-out)."
)
_FEWEST_CANDIDATES = 2_000
"""What the search in a group may keep, however many groups there are."""


def discover_dependencies(
    microdata: Microdata, options: DiscoveryOptions, progress: Progress = silent, notes: Sequence[str] = ()
) -> Discovery:
    """Return all minimal dependencies of microdata that the options ask for, within stated bounds.

    `notes` are put before those of the search.
    """
    names = _attributes(microdata.name, microdata.dictionary.names, options)
    return discover_coded(microdata.name, _coded(microdata, names, options), options, progress, notes)


def discover_coded(
    name: str,
    coded: Sequence[CodedAttribute],
    options: DiscoveryOptions,
    progress: Progress = silent,
    notes: Sequence[str] = (),
) -> Discovery:
    """Return all minimal dependencies between attributes that are given as codes."""
    table, words, more = compared_table(coded, options, progress)
    remarks = [*notes, *more]
    if options.distinct:
        before, table = table.records, table.distinct()
        if before > table.records:
            remarks.append(f"{counted(before - table.records, 'record')} equal to an earlier one were left out.")
    if table.records < 2:
        remarks.append("There are fewer than two records: every dependency holds, and none says anything.")
    limits = thresholds(coded, options)
    gathering = _gathered(table, coded, options, progress)
    dependencies = tuple(gathering.dependencies)
    return Discovery(
        name,
        table.names,
        table.records,
        Relaxation(words, options.measure, options.tolerance or 0.0, tuple(limits.items())),
        dependencies,
        tuple(gathering.bounds),
        (*remarks, *gathering.notes, *_remarks(dependencies, table, options, gathering.left_out)),
        gathering.left_out,
    )


def _gathered(
    table: ComparedTable, coded: Sequence[CodedAttribute], options: DiscoveryOptions, progress: Progress
) -> _Gathering:
    """Return all that was found: in one search, or in several if there are many attributes."""
    if len(table.names) <= MOST_ATTRIBUTES:
        gathering = _Gathering(table, tuple(coded), options, progress)
        gathering.look()
        return gathering
    largest = _largest(len(table.names), options, is_exact=options.measure is None and table.is_by_equality)
    always = [table.names.index(name) for name in options.conditional]
    parts = windows(len(table.names), largest, always)
    bounded = replace(options, max_left=largest)
    whole = _Gathering(table, tuple(coded), bounded, progress)
    for number, places in enumerate(parts):
        doing = _within(progress, f"in part {number + 1} of {len(parts)}", number, len(parts))
        part = _Gathering(table.only(places), tuple(coded[place] for place in places), bounded, doing)
        part.look()
        whole.take(part)
    whole.close(counted(largest, "attribute"), len(parts))
    return whole


def _largest(attributes: int, options: DiscoveryOptions, *, is_exact: bool) -> int:
    """Return how many attributes the left-hand sides of a wide table have at most."""
    if options.max_left is not None:
        return options.max_left
    return 2 if is_exact and number_of_windows(attributes, 2, len(options.conditional)) <= _FEW_WINDOWS else 1


def _attributes(data: str, known: Sequence[str], options: DiscoveryOptions) -> list[str]:
    """Return the attributes to look at, in the order of the file; raise with all names that are not there."""
    faults = [
        f"{flag} names '{name}', which is no attribute{did_you_mean(name, known)}"
        for flag, given in (
            ("--attributes", options.attributes),
            ("--leave-out", options.leave_out),
            ("--conditional", options.conditional),
        )
        for name in given
        if name not in known
    ]
    if faults:
        raise UsageError(faults_text(faults), where=f"'{data}'", do=f"use names such as {listed(known)}")
    names = [n for n in known if (not options.attributes or n in options.attributes) and n not in options.leave_out]
    if not names:
        raise UsageError("no attribute is left to look at", do="leave fewer out with --leave-out")
    largest = _largest(len(names), options, is_exact=False)
    if number_of_windows(len(names), largest, len(options.conditional)) > MOST_WINDOWS:
        raise UsageError(
            f"{len(names)} attributes are too many to look for left-hand sides of {counted(largest, 'attribute')}",
            where=f"'{data}'",
            do="choose some with --attributes, leave some out with --leave-out, or give a smaller --max-left",
        )
    for name in options.conditional:
        if name not in names:
            raise UsageError(f"the groups are by '{name}', which is not looked at", do=f"add it: --attributes {name}")
    if options.conditional and options.max_left == 0:
        raise UsageError("a condition counts as one attribute on the left", do="give --max-left 1 or more")
    return names


def _coded(microdata: Microdata, names: Sequence[str], options: DiscoveryOptions) -> tuple[CodedAttribute, ...]:
    """Return the attributes as codes; which are compared by distance may depend on what is in them."""
    by_distance = {name for name, limit in options.within.items() if limit}
    coded = coded_attributes(microdata, names, by_distance)
    relaxed = {*thresholds(coded, options)}
    return coded if relaxed <= by_distance else coded_attributes(microdata, names, relaxed | by_distance)


def _search(
    table: ComparedTable, options: DiscoveryOptions, largest: int | None, effort: Effort
) -> tuple[Minimal, DependencyFacts]:
    """Return the minimal dependencies of a table, and what they tell."""
    measure = options.measure
    allowed = most_allowed(options.tolerance or 0.0, _whole(table, measure))
    if table.is_by_equality:
        if measure is None and largest is not None and largest <= _FEW:
            minimal = small_dependencies(table.codes, table.counts, largest, effort)
        elif measure is None:
            minimal = exact_dependencies(table.codes, table.counts, largest, effort)
        else:
            minimal = tolerant_dependencies(table, measure, allowed, largest, effort)
        return minimal, equal_facts(table, minimal, effort)
    tables = alike_tables(table)
    finder = PairFinder(table, tables, pair_patterns(table, tables, effort))
    minimal = distance_dependencies(finder, measure, allowed, largest, effort)
    return minimal, alike_facts(finder, minimal, effort)


def _whole(table: ComparedTable, measure: ErrorMeasure | None) -> int:
    """Return what an error is a share of: the records, or their pairs."""
    return table.pairs() if measure is ErrorMeasure.G1 else table.records


@dataclass(slots=True)
class _Gathering:
    """What a search has found so far, for all records and then for groups."""

    table: ComparedTable
    coded: tuple[CodedAttribute, ...]
    options: DiscoveryOptions
    progress: Progress
    dependencies: list[Dependency] = field(default_factory=list)
    bounds: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    idle: set[tuple[tuple[str, ...], str, Condition | None]] = field(default_factory=set)
    """Those within the tolerance that tell little."""
    _whole: Minimal | None = None

    @property
    def left_out(self) -> int:
        """How many dependencies are not listed."""
        return len(self.idle)

    def look(self) -> None:
        """Find all dependencies that the options ask for."""
        self.look_at_all()
        for attribute in self.options.conditional:
            self.look_at_groups(self.table.names.index(attribute))

    def take(self, part: _Gathering) -> None:
        """Add what was found among some of the attributes."""
        self.dependencies += part.dependencies
        self.idle |= part.idle
        self.bounds += part.bounds
        self.notes += part.notes

    def close(self, largest: str, parts: int) -> None:
        """Put what was found in several parts in order, each dependency once, and say how far it was looked."""
        places = {name: place for place, name in enumerate(self.table.names)}
        once = {(one.left, one.right, one.condition): one for one in self.dependencies}

        def order(one: Dependency) -> tuple[object, ...]:
            group = one.condition
            by = (-1, "") if group is None else (places[group.attribute], group.value)
            return *by, places[one.right], len(one.left), [places[name] for name in one.left]

        self.dependencies = sorted(once.values(), key=order)
        self.notes = [one for one in dict.fromkeys(self.notes) if one != _CANDIDATES]
        whole = f"Dependencies with more than {largest} on the left were not looked for."
        self.bounds = [whole, *(one for one in dict.fromkeys(self.bounds) if one != whole)]
        self.notes.append(
            f"{len(places)} attributes were looked at in {parts} parts, since {MOST_ATTRIBUTES} can be looked at "
            "together; --max-left says how large left-hand sides may be."
        )

    def look_at_all(self) -> None:
        """Find the dependencies of all records."""
        effort = Effort(progress=self.progress)
        minimal, facts = _search(self.table, self.options, self.options.max_left, effort)
        self._whole = minimal
        self._add(_dependencies(self.table, minimal, facts, self.options.measure))
        if minimal.bound is not None:
            self.bounds.append(
                f"Dependencies with more than {counted(minimal.bound, 'attribute')} on the left were not looked for."
            )
            if minimal.bound != self.options.max_left:
                self.notes.append(_CANDIDATES)

    def look_at_groups(self, attribute: int) -> None:
        """Find the dependencies of the groups by an attribute that do not follow from those of all records."""
        assert self._whole is not None, "all records come first"
        name, least = self.table.names[attribute], self.options.least_group
        count = group_count(self.table, attribute, least)
        largest = self.options.max_left if self._whole.bound is None else self._whole.bound
        bounds = []
        says_more = says_more_than(self._whole)
        effort = Effort(
            max(_FEWEST_CANDIDATES, MOST_CANDIDATES // max(1, count.groups)),
            max(self.table.records, MOST_WORK // max(1, count.groups)),
        )
        for number, group in enumerate(record_groups(self.table, attribute, least)):
            step = replace(effort, progress=_within(self.progress, f"in groups of {name}", number, count.groups))
            minimal, facts = _search(group.table, self.options, None if largest is None else largest - 1, step)
            bounds += [] if minimal.bound is None else [minimal.bound]
            lefts = in_the_whole(group, minimal.lefts).tolist()
            rights = right_in_the_whole(group, minimal.rights).tolist()
            stays = np.array([says_more(*pair, attribute) for pair in zip(lefts, rights, strict=True)], np.bool_)
            condition = Condition(name, self.coded[attribute].text(group.code), group.table.records)
            self._add(_dependencies(group.table, minimal, facts, self.options.measure, condition, stays))
        if bounds:
            self.bounds.append(
                f"In groups of {name}, dependencies with more than {counted(min(bounds), 'attribute')} beside it on "
                "the left were not looked for."
            )
        if count.skipped:
            self.notes.append(
                f"{counted(count.skipped, 'group')} of {name} with fewer than {least} records, "
                f"{counted(count.records_skipped, 'record')} in all, were skipped."
            )

    def _add(self, dependencies: Iterator[Dependency]) -> None:
        """Add dependencies; those that are tolerated and tell little are counted."""
        for one in dependencies:
            is_idle = self.options.measure is not None and (one.gain or 0.0) < self.options.least_gain
            if is_idle:
                self.idle.add((one.left, one.right, one.condition))
            else:
                self.dependencies.append(one)


def _dependencies(
    table: ComparedTable,
    minimal: Minimal,
    facts: DependencyFacts,
    measure: ErrorMeasure | None,
    condition: Condition | None = None,
    stays: np.ndarray[tuple[int], np.dtype[np.bool_]] | None = None,
) -> Iterator[Dependency]:
    """Yield dependencies by right-hand side, size and left-hand side."""
    places = [bits_of(left) for left in minimal.lefts.tolist()]
    whole = _whole(table, measure)
    numbers = np.arange(len(places)) if stays is None else np.flatnonzero(stays)
    order = sorted(numbers.tolist(), key=lambda n: (minimal.rights[n], len(places[n]), places[n]))
    has_errors = len(minimal.low) > 0 and whole > 0
    for n in order:
        one, other = (int(record) for record in facts.witness[n])
        yield Dependency(
            tuple(table.names[place] for place in places[n]),
            table.names[int(minimal.rights[n])],
            int(facts.support[n]),
            float(minimal.low[n] / whole) if has_errors else 0.0,
            float(minimal.high[n] / whole) if has_errors else 0.0,
            bool(minimal.is_undecided[n]) if has_errors else False,
            float(facts.gain[n]),
            (int(table.numbers[one]), int(table.numbers[other])) if one >= 0 else None,
            condition,
        )


def _within(progress: Progress, where: str, number: int, groups: int) -> Progress:
    """Return a progress for one of several groups: the groups that are done say how far it is."""
    from tacita.progress import Step

    return lambda step: progress(Step(f"{step.doing} {where}", number, groups))


def _remarks(
    dependencies: Sequence[Dependency], table: ComparedTable, options: DiscoveryOptions, left_out: int
) -> Iterator[str]:
    """Yield what a reader must know of errors and gains."""
    undecided = sum(one.is_undecided for one in dependencies)
    if undecided:
        yield (
            f"{counted(undecided, 'dependency')} may or may not be within the tolerance, and count as if they were: "
            "the fewest records to delete are known as an interval only."
        )
    if left_out:
        yield (
            f"{counted(left_out, 'dependency')} within the tolerance are not listed: they tell less than "
            f"{share(options.least_gain)} of what the mode leaves open (--min-gain)."
        )
    if not table.is_by_equality and table.records > SAMPLE:
        yield f"Gains are estimated by predicting {SAMPLE:,} of {table.records:,} records."

"""Differential privacy: whole numbers from the cube, noise of opendp, a price in whole billionths.

What one person changes is in `parts`, noise in `measurements`. A price is shared equally by the sums that figures are
made of, one for each grouping set, and by quantiles. Which groups there are does not depend on the data: they are all
combinations of declared codes, and empty ones get noise as well; labels that are not declared are released by a
threshold (`thresholded`). Totals are made to fit their groups afterwards (`consistent`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from tacita.errors import QueryRefused, counted, listed
from tacita.queries.answer import NOT_ANSWERED, Figure, FigureStatus
from tacita.queries.cube.cube import COUNT, MOST_GROUPS, Cube
from tacita.queries.figures import figure_text, noisy_texts, rounded_error
from tacita.queries.mechanism import DELTA, AskedQuestion, Price, ReleasedGroup
from tacita.queries.noise.consistent import Floats, GroupingSets
from tacita.queries.noise.intervals import NoisySum, average, ratio, variance
from tacita.queries.noise.measurements import cost_of_reach, measurement_of, reach_of, scale_of
from tacita.queries.noise.parts import LARGEST, MADE_OF_SUMS, PEOPLE, Part, SummedParts
from tacita.queries.noise.quantiles import QUANTILES, MicroaggregatedQuantiles, chosen_quantile, rank_error
from tacita.queries.noise.thresholded import OccurringLabels, check_threshold, threshold_measurement
from tacita.queries.policy.policy import AnswerMode
from tacita.queries.question import AskedStatistic, DataQuestion, Mask, Statistic

_LEAST_SHARE = 1000
"""A part of a price is at least this many billionths: less would only be noise."""


class PrivateFigures:
    """Figures with noise of differential privacy."""

    mode: ClassVar[AnswerMode] = AnswerMode.PRIVATE

    def __init__(self, cube: Cube) -> None:
        options = cube.policy.options
        self._cube = cube
        self._currency = str(options["currency"])
        self._delta = int(options.get("question_delta") or 0)
        self._parts = SummedParts(cube)
        size = int(options.get("microaggregate") or 0)
        self._means = MicroaggregatedQuantiles(cube, self._parts, size, self._currency) if size else None

    @property
    def statistics(self) -> frozenset[Statistic]:
        """What can be answered: sums, what is made of them, and quantiles; of means, extremes as well."""
        return MADE_OF_SUMS | (QUANTILES if self._means is not None else {Statistic.QUANTILE})

    @property
    def guarantee(self) -> str:
        """What holds of every figure."""
        policy = self._cube.policy
        who = "person" if policy.unit else "record"
        promise = "the true figure is within the error with a probability of 95 %."
        if not self._parts.knows_records:
            said = f"Figures have noise of differential privacy (neighbours: one {who} more or less); {promise}"
            if any(Statistic.QUANTILE in measure.statistics for measure in policy.measures):
                said += " The error of quantiles is in ranks."
            if policy.unlisted:
                names = listed(sorted(policy.unlisted), 99)
                said += (
                    f" Labels of {names} are shown if a noisy count reaches a threshold: counts near it are rather too "
                    "large."
                )
            return said
        said = (
            f"Sums have noise of bounded differential privacy (neighbours: other values of one {who}); {promise} "
            "Counts are exact: which records there are, and their attributes to filter by, is not protected."
        )
        if self._means is not None:
            said += (
                " Quantiles, minima and maxima are of means of neighbouring values; their error is that of noise only."
            )
        return said

    def price(self, wanted: AskedQuestion) -> Price:
        """Return what the figures cost: what the analyst offers, or what the accuracy needs."""
        statistics = wanted.question.aggregates
        self._check(wanted)
        shares = self._shares(wanted.question)
        if wanted.accuracy is not None and wanted.epsilon is not None:
            raise QueryRefused("both an accuracy and a price are given", do="give one of them")
        if not shares:
            if wanted.accuracy is not None or wanted.epsilon is not None:
                raise QueryRefused("counts are exact and free here", do="leave out epsilon and accuracy")
            return Price()
        if wanted.accuracy is not None:
            cost = self._cost_of(wanted.accuracy, wanted)
        elif wanted.epsilon is not None:
            cost = wanted.epsilon
        else:
            raise QueryRefused(
                "a private answer has a price",
                do="say what to pay (epsilon), or how exact the figure has to be (accuracy)",
            )
        if cost < _LEAST_SHARE * shares:
            raise QueryRefused(
                f"the price is too small for {shares} figures with noise", do="offer more, or ask for less at once"
            )
        delta = {DELTA: self._delta} if self._unlisted(wanted.question) else {}
        if delta:
            check_threshold(self._currency, self._parts.records, cost // shares)
        errors = tuple(None if wanted.question.levels else self._error(one, cost // shares) for one in statistics)
        return Price({self._currency: cost, **delta}, errors)

    def remark(self, question: DataQuestion, spent: Mapping[str, int]) -> str:
        """Return the error of quantiles that are chosen, in ranks: their figures have none in units of the measure."""
        chosen = [one for one in question.aggregates if one.statistic is Statistic.QUANTILE and self._means is None]
        if not chosen or not spent.get(self._currency):
            return ""
        share = spent[self._currency] // self._shares(question)
        ranks = max(rank_error(one, self._cube, self._parts, self._currency, share) for one in chosen)
        return (
            f"With a probability of 95 %, at most {counted(ranks, 'record')} lie between a quantile and the figure, "
            "beside those between it and the next of the 1,001 values that are chosen from."
        )

    def figures(self, wanted: AskedQuestion, price: Price) -> tuple[tuple[Figure, ...], ...]:
        """Return figures with noise; each sum is drawn once and used for all figures that need it."""
        statistics, shares = wanted.question.aggregates, self._shares(wanted.question)
        share = price.spent[self._currency] // shares if shares else 0
        masks = [group.cells for group in wanted.groups]
        drawn = {part: self._sums(part, masks, wanted.question, share) for part in self._needed(statistics)}
        means = {
            one: self._quantiles_of_means(one, masks, wanted.question, share) for one in self._of_means(statistics)
        }
        return tuple(
            tuple(
                means[one][place]
                if one in means
                else self._figure(one, {part: sums[place] for part, sums in drawn.items()}, cells, share)
                for one in statistics
            )
            for place, cells in enumerate(masks)
        )

    def released(self, wanted: AskedQuestion, price: Price) -> tuple[ReleasedGroup, ...]:
        """Return the groups of labels that reach the threshold, in the order of labels, with their figures.

        Other sums than counts are drawn for the released groups only, which are public by then.
        """
        ((selected,), question) = [group.cells for group in wanted.groups], wanted.question
        share = price.spent[self._currency] // self._shares(wanted.question)
        measurement, _ = threshold_measurement(self._currency, self._parts.records, share, price.spent[DELTA])
        labels = OccurringLabels(self._cube, question.groups, selected)
        counts = labels.released(measurement)
        reach = self._reach((COUNT, 1), share)
        drawn: dict[Part, list[NoisySum]] = {(COUNT, 1): [NoisySum(count, *reach) for count in counts.values()]}
        for part in self._needed(question.aggregates):
            if part not in drawn and counts:
                drawn[part] = self._sums(part, map(labels.cells, counts), question, share)
        rows = []
        for place, codes in enumerate(counts):
            sums = {part: values[place] for part, values in drawn.items()}
            figures = tuple(self._figure(one, sums, labels.cells(codes), share) for one in question.aggregates)
            rows.append(ReleasedGroup(codes, figures))
        return tuple(rows)

    def _check(self, wanted: AskedQuestion) -> None:
        """Raise for what is not answered; nothing of that depends on the data."""
        question = wanted.question
        self._needed(question.aggregates)
        for one in question.aggregates:
            if one.statistic in QUANTILES and self._means is not None:
                self._means.check(one.measure)
        combinations = math.prod(len(self._cube.attribute(name).labels) for name in question.groups)
        if question.levels and not self._unlisted(wanted.question) and combinations > MOST_GROUPS:
            raise QueryRefused(
                f"totals would have to fit {combinations:,} combinations of labels",
                do="group by fewer attributes at once",
            )
        if not self._unlisted(wanted.question):
            return
        names = listed(sorted(self._unlisted(wanted.question)), 99)
        if question.levels:
            raise QueryRefused(
                f"the labels of {names} are confidential: groups that are not shown have no totals",
                do="write GROUP BY without totals, and ask for totals by themselves",
            )

    def _unlisted(self, question: DataQuestion) -> frozenset[str]:
        return self._cube.policy.unlisted.intersection(question.groups)

    def _needed(self, statistics: Sequence[AskedStatistic]) -> list[Part]:
        sums = [one for one in statistics if one.statistic is not Statistic.QUANTILE]
        return self._parts.needed([one for one in sums if self._means is None or one.statistic not in QUANTILES])

    def _of_means(self, statistics: Sequence[AskedStatistic]) -> list[AskedStatistic]:
        return [one for one in statistics if self._means is not None and one.statistic in QUANTILES]

    def _shares(self, question: DataQuestion) -> int:
        """Return how many equal shares a price has."""
        statistics, levels = question.aggregates, len(question.levels) or 1
        parts = [part for part in self._needed(statistics) if not self._parts.is_public(part)]
        if self._unlisted(question) and (COUNT, 1) not in parts:
            parts.append((COUNT, 1))  # the threshold is on counts, whatever is asked
        return (len(parts) + sum(one.statistic in QUANTILES for one in statistics)) * levels

    def _sums(self, part: Part, masks: Iterable[Mask], question: DataQuestion, share: int) -> list[NoisySum]:
        """Return a sum of each group: of a grouping set one vector, so that the sensitivity is that of all groups."""
        true = [(self._parts.true(part, cells), int(self._cube.n[cells].sum())) for cells in masks]
        if self._parts.is_public(part):
            return [NoisySum(total, 0, 0) for total, _ in true]
        reach = self._reach(part, share)
        tables = [
            self._drawn(part, [total for total, _ in true[level]], share) for level in self._levels(question, true)
        ]
        if question.levels and part[0] != PEOPLE:  # a person may be in several groups, which have no total then
            return self._consistent(part, question, tables, true, reach)
        noisy = [NoisySum(value, *reach) for table in tables for value in table]
        return [self._parts.within(part, records, one) for one, (_, records) in zip(noisy, true, strict=True)]

    def _consistent(
        self,
        part: Part,
        question: DataQuestion,
        tables: Sequence[Sequence[int]],
        true: Sequence[tuple[int, int]],
        reach: tuple[int, int],
    ) -> list[NoisySum]:
        sets = GroupingSets(
            tuple(len(self._cube.attribute(name).labels) for name in question.groups),
            tuple(tuple(question.groups.index(name) for name in level) for level in question.levels),
        )
        low, high = self._cell_bounds(part, question, sets.sizes)
        return [one for table in sets.made_consistent(tables, reach, low, high) for one in table]

    def _cell_bounds(self, part: Part, question: DataQuestion, sizes: tuple[int, ...]) -> tuple[Floats, Floats]:
        """Return the bounds of the cells of the table over all attributes of a GROUP BY."""
        records = np.zeros(sizes, np.int64)
        if self._parts.knows_records:
            selected = self._cube.cells_of(question)
            codes = tuple(self._cube.codes[name][selected] for name in question.groups)
            np.add.at(records, codes, self._cube.n[selected])
        bounds = [self._parts.bounds(part, one) for one in records.ravel().tolist()]
        low = np.array([-math.inf if least is None else least for least, _ in bounds], np.float64)
        high = np.array([math.inf if most is None else most for _, most in bounds], np.float64)
        return low.reshape(sizes), high.reshape(sizes)

    def _levels(self, question: DataQuestion, groups: Sequence[object]) -> list[slice]:
        """Return where the groups of each grouping set are among all groups."""
        if not question.levels:
            return [slice(0, len(groups))]
        sizes = {name: len(self._cube.attribute(name).labels) for name in question.groups}
        ends = itertools.accumulate(math.prod(sizes[name] for name in level) for level in question.levels)
        return [slice(start, end) for start, end in itertools.pairwise((0, *ends))]

    def _drawn(self, part: Part, true: Sequence[int], share: int) -> list[int]:
        return [int(value) for value in self._measurement(part, share)(list(true))]

    def _measurement(self, part: Part, share: int) -> Any:
        return measurement_of(self._currency, self._parts.sensitivity(part), share)

    def _reach(self, part: Part, share: int) -> tuple[int, int]:
        return reach_of(self._currency, scale_of(self._currency, self._parts.sensitivity(part), share))

    def _error(self, one: AskedStatistic, share: int) -> str | None:
        """Return the error of a figure as far as it does not depend on what is drawn."""
        if one.statistic in {Statistic.COUNT, Statistic.CONTRIBUTORS}:
            reach = 0 if self._parts.knows_records else self._reach((COUNT, 1), share)[0]
            return figure_text(rounded_error(Fraction(reach), Fraction(1)))
        if one.statistic is Statistic.SUM:
            unit = Fraction(self._cube.policy.measure(one.measure).unit)
            return figure_text(rounded_error(unit * self._reach((one.measure, 1), share)[0], unit))
        if self._means is not None and one.statistic in QUANTILES:
            return figure_text(rounded_error(self._means.error(one.measure, share), Fraction(0)))
        return None

    def _cost_of(self, accuracy: Fraction, wanted: AskedQuestion) -> int:
        statistics = wanted.question.aggregates
        if len(statistics) != 1 or statistics[0].statistic not in {Statistic.COUNT, Statistic.SUM}:
            raise QueryRefused(
                "an accuracy can be chosen for one count or one sum",
                do="ask for it alone, or say what to pay (epsilon)",
            )
        if self._shares(wanted.question) != 1:
            raise QueryRefused(
                "an accuracy can be chosen for figures of one kind, without totals",
                do="leave the totals out, or say what to pay (epsilon)",
            )
        one = statistics[0]
        part = (one.measure, 1)
        unit = Fraction(1) if part[0] == COUNT else Fraction(self._cube.policy.measure(one.measure).unit)
        reach = _reach_for(accuracy, unit)
        if reach < 1:
            raise QueryRefused("the accuracy is below the last decimal", do="ask for less accuracy")
        if reach >= LARGEST:
            raise QueryRefused("the accuracy is beyond every figure", do="ask for more accuracy")
        return cost_of_reach(self._currency, self._parts.sensitivity(part), reach, _LEAST_SHARE)

    def _quantiles_of_means(
        self, one: AskedStatistic, masks: Sequence[Mask], question: DataQuestion, share: int
    ) -> list[Figure]:
        assert self._means is not None
        levels = self._levels(question, masks)
        return [figure for level in levels for figure in self._means.figures(one, masks[level], share)]

    def _figure(self, one: AskedStatistic, sums: dict[Part, NoisySum], cells: Mask, share: int) -> Figure:
        if one.statistic is Statistic.QUANTILE:
            return chosen_quantile(one, cells, self._cube, self._parts, self._currency, share)
        unit = Fraction(1) if not one.measure else Fraction(self._cube.policy.measure(one.measure).unit)
        if one.statistic in {Statistic.COUNT, Statistic.CONTRIBUTORS, Statistic.SUM}:
            part = (PEOPLE if one.statistic is Statistic.CONTRIBUTORS else one.measure, 1)
            if self._parts.is_public(part):
                return Figure(FigureStatus.EXACT, str(sums[part].value))
            spread = sums[part]
            value, error = unit * spread.value, unit * spread.error
            if one.statistic is not Statistic.SUM or self._cube.policy.measure(one.measure).lower >= 0:
                value = max(value, Fraction(0))  # no true figure is below 0: this brings none further away
            return _written(value, error, unit, [spread])
        if one.statistic is Statistic.AVERAGE:
            low, high = (Fraction(bound) for bound in self._cube.policy.measure(one.measure).bounds)
            total = sums[(one.measure, 1)]
            if self._parts.is_public((COUNT, 1)):  # only one sum has an error then
                total = NoisySum(total.value, total.error, total.error)
            result = average(total, sums[(COUNT, 1)], (low, high))
        elif one.statistic is Statistic.VARIANCE:
            result = variance(sums[(one.measure, 1)], sums[(one.measure, 2)], sums[(COUNT, 1)])
            unit = unit**2
        else:
            result = ratio(sums[(one.measure, 1)], sums[(one.other, 1)])
            unit = unit / Fraction(self._cube.policy.measure(one.other).unit)
        if result is None:
            return NOT_ANSWERED
        value, error = result
        return _written(unit * value, unit * error, Fraction(0), list(sums.values()))


def _reach_for(accuracy: Fraction, unit: Fraction) -> int:
    """Return how many units noise may reach so that the error, as it is written, is at most an accuracy."""
    reach, beyond = 0, int(accuracy / unit) + 1
    while beyond - reach > 1:
        middle = (reach + beyond) // 2
        reach, beyond = (middle, beyond) if rounded_error(unit * middle, unit) <= accuracy else (reach, middle)
    return reach


def _written(value: Fraction, error: Fraction, step: Fraction, sums: Sequence[NoisySum]) -> Figure:
    """Return a figure as it is published; one of sums that were cut off is not answered."""
    if any(abs(one.value) >= LARGEST // 2 for one in sums):
        return NOT_ANSWERED
    text, error_text = noisy_texts(value, error, step)
    if step and all(one.is_total for one in sums):
        text = figure_text(value)
    return Figure(FigureStatus.NOISY, text, error=error_text)

"""The mechanism of exact answers: figures as they are; the audit decides which may be seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from tacita.errors import QueryRefused
from tacita.queries.answer import NOT_ANSWERED, Figure, FigureStatus
from tacita.queries.cube.cube import Cube
from tacita.queries.figures import figure_text, true_figure
from tacita.queries.mechanism import AskedQuestion, Price
from tacita.queries.policy.policy import AnswerMode
from tacita.queries.question import DataQuestion, Statistic


class ExactFigures:
    """Figures as they are."""

    mode: ClassVar[AnswerMode] = AnswerMode.EXACT
    guarantee = "Figures are exact."
    statistics = frozenset(Statistic) - {Statistic.QUANTILE, Statistic.CONTRIBUTORS}

    def __init__(self, cube: Cube) -> None:
        self._cube = cube

    def price(self, wanted: AskedQuestion) -> Price:
        """Return that it costs nothing; raise for an exact quantile, which is somebody's value."""
        if any(one.statistic is Statistic.QUANTILE for one in wanted.question.aggregates):
            raise QueryRefused(
                "an exact quantile is the value of somebody",
                do="ask for an average, or for counts by intervals of the attribute",
            )
        if any(one.statistic is Statistic.CONTRIBUTORS for one in wanted.question.aggregates):
            raise QueryRefused(
                "exact numbers of people cannot be judged: somebody may have records in several groups",
                do="ask for COUNT(*), the number of records",
            )
        if wanted.epsilon is not None or wanted.accuracy is not None:
            raise QueryRefused("exact answers have no accuracy to choose", do="leave out epsilon and accuracy")
        return Price()

    def remark(self, question: DataQuestion, spent: Mapping[str, int]) -> str:
        """Return nothing: each figure says what holds of it."""
        return ""

    def figures(self, wanted: AskedQuestion, price: Price) -> tuple[tuple[Figure, ...], ...]:
        """Return the true figures; one that does not exist (an average of nobody) looks refused."""
        rows = []
        for group in wanted.groups:
            true = [true_figure(one, self._cube, group.cells) for one in wanted.question.aggregates]
            rows.append(
                tuple(NOT_ANSWERED if one is None else Figure(FigureStatus.EXACT, figure_text(one)) for one in true)
            )
        return tuple(rows)

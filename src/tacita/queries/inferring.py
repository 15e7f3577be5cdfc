"""What could be inferred so far, for the auditor: sums that nobody asked for, bounds, widths, and what analysts did."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from tacita.queries.answer import FigureStatus
from tacita.queries.audit.exact import ExactJudge
from tacita.queries.audit.inferred import InferredSum
from tacita.queries.audit.judge import QueryJudge
from tacita.queries.budgets import caps_of, spent_text
from tacita.queries.figures import figure_text
from tacita.queries.policy.policy import AnswerMode, QueryPolicy
from tacita.queries.state import QueryState, RecordedAnswer


@dataclass(frozen=True, slots=True)
class InferredBound:
    """Between which figures the sum of some records is, by answers and declared bounds; decimal text."""

    measure: str
    records: int
    contributors: int
    lower: str
    upper: str
    share: float
    """The width, as a share of that without any answer."""


@dataclass(frozen=True, slots=True)
class InferredSoFar:
    """What follows from the answers of one analyst, or of everybody together."""

    analyst: str
    """Empty: everybody."""
    sums: tuple[InferredSum, ...] = field(repr=False)
    """Of the fewest contributors; none of them was asked for."""
    count: int
    """How many there are, as far as they were looked for."""
    bounds: tuple[InferredBound, ...] = field(default=(), repr=False)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnalystAccount:
    """What an analyst asked, got, and paid."""

    analyst: str
    questions: int
    answered: int
    refused: int
    telling: int
    """Refusals that tell something of the data; they are limited."""
    spent: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WidthsTold:
    """How wide the intervals of camouflage were, as shares of the figure in their middle, and whom they withstand."""

    intervals: int
    least: float | None
    median: float | None
    largest: float | None
    insiders: int
    """So many people who pool their values cannot compute those of others; one more can."""


def inferred_so_far(state: QueryState, policy: QueryPolicy) -> tuple[InferredSoFar, ...]:
    """Return what follows from exact answers, for each whose answers are judged together."""
    if policy.answers is not AnswerMode.EXACT:
        return ()
    return tuple(_inferred(analyst, judges, policy) for analyst, judges in sorted(state.judging.items()))


def accounts_of(state: QueryState) -> tuple[AnalystAccount, ...]:
    """Return what each analyst asked, in the order of their names."""
    of: dict[str, list[RecordedAnswer]] = {}
    for answer in state.answers:
        of.setdefault(answer.analyst, []).append(answer)
    return tuple(
        AnalystAccount(
            analyst,
            len(answers),
            sum(one.decision != "refused" for one in answers),
            sum(one.decision == "refused" for one in answers),
            state.telling_refusals(analyst),
            spent_text(state.spent_by(analyst)),
        )
        for analyst, answers in sorted(of.items())
    )


def analyst_caps(policy: QueryPolicy) -> dict[str, str]:
    """Return what one analyst may spend in all, by currency."""
    return spent_text({currency: own for currency, (_, own) in caps_of(policy).items()})


def widths_told(state: QueryState, policy: QueryPolicy) -> WidthsTold | None:
    """Return the widths of the intervals that were told; None in other modes than camouflage."""
    if policy.answers is not AnswerMode.CAMOUFLAGE:
        return None
    widths = []
    for answer in state.answers:
        for figure in (one for row in answer.figures for one in row if answer.decision == "released"):
            if figure.status is FigureStatus.INTERVAL and figure.lower is not None and figure.upper is not None:
                low, high = Fraction(figure.lower), Fraction(figure.upper)
                if low + high:
                    widths.append(float(abs(2 * (high - low) / (high + low))))
    insiders = int(policy.options["vectors"]) - 2
    if not widths:
        return WidthsTold(0, None, None, None, insiders)
    return WidthsTold(len(widths), min(widths), statistics.median(widths), max(widths), insiders)


def _inferred(analyst: str, judges: tuple[QueryJudge, ...], policy: QueryPolicy) -> InferredSoFar:
    sums: list[InferredSum] = []
    bounds: list[InferredBound] = []
    notes, count = [], 0
    for judge in judges:
        if isinstance(judge, ExactJudge):
            for (measure, _), inferred in judge.inferred().items():
                sums += inferred.sums
                count += inferred.count
                if not inferred.is_complete:
                    notes.append(
                        f"{_called(measure)}: what is left between two answered sets was not looked at, since there "
                        "are too many of them."
                    )
        elif judge.name == "interval":
            more, late = _bounds(judge, policy)
            bounds += more
            notes += late
    sums.sort(key=lambda one: (one.contributors, one.records, one.measure, one.power))
    bounds.sort(key=lambda one: (one.contributors, one.share, one.measure))
    if not policy.rules.knows_bounds or policy.rules.simulatable:
        notes.append("Bounds of sums are not computed: the policy has no audit of intervals.")
    return InferredSoFar(analyst, tuple(sums), count, tuple(bounds), tuple(notes))


def _bounds(judge: QueryJudge, policy: QueryPolicy) -> tuple[list[InferredBound], list[str]]:
    from tacita.queries.audit.interval import MOST_BOUNDS, IntervalJudge

    assert isinstance(judge, IntervalJudge)
    result, notes = [], []
    for measure, bounds in judge.bounds().items():
        unit = Fraction(policy.measure(measure).unit) if measure else Fraction(1)
        for one in bounds.classes:
            ends = figure_text(one.lower * unit), figure_text(one.upper * unit)
            result.append(InferredBound(measure, one.records, one.contributors, *ends, one.share))
        if bounds.is_late:
            notes.append(f"{_called(measure)}: there was no time for the bounds of more groups of records.")
        elif bounds.count > MOST_BOUNDS:
            notes.append(
                f"{_called(measure)}: of {bounds.count:,} groups of records, bounds were computed for those of the "
                "fewest people."
            )
    return result, notes


def _called(measure: str) -> str:
    return f"'{measure}'" if measure else "counts"

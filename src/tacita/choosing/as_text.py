"""Evaluations and comparisons for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tacita.attacks.microdata.attacker import Attacked
from tacita.choosing.comparison import Comparison
from tacita.choosing.evaluation import Evaluation, is_number
from tacita.choosing.scores import HEADS, control_notes, score_cells
from tacita.errors import listed, printable
from tacita.recipes.carry_out import Done
from tacita.report.tables import figure


def number(value: float) -> str:
    """Return a figure for people.

    >>> number(0.12345678), number(6.262e8), number(float("nan"))
    ('0.1235', '626,200,000', '–')
    """
    return figure(value)


def of_hundred(value: float) -> str:
    """Return a figure from 0 to 100 for people.

    >>> of_hundred(12.345)
    '12.3'
    """
    return f"{value:.1f}" if is_number(value) else "–"


def steps_text(steps: Sequence[Done]) -> list[RenderableType]:
    """Return what each step did, promises and does not."""
    said: list[RenderableType] = []
    for place, done in enumerate(steps, 1):
        figures = ", ".join(f"{name} {number(value)}" for name, value in done.figures.items())
        said.append(Text(printable(f"{place}. {done.label}{f' ({figures})' if figures else ''}"), style="bold"))
        lines = [f"changed: {listed(done.attributes, 20) or 'nothing'}", f"holds: {done.promises}"]
        lines += [f"limits: {done.limits}", *(f"note: {note}" for note in done.notes)]
        said += [
            Padding(Text(printable(line), style="dim" if at else ""), (0, 0, 0, 3)) for at, line in enumerate(lines)
        ]
    return said


def attacks_table(attacks: Sequence[Attacked]) -> Table:
    """Return how far each attacker got, its control, and the risk that is left of both."""
    table = _table(*HEADS)
    for each in attacks:
        table.add_row(*score_cells(each))
    return table


def evaluation_text(evaluation: Evaluation) -> list[RenderableType]:
    """Return losses and attacks as tables, and the figures of the map."""
    parts: list[RenderableType] = [
        Text(""),
        Text(
            f"information loss {of_hundred(evaluation.information_loss)}, disclosure risk "
            f"{of_hundred(evaluation.disclosure_risk)}, score {of_hundred(evaluation.score)} (0 to 100, the lower the "
            "better)",
            style="bold",
        ),
    ]
    if evaluation.attacks:
        parts += [Text(""), attacks_table(evaluation.attacks)]
        parts += [Text(printable(note), style="dim") for note in control_notes(evaluation.attacks)]
    if evaluation.losses:
        table = _table("what is lost", "figure", "more")
        for lost in evaluation.losses:
            more = list(lost.figures.items())
            rest = "; ".join(f"{name}: {number(value)}" for name, value in more[1:6])
            table.add_row(printable(lost.measure), number(lost.figure), printable(rest))
        parts += [Text(""), table]
    for lost in evaluation.models:
        figures = ", ".join(f"{name} {number(value)}" for name, value in lost.figures.items())
        parts.append(Text(printable(f"The model {lost.measure}: {figures}")))
    parts += [Text(printable(each.sentence)) for each in evaluation.indicators]
    parts += [Text(printable(f"note: {note}"), style="dim") for note in evaluation.notes]
    return parts


def comparison_text(comparison: Comparison) -> list[RenderableType]:
    """Return the points by their score, with the frontier marked."""
    table = _table("", "recipe", "loss", "risk", "score", "")
    order = sorted(
        range(len(comparison.points)),
        key=lambda n: (comparison.points[n].place is None, _score(comparison, n), n),
    )
    for place in order:
        point = comparison.points[place]
        if point.evaluation is None:
            table.add_row(str(place + 1), printable(point.recipe.label), "–", "–", "–", printable(point.failed or ""))
            continue
        marks = ["lowest score"] if place == comparison.best else []
        marks += ["frontier"] if place in comparison.frontier else []
        marks += ["breaks a limit"] if point.evaluation.broken else []
        found = point.evaluation
        table.add_row(
            str(place + 1),
            printable(point.recipe.label),
            of_hundred(found.information_loss),
            of_hundred(found.disclosure_risk),
            of_hundred(found.score),
            ", ".join(marks),
        )
    said: list[RenderableType] = [table, Text("")]
    said.append(
        Text(
            printable(
                f"The intruder is assumed to know {listed(comparison.ground.known, 12) or 'nothing'}. Loss and risk go "
                "from 0 to 100; the score is their mean. No other point is better in both than one of the frontier."
            )
        )
    )
    said += [Text(printable(f"note: {note}"), style="dim") for note in comparison.notes]
    return said


def _score(comparison: Comparison, place: int) -> float:
    evaluation = comparison.points[place].evaluation
    return evaluation.score if evaluation is not None else float("inf")


def _table(*heads: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for head in heads:
        table.add_column(head, justify="right" if head in {"loss", "risk", "score", "figure", "attempts"} else "left")
    return table

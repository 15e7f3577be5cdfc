"""Evaluations and comparisons for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tacita.attacks.microdata.attacker import Attacked
from tacita.errors import listed, printable
from tacita.recipes.carry_out import Done
from tacita.recipes.comparison import UNMASKED, Comparison, Point
from tacita.recipes.evaluation import Evaluation, is_number
from tacita.recipes.recipe import Recipe
from tacita.recipes.scores import HEADS, control_notes, score_cells
from tacita.views.tables import figure


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
    rows = [
        (point.place is None, _score(point.evaluation), str(place + 1), point, ", ".join(comparison.marks(place)))
        for place, point in enumerate(comparison.points)
    ]
    for _, _, name, point, marks in sorted(
        [*rows, *_baseline(comparison)], key=lambda row: (row[0], row[1], row[2] == "", len(row[2]), row[2])
    ):
        figures = [of_hundred(value) for value in _figures(point.evaluation)]
        table.add_row(name, printable(point.recipe.label), *figures, printable(marks))
    said: list[RenderableType] = [table, Text("")]
    said.append(
        Text(
            printable(
                f"The intruder is assumed to know {listed(comparison.ground.known, 12) or 'nothing'}. Loss and risk go "
                "from 0 to 100; the score is their mean. Points on the frontier are not dominated: no other recipe has "
                "both less loss and less risk."
            )
        )
    )
    said += [Text(comparison.verdict, style="bold red")] if comparison.verdict else []
    said += [Text(printable(f"note: {note}"), style="dim") for note in comparison.notes]
    return said


def _baseline(comparison: Comparison) -> list[tuple[bool, float, str, Point, str]]:
    if (base := comparison.baseline) is None:
        return []
    point = Point(Recipe((), UNMASKED, is_baseline=True), base)
    return [(point.place is None, _score(base), "", point, "baseline")]


def _figures(evaluation: Evaluation | None) -> tuple[float, float, float]:
    if evaluation is None:
        return (float("nan"),) * 3
    return evaluation.information_loss, evaluation.disclosure_risk, evaluation.score


def _score(evaluation: Evaluation | None) -> float:
    return evaluation.score if evaluation is not None and is_number(evaluation.score) else float("inf")


def _table(*heads: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for head in heads:
        table.add_column(head, justify="right" if head in {"loss", "risk", "score", "figure", "attempts"} else "left")
    return table

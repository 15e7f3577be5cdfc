"""The R-U map as a page: every point with what it is, what it costs and what it still tells."""

from __future__ import annotations

from tacita.errors import listed
from tacita.recipes.as_text import number, of_hundred
from tacita.recipes.comparison import UNMASKED, Comparison, Point
from tacita.recipes.evaluation import Evaluation, is_number
from tacita.recipes.headline import headline
from tacita.recipes.recipe_file import recipe_text
from tacita.recipes.scores import HEADS, control_notes, score_cells
from tacita.version import __version__
from tacita.views.markup import Html, items, preformatted, tag
from tacita.views.page import figure, page, section
from tacita.views.scatter import Mark, scatter
from tacita.views.tables import Cell, Share, table


def comparison_page(comparison: Comparison, title: str) -> str:
    """Return the map, the table of all points, and a section for each. It is internal: recipes tell parameters."""
    body = [
        tag("h1", f"{title}: what protection costs"),
        tag(
            "p",
            f"The intruder is assumed to know {listed(comparison.ground.known, 30) or 'nothing'}. Risk and loss go "
            "from 0 to 100. Every point is a recipe beside the unmasked file; the dashed line joins those that are not "
            "dominated. This page tells parameters of protection and stays in the house.",
        ),
        *([tag("p", tag("strong", comparison.verdict))] if comparison.verdict else []),
        figure(ru_map(comparison), "The R-U map: disclosure risk and information loss of each recipe"),
        section("All recipes", _all(comparison)),
    ]
    if comparison.notes:
        body.append(items(comparison.notes))
    for place, point in enumerate(comparison.points, 1):
        body.append(section(f"{place}. {point.recipe.label}", *_point(point), anchor=f"point-{place}"))
    body.append(tag("footer", f"Made with Tacita {__version__}."))
    return page(f"{title}: what protection costs", tag("main", *body))


def ru_map(comparison: Comparison) -> Html:
    """Return the map of the points that have both figures."""
    edge = set(comparison.frontier)
    marks = [
        Mark(str(number_ + 1), point.place[0], point.place[1], number_ in edge, number_ == comparison.best)
        for number_, point in enumerate(comparison.points)
        if point.place is not None
    ]
    base = comparison.baseline
    if base is not None and is_number(base.score):
        marks.append(Mark(UNMASKED, base.disclosure_risk, base.information_loss))
    return scatter("R-U map", marks, x="disclosure risk", y="information loss")


def evaluation_parts(evaluation: Evaluation) -> list[Html]:
    """Return attacks and losses as tables of a page."""
    parts: list[Html] = []
    if evaluation.attacks:
        rows: list[list[Cell]] = [
            [name, Share(success), Share(control), Share(risk), Share(attempts)]
            for name, success, control, risk, attempts in map(score_cells, evaluation.attacks)
        ]
        parts.append(table(list(HEADS), rows))
        parts.append(items(control_notes(evaluation.attacks)))
    if evaluation.losses:
        parts.append(
            table(["what is lost", "figure"], [[e.measure, Share(number(e.figure))] for e in evaluation.losses])
        )
        lost: list[list[Cell]] = [
            [e.measure, k, Share(number(v))] for e in evaluation.losses for k, v in e.figures.items()
        ]
        every = table(["measure of loss", "figure of", "value"], lost)
        parts.append(tag("details", tag("summary", "All figures"), every))
    for model in evaluation.models:
        told: list[list[Cell]] = [
            [name, *(Share(number(value)) for value in figures.values())] for name, figures in model.attributes.items()
        ]
        heads = list(next(iter(model.attributes.values()))) if model.attributes else []
        parts.append(table([model.measure, *heads], told))
    if evaluation.indicators:
        parts.append(items([each.sentence for each in evaluation.indicators]))
    if evaluation.notes:
        parts.append(items(evaluation.notes))
    return parts


def _all(comparison: Comparison) -> Html:
    rows: list[list[Cell]] = []
    if comparison.baseline is not None:
        rows.append([UNMASKED, *map(Share, _figures(comparison.baseline)), "baseline"])
    for place, point in enumerate(comparison.points):
        name = tag("a", f"{place + 1}. {point.recipe.label}", href=f"#point-{place + 1}")
        rows.append([name, *map(Share, _figures(point.evaluation)), ", ".join(comparison.marks(place))])
    return table(["recipe", "loss", "risk", "score", ""], rows)


def _figures(evaluation: Evaluation | None) -> list[str]:
    if evaluation is None:
        return ["–"] * 3
    return [of_hundred(v) for v in (evaluation.information_loss, evaluation.disclosure_risk, evaluation.score)]


def _point(point: Point) -> list[Html]:
    if point.evaluation is None:
        return [tag("p", f"It could not be carried out: {point.failed}.")]
    said = [f"{done.label}: {done.promises} {done.limits}" for done in point.steps]
    recipe = tag("details", tag("summary", "The recipe"), preformatted(recipe_text(point.recipe, with_seed=False)))
    first = tag("p", tag("strong", headline(point.evaluation)))
    against = [tag("p", "It would not be released:"), items(point.against)] if point.against else []
    notes = [items(point.notes)] if point.notes else []
    return [first, *against, items(said), *evaluation_parts(point.evaluation), recipe, *notes]

"""The forms of a comparison: the R-U map, every point with what it is, what it costs and what it still tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacita.errors import listed, printable
from tacita.model.figures import Share
from tacita.recipes.comparison import UNMASKED, Point, RecipeComparison
from tacita.recipes.evaluation import Evaluation, is_number
from tacita.recipes.recipe import Recipe
from tacita.recipes.recipe_file import recipe_text
from tacita.version import __version__
from tacita.views.evaluation import evaluation_dict, evaluation_parts, headline, of_hundred
from tacita.views.markup import Html, items, preformatted, tag
from tacita.views.page import captioned, page, section, style
from tacita.views.scatter import MapMark, scatter
from tacita.views.tables import Cell, table
from tacita.views.terminal import columns
from tacita.views.view import View

if TYPE_CHECKING:
    from rich.console import RenderableType


class RecipeComparisonView(View[RecipeComparison]):
    """The forms of a comparison. Its page is internal: recipes tell parameters."""

    def title(self, result: RecipeComparison) -> str:
        """Return what the page is about."""
        return f"{result.name}: what protection costs"

    def as_dict(self, result: RecipeComparison) -> dict[str, Any]:
        """Return all points, and which of them no other beats."""
        return comparison_dict(result)

    def as_text(self, result: RecipeComparison) -> RenderableType:
        """Return the points by their score, with the frontier marked."""
        return comparison_text(result)

    def as_fragment(self, result: RecipeComparison) -> Html:
        """Return the map and the table of all points."""
        return tag("div", style("fragment"), *_map(result), _all(result), class_="tacita-report")

    def as_page(self, result: RecipeComparison) -> Html:
        """Return the map, the table of all points, and a section for each."""
        return comparison_page(result, self.title(result))


def comparison_dict(comparison: RecipeComparison) -> dict[str, Any]:
    """Return all points of a comparison, and which of them no other beats."""
    return {
        "known": list(comparison.ground.known),
        "secret": list(comparison.ground.secret),
        "points": [
            {
                "number": number,
                "recipe": point.recipe.label,
                "on_frontier": number - 1 in comparison.frontier,
                "better_than_unmasked": number - 1 in comparison.better,
                "against": list(point.against),
                "steps": [{"step": done.label, "figures": done.figures} for done in point.steps],
                "notes": list(point.notes),
                "failed": point.failed,
                **(evaluation_dict(point.evaluation) if point.evaluation is not None else {}),
            }
            for number, point in enumerate(comparison.points, 1)
        ],
        "baseline": evaluation_dict(comparison.baseline) if comparison.baseline is not None else None,
        "best": comparison.best + 1 if comparison.best is not None else None,
        "verdict": comparison.verdict,
        "notes": list(comparison.notes),
    }


def comparison_text(comparison: RecipeComparison) -> RenderableType:
    """Return the points by their score, with the frontier marked."""
    from rich.console import Group
    from rich.text import Text

    table = columns("", "recipe", "loss", "risk", "score", "", right=["loss", "risk", "score"])
    rows = [
        (point.place is None, _score(point.evaluation), str(place + 1), point, ", ".join(comparison.marks(place)))
        for place, point in enumerate(comparison.points)
    ]
    for _, _, name, point, marks in sorted(
        [*rows, *_baseline(comparison)], key=lambda row: (row[0], row[1], row[2] == "", len(row[2]), row[2])
    ):
        figures = _figures(point.evaluation)
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
    return Group(*said)


def _baseline(comparison: RecipeComparison) -> list[tuple[bool, float, str, Point, str]]:
    if (base := comparison.baseline) is None:
        return []
    point = Point(Recipe((), UNMASKED, is_baseline=True), base)
    return [(point.place is None, _score(base), "", point, "baseline")]


def _score(evaluation: Evaluation | None) -> float:
    return evaluation.score if evaluation is not None and is_number(evaluation.score) else float("inf")


def comparison_page(comparison: RecipeComparison, title: str) -> Html:
    """Return the map, the table of all points, and a section for each. It is internal: recipes tell parameters."""
    body = [
        tag("h1", title),
        tag(
            "p",
            f"The intruder is assumed to know {listed(comparison.ground.known, 30) or 'nothing'}. Risk and loss go "
            "from 0 to 100. Every point is a recipe beside the unmasked file; the dashed line joins those that are not "
            "dominated. This page shows parameters of protection: keep it internal.",
        ),
        *_map(comparison),
        section("All recipes", _all(comparison)),
    ]
    if comparison.notes:
        body.append(items(comparison.notes))
    for place, point in enumerate(comparison.points, 1):
        body.append(section(f"{place}. {point.recipe.label}", *_point(point), anchor=f"point-{place}"))
    body.append(tag("footer", f"Made with Tacita {__version__}."))
    return page(title, tag("main", *body))


def ru_map(comparison: RecipeComparison) -> Html:
    """Return the map of the points that have both figures."""
    edge = set(comparison.frontier)
    marks = [
        MapMark(str(number_ + 1), point.place[0], point.place[1], number_ in edge, number_ == comparison.best)
        for number_, point in enumerate(comparison.points)
        if point.place is not None
    ]
    base = comparison.baseline
    if base is not None and is_number(base.score):
        marks.append(MapMark(UNMASKED, base.disclosure_risk, base.information_loss))
    return scatter("R-U map", marks, x="disclosure risk", y="information loss")


def _map(comparison: RecipeComparison) -> list[Html]:
    drawn = captioned(ru_map(comparison), "The R-U map: disclosure risk and information loss of each recipe")
    return [tag("p", tag("strong", comparison.verdict)), drawn] if comparison.verdict else [drawn]


def _all(comparison: RecipeComparison) -> Html:
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

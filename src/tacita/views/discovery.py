"""The forms of a discovery: which attributes determine which, how well, and what was not looked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tacita.dependencies.dependency import Dependency, Discovery, ErrorMeasure
from tacita.errors import counted
from tacita.model.figures import Share, figure, share
from tacita.version import __version__
from tacita.views.dependency_graph import MOST_DRAWN, dependency_graph, strongest
from tacita.views.markup import Html, items, tag
from tacita.views.page import captioned, page, section, style
from tacita.views.tables import Cell, table
from tacita.views.terminal import add, columns, lines, notes
from tacita.views.view import View

if TYPE_CHECKING:
    from rich.console import RenderableType

_SHOWN = 40
_SHOWN_ON_A_PAGE = 500
_NOT_SAFE = (
    "That no value can be learnt in this way does not mean that none can be predicted: 'tacita attack' tries that."
)
_ERRORS = {
    ErrorMeasure.G3: "of the records have to be deleted so that no two violate it",
    ErrorMeasure.G1: "of all pairs of records violate it",
}


class DiscoveryView(View[Discovery]):
    """The forms of a discovery. They name attributes and numbers of records, and values of groups only."""

    def title(self, result: Discovery) -> str:
        """Return what the page is about."""
        return f"{result.name}: which attributes determine which"

    def as_dict(self, result: Discovery) -> dict[str, Any]:
        """Return every dependency, what is alike, and what was not looked for."""
        relaxation = result.relaxation
        distances = dict(relaxation.distances)
        return {
            "name": result.name,
            "attributes": list(result.attributes),
            "records": result.records,
            "complete": result.is_complete,
            "exact": relaxation.is_exact,
            "measure": relaxation.measure,
            "tolerance": relaxation.tolerance,
            "thresholds": [
                {"attribute": name, "threshold": distances[name], "alike": words}
                for name, words in relaxation.thresholds
            ],
            "dependencies": [_dependency_dict(one) for one in result.dependencies],
            "left_out": result.left_out,
            "bounds": list(result.bounds),
            "notes": list(result.notes),
        }

    def as_text(self, result: Discovery, show: int = _SHOWN) -> RenderableType:
        """Return the dependencies that tell most, and how many others there are."""
        from rich.console import Group
        from rich.text import Text

        head = Text(f"{result.name}", style="bold")
        head.append(f"  {counted(result.records, 'record')}, {counted(len(result.attributes), 'attribute')}", style="")
        parts: list[RenderableType] = [head, *lines(["", *_summary(result)])]
        shown = strongest(result.threats, show)
        if shown:
            parts += [Text(""), _text_table(shown, result)]
        rest = len(result.threats) - len(shown)
        parts += lines([f"and {rest:,} more, which --json lists; --show N shows more of them"] if rest else [])
        return Group(*parts, *notes([*result.bounds, *result.notes]))

    def as_fragment(self, result: Discovery) -> Html:
        """Return the summary, the graph and the dependencies that tell most."""
        shown = strongest(result.threats, _SHOWN)
        body = [*(tag("p", sentence) for sentence in _summary(result)), *_graph(result)]
        body += [_html_table(shown, result)] if shown else []
        return tag("div", style("fragment"), *body, class_="tacita-report")

    def as_page(self, result: Discovery) -> Html:
        """Return the summary, the graph, all that tell a value, and what a reader must know of them."""
        title = self.title(result)
        shown = strongest(result.threats, _SHOWN_ON_A_PAGE)
        body = [tag("h1", title), *(tag("p", sentence) for sentence in _summary(result))]
        body += [section("What was not looked for", items(result.bounds))] if result.bounds else []
        if shown:
            body.append(section("By attribute", _overview(result)))
            body.append(section("The strongest", *_graph(result)))
            rest = len(result.threats) - len(shown)
            more = [tag("p", f"and {rest:,} more, which --json lists", class_="soft")] if rest else []
            body.append(section("Dependencies", _html_table(shown, result), *more))
        body += [section("Notes", items(result.notes))] if result.notes else []
        body.append(section("How to read it", items(_explained(result))))
        body.append(tag("footer", f"Made with Tacita {__version__}."))
        return page(title, tag("main", *body))


def _dependency_dict(one: Dependency) -> dict[str, Any]:
    condition = one.condition
    return {
        "left": list(one.left),
        "right": one.right,
        "support": one.support,
        "key": one.is_key,
        "error": one.error,
        "error_at_most": one.error_at_most,
        "undecided": one.is_undecided,
        "gain": one.gain,
        "witness": None if one.witness is None else list(one.witness),
        "condition": None
        if condition is None
        else {"attribute": condition.attribute, "value": condition.value, "records": condition.records},
    }


def _summary(result: Discovery) -> Iterator[str]:
    """Yield what was looked for and how much of it there is."""
    relaxation = result.relaxation
    if relaxation.thresholds:
        yield "Alike: " + "; ".join(f"values of {name} that {words}" for name, words in relaxation.thresholds) + "."
    if relaxation.measure is not None:
        words = f"{share(relaxation.tolerance)} {_ERRORS[relaxation.measure]}"
        yield f"A dependency holds if at most {words} ({relaxation.measure})."
    number, telling = len(result.dependencies), len(result.threats)
    dependencies = counted(number, "minimal dependency")
    if not number:
        within = "" if result.is_complete else ", as far as was looked"
        yield f"There is no dependency{within}: no set of attributes determines another one."
    elif not telling:
        yield f"{dependencies}, but no value can be learnt from another record."
    elif telling == number:
        yield f"{dependencies}, by {'all of ' if number > 1 else ''}which values can be learnt from other records."
    else:
        yield f"{dependencies}; by {telling:,} of them values can be learnt from other records."
    if number > telling:
        where = "In" if not telling else "In the other" if number - telling > 1 else "In the other one"
        count = f" {number - telling:,}" if number - telling > 1 else "" if telling else " it"
        yield f"{where}{count}, the determining attributes are a key: no two records are alike on them."
    if not telling:
        yield _NOT_SAFE


def _heads(result: Discovery) -> list[str]:
    heads = ["determining", "determined", "support"]
    heads += ["error"] if result.relaxation.measure is not None else []
    heads += ["gain", "records, for example"]
    return [*heads, "where"] if any(one.condition for one in result.dependencies) else heads


def _cells(one: Dependency, result: Discovery) -> list[Cell]:
    cells: list[Cell] = [one.left_in_words, one.right, one.support]
    if result.relaxation.measure is not None:
        cells.append(_error(one))
    cells.append(None if one.gain is None else share(one.gain))
    cells.append(None if one.witness is None else f"{one.witness[0]:,} and {one.witness[1]:,}")
    if any(other.condition for other in result.dependencies):
        condition = one.condition
        cells.append(None if condition is None else f"{condition.attribute} = {condition.value or '(missing)'}")
    return cells


def _error(one: Dependency) -> Share:
    if one.error == one.error_at_most:
        return share(one.error)
    undecided = ", undecided" if one.is_undecided else ""
    return Share(f"{share(one.error)} to {share(one.error_at_most)}{undecided}")


def _text_table(shown: Sequence[Dependency], result: Discovery) -> RenderableType:
    heads = _heads(result)
    rows = columns(*heads, right=["support", "error", "gain"])
    for one in shown:
        cells = _cells(one, result)
        add(rows, *(cell if isinstance(cell, str) else "–" if cell is None else figure(cell) for cell in cells))
    return rows


def _html_table(shown: Sequence[Dependency], result: Discovery) -> Html:
    return table(_heads(result), [_cells(one, result) for one in shown])


def _overview(result: Discovery) -> Html:
    """Return a line for each attribute that others determine: by how many sets, and the set that tells most."""
    rows: list[list[Cell]] = []
    for name in result.attributes:
        telling = [one for one in result.of(name) if not one.is_key]
        if telling:
            best = strongest(telling, 1)[0]
            rows.append([name, len(telling), best.left_in_words, None if best.gain is None else share(best.gain)])
    return table(["determined", "dependencies", "the one that tells most", "gain"], rows)


def _graph(result: Discovery) -> list[Html]:
    drawn = len(strongest(result.dependencies))
    caption = (
        f"{drawn} of {len(result.threats):,} dependencies: those of each determined attribute with the largest gain"
        if drawn == MOST_DRAWN < len(result.threats)
        else "All dependencies by which values can be learnt from other records"
    )
    return [captioned(dependency_graph(result.dependencies), f"{caption}. A dot is a set of attributes.")]


def _explained(result: Discovery) -> Iterator[str]:
    """Yield what the figures mean."""
    yield "Records that are alike on the determining attributes are alike on the determined one."
    yield "Support: the number of records that are alike with another one on the determining attributes; 0 for a key."
    yield (
        "Gain: how much better the other records tell a value than the most frequent value does, from 0 to 100 %; "
        "each record is left out when it is predicted."
    )
    if result.relaxation.measure is not None:
        shared = {
            ErrorMeasure.G3: "of records that have to be deleted so that no two violate it",
            ErrorMeasure.G1: "of pairs of records that violate it",
        }
        yield f"Error: the share {shared[result.relaxation.measure]}; an interval where it is not known exactly."
    yield _NOT_SAFE

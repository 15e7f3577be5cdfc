"""The forms of a gate that is watched: a table in the terminal, and a page with the plots of Figure 5."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacita.errors import counted
from tacita.model.figures import Share, figure
from tacita.version import __version__
from tacita.views.charts import GREY, SERIES
from tacita.views.gate import OBSERVERS
from tacita.views.lines import Line, shapes
from tacita.views.lines import lines as drawn
from tacita.views.markup import Html, items, tag
from tacita.views.page import captioned, page, section, side_by_side, style
from tacita.views.tables import Cell, shown, table
from tacita.views.terminal import add, columns, lines, notes
from tacita.views.view import View

if TYPE_CHECKING:
    from rich.console import RenderableType

    from tacita.gate.watching import GateWatch, WatchedDependency, WatchedTarget

_SHOWN = 20
_ODDS = 60.0
_SMALL = 0.001
"""Odds and probabilities below this are all alike."""
_UNITS = {
    "crowd": "distance",
    "definition-5": "exposure",
    "martingale": "odds",
    "evidence": "odds",
    "variation": "odds",
    "fit": "records",
    "level-shares": "records",
}
"""What the limit of a rule is measured in."""
_HEADS = ("target", "released", "held", "distance", "exposure", "evidence", "limit", "fit")
_DASHES = ("solid", "dashed", "dotted")


class GateWatchView(View["GateWatch"]):
    """The forms of the state of a gate. They name targets, and are for the steward."""

    def title(self, result: GateWatch) -> str:
        """Return what the page is about."""
        return f"{result.name}: what is seen of each target"

    def as_dict(self, result: GateWatch) -> dict[str, Any]:
        """Return every target with its figures, and the lines."""
        return {
            "name": result.name,
            "recipient": result.recipient or None,
            "released": result.released,
            "held": result.waiting,
            "refused": result.refused,
            "refusals": [{"reason": reason, "records": records} for reason, records in result.refusals],
            "next_look": result.next_look,
            "dependencies": [
                {
                    "name": one.name,
                    "rules": list(one.rules),
                    "exposure_threshold": one.exposure_threshold,
                    "distance_threshold": one.distance_threshold,
                    "evidence_limit": one.evidence_limit,
                    "targets": [_target_dict(target) for target in one.targets],
                    "observers": [{"observer": observer, "names": target} for observer, target in one.named],
                    "lines": [
                        {"target": line.name, "distance": line.distance, "exposure": line.exposure}
                        | {"evidence": line.evidence}
                        for line in one.lines
                    ],
                }
                for one in result.dependencies
            ],
            "notes": list(result.notes),
        }

    def as_text(self, result: GateWatch, show: int = _SHOWN) -> RenderableType:
        """Return a table of the targets of each dependency, the most distant first."""
        from rich.console import Group

        parts: list[RenderableType] = [*lines([_summary(result), *_refusals(result), ""])]
        for one in result.dependencies:
            rows = columns(*_HEADS, right=_HEADS[1:])
            for target in one.targets[:show]:
                add(rows, *(shown(cell) for cell in _cells(target)))
            parts += [*lines([f"{one.name} ({', '.join(one.rules)})"]), rows]
            rest = len(one.targets) - show
            parts += lines([f"and {rest:,} more; --json lists all"] if rest > 0 else [])
            parts += lines(["", *_thresholds(one), *_observers(one)])
        return Group(*parts, *notes(result.notes))

    def as_fragment(self, result: GateWatch) -> Html:
        """Return the summary and the targets."""
        return tag("div", style("fragment"), *_body(result), class_="tacita-report")

    def as_page(self, result: GateWatch) -> Html:
        """Return the summary, the targets, and how their figures developed."""
        title = self.title(result)
        footer = tag("footer", f"Made with Tacita {__version__}. Internal: it says what the gate hides.")
        explained = section("How to read it", items(_explained()))
        return page(title, tag("main", tag("h1", title), *_body(result), explained, footer))


def _target_dict(target: WatchedTarget) -> dict[str, Any]:
    return {
        "name": target.name,
        "released": target.released,
        "held": target.waiting,
        "distance": target.distance,
        "exposure": target.exposure,
        "evidence": target.evidence,
        "limit": target.limit,
        "fit": target.fit,
    }


def _summary(result: GateWatch) -> str:
    to = f" to {result.recipient}" if result.recipient else ""
    return (
        f"{result.name}: {counted(result.released, 'record')} released{to}, {result.waiting:,} held, "
        f"{result.refused:,} refused; held records are looked at again at {result.next_look:,}"
    )


def _refusals(result: GateWatch) -> list[str]:
    return [f"Refused: {', '.join(f'{records:,} {reason}' for reason, records in result.refusals)}"] * bool(
        result.refusals
    )


def _cells(target: WatchedTarget) -> list[Cell]:
    return [
        target.name,
        target.released,
        target.waiting,
        target.distance,
        target.exposure,
        _odds(target.evidence),
        target.limit,
        Share(figure(target.fit, 2) if target.fit >= _SMALL else f"below {_SMALL}"),
    ]


def _odds(evidence: float) -> Share:
    """Return evidence as odds, without digits that say nothing."""
    if abs(evidence) > _ODDS:
        return Share(f"2^{evidence:.0f}")
    odds = 2.0**evidence
    return Share(figure(odds, 3) if odds >= _SMALL else f"below {_SMALL}")


def _thresholds(one: WatchedDependency) -> list[str]:
    said = [
        f"Limit: {_UNITS.get(one.rules[0], '')} ({one.rules[0]}). Mean exposure plus one deviation "
        f"{figure(one.exposure_threshold)}, outliers by distance above {figure(one.distance_threshold)}."
    ]
    if one.evidence_limit is not None:
        said.append(f"Limit of the evidence: odds of {figure(2.0**one.evidence_limit, 3)}.")
    return said


def _observers(one: WatchedDependency) -> list[str]:
    by_target: dict[str, list[str]] = {}
    for observer, target in one.named:
        by_target.setdefault(target, []).append(OBSERVERS[observer])
    named = "; ".join(f"{target} {', '.join(ways)}" for target, ways in by_target.items())
    return [f"An observer would name {named}."] if named else []


def _body(result: GateWatch) -> list[Html]:
    parts = [tag("p", line) for line in (_summary(result), *_refusals(result))]
    for one in result.dependencies:
        rows = [_cells(target) for target in one.targets]
        said = [tag("p", line) for line in (*_thresholds(one), *_observers(one))]
        parts.append(section(one.name, table(_HEADS, rows), *said, *_plots(one)))
    return [*parts, *([section("Notes", items(result.notes))] if result.notes else [])]


def _plots(one: WatchedDependency) -> list[Html]:
    """Return plots over the released records; small and large figures of bits share a logarithmic axis."""
    if not one.lines:
        return []
    most = one.targets[0].limit if one.rules[0] == "crowd" else None
    plots = (
        _plot(
            one, "exposure", "Exposure, thousandths of a bit", "threshold", one.exposure_threshold, in_thousandths=True
        ),
        _plot(one, "distance", "Distance, thousandths of a bit", "limit", most, in_thousandths=True),
        _plot(one, "evidence", "Evidence, log2 of the odds", "limit", one.evidence_limit),
    )
    return [side_by_side(*plots)]


def _plot(
    one: WatchedDependency, name: str, title: str, limit: str, level: float | None, *, in_thousandths: bool = False
) -> Html:
    """Return the lines of a figure of all targets, and a limit if there is one."""
    factor = 1000 if in_thousandths else 1
    given = [
        Line(
            line.name,
            tuple((number, factor * value) for number, value in getattr(line, name)),
            SERIES[place % 6],
            _DASHES[place // 6 % 3],
            shapes(place),
        )
        for place, line in enumerate(one.lines)
    ]
    if level is not None:
        numbers = [number for line in given for number, _ in line.points]
        ends = tuple((number, factor * level) for number in (min(numbers), max(numbers)))
        given.append(Line(limit, ends, GREY, "dashed"))
    return captioned(drawn(title, given, x="released records", y=title, logarithmic=in_thousandths), title)


def _explained() -> list[str]:
    return [
        "Distance: Kullback-Leibler distance of the released values of a target to the baseline, in bits.",
        "Exposure: the distance times the share of the target among all released records.",
        "Evidence: the Bayes factor of an unusual distribution against the baseline; 1 says nothing.",
        "Limit: up to where the rule goes for this target now. Dashed lines are limits as they are now: of the most "
        "distant target, of the evidence, and the threshold of exposures (definition 5: their mean plus one standard "
        "deviation), whichever rule decides.",
        "Fit: the probability that records drawn from the baseline would lie farther from it. Near 0 a target is too "
        "far from the baseline to be chance, near 1 it fits better than chance does, which is conspicuous as well.",
    ]

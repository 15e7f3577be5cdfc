"""The forms of an outcome: the verdict, both numbers, what changed, and what to do if it is not safe; never a value."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tacita.cycle.outcome import Claim, Outcome, State
from tacita.errors import counted
from tacita.model.figures import figure, share
from tacita.views.terminal import add, columns, lines, notes
from tacita.views.view import View

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

    from tacita.cycle.curve import Curve

_MOST_STUCK = 5
_MOST_STUCK_IN_JSON = 100


class OutcomeView(View[Outcome]):
    """The forms of an outcome."""

    def title(self, result: Outcome) -> str:
        """Return what the page is about."""
        return f"{result.original.name}: what the cycle came to"

    def as_dict(self, result: Outcome) -> dict[str, Any]:
        """Return what changed, and the risk before and after."""
        return outcome_dict(result)

    def as_text(self, result: Outcome) -> RenderableType:
        """Return the verdict first."""
        return outcome_text(result)


class CurveView(View["Curve"]):
    """The forms of a curve."""

    def as_dict(self, result: Curve) -> dict[str, Any]:
        """Return the points."""
        return {"points": [asdict(point) for point in result.points]}

    def as_text(self, result: Curve) -> RenderableType:
        """Return the curve between fewest nulls and no leaning as a table."""
        table = columns("nulls count", "nulls", "strictly unsafe", "", right=["nulls", "strictly unsafe"])
        for point in result.points:
            strict = "" if point.unsafe_strict is None else f"{point.unsafe_strict:,}"
            table.add_row(point.nulls_count, f"{point.nulls:,}", strict, "" if point.is_safe else "not safe")
        return table


def outcome_dict(outcome: Outcome) -> dict[str, Any]:
    """Return an outcome as a dictionary that JSON can hold."""
    return {
        "safe": outcome.is_safe,
        "verdict": outcome.verdict,
        "records": outcome.records,
        "measure": outcome.claim.measure,
        "parameters": dict(outcome.claim.parameters),
        "measures": [{"measure": name, "parameters": dict(given)} for name, given in outcome.claim.measures],
        "known": list(outcome.claim.known),
        "nulls_count_as": dict(outcome.claim.nulls),
        "before": state_dict(outcome.before),
        "after": state_dict(outcome.after),
        "nulls": outcome.nulls,
        "decisions": len(outcome.decisions),
        "attributes": {
            name: {"suppressed": suppressed, "coarsened": coarsened}
            for name, (suppressed, coarsened) in outcome.decisions.per_attribute().items()
        },
        "recoded": dict(outcome.recoded),
        "loss": dict(outcome.loss),
        "stuck": [asdict(stuck) for stuck in outcome.stuck[:_MOST_STUCK_IN_JSON]],
        "notes": [note for note in outcome.notes if note],
    }


def claim_dict(claim: Claim) -> dict[str, Any]:
    """Return what is said of a release, so that anybody can check it."""
    return {
        "measure": claim.measure,
        "parameters": claim.parameters,
        "measures": [{"measure": name, "parameters": parameters} for name, parameters in claim.measures],
        "known": list(claim.known),
        "nulls": claim.nulls,
        "cluster": claim.cluster,
        "related": claim.related,
    }


def state_dict(state: State) -> dict[str, Any]:
    """Return the risk of the file at one moment."""
    return {
        "unsafe": state.unsafe,
        "unsafe_strict": state.unsafe_strict,
        "few_candidates": state.few_candidates,
        "largest_risk": state.largest_risk,
        "expected": state.expected,
        "figures": dict(state.figures),
    }


def outcome_text(outcome: Outcome) -> RenderableType:
    """Return an outcome as what rich can print."""
    from rich.console import Group
    from rich.text import Text

    known = ", ".join(outcome.claim.known)
    parts: list[RenderableType] = [
        *lines([f"{outcome.original.name}: {counted(outcome.records, 'record')}, known: {known}"]),
        Text(outcome.verdict, style="bold green" if outcome.is_safe else "bold red"),
        Text(""),
        _numbers(outcome),
    ]
    if changes := outcome.decisions.per_attribute():
        parts += [Text(""), _changes(changes, outcome)]
    if outcome.recoded:
        levels = ", ".join(f"{name} to level {level}" for name, level in outcome.recoded.items())
        parts += lines(["", f"Whole columns were rolled up: {levels}."])
    return Group(*parts, *_stuck(outcome), *notes([note for note in outcome.notes if note]))


def _numbers(outcome: Outcome) -> Table:
    table = columns("", "before", "after", "", right=["before", "after"])
    before, after = outcome.before, outcome.after
    rule = f"{outcome.claim.in_words}, nulls: {outcome.settings.get('nulls', '')}"
    add(table, "unsafe records", f"{before.unsafe:,}", f"{after.unsafe:,}", rule)
    if before.unsafe_strict is not None and after.unsafe_strict is not None:
        add(
            table,
            "strictly",
            f"{before.unsafe_strict:,}",
            f"{after.unsafe_strict:,}",
            "suppressed cells match nothing",
        )
    if before.expected is not None and after.expected is not None:
        add(table, "expected finds", f"{before.expected:,.1f}", f"{after.expected:,.1f}", "re-identifications")
    add(table, "largest risk", figure(before.largest_risk), figure(after.largest_risk), "")
    loss = [
        f"{share(lost)} of {name.removeprefix('nulls of ')}" for name, lost in outcome.loss.items() if "nulls" in name
    ]
    add(table, "nulls", "", f"{outcome.nulls:,}", "; ".join(loss))
    return table


def _changes(changes: dict[str, tuple[int, int]], outcome: Outcome) -> Table:
    is_coarsened = any(coarsened for _, coarsened in changes.values())
    heads = ("suppressed", *(["coarsened"] if is_coarsened else []), "of the records")
    table = columns("attribute", *heads, right=heads)
    linked = sorted(name for name in changes if name not in outcome.claim.known)
    for name in (*outcome.claim.known, *linked):
        if name in changes:
            suppressed, coarsened = changes[name]
            cells = [f"{suppressed:,}", *([f"{coarsened:,}"] if is_coarsened else [])]
            add(table, name, *cells, share((suppressed + coarsened) / max(outcome.records, 1)))
    return table


def _stuck(outcome: Outcome) -> list[Text]:
    if not outcome.stuck:
        return []
    said = [
        f"  record {stuck.row:,} (risk {figure(stuck.risk)}): {', or '.join(stuck.remedies)}"
        for stuck in outcome.stuck[:_MOST_STUCK]
    ]
    more = outcome.after.unsafe - min(len(outcome.stuck), _MOST_STUCK)
    rest = [f"  and {more:,} more (--json names up to 100)"] if more > 0 else []
    return lines(["", "What would make them pass:", *said, *rest])

"""An outcome for people: the verdict, both numbers, what changed, and what to do if it is not safe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tacita.cycle.curve import Point
from tacita.cycle.outcome import Outcome
from tacita.errors import counted, printable

if TYPE_CHECKING:
    from rich.console import RenderableType

_MOST_STUCK = 5


def outcome_text(outcome: Outcome, notes: Sequence[str] = ()) -> list[RenderableType]:
    """Return an outcome as what rich can print."""
    from rich.text import Text

    claim = outcome.claim
    parts: list[RenderableType] = [
        Text(
            printable(f"{outcome.original.name}: {counted(outcome.records, 'record')}, known: {', '.join(claim.known)}")
        ),
        Text(outcome.verdict, style="bold green" if outcome.is_safe else "bold red"),
        Text(""),
        _numbers(outcome),
    ]
    if changes := outcome.decisions.per_attribute():
        parts += [Text(""), _changes(changes, outcome)]
    if outcome.recoded:
        levels = ", ".join(f"{name} to level {level}" for name, level in outcome.recoded.items())
        parts += [Text(""), Text(printable(f"Whole columns were rolled up: {levels}."))]
    parts += _stuck(outcome)
    said = [note for note in (*notes, *outcome.notes) if note]
    parts += [Text("")] if said else []
    parts += [Text(printable(f"Note: {note}")) for note in said]
    return parts


def _numbers(outcome: Outcome) -> RenderableType:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, show_header=True, header_style="bold")
    table.add_column("")
    table.add_column("before", justify="right")
    table.add_column("after", justify="right")
    table.add_column("")
    before, after = outcome.before, outcome.after
    claim = outcome.claim
    meaning = str(outcome.settings.get("nulls", ""))
    rule = f"{claim.in_words}, nulls: {meaning}"
    table.add_row("unsafe records", f"{before.unsafe:,}", f"{after.unsafe:,}", printable(rule))
    if before.unsafe_strict is not None and after.unsafe_strict is not None:
        table.add_row(
            "strictly",
            f"{before.unsafe_strict:,}",
            f"{after.unsafe_strict:,}",
            "nobody leaning on nulls of others",
        )
    if before.expected is not None and after.expected is not None:
        table.add_row("expected finds", f"{before.expected:,.1f}", f"{after.expected:,.1f}", "re-identifications")
    table.add_row("largest risk", f"{before.largest_risk:.4g}", f"{after.largest_risk:.4g}", "")
    loss = [
        f"{share:.2%} of {name.removeprefix('nulls of ')}" for name, share in outcome.loss.items() if "nulls" in name
    ]
    table.add_row("nulls", "", f"{outcome.nulls:,}", "; ".join(loss))
    return table


def _changes(changes: dict[str, tuple[int, int]], outcome: Outcome) -> RenderableType:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("attribute")
    coarsened = any(recoded for _, recoded in changes.values())
    for name in ("suppressed", *(["coarsened"] if coarsened else []), "of the records"):
        table.add_column(name, justify="right")
    linked = [name for name in changes if name not in outcome.claim.known]
    for name in (*outcome.claim.known, *sorted(linked)):
        if name not in changes:
            continue
        suppressed, recoded = changes[name]
        cells = [f"{suppressed:,}", *([f"{recoded:,}"] if coarsened else [])]
        table.add_row(printable(name), *cells, f"{(suppressed + recoded) / max(outcome.records, 1):.2%}")
    return table


def _stuck(outcome: Outcome) -> list[Any]:
    from rich.text import Text

    if not outcome.stuck:
        return []
    lines = ["", "What would make them pass:"]
    lines += [
        f"  record {each.row:,} (risk {each.risk:.4g}): {', or '.join(each.remedies)}"
        for each in outcome.stuck[:_MOST_STUCK]
    ]
    more = outcome.after.unsafe - min(len(outcome.stuck), _MOST_STUCK)
    if more > 0:
        lines.append(f"  and {more:,} more (--json names up to 100)")
    return [Text(printable(line)) for line in lines]


def curve_text(points: Sequence[Point]) -> list[RenderableType]:
    """Return the curve between fewest nulls and no leaning as a table."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("nulls count")
    for name in ("nulls", "strictly unsafe"):
        table.add_column(name, justify="right")
    table.add_column("")
    for point in points:
        strict = "" if point.unsafe_strict is None else f"{point.unsafe_strict:,}"
        table.add_row(point.nulls_count, f"{point.nulls:,}", strict, "" if point.is_safe else "not safe")
    return [table]

"""tacita table assess: which cells tell too much, and which coarser tables would have fewer of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacita.cli.options import AsJson
from tacita.cli.output import print_json, print_text, progress_shown
from tacita.cli.table_options import Specification
from tacita.errors import counted, printable

if TYPE_CHECKING:
    from tacita.tables.assessment import AssessedTable, TableAssessment


def assess(
    specification: Specification,
    recodings: Annotated[
        bool, typer.Option("--recodings", help="Also propose codes to merge, with the table before and after.")
    ] = False,
    show: Annotated[int, typer.Option(min=0, help="How many sensitive cells to show.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Find the cells that tell too much, with the rule and by how much; no contribution is printed.

    With --recodings, merges along the hierarchies that remove most sensitive cells for the detail that they cost.
    """
    from tacita.tables.assessment import assess_table as run

    with progress_shown() as progress:
        found = run(specification, recodings=recodings, progress=progress)
    if as_json:
        print_json(found.to_dict())
    else:
        print_text(*_text(found, show))


def _text(found: TableAssessment, show: int) -> list[Any]:
    from rich.text import Text

    lines: list[Any] = [Text(printable(found.title), style="bold")]
    for each in found.tables:
        lines += [Text(""), *(Text(printable(line)) for line in _lines(each, show))]
    return lines


def _lines(each: AssessedTable, show: int) -> list[str]:
    from tacita.tables.protect.protected_text import named

    table = each.case.table
    sensitive = each.sensitive
    lines = [f"{named(table)}: {counted(len(table), 'cell')}, {len(sensitive):,} sensitive"]
    lines += [f"  {count:>6,}  by {rule}" for rule, count in each.case.counts_of_rules.items()]
    if not each.case.levels.rules:
        lines.append("  The specification has no rule in [sensitivity]: nothing is sensitive.")
    if sensitive and show:
        lines += ["", *(f"  {one.name}: {one.why}" for one in sensitive[:show])]
    if show and len(sensitive) > show:
        lines.append(f"  and {len(sensitive) - show:,} more; --json names them all")
    lines += _grains(each, show)
    if each.recodings:
        lines += ["", "Coarser tables with fewer sensitive cells:", *(f"  {one}" for one in each.recodings)]
    lines += [f"  Note: {note}" for note in each.case.notes]
    return lines


def _grains(each: AssessedTable, show: int) -> list[str]:
    found = each.granularity
    if found is None or not found.conspicuous or not show:
        return []
    critical = len(found.critical)
    lines = [
        "",
        f"Grainy: in {critical:,} of {counted(len(found.rows), 'row')} half of the cells or more have one record",
    ]
    for row in sorted(found.critical, key=lambda row: (-row.index, row.dimension))[: min(show, 3)]:
        at = ", ".join(f"{name}={code}" for name, code in row.fixed)
        lines.append(f"  along {row.dimension}{f' at {at}' if at else ''}: {row.index:.0f} %")
    return lines


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("assess")(assess)

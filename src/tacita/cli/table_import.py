"""tacita table import: a batch of tau-Argus as a specification."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tacita.cli.options import AsJson, Force
from tacita.cli.output import print_json, print_text
from tacita.errors import printable


def import_(
    batch: Annotated[Path, typer.Argument(metavar="BATCH.arb", help="A batch of tau-Argus, with the files it names.")],
    out: Annotated[Path, typer.Option(metavar="SPEC.toml", help="The specification to write.")],
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write what a batch of tau-Argus asks for as a specification, and say what could not be taken over."""
    from rich.text import Text

    from tacita.files.atomic import check_target
    from tacita.tables.argus.batch import read_batch
    from tacita.tables.specification.writing import write_specification

    check_target(out, force=force)
    found = read_batch(batch)
    write_specification(found, out, force=force)
    if as_json:
        tables = [
            {"name": t.name, "dimensions": list(t.dimensions), "responses": list(t.responses)} for t in found.tables
        ]
        print_json(
            {"specification": str(out), "tables": tables, "method": found.protect.method, "notes": list(found.notes)}
        )
        return
    lines = [f"Specification written to {out}: {', '.join(table.name for table in found.tables)}"]
    lines += [f"Note: {note}" for note in found.notes]
    lines.append(f"Next: tacita table assess {out}")
    print_text(*(Text(printable(line)) for line in lines))


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("import")(import_)

"""tacita table: build, assess, protect and audit statistical tables."""

from __future__ import annotations

import typer

from tacita.cli import (
    table_assess,
    table_audit,
    table_build,
    table_example,
    table_explain,
    table_import,
    table_protect,
)


def add_to(app: typer.Typer) -> None:
    """Add the commands, as a group of their own."""
    group = typer.Typer(name="table", help="Build, assess, protect and audit statistical tables.")

    @group.callback(invoke_without_command=True)
    def table(context: typer.Context) -> None:
        """Build, assess, protect and audit statistical tables, as a specification in TOML says."""
        if context.invoked_subcommand is None:
            typer.echo(context.get_help())

    for command in (
        table_example,
        table_build,
        table_assess,
        table_protect,
        table_audit,
        table_explain,
        table_import,
    ):
        command.add_to(group)
    app.add_typer(group)

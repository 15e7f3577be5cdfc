"""tacita version: which versions are at work."""

from __future__ import annotations

import platform
from importlib import metadata

import typer

from tacita.cli.options import AsJson
from tacita.cli.output import print_json
from tacita.version import __version__

_PACKAGES = ("duckdb", "sqlglot", "pyarrow", "numpy", "rapidfuzz", "pyreadstat", "fastexcel")


def version(as_json: AsJson = False) -> None:
    """Show the version of Tacita and of what it stands on."""
    versions = {"tacita": __version__, "python": platform.python_version()}
    versions |= {name: metadata.version(name) for name in _PACKAGES}
    if as_json:
        print_json(versions)
        return
    for name, number in versions.items():
        typer.echo(f"{name:<12}{number}")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("version")(version)

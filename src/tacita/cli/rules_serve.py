"""tacita rules serve, tacita rules grammar: what an editor needs."""

from __future__ import annotations

import sys

import typer

from tacita.cli.options import AsJson
from tacita.cli.output import print_json


def serve() -> None:
    """Serve an editor: the language server, over standard input and output.

    Faults while you type, the meaning of what is under the cursor, definitions, completion, formatting. Needs
    pip install tacita\\[editor].
    """
    from tacita.language_server import serve as run

    run()


def grammar(as_json: AsJson = False) -> None:
    """Print a TextMate grammar, with which editors colour rule programs."""
    from tacita.language_server.grammar import grammar as made

    if as_json:
        print_json(made())
        return
    import json

    sys.stdout.write(json.dumps(made(), ensure_ascii=False, indent=2) + "\n")


def add_to(group: typer.Typer) -> None:
    """Add the commands."""
    group.command("serve")(serve)
    group.command("grammar")(grammar)

"""tacita rules serve, tacita rules grammar: what an editor needs."""

from __future__ import annotations

import typer

from tacita.cli.options import AsJson
from tacita.cli.output import print_json


def serve() -> None:
    """Serve an editor: the language server, over standard input and output.

    Faults while you type, the meaning of what is under the cursor, definitions, completion, formatting. Needs
    pip install tacita\\[editor].
    """
    import runpy

    runpy.run_module("tacita.language_server")  # a door of its own: this one starts it and imports nothing of it


def grammar(as_json: AsJson = False) -> None:
    """Print a TextMate grammar, with which editors colour rule programs."""
    from tacita.api.editor import grammar as rule_grammar

    del as_json  # the grammar is JSON in either case
    print_json(rule_grammar())


def add_to(group: typer.Typer) -> None:
    """Add the commands."""
    group.command("serve")(serve)
    group.command("grammar")(grammar)

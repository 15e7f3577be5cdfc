"""tacita ledger: make a ledger, look into it, verify it, purge payloads, prove entries."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tacita.cli.ledger_judge import judge
from tacita.cli.ledger_verify import SettingsFile, show_result, verify
from tacita.cli.options import AsJson, Force, takes

if TYPE_CHECKING:
    from tacita.api.ledgers import LedgerPlan, LogOptions

Number = Annotated[int, typer.Argument(metavar="ENTRY", min=1, help="The number of the entry.")]
Why = Annotated[str, typer.Option(metavar="TEXT", help="The reason, which is recorded.")]


@takes(plan="tacita.api.ledgers:LedgerPlan")
def init(
    plan: LedgerPlan,
    folder: Annotated[Path, typer.Argument(metavar="[FOLDER]", help="Where the settings file goes.")] = Path(),
    as_json: AsJson = False,
) -> None:
    """Make a ledger and its settings file: releases to the folder and those below are recorded from then on."""
    from tacita.api.ledgers import init as make

    show_result(make(folder, plan), as_json=as_json)


@takes(options="tacita.api.ledgers:LogOptions")
def log(options: LogOptions, settings: SettingsFile = None, as_json: AsJson = False) -> None:
    """List entries: what left, when, to whom."""
    from tacita.api.ledgers import log as entries

    show_result(entries(options, settings), as_json=as_json)


def show(
    entry: Number,
    payload: Annotated[bool, typer.Option("--payload", help="Show the payload, too: it is internal.")] = False,
    settings: SettingsFile = None,
    as_json: AsJson = False,
) -> None:
    """Show one entry and what has become of it."""
    from tacita.api.ledgers import show as shown

    show_result(shown(entry, settings, with_payload=payload), as_json=as_json)


def export(
    out: Annotated[Path, typer.Option(metavar="FILE", help="The file to write, as lines of JSON.")],
    payloads: Annotated[
        bool, typer.Option("--payloads", help="With payloads and salts: the file is internal then.")
    ] = False,
    force: Force = False,
    settings: SettingsFile = None,
    as_json: AsJson = False,
) -> None:
    """Write all entries and a checkpoint to a file that can be verified without Tacita."""
    from tacita.api.ledgers import export as write

    show_result(write(out, settings, with_payloads=payloads, force=force), as_json=as_json)


def purge(
    entry: Annotated[list[int], typer.Argument(metavar="ENTRY...", min=1, help="The numbers of the entries.")],
    why: Why,
    settings: SettingsFile = None,
    as_json: AsJson = False,
) -> None:
    """Delete payloads for ever, and record it; the chain stays whole. Backups keep what they have."""
    from tacita.api.ledgers import purge as purge_payloads

    show_result(purge_payloads(entry, why, settings), as_json=as_json)


def checkpoint(
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write it to a file, too.")] = None,
    force: Force = False,
    settings: SettingsFile = None,
    as_json: AsJson = False,
) -> None:
    """Print the state of the ledger, signed if there is a key: keep it where the ledger is not."""
    from tacita.api.ledgers import checkpoint as state

    show_result(state(out, settings, force=force), as_json=as_json)


def prove(
    entry: Number,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the proof to a file.")] = None,
    force: Force = False,
    settings: SettingsFile = None,
    as_json: AsJson = False,
) -> None:
    """Prove that an entry is in the ledger, without showing the others or the payload."""
    from tacita.api.ledgers import prove as proof

    show_result(proof(entry, out, settings, force=force), as_json=as_json)


def withdraw(
    entry: Number,
    why: Why,
    never_left: Annotated[
        bool, typer.Option("--never-left", help="Nobody received it: it no longer counts in verdicts.")
    ] = False,
    settings: SettingsFile = None,
    as_json: AsJson = False,
) -> None:
    """Record that a release was withdrawn; what somebody may have received counts as before."""
    from tacita.api.ledgers import withdraw_release

    show_result(withdraw_release(entry, why, settings, never_left=never_left), as_json=as_json)


def note(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What happened.")],
    subject: Annotated[str, typer.Option(metavar="NAME", help="The source that it is about.")] = "",
    recipient: Annotated[str | None, typer.Option(metavar="NAME", help="The recipient that it is about.")] = None,
    settings: SettingsFile = None,
    as_json: AsJson = False,
) -> None:
    """Record something in words, such as an output that left by another way."""
    from tacita.api.ledgers import note as write

    show_result(write(text, settings, subject=subject, recipient=recipient), as_json=as_json)


def restore(why: Why, settings: SettingsFile = None, as_json: AsJson = False) -> None:
    """Accept an older copy of a ledger whose latest one is lost, and record which entries are missing."""
    from tacita.api.ledgers import restore as accept

    show_result(accept(why, settings), as_json=as_json)


def add_to(app: typer.Typer) -> None:
    """Add the commands, as a group of their own."""
    group = typer.Typer(name="ledger", help="Keep a record of everything that is released.")

    @group.callback(invoke_without_command=True)
    def ledger(context: typer.Context) -> None:
        """Keep a record of everything that is released, which nobody can change without being noticed."""
        if context.invoked_subcommand is None:
            typer.echo(context.get_help())

    for command in (init, log, show, verify, judge, export, purge, checkpoint, prove, withdraw, note, restore):
        group.command(command.__name__)(command)
    app.add_typer(group)

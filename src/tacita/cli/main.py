"""The entry point: commands, exit codes, and errors told to a person instead of a traceback."""

from __future__ import annotations

import contextlib
import errno
import functools
import json
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Annotated

import typer

from tacita.cli import (
    anonymize,
    assess,
    attack,
    categorize,
    compare,
    conceal,
    convert,
    depends,
    describe,
    explain,
    explore,
    generate,
    keys,
    ledger,
    mask,
    measures,
    query,
    reason,
    release,
    reveal,
    rules,
    serve,
    table,
    verify,
    version,
)
from tacita.cli.given_once import refuse_twice
from tacita.errors import OutputError, RuleError, TacitaError, UsageError, printable, without_credentials
from tacita.interruption import end_after_interrupt, end_on_termination
from tacita.version import __version__

EXIT_INTERRUPTED, EXIT_TERMINATED = 130, 143
EXIT_OUR_FAULT = 70

_LONGEST_FAREWELL = 4.0
_QUERY_FAREWELL = 0.6
"""Seconds after an interrupt in which a command may come to its own end, and in which a query may."""

# Panels of options are worth their imports on the pages that have many; the first page must come at once.
_FIRST_PAGE = len(sys.argv) < 3

app = typer.Typer(
    name="tacita",
    help="Release data without releasing people: statistical disclosure control driven by rules.",
    epilog="Exit codes: 0 done, 1 unsafe or a false claim, 2 wrong request, 3 unusable input, 4 could not write, "
    "5 a package is missing, 6 reasoning was stopped, 70 a fault of Tacita, 130 interrupted.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None if _FIRST_PAGE else "rich",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
for command in (
    describe,
    categorize,
    assess,
    anonymize,
    mask,
    compare,
    explore,
    attack,
    depends,
    conceal,
    reveal,
    ledger,
    explain,
    measures,
    generate,
    convert,
    query,
    reason,
    release,
    rules,
    serve,
    table,
    verify,
    keys,
    version,
):
    command.add_to(app)
refuse_twice(app)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tacita {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    _: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version; 'version' shows all."),
    ] = False,
) -> None:
    """Release data without releasing people: statistical disclosure control driven by rules."""


@functools.cache
def built() -> Callable[..., object]:
    """Return the commands with all their options, which takes a while to put together."""
    return typer.main.get_command(app)


def main() -> None:
    """Run the command line and leave with an exit code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run the command line; return the exit code."""
    with end_on_termination() as was_terminated:
        code = _run(arguments, was_terminated)
    return EXIT_TERMINATED if code == EXIT_INTERRUPTED and was_terminated() else code


def _run(arguments: list[str], was_terminated: Callable[[], bool]) -> int:
    as_json = "--json" in arguments
    try:
        _sweep()
        end = functools.partial(_give_up, was_terminated)
        with end_after_interrupt(_LONGEST_FAREWELL, end, _QUERY_FAREWELL) as was_interrupted:
            try:
                code = built()(arguments or ["--help"], standalone_mode=False, prog_name="tacita")
            except (ImportError, AttributeError, SystemError, RuntimeError):
                if was_interrupted():  # a library that was loaded, or compiled a kernel, made an error of its own of it
                    raise KeyboardInterrupt from None
                raise
        sys.stdout.flush()
    except TacitaError as error:
        _tell(error, as_json=as_json)
        return error.exit_code
    except typer.Exit as stop:
        return stop.exit_code
    except (KeyboardInterrupt, typer.Abort):
        return _interrupted()
    except BrokenPipeError:
        # The reader of our output went away (`| head`): that is no fault.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        if error.errno not in {errno.ENOSPC, errno.EFBIG, errno.EDQUOT}:
            return _refused(error, as_json=as_json)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        full = OutputError("the disk is full", where="standard output", do="free some space, or write elsewhere")
        _tell(full, as_json=as_json)
        return full.exit_code
    except Exception as error:
        return _refused(error, as_json=as_json)
    # Without its own exits, the library under us answers an interrupt by returning its code.
    if code == EXIT_INTERRUPTED:
        return _interrupted()
    return code if isinstance(code, int) else 0


def _sweep() -> None:
    """Remove what killed runs left behind, whatever the command does; whoever needs the journal tells its faults."""
    from tacita.settings import Settings

    with contextlib.suppress(TacitaError):
        state = Settings.from_environment().state
        if _has_entries(state / "replacing"):
            from tacita.api.releases import put_back

            put_back(state)
        elif _has_entries(state / "unfinished"):  # usually of a command that runs beside this one
            from tacita.workspace import sweep

            sweep(state)


def _has_entries(journal: Path) -> bool:
    """Whether a journal has entries: seen without imports, since the first page must come at once."""
    with contextlib.suppress(OSError):
        return any(journal.iterdir())
    return False


def _give_up(was_terminated: Callable[[], bool]) -> None:
    """End the process while its main thread is busy in a library that does not listen; leave nothing behind."""
    from tacita.workspace import abandon

    abandon()
    if sys.stderr.isatty():
        sys.stderr.write("\x1b[?25h")  # a bar of progress hides the cursor
    code = _interrupted()
    sys.stderr.flush()
    os._exit(EXIT_TERMINATED if was_terminated() else code)


def _interrupted() -> int:
    sys.stderr.write("interrupted; the file that was being written is as it was before\n")
    return EXIT_INTERRUPTED


def _refused(error: Exception, *, as_json: bool) -> int:
    """Return the exit code of a wrong request (click's own errors) or of a fault of ours."""
    if hasattr(error, "format_message") and hasattr(error, "exit_code"):
        context = getattr(error, "ctx", None)
        said = without_credentials(error.format_message().rstrip("."), is_place=True)
        end = "" if said.endswith("?") else "."
        help_hint = f"{end} See '{context.command_path} --help'." if context is not None else ""
        wrong = UsageError(printable(said) + help_hint)
        _tell(wrong, as_json=as_json)
        return wrong.exit_code
    if os.environ.get("TACITA_DEBUG"):
        raise error
    sys.stderr.write(
        f"fault: {type(error).__name__} inside Tacita; nothing was released. Please report these lines:\n"
        + _places(error.__traceback__)
        + "  (the message is left out because it may hold a value; TACITA_DEBUG=1 shows it)\n"
    )
    return EXIT_OUR_FAULT


def _places(trace: TracebackType | None) -> str:
    frames = traceback.extract_tb(trace)[-4:]
    return "".join(f"  {os.path.basename(f.filename)}:{f.lineno} in {f.name}\n" for f in frames)  # noqa: PTH119


def _tell(error: TacitaError, *, as_json: bool) -> None:
    if as_json:
        fields: dict[str, object] = {"found": error.found, "where": error.where, "do": error.do}
        fields["exit_code"] = error.exit_code
        if isinstance(error, RuleError) and error.faults:
            from tacita.api.rules import fault_dict

            fields["faults"] = [fault_dict(fault) for fault in error.faults]
        sys.stderr.write(json.dumps({"error": fields}, ensure_ascii=False) + "\n")
    else:
        sys.stderr.write("error: " + printable(str(error), keep="\n") + "\n")

"""The entry point: commands, exit codes, and errors told to a person instead of a traceback."""

from __future__ import annotations

import json
import os
import sys
import traceback
from types import TracebackType

import typer

from tacita.cli import categorize, convert, describe, generate, version
from tacita.errors import TacitaError

EXIT_INTERRUPTED = 130
EXIT_OUR_FAULT = 70

# Panels of options are worth their imports on the pages that have many; the first page must come at once.
_FIRST_PAGE = len(sys.argv) < 3

app = typer.Typer(
    name="tacita",
    help="Release data without releasing people: statistical disclosure control driven by rules.",
    epilog="Exit codes: 0 done, 2 wrong request, 3 unusable input, 4 could not write, 5 a package is missing, "
    "70 a fault of Tacita, 130 interrupted.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None if _FIRST_PAGE else "rich",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
for command in (describe, categorize, generate, convert, version):
    command.add_to(app)


@app.callback()
def _root() -> None:
    """Release data without releasing people: statistical disclosure control driven by rules."""


def main() -> None:
    """Run the command line and leave with an exit code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run the command line; return the exit code."""
    try:
        app(arguments or ["--help"], standalone_mode=False, prog_name="tacita")
    except TacitaError as error:
        _tell(error, as_json="--json" in arguments)
        return error.exit_code
    except typer.Exit as stop:
        return stop.exit_code
    except (KeyboardInterrupt, typer.Abort):
        sys.stderr.write("interrupted; nothing was written\n")
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of our output went away (`| head`): that is no fault.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        return _refused(error)
    return 0


def _refused(error: Exception) -> int:
    """Return the exit code of a wrong request (click's own errors) or of a fault of ours."""
    if hasattr(error, "format_message") and hasattr(error, "exit_code"):
        context = getattr(error, "ctx", None)
        help_hint = f". See '{context.command_path} --help'." if context is not None else ""
        sys.stderr.write(f"error: {error.format_message().rstrip('.')}{help_hint}\n")
        return 2
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
        told = {"found": error.found, "where": error.where, "do": error.do, "exit_code": error.exit_code}
        sys.stderr.write(json.dumps({"error": told}, ensure_ascii=False) + "\n")
    else:
        sys.stderr.write(f"error: {error}\n")

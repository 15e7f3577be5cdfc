"""tacita rules repl: facts, rules and questions at a prompt, or from a pipe."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from tacita.cli.options import takes
from tacita.cli.output import print_lines, progress_shown
from tacita.errors import TacitaError, printable
from tacita.interruption import at_prompt

if TYPE_CHECKING:
    from tacita.api.conversation import Conversation, ProgramInputs

_PROMPT, _MORE = "> ", "… "


@takes(given="tacita.api.conversation:ProgramInputs")
def repl(
    program: Annotated[
        str | None, typer.Argument(metavar="[FILE]", help="A program to begin with, or a shipped one's name.")
    ] = None,
    *,
    given: ProgramInputs,
) -> None:
    """Enter facts, rules and questions, and see at once what follows.

    A question begins with ? and everything ends with a period. :help shows the commands. Through a pipe there is no
    prompt, so that a script can talk to it. Errors do not end it.
    """
    from tacita.api.conversation import Conversation

    with Conversation(program, given) as conversation:
        Prompt(conversation).run()


@dataclass(slots=True)
class Prompt:
    """Reads lines, puts them together to statements, and prints the answers."""

    conversation: Conversation

    def run(self) -> None:
        """Talk until the input ends."""
        is_person = sys.stdin.isatty()
        if is_person:
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401 - its presence gives input() a history, of this session alone
            print_lines(["Rules, facts and ?questions, each with a period at its end. :help shows more, :quit ends."])
        waiting = ""
        while True:
            try:
                line = _typed_line(_MORE if waiting else _PROMPT) if is_person else _next_line()
            except EOFError:
                break
            except KeyboardInterrupt:
                if not is_person:
                    raise
                waiting = ""
                print_lines([""])
                continue
            if not waiting and line.strip() in {":quit", ":q", ":exit"}:
                return
            waiting = self._take(waiting, line, is_person)
        if waiting.strip():
            self._print_answer(waiting, is_person)

    def _take(self, waiting: str, line: str, is_person: bool) -> str:
        """Take a line; return what waits for more."""
        if not waiting and line.lstrip().startswith(":"):
            self._print_answer(line.strip(), is_person)
            return ""
        waiting = f"{waiting}\n{line}" if waiting else line
        if not waiting.strip() or waiting.strip().startswith("%"):
            return ""
        if not self.conversation.is_complete(waiting):
            return waiting
        self._print_answer(waiting, is_person)
        return ""

    def _print_answer(self, text: str, is_person: bool) -> None:
        """Answer a statement; whatever goes wrong is printed, and the conversation goes on."""
        try:
            with progress_shown() as progress:
                lines = self.conversation.answer(text, progress)
            print_lines(lines)
        except TacitaError as error:
            sys.stdout.flush()
            sys.stderr.write("error: " + printable(str(error), keep="\n") + "\n")
            sys.stderr.flush()
        except KeyboardInterrupt:
            if not is_person:
                raise
            sys.stderr.write("interrupted\n")
        sys.stdout.flush()


def _typed_line(prompt: str) -> str:
    with at_prompt():
        return input(prompt)


def _next_line() -> str:
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip("\n")


def add_to(group: typer.Typer) -> None:
    """Add the command."""
    group.command("repl")(repl)

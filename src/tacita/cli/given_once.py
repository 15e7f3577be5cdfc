"""The commands of the command line: options are put together when they are needed, and none counts twice.

An option that may be repeated takes all values, every other one is refused if it is given twice. The library below
keeps the last value without a word, and whoever gave the first one expects it to count.
"""

from __future__ import annotations

import functools
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from tacita.cli.output import ProgressForm, show_progress_as
from tacita.errors import UsageError


class GivenOnce(TyperCommand):
    """A command that refuses an option which cannot be repeated and is given twice.

    The options of a command that takes classes (`tacita.cli.options.takes`) are made when they are first looked at:
    their classes are in rooms that the first help page need not import. Those that are not given are None. Every
    command that shows progress has the option ``--progress``.
    """

    @property
    def params(self) -> list[Any]:
        """The options and arguments."""
        if with_options := getattr(self.callback, "with_options", None):
            whole = _alone(with_options())
            self._params, self.callback = self._with_progress(whole.params), whole.callback
        return self._params

    @params.setter
    def params(self, params: list[Any]) -> None:
        self._params = self._with_progress(params)

    def _with_progress(self, params: list[Any]) -> list[Any]:
        module = sys.modules.get(getattr(self.callback, "__module__", ""))
        return [*params, _progress_option()] if hasattr(module, "progress_shown") else params

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments, after a look at how often each option is given."""
        if ctx.resilient_parsing:
            return super().parse_args(ctx, args)
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        for option in dict.fromkeys(given):
            if given.count(option) > 1 and option.param_type_name == "option" and not is_repeatable(option):
                raise UsageError(f"{option.opts[0]} is given twice", do="give it once; it cannot be repeated")
        rest = super().parse_args(ctx, args)
        for name in getattr(self.callback, "of_classes", set()) - {option.name for option in given}:
            ctx.params[name] = None
        return rest


def _alone(command: Any) -> Any:
    """Return a function as a command by itself."""
    only = typer.Typer(add_completion=False)
    only.command()(command)
    return typer.main.get_command(only)


@functools.cache
def _progress_option() -> Any:
    return _alone(_progress).params[0]


def _progress(
    progress: Annotated[
        ProgressForm,
        typer.Option(
            callback=show_progress_as,
            expose_value=False,
            rich_help_panel="Machine",
            help="How to show progress: a bar on a terminal, lines of JSON on the error output, or none.",
        ),
    ] = ProgressForm.AUTO,
) -> None:
    """Have the option that commands which show progress share."""


def is_repeatable(option: Any) -> bool:
    """Return whether an option collects all values that it is given."""
    return bool(getattr(option, "multiple", False) or getattr(option, "count", False))


def refuse_twice(app: typer.Typer) -> None:
    """Make every command of an application, and of those within it, one that refuses options given twice."""
    for command in app.registered_commands:
        command.cls = GivenOnce
    for group in app.registered_groups:
        if group.typer_instance is not None:
            refuse_twice(group.typer_instance)

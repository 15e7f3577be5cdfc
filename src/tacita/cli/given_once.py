"""Options that are given twice: those that may be repeated take all values, every other one is refused.

The library below keeps the last value without a word, and whoever gave the first one expects it to count.
"""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand

from tacita.errors import UsageError


class GivenOnce(TyperCommand):
    """A command that refuses an option which cannot be repeated and is given twice."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments, after a look at how often each option is given."""
        if not ctx.resilient_parsing:
            _, _, given = self.make_parser(ctx).parse_args(args=list(args))
            for option in dict.fromkeys(given):
                if given.count(option) > 1 and option.param_type_name == "option" and not is_repeatable(option):
                    raise UsageError(f"{option.opts[0]} is given twice", do="give it once; it cannot be repeated")
        return super().parse_args(ctx, args)


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

"""tacita ledger judge: what a release tells together with all that left before, without releasing it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tacita.cli.ledger_verify import SettingsFile
from tacita.cli.options import AsJson, takes
from tacita.cli.output import print_json, print_lines, progress_shown

if TYPE_CHECKING:
    from tacita.api.judging import JudgeOptions

EXIT_REFUSED = 1


@takes(options="tacita.api.judging:JudgeOptions")
def judge(
    options: JudgeOptions,
    what: Annotated[
        Path,
        typer.Argument(
            metavar="FILE|FOLDER",
            help="The specification of tables (.toml), a data file that is judged as it is, or a recorded release.",
        ),
    ],
    figures: Annotated[
        bool, typer.Option("--figures", help="Show the figures that the arithmetic uses, too: they are internal.")
    ] = False,
    settings: SettingsFile = None,
    as_json: AsJson = False,
) -> None:
    """Judge something together with everything released before, and release nothing. Exit code 1 if it is refused."""
    from tacita.api.judging import judge as judged

    with progress_shown() as progress:
        result = judged(what, options, settings, progress=progress)
    if as_json:
        print_json(result.to_dict(figures=figures))
    else:
        print_lines([result.to_text(figures=figures)])
    if not result.passes:
        raise typer.Exit(EXIT_REFUSED)

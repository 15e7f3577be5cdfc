"""What commands print: JSON for machines, rich tables for people; progress where a person waits, or as asked for."""

from __future__ import annotations

import contextlib
import io
import json
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Any, cast

from tacita.progress import Progress, Step, silent

if TYPE_CHECKING:
    from rich.console import RenderableType

_PATIENCE = 2.0  # seconds before progress is shown
_BETWEEN = 0.2  # seconds between two lines about the same step
_PIPE_WIDTH = 120


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n")


def print_text(*parts: RenderableType) -> None:
    """Print for a person: width and colours follow the terminal and ``NO_COLOR``; a pipe gets plain lines."""
    from rich.console import Console

    if sys.stdout.isatty():
        Console(highlight=False).print(*parts, sep="\n")
        return
    console = Console(file=io.StringIO(), width=_PIPE_WIDTH, highlight=False, no_color=True)
    console.print(*parts, sep="\n")
    text = cast("io.StringIO", console.file).getvalue()
    sys.stdout.write("".join(f"{line.rstrip()}\n" for line in text.splitlines()))


def print_lines(lines: Iterable[str]) -> None:
    """Print lines as they are: sentences and facts, which a reader may want to copy or search."""
    for line in lines:
        sys.stdout.write(f"{line.rstrip()}\n")


class ProgressForm(StrEnum):
    """How progress is shown: as a bar if somebody sits at a terminal, as lines of JSON, or not at all."""

    AUTO = "auto"
    JSON = "json"
    NONE = "none"


_form = ProgressForm.AUTO


def show_progress_as(form: ProgressForm) -> None:
    """Set how the command that is about to run shows its progress: the value of ``--progress``."""
    global _form  # noqa: PLW0603 - one command runs at a time, and this is an option of all of them
    _form = form


def progress_lines() -> Progress:
    """Return a progress that writes a JSON object for each step to the error output, and for parts of long ones."""
    last, at = "", 0.0

    def report(step: Step) -> None:
        nonlocal last, at
        now = time.monotonic()
        if step.doing == last and now - at < _BETWEEN and step.done != step.total:
            return
        last, at = step.doing, now
        line = {"doing": step.doing, "done": step.done, "total": step.total}
        sys.stderr.write(json.dumps(line, ensure_ascii=False) + "\n")
        sys.stderr.flush()

    return report


@contextlib.contextmanager
def progress_shown() -> Iterator[Progress]:
    """Hand out a progress that appears on the terminal's error output after two seconds, and goes away at the end."""
    if _form is ProgressForm.JSON:
        yield progress_lines()
        return
    if _form is ProgressForm.NONE or not sys.stderr.isatty():
        yield silent
        return
    from rich.console import Console
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    bars = Bars(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=30),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = bars.add_task("starting", total=None)

    def report(step: Step) -> None:
        bars.update(task, description=step.doing, completed=step.done, total=step.total)

    timer = threading.Timer(_PATIENCE, bars.start)
    timer.daemon = True
    timer.start()
    try:
        yield report
    finally:
        timer.cancel()
        bars.stop()

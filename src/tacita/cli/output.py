"""What commands print: JSON for machines, rich tables for people; progress only where a person waits."""

from __future__ import annotations

import contextlib
import io
import json
import sys
import threading
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, cast

from tacita.progress import Progress, Step, silent

if TYPE_CHECKING:
    from rich.console import RenderableType

_PATIENCE = 2.0  # seconds before progress is shown
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


@contextlib.contextmanager
def progress_shown() -> Iterator[Progress]:
    """Hand out a progress that appears on the terminal's error output after two seconds, and goes away at the end."""
    if not sys.stderr.isatty():
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

"""The folder of an experiment: made beside its place, and renamed when everything is in it."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

from experiments.drawing import drawn
from experiments.point import Results
from experiments.report import as_csv, as_html, as_markdown, plot_name
from tacita.errors import OutputError
from tacita.files.atomic import write_text
from tacita.settings import Settings
from tacita.version import __version__
from tacita.views.charts import standalone
from tacita.workspace import journalled, partial_beside, sweep

KIND = "tacita experiments"
MANIFEST = "manifest.json"


def write_results(results: Results, target: Path, *, force: bool = False) -> list[str]:
    """Write plots, table, page and points; return the names of the files."""
    check_place(target, force=force)
    with _placed(target, force=force) as folder:
        files = {
            **{plot_name(letter): standalone(drawn(results, letter)) for letter in results.figures},
            "results.csv": as_csv(results),
            "report.md": as_markdown(results),
            "report.html": as_html(results),
        }
        told = {"kind": KIND, "version": __version__, "seed": results.seed, "quick": results.quick}
        files[MANIFEST] = json.dumps({**told, "files": sorted(files)}, indent=2) + "\n"
        for name, text in files.items():
            write_text(folder / name, text, force=False)
    return list(files)


def check_place(target: Path, *, force: bool) -> None:
    """Raise if a folder cannot or must not be written there; with `force` only one of ours is replaced."""
    parent = target.resolve().parent
    if not parent.is_dir():
        raise OutputError("the folder does not exist", where=str(parent), do="make it first")
    if not os.access(parent, os.W_OK):
        raise OutputError("no permission to write here", where=str(parent), do="choose another folder")
    if not target.exists() or (target.is_dir() and not any(target.iterdir())):
        return
    if not force:
        raise OutputError("exists already", where=str(target), do="choose another name, or add --force to replace it")
    if not _is_ours(target):
        raise OutputError("is there and is no folder of experiments", where=str(target), do="choose another name")


@contextlib.contextmanager
def _placed(target: Path, *, force: bool) -> Iterator[Path]:
    """Hand out an empty folder that takes the place of the target at the end, if nothing goes wrong."""
    state = Settings.from_environment().state
    sweep(state)
    target = target.resolve()
    with journalled(partial_beside(target), state) as folder, journalled(partial_beside(target), state) as old:
        try:
            folder.mkdir()
            yield folder
            check_place(target, force=force)
            if target.exists():
                target.rename(old)
            try:
                folder.rename(target)
            except OSError:
                if old.exists():
                    old.rename(target)
                raise
        except OSError as error:
            raise OutputError(
                f"the folder cannot be written ({error.strerror})", where=str(target), do="choose another place"
            ) from None


def _is_ours(folder: Path) -> bool:
    try:
        found = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(found, dict) and found.get("kind") == KIND

"""The folder of an experiment: made beside its place, and renamed when everything is in it."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

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
    """Write plots, table, page and points of the experiments of VADA-SA; return the names of the files."""
    check_place(target, force=force)
    files = {
        **{plot_name(letter): standalone(drawn(results, letter)) for letter in results.figures},
        "results.csv": as_csv(results),
        "report.md": as_markdown(results),
        "report.html": as_html(results),
    }
    return write_files(files, {"seed": results.seed, "quick": results.quick}, target, force=force)


def write_files(files: Mapping[str, str], facts: Mapping[str, Any], target: Path, *, force: bool = False) -> list[str]:
    """Write texts by file name, and a manifest with facts about the run; return the names of the files."""
    check_place(target, force=force)
    manifest = {"kind": KIND, "version": __version__, **facts, "files": sorted(files)}
    texts = {**files, MANIFEST: json.dumps(manifest, indent=2) + "\n"}
    with _placed(target, force=force) as folder:
        for name, text in texts.items():
            write_text(folder / name, text, force=False)
    return list(texts)


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

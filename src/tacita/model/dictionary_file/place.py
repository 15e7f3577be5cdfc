"""Where the dictionary of some data stands: beside it, under its name."""

from __future__ import annotations

import re
from os import PathLike, fspath
from pathlib import Path

ENDING = ".dictionary.toml"

_PACKED = re.compile(r"\.(gz|bz2|xz|zst|zip|lz4|br)$", re.IGNORECASE)
_DATA = re.compile(
    r"\.(csv|tsv|tab|txt|dat|psv|parquet|pq|arrow|feather|ipc|orc|avro|json|jsonl|ndjson|xlsx|xlsm|xlsb|xls|ods"
    r"|dta|sav|zsav|por|xpt|sas7bdat|sqlite|sqlite3|db|duckdb)$",
    re.IGNORECASE,
)
_WILD = re.compile(r"[*?\[]")
_PART = re.compile(r"(part|chunk|shard|split|file|data)?s?[-_. \d]*|.*=", re.IGNORECASE)


def dictionary_path(data_path: str | PathLike[str]) -> Path:
    """Return the path of the dictionary of a file, a folder or a pattern of files.

    >>> print(dictionary_path("survey/firms.csv.gz"), dictionary_path("survey/firms/"))
    survey/firms.dictionary.toml survey/firms.dictionary.toml
    >>> print(dictionary_path("survey/firms/part-*.parquet"), dictionary_path("survey/firms-*.csv"))
    survey/firms.dictionary.toml survey/firms.dictionary.toml
    """
    text = fspath(data_path)
    path = Path(text)
    if not path.exists() and _WILD.search(text):
        return _of_pattern(path)
    if path.is_dir():
        return _of_folder(path)
    return path.with_name(_stem(path.name) + ENDING)


def find(data_path: str | PathLike[str]) -> Path | None:
    """Return the path of the dictionary that stands beside the data, or None if there is none."""
    path = dictionary_path(data_path)
    return path if path.is_file() else None


def _of_folder(folder: Path) -> Path:
    if folder.name in {"", ".."}:  # the folder one stands in, or one above it
        folder = folder.resolve()
    return folder.parent / ((_stem(folder.name) or "data") + ENDING)


def _of_pattern(pattern: Path) -> Path:
    """Return the dictionary of ``folder/firms-*.csv`` (by what the names share) or ``firms/part-*`` (by folder)."""
    wild = next(index for index, part in enumerate(pattern.parts) if _WILD.search(part))
    folder = Path(*pattern.parts[:wild])
    shared = _WILD.split(pattern.parts[wild])[0]
    if _PART.fullmatch(shared):
        return _of_folder(folder)
    return folder / (shared.rstrip("-_. ") + ENDING)


def _stem(name: str) -> str:
    """Return a name without its endings; a dot that begins no known ending belongs to the name."""
    unpacked = _PACKED.sub("", name) or name
    return _DATA.sub("", unpacked) or name

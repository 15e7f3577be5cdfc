"""Which format a source has: by its ending, its URL scheme, or what it is."""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from tacita.errors import InputError, UsageError, did_you_mean


@dataclass(frozen=True, slots=True)
class Format:
    """A file format: its endings, the module that knows it, whether we can write it."""

    name: str
    endings: tuple[str, ...]
    module: str
    writable: bool = True

    def load(self) -> ModuleType:
        """Import the module that knows the format."""
        return importlib.import_module(f"tacita.files.{self.module}")


FORMATS = (
    Format("CSV", (".csv", ".txt", ".csv.gz"), "delimited"),
    Format("TSV", (".tsv", ".tab", ".tsv.gz"), "delimited"),
    Format("Parquet", (".parquet", ".pq"), "parquet"),
    Format("Arrow", (".arrow", ".feather", ".ipc"), "arrow"),
    Format("JSON Lines", (".jsonl", ".ndjson"), "json_lines"),
    Format("Excel", (".xlsx",), "excel"),
    Format("Excel (old or binary)", (".xls", ".xlsb", ".xlsm", ".ods"), "excel", writable=False),
    Format("Stata", (".dta",), "statistical"),
    Format("SPSS", (".sav", ".zsav"), "statistical"),
    Format("SAS transport", (".xpt",), "statistical"),
    Format("SAS", (".sas7bdat",), "statistical", writable=False),
)
DATABASE = Format("database", (), "database", writable=False)
_SCHEME = re.compile(r"^(postgresql|postgres|sqlite|mysql|mariadb)(\+\w+)?:", re.IGNORECASE)
_CREDENTIALS = re.compile(r":[^/\\].*@|^[/\\]{2}[^/\\]*@", re.DOTALL)  # not C:/data@2024
_PASSWORD = re.compile(r"\b(passwd|password|passphrase|pwd)=", re.IGNORECASE)


def is_database(source: str) -> bool:
    """Return whether a source is a database URL.

    >>> is_database("postgresql://host/db"), is_database("firms.csv")
    (True, False)
    """
    return bool(_SCHEME.match(source))


def check_no_credentials(source: str) -> None:
    """Raise if a source is no file and looks like the address of a database without its kind; show nothing of it.

    >>> check_no_credentials("firms.csv")
    """
    if has_credentials(source) and not is_there(Path(source)):
        raise UsageError(
            "the source is not a file and looks like the address of a database, but does not begin with its kind",
            do="begin it with postgresql://, mysql://, mariadb:// or sqlite:///",
        )


def has_credentials(place: str) -> bool:
    """Return whether the name of a place looks like an address with a password in it.

    >>> has_credentials("ann:s3cret@host/db"), has_credentials("C:/data@2024/firms.csv")
    (True, False)
    """
    return bool(_CREDENTIALS.search(place) or _PASSWORD.search(place))


def is_there(path: Path) -> bool:
    """Return whether there is a file or folder; a name that cannot be one is not there."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def format_of(path: Path) -> Format:
    """Return the format of a file by its ending; a folder is a partitioned Parquet data set.

    >>> format_of(Path("firms.CSV")).name
    'CSV'
    """
    name = path.name.lower()
    for known in FORMATS:
        if name.endswith(known.endings):
            return known
    endings = [ending for known in FORMATS for ending in known.endings]
    raise (InputError if path.exists() else UsageError)(
        f"no format is known for '{path.name}'{did_you_mean(path.suffix, endings)}",
        do=f"give the file one of these endings: {' '.join(endings)}",
    )

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
    Format("Excel", (".xlsx",), "excel"),
    Format("Excel (old or binary)", (".xls", ".xlsb", ".xlsm", ".ods"), "excel", writable=False),
    Format("Stata", (".dta",), "statistical"),
    Format("SPSS", (".sav", ".zsav"), "statistical"),
    Format("SAS transport", (".xpt",), "statistical"),
    Format("SAS", (".sas7bdat",), "statistical", writable=False),
)
DATABASE = Format("database", (), "database", writable=False)
_SCHEME = re.compile(r"^(postgresql|postgres|sqlite|mysql|mariadb)(\+\w+)?:", re.IGNORECASE)


def is_database(source: str) -> bool:
    """Return whether a source is a database URL.

    >>> is_database("postgresql://host/db"), is_database("firms.csv")
    (True, False)
    """
    return bool(_SCHEME.match(source))


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

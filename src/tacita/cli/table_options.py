"""Options that the commands about tables share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Specification = Annotated[Path, typer.Argument(metavar="SPEC.toml", help="The specification of the tables.")]
Formats = Annotated[
    list[str] | None,
    typer.Option(
        "--format", help="csv (default), wide-csv, xlsx, parquet or sdmx-csv; may be repeated, or with commas between."
    ),
]


def formats_asked(given: list[str] | None) -> tuple[str, ...]:
    """Return the formats that were named.

    >>> formats_asked(["csv,xlsx", "parquet"]), formats_asked(None)
    (('csv', 'xlsx', 'parquet'), ('csv',))
    """
    named = [name.strip() for each in given or () for name in each.split(",") if name.strip()]
    return tuple(dict.fromkeys(named)) or ("csv",)

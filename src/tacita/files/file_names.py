"""Names of files for tables, whatever the tables are called."""

from __future__ import annotations

import re
from collections.abc import Sequence

_LONGEST = 80


def file_names(names: Sequence[str]) -> list[str]:
    """Return names that any system takes, that differ even where capitals do not count, and that say the same.

    >>> file_names(["turnover by sector, size", "Turnover by sector/size", "../x", ""])
    ['turnover_by_sector_size', 'Turnover_by_sector_size_2', 'x', 'table']
    """
    taken: list[str] = []
    for name in names:
        plain = re.sub(r"[^\w-]+", "_", name).strip("_")[:_LONGEST] or "table"
        candidate, number = plain, 2
        while candidate.casefold() in {other.casefold() for other in taken}:
            candidate, number = f"{plain}_{number}", number + 1
        taken.append(candidate)
    return taken

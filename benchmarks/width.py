"""How the time of commands grows with the columns of a file: 2,000 and 10,000 columns with 200 records each.

A command that is linear in the columns has a ratio of 5.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import cost, tacita

COLUMNS = (2_000, 10_000)
ROWS = 200
COMMANDS = (
    "convert {}.csv {}.parquet",
    "describe {}.csv",
    "categorize {}.csv",
    "assess {}.csv --quasi code_0,region_2",
    "anonymize {}.csv --quasi code_0,region_2 --out {}.release",
    "anonymize {}.csv --quasi code_0,region_2,code_5,region_7 --out {}.suppressed",
)


def write_wide(path: Path, columns: int) -> None:
    """Write a file of codes, amounts, regions, dates and names."""
    draw = random.Random(columns)
    kinds = {
        "code": lambda: str(draw.randint(1, 5)),
        "income": lambda: f"{draw.random() * 1000:.2f}",
        "region": lambda: draw.choice("ABCD"),
        "date": lambda: f"2024-{draw.randint(1, 12):02d}-{draw.randint(1, 28):02d}",
        "name": lambda: f"n{draw.randint(1, 10**6)}",
    }
    of_column = [list(kinds)[place % len(kinds)] for place in range(columns)]
    lines = [",".join(f"{kind}_{place}" for place, kind in enumerate(of_column))]
    lines += [",".join(kinds[kind]() for kind in of_column) for _ in range(ROWS)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def width(folder: Path) -> Iterator[tuple[str, str, str, str, str]]:
    """Read, describe, assess and anonymize a file of 10,000 columns against one of 2,000."""
    for columns in COLUMNS:
        write_wide(folder / f"wide{columns}.csv", columns)
    for command in COMMANDS:
        few, many = (
            cost(tacita(*command.replace("{}", str(folder / f"wide{columns}")).split())) for columns in COLUMNS
        )
        what = " with nulls" if "suppressed" in command else ""
        name = f"{command.split()[0]}{what} 10,000 columns / 2,000"
        yield name, str(many), str(few), f"{many.cpu / few.cpu:.2f}", "about 5"

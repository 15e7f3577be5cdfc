"""How the time of commands grows with the columns of a file: 2,000 and 10,000 columns with 200 records each.

Run with ``python -m benchmarks.width``. A command that is linear in the columns has a ratio of 5.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COLUMNS = (2_000, 10_000)
ROWS = 200
COMMANDS = (
    "convert {}.csv {}.parquet",
    "describe {}.csv",
    "categorize {}.csv",
    "assess {}.csv --quasi code_0,region_2",
    "anonymize {}.csv --quasi code_0,region_2 --out {}.release",
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


def main() -> None:
    """Print the seconds of each command for both files, and their ratio."""
    with tempfile.TemporaryDirectory() as folder:
        for columns in COLUMNS:
            write_wide(Path(folder, f"wide{columns}.csv"), columns)
        for command in COMMANDS:
            seconds = []
            for columns in COLUMNS:
                arguments = command.replace("{}", f"wide{columns}").split()
                started = time.perf_counter()
                script = "from tacita.cli import main; main()"
                subprocess.run(
                    [sys.executable, "-c", script, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL
                )
                seconds.append(time.perf_counter() - started)
            few, many = seconds
            print(f"{arguments[0]:<12} {few:6.1f} s {many:6.1f} s   ratio {many / few:.1f}")


if __name__ == "__main__":
    main()

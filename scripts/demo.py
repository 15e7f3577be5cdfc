"""The demo: a survey of 25,000 firms is generated, categorised, assessed, anonymized, explained and verified."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.rule import Rule

FOLDER = Path("demo")
RELEASE = FOLDER / "release"
BEFORE = (
    (
        "A survey of 25,000 invented firms, and who owns whom",
        "generate R25A4W --seed 7 --out demo/firms.csv --ownership demo/own.csv --edges 20000 --force",
    ),
    ("Which attributes identify a firm?", "categorize demo/firms.csv --accept --force"),
    (
        "How risky is it, and why?",
        "assess demo/firms.csv --top 3 --html demo/report.html --records demo/risks.csv --force",
    ),
    (
        "Which firm controls which? (recursive rules)",
        "reason company_control --input Own=demo/own.csv --output Control=demo/control.csv --force",
    ),
    (
        "Change as little as possible until at least 3 firms look alike",
        "anonymize demo/firms.csv -k 3 --seed 7 --out demo/release --force",
    ),
)
"""What is done to the file, by its heading."""


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "firms.dictionary.toml").unlink(missing_ok=True)
    _without_old_release()
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 120)
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as home:
        # The demo must not teach the user's own experience base.
        environment = {**os.environ, "TACITA_EXPERIENCE": str(Path(home) / "experience.toml")}
        for title, command in BEFORE:
            _shown(console, title, command, environment)
        why = f"explain demo/release --row {_first_changed()}"
        _shown(console, "Why was the first of the changed cells changed?", why, environment)
        _shown(console, "Does the claim hold on the released file alone?", "verify demo/release", environment)
    console.print(Rule("Done", align="left", style="dim"))
    console.print(f"{time.perf_counter() - started:.1f} s. Written to demo/:")
    for file in sorted(path for path in FOLDER.rglob("*") if path.is_file()):
        console.print(f"  {file.relative_to(FOLDER).as_posix():<36}{file.stat().st_size:>12,} bytes")
    console.print(f"\n{_made()}", style="bold")


def _shown(console: Console, title: str, command: str, environment: dict[str, str]) -> None:
    console.print(Rule(title, align="left", style="dim"))
    console.print(f"$ tacita {command}\n", style="bold")
    run(command, environment)
    console.print()


def run(command: str, environment: dict[str, str]) -> None:
    """Run the installed command as a user would; stop the demo if it fails."""
    tacita = Path(sys.executable).with_name("tacita")
    done = subprocess.run([tacita, *command.split()], check=False, env=environment)
    if done.returncode:
        sys.exit(done.returncode)


def _without_old_release() -> None:
    for folder in (RELEASE, RELEASE.with_name("release.internal")):
        if (folder / "manifest.json").is_file():
            shutil.rmtree(folder)


def _first_changed() -> int:
    """Return the number of the first released firm of which a cell was suppressed: invented firms lack nothing."""
    import csv

    with (RELEASE / "data.csv").open(encoding="utf-8", newline="") as file:
        return next(row for row, firm in enumerate(csv.DictReader(file), 1) if "" in firm.values())


def _made() -> str:
    """Return what was made, from what the release itself remembers."""
    known = json.loads((RELEASE.with_name("release.internal") / "manifest.json").read_text(encoding="utf-8"))
    return (
        f"Made demo/release/: {known['records']:,} firms, {known['before']['unsafe']} of them too rare before and "
        f"{known['checked']['unsafe']} now, for {known['nulls']} empty cells."
    )


if __name__ == "__main__":
    main()

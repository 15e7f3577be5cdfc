"""The demo: a survey of 25,000 firms is generated, described, categorised, assessed and reasoned about."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.rule import Rule

FOLDER = Path("demo")
STEPS = (
    (
        "A survey of 25,000 invented firms, and who owns whom",
        "generate R25A4W --seed 7 --out demo/firms.csv --ownership demo/own.csv --edges 20000 --force",
    ),
    ("What is in it?", "describe demo/firms.csv"),
    ("Which attributes identify a firm?", "categorize demo/firms.csv --accept --force"),
    (
        "How risky is it, and why?",
        "assess demo/firms.csv --top 3 --html demo/report.html --records demo/risks.csv --force",
    ),
    (
        "Which firm controls which? (recursive rules)",
        "reason company_control --input Own=demo/own.csv --output Control=demo/control.csv --force",
    ),
)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "firms.dictionary.toml").unlink(missing_ok=True)
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 120)
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as home:
        # The demo must not teach the user's own experience base.
        environment = {**os.environ, "TACITA_EXPERIENCE": str(Path(home) / "experience.toml")}
        for title, command in STEPS:
            console.print(Rule(title, align="left", style="dim"))
            console.print(f"$ tacita {command}\n", style="bold")
            run(command, environment)
            console.print()
        description = run("describe demo/firms.csv --json", environment, capture=True)
    (FOLDER / "description.json").write_text(description, encoding="utf-8")
    console.print(Rule("Done", align="left", style="dim"))
    console.print(f"{time.perf_counter() - started:.1f} s. Written to demo/:")
    for file in sorted(FOLDER.iterdir()):
        console.print(f"  {file.name:<24}{file.stat().st_size:>12,} bytes")
    console.print("\nNative anonymization will join this demo; see CHANGELOG.md.", style="dim")


def run(command: str, environment: dict[str, str], *, capture: bool = False) -> str:
    """Run the installed command as a user would; stop the demo if it fails."""
    tacita = Path(sys.executable).with_name("tacita")
    done = subprocess.run(
        [tacita, *command.split()], check=False, env=environment, text=True, stdout=subprocess.PIPE if capture else None
    )
    if done.returncode:
        sys.exit(done.returncode)
    return done.stdout or ""


if __name__ == "__main__":
    main()

"""What `--json` prints keeps to the conventions of docs/reference/conventions.md, for every command that has it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from experiments.soldiers import policy_text, soldiers

from tacita.cli.main import app

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "reference" / "conventions.md").read_text(encoding="utf-8")
NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
BY_NAME = set(re.findall(r"`(\w+)`", PAGE.partition("## Objects by name")[2].partition("\n## ")[0]))
"""Objects whose keys are names of the data or of a catalogue, and not fields."""
QUESTIONS = """
name = "firms"
[[filter]]
attribute = "Area"
[[measure]]
attribute = "W"
lower = 0
upper = 100000
"""
RECIPE = '[attack]\naccept = 1.0\naccept_unique = 1.0\n[[step]]\nmethod = "rank-swapping"\nattributes = ["W"]\np = 20\n'
PROGRAM = 'Own(X, Y, W), W > 0.5 -> Control(X, Y).\nOwn("a", "b", 0.6).\n'
FIRMS = ("firms.csv", "--quasi", "Area,Sector,Employees", "--weight", "W")
SEALED = ("--key", "key.bin", "--out", "concealed", "--allow-derivable")

CASES = {
    "ledger init": ("ledger", "init"),
    "describe": ("describe", "firms.csv"),
    "categorize": ("categorize", "firms.csv"),
    "assess": ("assess", *FIRMS),
    "measures": ("measures",),
    "anonymize": ("anonymize", *FIRMS, "-k", "2", "--out", "release"),
    "mask": ("mask", *FIRMS, "--recipe", "recipe.toml", "--seed", "1", "--out", "masked", "--allow-joint"),
    "compare": ("compare", *FIRMS, "--recipe", "recipe.toml", "--seed", "1"),
    "explore": ("explore", *FIRMS, "--methods", "rank-swapping", "--grid", "rank-swapping.p=10", "--seed", "1"),
    "depends discover": ("depends", "discover", "firms.csv", "--conditional", "Area", "--min-group", "5"),
    "keys make": ("keys", "make", "key.bin"),
    "conceal": ("conceal", "firms.csv", "--confidential", "Area", "--least-hiders", "2", *SEALED, "--allow-joint"),
    "keys export": ("keys", "export", "concealed", "--key", "key.bin", "--person", "1", "--out", "own.json"),
    "keys erase": ("keys", "erase", "concealed", "--key", "key.bin", "--person", "1"),
    "keys rotate": ("keys", "rotate", "concealed", "--key", "key.bin", "--new-key", "new.bin"),
    "reveal": ("reveal", "concealed", "--key", "new.bin", "--out", "revealed.csv"),
    "attack": ("attack", "masked", "--original", "firms.csv", "--quasi", "W"),
    "methods": ("methods",),
    "explain": ("explain", "release", "--row", "1"),
    "verify": ("verify", "release"),
    "generate": ("generate", "R1A4U", "--out", "generated.csv"),
    "convert": ("convert", "firms.csv", "firms.parquet"),
    "reason": ("reason", "program.vada"),
    "rules check": ("rules", "check", "program.vada"),
    "rules format": ("rules", "format", "--check", "program.vada"),
    "rules explain": ("rules", "explain", "program.vada"),
    "rules list": ("rules", "list"),
    "rules show": ("rules", "show", "suda"),
    "rules grammar": ("rules", "grammar"),
    "table example": ("table", "example", "example"),
    "table build": ("table", "build", "example/turnover.toml"),
    "table assess": ("table", "assess", "example/turnover.toml"),
    "table protect": ("table", "protect", "example/turnover.toml", "--out", "tables"),
    "table audit": ("table", "audit", "example/turnover.toml"),
    "table explain": ("table", "explain", "tables"),
    "table export": ("table", "export", "example/turnover.toml", "--out", "turnover.jj"),
    "table import": ("table", "import", "turnover.jj", "--out", "imported.toml"),
    "ledger note": ("ledger", "note", "a remark"),
    "ledger log": ("ledger", "log"),
    "ledger show": ("ledger", "show", "1"),
    "ledger judge": ("ledger", "judge", "example/turnover.toml"),
    "ledger verify": ("ledger", "verify"),
    "ledger checkpoint": ("ledger", "checkpoint"),
    "ledger prove": ("ledger", "prove", "1"),
    "ledger export": ("ledger", "export", "--out", "export.jsonl"),
    "ledger withdraw": ("ledger", "withdraw", "1", "--why", "a mistake"),
    "ledger purge": ("ledger", "purge", "1", "--why", "a mistake"),
    "release gate": ("release", "gate", "staff.csv", "--out", "given"),
    "release plan": ("release", "plan", "staff.csv", "--out", "given"),
    "release watch": ("release", "watch", "given"),
    "query open": ("query", "open", "firms.csv", "--policy", "questions.toml", "--out", "opened"),
    "query ask": ("query", "ask", "opened", "SELECT COUNT(*), AVG(W) FROM firms"),
    "query history": ("query", "history", "opened"),
    "query audit": ("query", "audit", "opened"),
    "query backup": ("query", "backup", "opened", "--out", "saved"),
    "query restore": ("query", "restore", "opened.again", "--from", "saved", "--why", "the disk failed"),
    "token make": ("token", "make", "ann"),
    "token list": ("token", "list"),
    "version": ("version",),
}
"""Every command that has `--json`, in an order in which each finds the files that it needs."""
ELSEWHERE = {
    "token revoke": "needs the id of a token, which is drawn; its JSON is a line of 'token list'",
    "ledger restore": "needs an older copy of a ledger; its JSON is that of 'ledger purge'",
}


def with_json(command: Any, name: str = "") -> Iterator[str]:
    for part, below in getattr(command, "commands", {}).items():
        yield from with_json(below, f"{name} {part}".strip())
    if not hasattr(command, "commands") and any("--json" in parameter.opts for parameter in command.params):
        yield name


@pytest.mark.slow
def test_every_command_with_json_is_tried() -> None:
    assert {*with_json(typer.main.get_command(app))} == {*CASES, *ELSEWHERE}


@pytest.mark.slow
def test_json_keeps_to_the_conventions(tacita: Any, tmp_path: Path) -> None:
    import tacita as tc

    tc.sample("figure-1").write(tmp_path / "firms.csv")
    (tmp_path / "recipe.toml").write_text(RECIPE)
    (tmp_path / "program.vada").write_text(PROGRAM)
    tc.make_key(tmp_path / "new.bin")
    (tmp_path / "gate.toml").write_text(policy_text())
    (tmp_path / "questions.toml").write_text(QUESTIONS)
    rows = "".join(f"{','.join(row)}\n" for row in soldiers(1)[:300])
    (tmp_path / "staff.csv").write_text(f"id,age,location\n{rows}")
    faults = []
    for name, arguments in CASES.items():
        done = tacita(*arguments, "--json")
        if done.returncode not in {0, 1} or not done.stdout:
            faults.append(f"{name}: {done.stderr}")
            continue
        value = json.loads(done.stdout, parse_constant=lambda text, at=name: pytest.fail(f"{at} prints {text}"))
        if name != "rules grammar":  # a format of editors
            faults += [f"{name}: {fault}" for fault in wrong(value, "", is_by_name=name == "version")]
    assert not faults, "\n".join(faults)


def wrong(value: Any, path: str, *, is_by_name: bool = False) -> Iterator[str]:
    """Yield what breaks the conventions."""
    if isinstance(value, dict):
        for key, item in value.items():
            if not is_by_name and not NAME.fullmatch(key):
                yield f"{path}.{key} is not in snake case, and {path or 'the top'} is not an object by name"
            # the attributes of a loss are objects of figures
            is_of_loss = is_by_name and re.search(r"(losses|models)\[\]\.attributes$", path) is not None
            yield from wrong(item, f"{path}.{key}", is_by_name=key in BY_NAME or is_of_loss)
    elif isinstance(value, list):
        for item in value[:50]:
            yield from wrong(item, f"{path}[]")
    elif isinstance(value, float):
        if not math.isfinite(value):
            yield f"{path} is not finite"
    elif isinstance(value, str):
        if value in {"NaN", "nan", "None"}:
            yield f"{path} is the text {value!r}"
        if re.fullmatch(r".*_share|share", path.rpartition(".")[2]):
            yield f"{path} is a share, and a text"

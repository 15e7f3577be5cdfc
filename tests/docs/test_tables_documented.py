"""Every option of the commands about tables is documented, and every key of a specification, in its own section."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer

from tacita.cli.main import app
from tacita.tables.protect.catalogue import WAYS
from tacita.tables.specification.reading import TOP_KEYS
from tacita.tables.specification.reading_dimensions import DIMENSION_KEYS, TABLE_KEYS
from tacita.tables.specification.reading_plans import ATTACKER_KEYS, DATA_KEYS, HISTORY_KEYS, PROTECT_KEYS
from tacita.tables.specification.sensitivity import sensitivity_keys

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "reference"
PAGE = (REFERENCE / "table-specification.md").read_text(encoding="utf-8")
COMMANDS = typer.main.get_command(app).commands["table"].commands  # type: ignore[attr-defined]
SECTIONS = {
    "[data]": DATA_KEYS,
    "[dimension.NAME]": DIMENSION_KEYS,
    "[[table]]": TABLE_KEYS,
    "[sensitivity]": sensitivity_keys(),
    "[attacker]": ATTACKER_KEYS,
    "[protect]": PROTECT_KEYS,
    "[history]": HISTORY_KEYS,
}


def section(page: str, title: str) -> str:
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    assert found, f"no section {title}"
    return found[1]


@pytest.mark.parametrize("title", SECTIONS)
def test_every_key_is_documented_and_none_is_invented(title: str) -> None:
    own = section(PAGE, title).partition("`[protect.METHOD]`")[0]
    rows = re.findall(r"^\| (`.*?`) \|", own, re.MULTILINE)
    assert {key for row in rows for key in re.findall(r"`(\w+)`", row)} == set(SECTIONS[title])


def test_every_table_and_every_method_is_documented() -> None:
    assert set(TOP_KEYS) - {"title"} == {key.strip("[]").split(".")[0] for key in SECTIONS}
    assert all(f"`{method}`" in PAGE for method in WAYS.names())


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_documented_with_its_command(command: str) -> None:
    page = (REFERENCE / "cli.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(--[a-z-]+)", section(page, f"`tacita table {command}`"), re.MULTILINE)
    known = {name for each in COMMANDS[command].params for name in each.opts if name.startswith("--")}
    assert set(rows) == known | {"--help"}

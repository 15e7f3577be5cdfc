"""The programs beside the project are read without a fault, printed, formatted and read again."""

from __future__ import annotations

import json
from pathlib import Path

from tacita.rules.syntax import formatted, parse, text_of


def texts(shared: Path) -> dict[str, str]:
    folder = shared.parent / "rules"
    files = [*sorted(folder.glob("programs/*.vada")), *sorted(folder.glob("cases/chase/*.vada"))]
    cases = json.loads((folder / "cases" / "vadalog_docs.json").read_text(encoding="utf-8"))
    found = {path.name: path.read_text(encoding="utf-8") for path in files}
    return found | {name: case["program"] for name, case in cases.items()}


def test_they_have_no_fault(shared: Path) -> None:
    found = texts(shared)
    assert len(found) >= 28
    for name, text in found.items():
        assert parse(text, name).faults == ()


def test_they_are_printed_and_read_back(shared: Path) -> None:
    for name, text in texts(shared).items():
        program = parse(text, name).program
        assert parse(text_of(program)).program == program


def test_they_are_formatted_without_a_change_of_meaning(shared: Path) -> None:
    for name, text in texts(shared).items():
        result = formatted(text, name)
        assert parse(result).program == parse(text).program
        assert formatted(result) == result
        assert result.count("%") == text.count("%")
